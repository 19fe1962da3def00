use inferex_model::variant::FieldError;

/// Why a port refused. The one place that maps it to an HTTP status is the server's `problem` module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// Nobody is signed in.
    #[error("sign in first")]
    SignInNeeded,
    /// The actor's role is too small.
    #[error("{0}")]
    Forbidden(String),
    /// There is no such thing.
    #[error("{what} does not exist")]
    NotFound {
        /// What was looked for, for example `exp-12`.
        what: String,
    },
    /// A field's value cannot be accepted.
    #[error(transparent)]
    Invalid(#[from] FieldError),
    /// The state of things forbids it now.
    #[error("{0}")]
    Conflict(String),
    /// Too many tries; wait.
    #[error("too many attempts; wait {seconds} s and try again")]
    Throttled {
        /// Whole seconds to wait, at least 1.
        seconds: u64,
    },
    /// Something of ours failed; details are in the log under this reference.
    #[error("an internal error occurred; the log has the details under {reference}")]
    Internal {
        /// What to search the log for.
        reference: String,
    },
}

impl PortError {
    /// `what` does not exist.
    pub fn not_found(what: impl ToString) -> Self {
        Self::NotFound { what: what.to_string() }
    }

    /// `field` cannot be accepted because of `reason`.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid(FieldError::new(field, reason))
    }
}
