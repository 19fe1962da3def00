//! RFC 9457 problem details: the one place that gives a refusal its HTTP status.

use std::error::Error;

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use inferex_app::ports::PortError;
use serde::Serialize;

use crate::secret::Token;

/// A refusal on its way out of the JSON API.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) PortError);

/// The members of the document, as RFC 9457 names them; `field` and `reference` are ours.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
}

impl From<PortError> for Problem {
    fn from(error: PortError) -> Self {
        Self(error)
    }
}

/// Status and title of a refusal; pages use the status too.
pub(crate) const fn status(error: &PortError) -> (StatusCode, &'static str) {
    match error {
        PortError::SignInNeeded => (StatusCode::UNAUTHORIZED, "Sign-in needed"),
        PortError::Forbidden(_) => (StatusCode::FORBIDDEN, "Not allowed"),
        PortError::NotFound { .. } => (StatusCode::NOT_FOUND, "Not found"),
        PortError::Invalid(_) => (StatusCode::UNPROCESSABLE_ENTITY, "Not acceptable as given"),
        PortError::Conflict(_) => (StatusCode::CONFLICT, "Not possible now"),
        PortError::Throttled { .. } => (StatusCode::TOO_MANY_REQUESTS, "Too many attempts"),
        PortError::Internal { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "Internal error"),
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, title) = status(&self.0);
        let (field, reference) = match &self.0 {
            PortError::Invalid(error) => (Some(error.field.as_str()), None),
            PortError::Internal { reference } => (None, Some(reference.as_str())),
            _ => (None, None),
        };
        let (kind, detail) = ("about:blank", self.0.to_string());
        let document = Document { kind, title, status: status.as_u16(), detail, field, reference };
        let mut response = (status, axum::Json(document)).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let PortError::Throttled { seconds } = self.0 {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Logs a failure of ours once, with its causes, and answers with the reference to search the log for.
pub(crate) fn internal(what: &'static str, error: &(dyn Error + 'static)) -> PortError {
    let reference =
        Token::draw().map_or_else(|_| "unnumbered".to_owned(), |token| token.expose()[..10].to_owned());
    let causes: Vec<String> =
        std::iter::successors(error.source(), |cause| (*cause).source()).map(ToString::to_string).collect();
    tracing::error!(reference, what, error = %error, causes = causes.join(": "), "internal_error");
    PortError::Internal { reference }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer(error: PortError) -> (StatusCode, http::HeaderMap, serde_json::Value) {
        let response = Problem(error).into_response();
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, 10_000).await.expect("a body");
        (parts.status, parts.headers, serde_json::from_slice(&body).expect("JSON"))
    }

    #[tokio::test]
    async fn every_refusal_has_its_status_and_says_it_in_the_document() {
        let table = [
            (PortError::SignInNeeded, 401),
            (PortError::Forbidden("no".to_owned()), 403),
            (PortError::not_found("exp-12"), 404),
            (PortError::invalid("name", "is empty"), 422),
            (PortError::Conflict("busy".to_owned()), 409),
            (PortError::Throttled { seconds: 7 }, 429),
            (PortError::Internal { reference: "abc".to_owned() }, 500),
        ];
        for (error, code) in table {
            let detail = error.to_string();
            let (status, headers, document) = answer(error).await;
            assert_eq!((status.as_u16(), &document["status"]), (code, &code.into()));
            assert_eq!(
                (&headers[CONTENT_TYPE], &document["detail"]),
                (&HeaderValue::from_static("application/problem+json"), &detail.into())
            );
        }
    }

    #[tokio::test]
    async fn the_field_the_wait_and_the_reference_are_given_where_they_exist() {
        let (_, _, document) = answer(PortError::invalid("arm[1].variant", "is unknown")).await;
        assert_eq!(document["field"], "arm[1].variant");
        let (_, headers, document) = answer(PortError::Throttled { seconds: 7 }).await;
        assert_eq!((&headers[RETRY_AFTER], document.get("field")), (&HeaderValue::from(7u64), None));
        let error = internal("a test", &std::io::Error::other("secret path"));
        let (_, _, document) = answer(error).await;
        assert_eq!(document["reference"].as_str().map(str::len), Some(10));
        assert!(!document.to_string().contains("secret path"));
    }
}
