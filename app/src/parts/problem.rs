//! The page for what could not be shown.

use leptos::prelude::*;

use super::basic::{fact, link_button, page_head};
use crate::act::sentence;
use crate::ports::PortError;

/// What happened, and where to go from here.
pub(crate) fn problem(error: &PortError, signed_in: bool) -> AnyView {
    let title = match error {
        PortError::NotFound { .. } => "Not found",
        PortError::Forbidden(_) => "Not allowed",
        PortError::Throttled { .. } => "Wait a moment",
        PortError::Internal { .. } => "Something of ours failed",
        _ => "Not possible",
    };
    let next = signed_in.then(|| link_button("/", "Go to the overview", true));
    view! {
        {page_head(None, title, vec![fact(sentence(&error.to_string()))], vec![])}
        <div class="problem">{next}</div>
    }
    .into_any()
}
