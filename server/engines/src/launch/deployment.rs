//! The handle of a started engine.

use std::io;

use inferex_model::deployment::{DeploymentState, Failure, FailureClass};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::status::{Status, Transition};
use crate::explain::refusal;
use crate::log::{LogChunk, LogFile};

/// A started engine. Dropping it ends the engine.
#[derive(Debug)]
pub struct Deployment {
    pub(super) status: watch::Receiver<Status>,
    pub(super) transitions: Option<mpsc::UnboundedReceiver<Transition>>,
    pub(super) stop: CancellationToken,
    pub(super) log: LogFile,
}

impl Deployment {
    /// Its status, now and whenever it changes; the sender goes away when the deployment is over.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    /// Its status now.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    /// Every change of state in its order, also those from before this call; `None` when taken already.
    pub fn take_transitions(&mut self) -> Option<mpsc::UnboundedReceiver<Transition>> {
        self.transitions.take()
    }

    /// Waits until it is ready, or over. Cancelling the wait changes nothing.
    pub async fn ready(&self) -> Result<Status, Failure> {
        let status = self.until(|status| status.state == DeploymentState::Ready).await;
        match (status.state, status.failure.clone()) {
            (DeploymentState::Ready, _) => Ok(status),
            (_, Some(failure)) => Err(failure),
            (state, None) => {
                Err(refusal(FailureClass::Exited, format!("The engine is {state}"), "Start it again."))
            }
        }
    }

    /// Waits until nothing of it runs any more, without asking it to end.
    pub async fn over(&self) -> Status {
        self.until(|_| false).await
    }

    /// Ends it, gently first, and returns when nothing of it runs any more.
    pub async fn stop(&self) -> Status {
        self.stop.cancel();
        self.over().await
    }

    /// Its log.
    #[must_use]
    pub fn log(&self) -> &LogFile {
        &self.log
    }

    /// At most `max` bytes of its log from `offset` on.
    pub fn read_log(&self, offset: u64, max: usize) -> io::Result<LogChunk> {
        self.log.read_from(offset, max)
    }

    async fn until(&self, good: impl Fn(&Status) -> bool) -> Status {
        let mut status = self.status.clone();
        let seen = status.wait_for(|status| good(status) || status.state.is_over()).await;
        // The sender goes away only with the last state stored.
        seen.map_or_else(|_| self.status(), |status| status.clone())
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
