use std::collections::BTreeMap;

use async_trait::async_trait;
use inferex_model::actor::Actor;
use serde::{Deserialize, Serialize};

use super::Answer;
use crate::view::UserView;

/// The browser's visit behind the present request: who is signed in, and the one-shot message between two requests.
#[async_trait]
pub trait Visit: Send + Sync {
    /// Who is signed in.
    fn actor(&self) -> Option<Actor>;
    /// The address a throttle counts by.
    fn address(&self) -> String;
    /// Whether the dashboard runs on plain http at a loopback address, so that a note is due.
    fn is_plain_http(&self) -> bool;
    /// The nonce of this response's content security policy.
    fn nonce(&self) -> String;
    /// Signs `user` in under a fresh session id.
    async fn sign_in(&self, user: &UserView) -> Answer<()>;
    /// Ends the session.
    async fn sign_out(&self) -> Answer<()>;
    /// Keeps a message for the next page.
    async fn put_flash(&self, flash: Flash) -> Answer<()>;
    /// Takes the message, if one waits.
    async fn take_flash(&self) -> Option<Flash>;
}

/// What the last act has to say on the next page, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flash {
    /// How it went.
    pub kind: FlashKind,
    /// One line.
    pub text: String,
    /// Reasons by field of the form.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// What was entered, so that nobody types twice; never a password.
    #[serde(default)]
    pub entered: BTreeMap<String, String>,
    /// Something that is shown this once, such as a share link: label and value.
    #[serde(default)]
    pub once: Option<(String, String)>,
}

/// How the last act went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlashKind {
    /// It was done.
    Done,
    /// It was refused.
    Refused,
}
