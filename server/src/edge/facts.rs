use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::secret::{RandomError, Token};

/// What is drawn anew for each request and read by several layers.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// In the log and in the answer, so that a person can name a request.
    pub(super) request_id: Arc<str>,
    /// Of the content security policy.
    pub(super) nonce: Arc<str>,
    shown_once: Arc<AtomicBool>,
}

/// Marks an answer that holds a secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownOnce;

impl Facts {
    pub(super) fn draw() -> Result<Self, RandomError> {
        let (id, nonce) = (Token::draw()?, Token::draw()?);
        Ok(Self {
            request_id: Arc::from(&id.expose()[..16]),
            nonce: Arc::from(nonce.expose()),
            shown_once: Arc::default(),
        })
    }

    /// The answer will hold something that is shown this once.
    pub(super) fn mark_shown_once(&self) {
        self.shown_once.store(true, Ordering::Release);
    }

    pub(super) fn is_shown_once(&self) -> bool {
        self.shown_once.load(Ordering::Acquire)
    }
}
