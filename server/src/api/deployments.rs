use axum::Json;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::{get, post};
use http::StatusCode;
use inferex_app::ports::Ports;
use inferex_app::view::{DeploymentView, EngineSetupView, LogPage};
use inferex_model::variant::RuntimeKind;
use serde::Deserialize;

use super::Caller;
use super::body::{Document, id};
use super::problem::Problem;

pub(super) fn routes() -> Router<Ports> {
    Router::new()
        .route("/deployments", get(list).post(start))
        .route("/deployments/{id}", get(show))
        .route("/deployments/{id}/stop", post(stop))
        .route("/deployments/{id}/logs", get(logs))
        .route("/engine-setup", get(setup_status).post(setup_begin))
}

#[derive(Deserialize)]
struct Page {
    from: Option<u64>,
    #[serde(default = "default_limit")]
    limit: u32,
}

const fn default_limit() -> u32 {
    200
}

#[derive(Deserialize)]
struct Start {
    variant: String,
    runtime: RuntimeKind,
}

async fn list(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Query(page): Query<Page>,
) -> Result<Json<Vec<DeploymentView>>, Problem> {
    Ok(Json(ports.deployments.list(&actor, page.limit).await?))
}

async fn start(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Document(body): Document<Start>,
) -> Result<(StatusCode, Json<DeploymentView>), Problem> {
    let id = ports.deployments.start(&actor, &body.variant, body.runtime).await?;
    Ok((StatusCode::CREATED, Json(ports.deployments.get(&actor, id).await?)))
}

async fn show(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(deployment): Path<String>,
) -> Result<Json<DeploymentView>, Problem> {
    Ok(Json(ports.deployments.get(&actor, id(&deployment)?).await?))
}

async fn stop(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(deployment): Path<String>,
) -> Result<Json<DeploymentView>, Problem> {
    let deployment = id(&deployment)?;
    ports.deployments.stop(&actor, deployment).await?;
    Ok(Json(ports.deployments.get(&actor, deployment).await?))
}

async fn logs(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(deployment): Path<String>,
    Query(page): Query<Page>,
) -> Result<Json<LogPage>, Problem> {
    Ok(Json(ports.deployments.logs(&actor, id(&deployment)?, page.from, page.limit).await?))
}

async fn setup_status(
    State(ports): State<Ports>,
    Caller(actor): Caller,
) -> Result<Json<EngineSetupView>, Problem> {
    Ok(Json(ports.engine_setup.status(&actor).await?))
}

async fn setup_begin(
    State(ports): State<Ports>,
    Caller(actor): Caller,
) -> Result<(StatusCode, Json<EngineSetupView>), Problem> {
    ports.engine_setup.begin(&actor).await?;
    Ok((StatusCode::ACCEPTED, Json(ports.engine_setup.status(&actor).await?)))
}
