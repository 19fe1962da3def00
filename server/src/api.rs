//! The JSON API under `/api/v1`: thin handlers over the same ports that the pages call.
//!
//! Who asks is decided by the door (session or control socket), which puts an [`Actor`] into the request.

mod body;
mod deployments;
mod experiments;
mod openapi;
pub(crate) mod problem;
mod reports;
mod runs;
mod users;
mod variants;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequestParts};
use http::request::Parts;
use inferex_app::ports::{PortError, Ports};
use inferex_model::actor::Actor;

use problem::Problem;

/// Largest body the API takes; an experiment file is a few kilobytes.
const BODY_LIMIT: usize = 1024 * 1024;

/// All routes of the API, without a door in front.
pub(crate) fn router(ports: Ports) -> Router {
    let routes = Router::new()
        .merge(users::routes())
        .merge(variants::routes())
        .merge(deployments::routes())
        .merge(experiments::routes())
        .merge(runs::routes())
        .merge(reports::routes())
        .merge(openapi::routes())
        .fallback(|| async { Problem::from(PortError::not_found("this API route")) })
        .layer(DefaultBodyLimit::max(BODY_LIMIT));
    Router::new().nest("/api/v1", routes).with_state(ports)
}

/// The identity behind the request, put there by the door it came through.
pub(crate) struct Caller(pub(crate) Actor);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let actor = parts.extensions.get::<Actor>().cloned();
        actor.map(Self).ok_or_else(|| Problem::from(PortError::SignInNeeded))
    }
}
