//! Why one request failed: a class, and words that never quote a body or a prompt.

use inferex_model::event::ErrorClass;

/// One request's failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) class: ErrorClass,
    pub(crate) message: String,
    pub(crate) status: Option<u16>,
}

impl Failure {
    pub(crate) fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), status: None }
    }

    pub(crate) fn status(status: http::StatusCode, kind: Option<String>) -> Self {
        let class = match status {
            http::StatusCode::TOO_MANY_REQUESTS => ErrorClass::RateLimited,
            _ => ErrorClass::HttpStatus,
        };
        let kind = kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
        Self { class, message: format!("HTTP {status}{kind}"), status: Some(status.as_u16()) }
    }
}
