//! The queue's driver: one block at a time per lane, each claimed, measured and finished; nothing is repeated silently.
//!
//! The store decides who may act (claim, lease, fencing by attempt); this module does the work in between. Start
//! from [`Driver`].

mod block;
mod child;
mod feed;
mod measure;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use inferex_model::id::ExperimentId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::backend::Backend;

/// The only lane of this version.
pub(crate) const LANE: &str = "host";
/// How long a claim holds without a heartbeat, milliseconds.
const LEASE_MS: i64 = 30_000;
/// Between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long the driver sleeps when nothing wakes it.
const IDLE: Duration = Duration::from_secs(5);

/// How the ports reach the driver.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    inner: Arc<SignalsInner>,
}

#[derive(Debug, Default)]
struct SignalsInner {
    work: Notify,
    running: Mutex<HashMap<ExperimentId, CancellationToken>>,
}

impl Signals {
    /// Something was queued.
    pub(crate) fn wake(&self) {
        self.inner.work.notify_one();
    }

    /// Ends what runs of this experiment.
    pub(crate) fn cancel(&self, id: ExperimentId) {
        let running = self.inner.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = running.get(&id) {
            token.cancel();
        }
    }

    /// The token that ends the running block of this experiment.
    fn begin(&self, id: ExperimentId, parent: &CancellationToken) -> CancellationToken {
        let token = parent.child_token();
        self.inner.running.lock().unwrap_or_else(PoisonError::into_inner).insert(id, token.clone());
        token
    }

    fn end(&self, id: ExperimentId) {
        self.inner.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}

/// Takes blocks from the queue until it is told to stop.
pub(crate) struct Driver {
    backend: Arc<Backend>,
    owner: String,
    stop: CancellationToken,
}

impl Driver {
    pub(crate) fn new(backend: Arc<Backend>, stop: CancellationToken) -> Self {
        let owner = format!("process {}", std::process::id());
        Self { backend, owner, stop }
    }

    /// Runs until `stop`; a fault of the store is logged and tried again, never swallowed.
    pub(crate) async fn run(self) {
        let mut is_behind = false;
        while !self.stop.is_cancelled() {
            // A fault left a block that nobody works on; until it is released no other one can be claimed.
            let next = if is_behind { self.release().await } else { self.next().await };
            is_behind = next.is_err();
            match next {
                Ok(true) => {}
                Ok(false) => self.idle().await,
                Err(error) => {
                    tracing::error!(%error, "queue_stuck");
                    self.idle().await;
                }
            }
        }
    }

    /// Interrupts what a fault of the store left under way; this driver is the lane's only one.
    async fn release(&self) -> Result<bool, inferex_store::StoreError> {
        let reason = "the database failed while it ran";
        self.backend.store.interrupt_active(self.backend.now(), reason).await.map(|_| true)
    }

    async fn idle(&self) {
        tokio::select! {
            () = self.backend.signals.inner.work.notified() => {}
            () = tokio::time::sleep(IDLE) => {}
            () = self.stop.cancelled() => {}
        }
    }

    /// Claims and works off one block; `false` when none waits.
    async fn next(&self) -> Result<bool, inferex_store::StoreError> {
        let now = self.backend.now();
        let claimed = self.backend.store.claim_block(LANE, &self.owner, now, now.plus_ms(LEASE_MS)).await?;
        let Some(block) = claimed else { return Ok(false) };
        let experiment = block.experiment;
        let cancel = self.backend.signals.begin(experiment, &self.stop);
        // A cancellation that came between the claim and the token found nobody to tell.
        match self.backend.store.is_cancel_requested(experiment).await {
            Ok(false) => {}
            Ok(true) => cancel.cancel(),
            Err(error) => {
                self.backend.signals.end(experiment);
                return Err(error);
            }
        }
        let outcome = block::work(&self.backend, block, &cancel, &self.stop).await;
        self.backend.signals.end(experiment);
        outcome.map(|()| true)
    }
}
