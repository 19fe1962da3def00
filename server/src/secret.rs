//! Secrets: drawn from the system's generator, never shown by `Debug`, known to the database only by their SHA-256.
//!
//! It may not know what a secret opens. Start from [`Token`].

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A text that was given to us and must not be shown, such as an access token.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretText(String);

impl SecretText {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself; for the one call that needs it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(hidden)")
    }
}

/// The system's random generator gave nothing; without it no secret can be made.
#[derive(Debug, thiserror::Error)]
#[error("the system's random generator failed: {0}")]
pub(crate) struct RandomError(#[from] getrandom::Error);

/// An unguessable text of 192 random bits in base64url: a share token, a set-up code.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    const BYTES: usize = 24;

    /// Draws a fresh one.
    pub(crate) fn draw() -> Result<Self, RandomError> {
        let mut bytes = [0; Self::BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The text itself; for the one answer that shows it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// What may be stored.
    pub(crate) fn digest(&self) -> [u8; 32] {
        digest(&self.0)
    }

    /// Whether `text` is this token, in a time that says nothing about where they differ.
    pub(crate) fn matches(&self, text: &str) -> bool {
        digest(text).ct_eq(&self.digest()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// SHA-256 of a high-entropy secret: what is stored, and what is looked up by.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_unique_and_hidden_from_debug() {
        let (one, two) = (Token::draw().expect("random"), Token::draw().expect("random"));
        assert_eq!(one.expose().len(), 32);
        assert_ne!(one.expose(), two.expose());
        assert!(one.expose().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert!(!format!("{one:?}").contains(one.expose()));
        assert!(!format!("{:?}", SecretText::new("canary".to_owned())).contains("canary"));
    }

    #[test]
    fn a_token_matches_itself_alone() {
        let token = Token::draw().expect("random");
        assert!(token.matches(token.expose()));
        for other in ["", "x", &token.expose()[1..], &format!("{} ", token.expose())] {
            assert!(!token.matches(other), "{other}");
        }
    }
}
