//! Request bodies and path ids, refused with the field's name.

use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use http::header;
use inferex_app::ports::PortError;
use serde::de::DeserializeOwned;

use super::problem::Problem;

/// A JSON or TOML body, by content type; JSON when none is named.
pub(super) struct Document<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Document<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
        let is_toml = kind.is_some_and(|kind| kind.starts_with("application/toml"));
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|e| Problem::from(PortError::invalid("body", e.body_text())))?;
        let read = if is_toml { parse_toml(&bytes) } else { parse_json(&bytes) };
        read.map(Self).map_err(Problem::from)
    }
}

fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PortError> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|e| PortError::invalid("body", e.to_string()))
}

/// Reads TOML; the error keeps the line and the field that the parser names, on one line.
pub(super) fn parse_toml<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PortError> {
    let text =
        std::str::from_utf8(bytes).map_err(|e| PortError::invalid("file", format!("is not UTF-8: {e}")))?;
    toml::from_str(text).map_err(|e| {
        let line = e.span().map(|span| text[..span.start].matches('\n').count() + 1);
        let place = line.map_or_else(|| "file".to_owned(), |line| format!("line {line}"));
        PortError::invalid(place, e.message().replace('\n', " "))
    })
}

/// An id in a path or query.
pub(super) fn id<T: FromStr>(text: &str) -> Result<T, PortError>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|e: T::Err| PortError::invalid("id", e.to_string()))
}
