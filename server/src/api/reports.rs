use axum::Json;
use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{delete, get, post};
use http::StatusCode;
use inferex_app::ports::Ports;
use inferex_app::view::{AuditView, NewShare, ReportRow, ReportView};
use inferex_model::duration::Span;
use inferex_model::id::ExperimentId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Caller;
use super::body::{Document, id};
use super::problem::Problem;

pub(super) fn routes() -> Router<Ports> {
    Router::new()
        .route("/reports", get(list).post(create))
        .route("/reports/{id}", get(show).delete(remove))
        .route("/reports/{id}/shares", post(share))
        .route("/shares/{id}", delete(revoke))
        .route("/audit", get(audit))
}

#[derive(Deserialize)]
struct Create {
    experiment: ExperimentId,
    title: Option<String>,
}

#[derive(Deserialize)]
struct Share {
    expires: Option<Span>,
}

async fn list(State(ports): State<Ports>, Caller(actor): Caller) -> Result<Json<Vec<ReportRow>>, Problem> {
    Ok(Json(ports.reports.list(&actor, 200).await?))
}

async fn create(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Document(body): Document<Create>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let title = body.title.unwrap_or_default();
    let id = ports.reports.create(&actor, body.experiment, &title).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

async fn show(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(report): Path<String>,
) -> Result<Json<ReportView>, Problem> {
    Ok(Json(ports.reports.get(&actor, id(&report)?).await?))
}

async fn remove(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(report): Path<String>,
) -> Result<StatusCode, Problem> {
    ports.reports.remove(&actor, id(&report)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn share(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(report): Path<String>,
    Document(body): Document<Share>,
) -> Result<(StatusCode, Json<NewShare>), Problem> {
    let share = ports.reports.share(&actor, id(&report)?, body.expires).await?;
    Ok((StatusCode::CREATED, Json(share)))
}

async fn revoke(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(share): Path<String>,
) -> Result<StatusCode, Problem> {
    ports.reports.revoke(&actor, id(&share)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn audit(State(ports): State<Ports>, Caller(actor): Caller) -> Result<Json<Vec<AuditView>>, Problem> {
    Ok(Json(ports.accounts.audit(&actor, 200).await?))
}
