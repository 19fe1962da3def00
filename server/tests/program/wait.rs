//! Waiting without guessing how long: looking again until it is so, within a bound no healthy machine reaches.

use std::time::{Duration, Instant};

/// Far beyond what anything here takes on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(90);
const AGAIN: Duration = Duration::from_millis(40);

/// What `look` finds, as soon as it finds something.
pub(super) async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    within(PATIENCE, what, look).await
}

/// The same with a bound that is part of the promise.
pub(super) async fn within<T>(limit: Duration, what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < end, "not within {} s: {what}", limit.as_secs());
        tokio::time::sleep(AGAIN).await;
    }
}
