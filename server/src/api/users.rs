//! `/users`: accounts over the JSON API. Authorisation and audit live in the port.

use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::StatusCode;
use inferex_app::ports::Ports;
use inferex_app::view::UserView;
use inferex_model::actor::Role;
use serde::Deserialize;

use super::Caller;
use super::body::Document;
use super::problem::Problem;

/// The routes below `/api/v1`.
pub(super) fn routes() -> Router<Ports> {
    Router::new()
        .route("/users", get(list).post(create))
        .route("/users/{name}/disable", post(disable))
        .route("/users/{name}/enable", post(enable))
        .route("/users/{name}/password", post(set_password))
}

/// What makes an account. No `Debug`: it holds a password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewUser {
    name: String,
    role: Role,
    password: String,
}

/// A new password. No `Debug`, for the same reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPassword {
    password: String,
}

async fn list(State(ports): State<Ports>, Caller(actor): Caller) -> Result<Json<Vec<UserView>>, Problem> {
    Ok(Json(ports.accounts.list(&actor).await?))
}

async fn create(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Document(new): Document<NewUser>,
) -> Result<(StatusCode, Json<UserView>), Problem> {
    let made = ports.accounts.create(&actor, &new.name, new.role, &new.password).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

async fn disable(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    ports.accounts.set_disabled(&actor, &name, true).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn enable(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    ports.accounts.set_disabled(&actor, &name, false).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn set_password(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(name): Path<String>,
    Document(new): Document<NewPassword>,
) -> Result<StatusCode, Problem> {
    ports.accounts.set_password(&actor, &name, &new.password).await?;
    Ok(StatusCode::NO_CONTENT)
}
