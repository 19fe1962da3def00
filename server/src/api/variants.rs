use axum::Json;
use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{delete, get};
use http::StatusCode;
use inferex_app::ports::Ports;
use inferex_app::view::VariantView;
use inferex_model::variant::VariantFile;

use super::Caller;
use super::body::Document;
use super::problem::Problem;

pub(super) fn routes() -> Router<Ports> {
    Router::new().route("/variants", get(list).post(import)).route("/variants/{name}", delete(remove))
}

async fn list(State(ports): State<Ports>, Caller(actor): Caller) -> Result<Json<Vec<VariantView>>, Problem> {
    Ok(Json(ports.variants.list(&actor).await?))
}

async fn import(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Document(file): Document<VariantFile>,
) -> Result<Json<Vec<String>>, Problem> {
    Ok(Json(ports.variants.import(&actor, file.variant).await?))
}

async fn remove(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    ports.variants.remove(&actor, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
