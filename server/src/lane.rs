//! A lane: hardware that one tenant uses at a time, so that two engines never disturb each other's figures.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};

/// The processors of this machine; the only lane of the `process` runtime.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lane {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    holder: Mutex<Option<String>>,
    freed: Notify,
}

/// The right to use the lane; dropping it frees the lane.
#[derive(Debug)]
pub(crate) struct LaneGuard {
    shared: Arc<Shared>,
}

impl Lane {
    /// Takes the lane for `tenant`, or says who holds it.
    pub(crate) fn try_take(&self, tenant: &str) -> Result<LaneGuard, String> {
        let mut holder = self.shared.holder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = &*holder {
            return Err(other.clone());
        }
        *holder = Some(tenant.to_owned());
        Ok(LaneGuard { shared: Arc::clone(&self.shared) })
    }

    /// Waits for the lane up to `limit`; `waiting` is told who holds it each time it is tried.
    pub(crate) async fn take(
        &self,
        tenant: &str,
        limit: Duration,
        waiting: &mpsc::UnboundedSender<String>,
    ) -> Result<LaneGuard, String> {
        let deadline = tokio::time::Instant::now() + limit;
        loop {
            // Registered before the look, so that a lane freed in between wakes us.
            let freed = self.shared.freed.notified();
            let holder = match self.try_take(tenant) {
                Ok(guard) => return Ok(guard),
                Err(holder) => holder,
            };
            // Nobody listening is no reason not to wait.
            let _ = waiting.send(holder.clone());
            if tokio::time::timeout_at(deadline, freed).await.is_err() {
                return Err(holder);
            }
        }
    }
}

impl LaneGuard {
    /// Renames the tenant, once its id is known.
    pub(crate) fn rename(&self, tenant: &str) {
        let mut holder = self.shared.holder.lock().unwrap_or_else(PoisonError::into_inner);
        *holder = Some(tenant.to_owned());
    }
}

impl Drop for LaneGuard {
    fn drop(&mut self) {
        *self.shared.holder.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.shared.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_tenant_at_a_time_and_the_next_is_woken() {
        let lane = Lane::default();
        let guard = lane.try_take("dep-1").expect("free");
        assert_eq!(lane.try_take("dep-2").expect_err("held"), "dep-1");
        let waiter = tokio::spawn({
            let lane = lane.clone();
            let (waiting, _) = mpsc::unbounded_channel();
            async move { lane.take("dep-2", Duration::from_secs(20), &waiting).await.map(|_| ()) }
        });
        tokio::task::yield_now().await;
        drop(guard);
        assert_eq!(waiter.await.expect("no panic"), Ok(()));
        assert!(lane.try_take("dep-3").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_ends_at_the_deadline_and_names_the_holder() {
        let lane = Lane::default();
        let _guard = lane.try_take("dep-1").expect("free");
        let (waiting, mut told) = mpsc::unbounded_channel();
        let refused = lane.take("exp-2", Duration::from_mins(10), &waiting).await;
        assert_eq!(told.try_recv().as_deref(), Ok("dep-1"));
        assert_eq!(refused.expect_err("held"), "dep-1");
    }
}
