//! Shared reports are open to anyone with the link, so strangers have a rate of their own: a crawler or a guesser is
//! slowed down before it costs a query, and the people who work here are not.

use std::sync::{Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use inferex_app::ports::PortError;
use inferex_model::time::Timestamp;

use super::address::ClientAddress;
use super::{Edge, answer, paths};
use crate::accounts::{Rate, Throttle};

/// A report with its charts and downloads is a handful of requests; a meeting behind one address opens many.
const BY_ADDRESS: Rate = Rate { burst: 120, refill_ms: 500, keys: 10_000 };

/// Requests for shared reports, by address.
pub(super) struct ShareLimit(Mutex<Throttle<String>>);

impl Default for ShareLimit {
    fn default() -> Self {
        Self(Mutex::new(Throttle::new(BY_ADDRESS)))
    }
}

impl ShareLimit {
    fn take(&self, address: String, now: Timestamp) -> Result<(), PortError> {
        let mut throttle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seconds) = throttle.wait(&address, now) {
            return Err(PortError::Throttled { seconds });
        }
        throttle.take(address, now);
        Ok(())
    }
}

pub(super) async fn layer(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if paths::is_share(path) {
        let address = request.extensions().get::<ClientAddress>().map(|address| address.throttle_key());
        if let Err(error) = edge.0.shares.take(address.unwrap_or_default(), edge.0.clock.now()) {
            return answer(path, error);
        }
    }
    next.run(request).await
}
