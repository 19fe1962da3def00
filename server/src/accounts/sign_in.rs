//! Sign-in: throttled by address and by account name, the same answer and the same work whether the account does not
//! exist, is disabled, or the password is wrong.

use std::sync::{Mutex, PoisonError};

use inferex_app::ports::{Answer, PortError};
use inferex_app::view::UserView;
use inferex_model::time::Timestamp;

use super::throttle::{Rate, Throttle};
use super::{AccountService, internal, view};

/// An office behind one address has room; a list of passwords has not.
const BY_ADDRESS: Rate = Rate { burst: 20, refill_ms: 10_000, keys: 10_000 };
/// Short enough that nobody can lock a person out for long by trying that person's name.
const BY_NAME: Rate = Rate { burst: 5, refill_ms: 15_000, keys: 10_000 };
/// No account name or password is longer; what is longer is cut for the throttle and never hashed.
const LONGEST: usize = 1_000;

/// The two throttles; one lock, taken only for arithmetic.
pub(super) struct SignInGuard(Mutex<Throttles>);

struct Throttles {
    by_address: Throttle<String>,
    by_name: Throttle<String>,
}

impl Default for SignInGuard {
    fn default() -> Self {
        let (by_address, by_name) = (Throttle::new(BY_ADDRESS), Throttle::new(BY_NAME));
        Self(Mutex::new(Throttles { by_address, by_name }))
    }
}

impl SignInGuard {
    fn take(&self, address: &str, name: &str, now: Timestamp) -> Answer<()> {
        let mut throttles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (address, name) = (address.to_owned(), name.to_owned());
        let wait = throttles.by_address.wait(&address, now).max(throttles.by_name.wait(&name, now));
        if let Some(seconds) = wait {
            return Err(PortError::Throttled { seconds });
        }
        throttles.by_address.take(address, now);
        throttles.by_name.take(name, now);
        Ok(())
    }

    fn give_back(&self, address: &str, name: &str) {
        let mut throttles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        throttles.by_address.give_back(&address.to_owned());
        throttles.by_name.give_back(&name.to_owned());
    }
}

pub(super) async fn attempt(
    accounts: &AccountService,
    address: &str,
    name: &str,
    password: &str,
) -> Answer<UserView> {
    // Account names ignore case, so the throttle must as well; the cut bounds its memory.
    let key: String = name.chars().take(64).flat_map(char::to_lowercase).collect();
    accounts.guard.take(address, &key, accounts.clock.now())?;
    if name.len() > LONGEST || password.len() > LONGEST {
        return Err(wrong());
    }
    let user = accounts.store.user_by_name(name).await.map_err(|error| internal(&error))?;
    let stored = user.as_ref().map(|user| user.password_hash.expose());
    let fits = accounts.hasher.verify(password, stored).await?;
    let Some(user) = user.filter(|user| fits && !user.disabled) else { return Err(wrong()) };
    accounts.guard.give_back(address, &key);
    let now = accounts.clock.now();
    accounts.store.note_sign_in(user.id, now).await.map_err(|error| internal(&error))?;
    tracing::info!(user_id = %user.id, "signed_in");
    Ok(UserView { last_sign_in: Some(now), ..view(user) })
}

fn wrong() -> PortError {
    PortError::Forbidden("the name or the password is wrong".to_owned())
}
