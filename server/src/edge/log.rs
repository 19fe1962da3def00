//! One line for each request. Paths are masked and queries left out: both can hold secrets.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode};

use super::facts::Facts;
use super::{paths, refuse};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(super) async fn layer(mut request: Request, next: Next) -> Response {
    let facts = match Facts::draw() {
        Ok(facts) => facts,
        Err(error) => {
            tracing::error!(%error, "request_refused");
            return refuse(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the system's random generator failed; try again",
            );
        }
    };
    request.extensions_mut().insert(facts.clone());
    let (method, route) = (request.method().clone(), route(&request));
    let began = Instant::now();
    let mut response = next.run(request).await;
    if let Ok(id) = HeaderValue::from_str(&facts.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    tracing::info!(
        request_id = &*facts.request_id,
        method = %method,
        route,
        status_code = response.status().as_u16(),
        latency_ms = (began.elapsed().as_secs_f64() * 100_000.0).round() / 100.0,
        "request_completed"
    );
    response
}

/// The route's pattern; pages are served by a fallback, which has none. A nested route's pattern may end in a
/// wildcard, which says as little as a masked path does.
fn route(request: &Request) -> String {
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    matched.map_or_else(|| paths::masked(request.uri().path()), str::to_owned)
}
