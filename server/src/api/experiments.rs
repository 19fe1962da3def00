use axum::Json;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::routing::{get, post};
use http::StatusCode;
use inferex_app::ports::{Answer, PortError, Ports};
use inferex_app::view::{EstimateView, ExperimentRow, ExperimentView, ResultView};
use inferex_model::actor::Actor;
use inferex_model::experiment::ExperimentSpec;
use inferex_model::id::ExperimentId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Caller;
use super::body::{Document, id};
use super::problem::Problem;
use crate::download::{self, Kind};

pub(super) fn routes() -> Router<Ports> {
    Router::new()
        .route("/experiments", get(list).post(create))
        .route("/experiments/estimate", post(estimate))
        .route("/experiments/{id}", get(show).delete(remove))
        .route("/experiments/{id}/cancel", post(cancel))
        .route("/experiments/{id}/requeue", post(requeue))
        .route("/experiments/{id}/export.toml", get(export))
        .route("/experiments/{id}/result.json", get(result_json))
        .route("/experiments/{id}/results.csv", get(results_csv))
        .route("/experiments/{id}/charts/{file}", get(chart))
}

#[derive(Deserialize)]
struct Page {
    before: Option<ExperimentId>,
    #[serde(default = "default_limit")]
    limit: u32,
}

const fn default_limit() -> u32 {
    50
}

async fn list(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Query(page): Query<Page>,
) -> Result<Json<Vec<ExperimentRow>>, Problem> {
    Ok(Json(ports.experiments.list(&actor, page.before, page.limit).await?))
}

async fn estimate(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Document(spec): Document<ExperimentSpec>,
) -> Result<Json<EstimateView>, Problem> {
    Ok(Json(ports.experiments.estimate(&actor, &spec).await?))
}

async fn create(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Document(spec): Document<ExperimentSpec>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let id = ports.experiments.create(&actor, spec).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

async fn show(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(experiment): Path<String>,
) -> Result<Json<ExperimentView>, Problem> {
    Ok(Json(ports.experiments.get(&actor, id(&experiment)?).await?))
}

async fn remove(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(experiment): Path<String>,
) -> Result<StatusCode, Problem> {
    ports.experiments.remove(&actor, id(&experiment)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn cancel(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(experiment): Path<String>,
) -> Result<Json<Value>, Problem> {
    let experiment: ExperimentId = id(&experiment)?;
    ports.experiments.cancel(&actor, experiment).await?;
    Ok(Json(json!({ "id": experiment })))
}

async fn requeue(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(experiment): Path<String>,
) -> Result<Json<Value>, Problem> {
    let queued = ports.experiments.requeue(&actor, id(&experiment)?).await?;
    Ok(Json(json!({ "queued": queued })))
}

async fn export(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(experiment): Path<String>,
) -> Result<Response, Problem> {
    let view = ports.experiments.get(&actor, id(&experiment)?).await?;
    Ok(download::attachment(Kind::Toml, &format!("{}.toml", view.row.id), view.toml))
}

async fn result_json(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(experiment): Path<String>,
) -> Result<Response, Problem> {
    let (id, result) = result(&ports, &actor, &experiment).await?;
    Ok(download::json(&format!("{id}-result.json"), &result))
}

async fn results_csv(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(experiment): Path<String>,
) -> Result<Response, Problem> {
    let (id, result) = result(&ports, &actor, &experiment).await?;
    Ok(download::attachment(Kind::Csv, &format!("{id}-results.csv"), download::results_csv(&result)))
}

async fn chart(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path((experiment, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let (id, result) = result(&ports, &actor, &experiment).await?;
    Ok(download::chart(&result, &file, &id.to_string())?)
}

async fn result(ports: &Ports, actor: &Actor, text: &str) -> Answer<(ExperimentId, ResultView)> {
    let experiment: ExperimentId = id(text)?;
    let view = ports.experiments.get(actor, experiment).await?;
    let missing =
        || PortError::Conflict(format!("{experiment} has no figures yet; wait until a run is done"));
    Ok((experiment, view.result.ok_or_else(missing)?))
}
