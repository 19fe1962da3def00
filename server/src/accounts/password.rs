//! Argon2id, at most two at a time: each costs 19 MiB and a processor, and strangers may ask for it.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::{self, phc};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use inferex_app::ports::{Answer, PortError};
use tokio::sync::Semaphore;

use crate::api::problem;

const AT_ONCE: usize = 2;
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Makes and checks password hashes.
#[derive(Clone)]
pub(crate) struct Hasher {
    params: Params,
    turns: Arc<Semaphore>,
    /// Checked where there is no account, so that the answer takes as long as for a wrong password.
    dummy: Arc<str>,
}

impl Hasher {
    /// 19 MiB, two passes, one lane: the least that OWASP's password storage sheet accepts for argon2id.
    pub(crate) fn new() -> Self {
        Self::with_cost(19 * 1024, 2)
    }

    /// Another cost; tests use a small one.
    pub(crate) fn with_cost(memory_kib: u32, passes: u32) -> Self {
        let params =
            Params::new(memory_kib, passes, 1, None).expect("the costs are constants within argon2's bounds");
        let dummy = Arc::from(dummy(memory_kib, passes));
        Self { params, turns: Arc::new(Semaphore::new(AT_ONCE)), dummy }
    }

    /// The hash in PHC form, with a fresh salt.
    pub(crate) async fn hash(&self, password: &str) -> Answer<String> {
        let password = password.to_owned();
        let made = self.in_turn(move |argon| {
            argon.hash_password(password.as_bytes()).map(|hash: phc::PasswordHash| hash.to_string())
        });
        made.await?.map_err(|error| problem::internal("password hash", &error))
    }

    /// Whether `password` fits `stored`; without a stored hash the work is done all the same and the answer is no.
    pub(crate) async fn verify(&self, password: &str, stored: Option<&str>) -> Answer<bool> {
        let exists = stored.is_some();
        let stored = stored.unwrap_or(&self.dummy).to_owned();
        let password = password.to_owned();
        let checked = self.in_turn(move |argon| {
            let hash = phc::PasswordHash::new(&stored)?;
            argon.verify_password(password.as_bytes(), &hash)
        });
        match checked.await? {
            Ok(()) => Ok(exists),
            Err(password_hash::Error::PasswordInvalid) => Ok(false),
            Err(error) => Err(problem::internal("password check", &error)),
        }
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce(Argon2<'static>) -> T + Send + 'static,
    ) -> Answer<T> {
        let turn = tokio::time::timeout(LONGEST_WAIT, Arc::clone(&self.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            return Err(PortError::Throttled { seconds: LONGEST_WAIT.as_secs() });
        };
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, self.params.clone());
        // The turn moves into the work: a request that is given up must not let a third one begin.
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(argon)
        });
        done.await.map_err(|error| problem::internal("password work", &error))
    }
}

/// A well-formed hash of the same cost that no password fits: its output is a constant, not made from anything.
fn dummy(memory_kib: u32, passes: u32) -> String {
    let (salt, output) = (STANDARD_NO_PAD.encode([0x5a; 16]), STANDARD_NO_PAD.encode([0xa5; 32]));
    format!("$argon2id$v=19$m={memory_kib},t={passes},p=1${salt}${output}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_hash_fits_its_password_alone_and_names_its_cost() {
        let hasher = Hasher::new();
        let hash = hasher.hash("correct horse battery").await.expect("hashed");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(hasher.verify("correct horse battery", Some(&hash)).await, Ok(true));
        assert_eq!(hasher.verify("correct horse batterz", Some(&hash)).await, Ok(false));
    }

    #[tokio::test]
    async fn equal_passwords_have_different_hashes() {
        let hasher = Hasher::with_cost(8, 1);
        let (one, two) = (hasher.hash("the same").await, hasher.hash("the same").await);
        assert_ne!(one, two);
    }

    #[tokio::test]
    async fn the_dummy_is_really_computed_and_never_fits() {
        let hasher = Hasher::with_cost(8, 1);
        assert_eq!(hasher.verify("anything", None).await, Ok(false));
        let dummy = phc::PasswordHash::new(&hasher.dummy).expect("well-formed");
        let params = Params::try_from(&dummy).expect("its cost");
        assert_eq!((params.m_cost(), params.t_cost()), (8, 1));
    }

    #[tokio::test]
    async fn a_damaged_stored_hash_is_an_internal_error_not_a_panic() {
        let answer = Hasher::with_cost(8, 1).verify("x", Some("not a hash")).await;
        assert!(matches!(answer, Err(PortError::Internal { .. })), "{answer:?}");
    }
}
