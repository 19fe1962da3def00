//! A handler that panics is a fault of ours: the visitor gets an answer that says so, instead of a closed connection.

use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use futures::FutureExt as _;

use super::answer;
use crate::api::problem;

pub(super) async fn layer(request: Request, next: Next) -> Response {
    // Safe to go on: the request's own state is dropped with it, and every shared lock recovers from poisoning.
    let path = request.uri().path().to_owned();
    let run = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    run.unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| cause.downcast_ref::<String>().cloned());
        let error = std::io::Error::other(text.unwrap_or_else(|| "a panic without words".to_owned()));
        answer(&path, problem::internal("a handler that panicked", &error))
    })
}
