//! The one-time code that proves to the set-up page that the person can read the server's console.

use std::sync::{Mutex, PoisonError};

use crate::secret::{RandomError, Token};

/// One code for each start of the program, gone once an account exists.
pub(super) struct SetupCode(Mutex<Option<Token>>);

impl SetupCode {
    pub(super) fn draw() -> Result<Self, RandomError> {
        Ok(Self(Mutex::new(Some(Token::draw()?))))
    }

    pub(super) fn none() -> Self {
        Self(Mutex::new(None))
    }

    /// Where the code leads, for the console.
    pub(super) fn path(&self) -> Option<String> {
        self.read(|token| format!("/setup?code={}", token.expose()))
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.read(|token| token.matches(text.trim())).unwrap_or(false)
    }

    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn read<T>(&self, read: impl FnOnce(&Token) -> T) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(read)
    }
}
