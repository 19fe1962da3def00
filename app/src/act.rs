//! What every server function does around its one port call: who acts, and what the next page says.
//!
//! A plain form's answer is thrown away by the browser, so the outcome becomes a one-shot message and a redirect.

use std::collections::BTreeMap;
use std::sync::Arc;

use inferex_model::actor::Actor;
use leptos::prelude::{ServerFnError, use_context};
use leptos_axum::ResponseOptions;

use crate::ports::{Answer, Flash, FlashKind, PortError, Ports, Visit};
use crate::text::{encode, local_path};
use crate::web::redirect_with;

/// What a server function of ours answers; the answer is a redirect in any case.
pub(crate) type Acted = Result<(), ServerFnError>;

/// One act of a person.
pub(crate) struct Act {
    /// What can be done.
    pub(crate) ports: Ports,
    /// The browser behind it.
    pub(crate) visit: Arc<dyn Visit>,
    response: ResponseOptions,
}

/// Where a finished act leads, and what is said there.
pub(crate) struct Done {
    to: String,
    text: String,
    once: Option<(String, String)>,
}

/// Where a refused act leads back to, with what was entered.
pub(crate) struct Back {
    to: String,
    entered: BTreeMap<String, String>,
}

impl Done {
    /// Leads to `to` (a local path) and says `text`; an empty text says nothing.
    pub(crate) fn new(to: impl Into<String>, text: impl Into<String>) -> Self {
        Self { to: to.into(), text: text.into(), once: None }
    }

    /// Also shows `value` once.
    pub(crate) fn once(mut self, label: &str, value: String) -> Self {
        self.once = Some((label.to_owned(), value));
        self
    }
}

impl Back {
    /// Leads back to `to`, a local path with the form's anchor.
    pub(crate) fn to(to: impl Into<String>) -> Self {
        Self { to: to.into(), entered: BTreeMap::new() }
    }

    /// Keeps what was entered in `field`; never call it with a password.
    pub(crate) fn with(mut self, field: &str, value: &str) -> Self {
        self.entered.insert(field.to_owned(), value.to_owned());
        self
    }
}

impl Act {
    /// The present act; an error when the server did not provide its context.
    pub(crate) fn begin() -> Result<Self, ServerFnError> {
        let missing = || ServerFnError::new("the request has no session layer");
        Ok(Self {
            ports: use_context().ok_or_else(missing)?,
            visit: use_context().ok_or_else(missing)?,
            response: use_context().ok_or_else(missing)?,
        })
    }

    /// Who acts.
    pub(crate) fn actor(&self) -> Answer<Actor> {
        self.visit.actor().ok_or(PortError::SignInNeeded)
    }

    /// Leaves the message for the next page and leads there.
    pub(crate) async fn settle(self, outcome: Answer<Done>, back: Back) -> Acted {
        let (to, flash) = match outcome {
            Ok(done) => (local_path(&done.to).to_owned(), said(done)),
            Err(PortError::SignInNeeded) => (sign_in_path(page_of(&back.to)), None),
            Err(error) => (local_path(&back.to).to_owned(), Some(refusal(&error, back.entered))),
        };
        if let Some(flash) = flash
            && let Err(error) = self.visit.put_flash(flash).await
        {
            tracing::error!(%error, "the message for the next page could not be kept");
        }
        redirect_with(&self.response, &to);
        Ok(())
    }
}

/// The sign-in page that leads on to `next`.
pub(crate) fn sign_in_path(next: &str) -> String {
    match local_path(next) {
        "/" => "/login".to_owned(),
        next => format!("/login?next={}", encode(next)),
    }
}

fn page_of(path: &str) -> &str {
    path.split('#').next().unwrap_or("/")
}

fn said(done: Done) -> Option<Flash> {
    let quiet = done.text.is_empty() && done.once.is_none();
    (!quiet).then_some(Flash {
        kind: FlashKind::Done,
        text: done.text,
        fields: BTreeMap::new(),
        entered: BTreeMap::new(),
        once: done.once,
    })
}

fn refusal(error: &PortError, entered: BTreeMap<String, String>) -> Flash {
    let fields = match error {
        PortError::Invalid(field) => BTreeMap::from([(field.field.clone(), field.reason.clone())]),
        _ => BTreeMap::new(),
    };
    Flash { kind: FlashKind::Refused, text: sentence(&error.to_string()), fields, entered, once: None }
}

/// An error's text as a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first =
        chars.next().map(|c| if text.contains(": ") { c.to_string() } else { c.to_uppercase().to_string() });
    let dot = if text.ends_with(['.', '?']) { "" } else { "." };
    format!("{}{}{dot}", first.unwrap_or_default(), chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_remembers_only_local_pages() {
        assert_eq!(sign_in_path("/runs/run-3?offset=50"), "/login?next=%2Fruns%2Frun-3%3Foffset%3D50");
        assert_eq!(sign_in_path("//evil.example"), "/login");
        assert_eq!(page_of("/engines#import"), "/engines");
    }

    #[test]
    fn a_refusal_names_the_field() {
        let flash = refusal(&PortError::invalid("name", "is taken"), BTreeMap::new());
        assert_eq!((flash.text.as_str(), flash.fields["name"].as_str()), ("name: is taken.", "is taken"));
    }

    #[test]
    fn errors_read_as_sentences() {
        assert_eq!(sentence("exp-3 does not exist"), "Exp-3 does not exist.");
        assert_eq!(sentence("wait."), "Wait.");
        assert_eq!(sentence(""), ".");
    }
}
