//! How large a request may be, how long it may take, and what is compressed.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::CONTENT_LENGTH;
use http::{Extensions, HeaderMap, StatusCode, Version};
use http_body_util::Limited;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};

use super::facts::ShownOnce;
use super::refuse;

/// The largest form or file that any page or route takes.
pub(super) const LARGEST_BODY: usize = 1024 * 1024;
const DEADLINE: Duration = Duration::from_secs(30);

pub(super) async fn body(request: Request, next: Next) -> Response {
    let length =
        request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > LARGEST_BODY as u64) {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the request is larger than 1 MiB; send less at once");
    }
    // A length that was not announced is cut off while it is read.
    next.run(request.map(|body| Body::new(Limited::new(body, LARGEST_BODY)))).await
}

pub(super) async fn deadline(request: Request, next: Next) -> Response {
    let within = tokio::time::timeout(DEADLINE, next.run(request)).await;
    within.unwrap_or_else(|_| {
        refuse(
            StatusCode::SERVICE_UNAVAILABLE,
            "the answer took longer than 30 s and was given up; try again",
        )
    })
}

/// Whether an answer may be compressed.
///
/// Pages hold no secret beside text that an attacker could choose (forms carry no token), so their lengths tell
/// nothing; an answer that shows a secret once is the exception and is sent as it is.
fn holds_no_secret(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<ShownOnce>().is_none()
}

/// Fast levels: pages are made anew each time, and the static files, which are not, are compressed once at start.
pub(super) fn compression() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(holds_no_secret))
}
