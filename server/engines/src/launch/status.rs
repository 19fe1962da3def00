//! What is known of one deployment at a moment, and the changes in their order.

use inferex_model::deployment::{Capacity, DeploymentState, Failure, ProcessIdentity};
use inferex_model::time::Timestamp;
use serde::Serialize;

/// One change of state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// The state entered.
    pub state: DeploymentState,
    /// When.
    pub at: Timestamp,
    /// Why, in a few words.
    pub reason: String,
}

/// How long the parts of a start took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StartTimings {
    /// When the process was spawned.
    pub spawned_at: Timestamp,
    /// Milliseconds from there until the engine called itself healthy.
    pub load_ms: Option<u64>,
    /// Milliseconds from there until the first real completion was back.
    pub warm_ms: Option<u64>,
}

/// Everything that is known of a deployment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Its state.
    pub state: DeploymentState,
    /// Since when.
    pub since: Timestamp,
    /// Why it is in this state, or why it is not further yet.
    pub reason: String,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What it can hold; known from `ready` on.
    pub capacity: Option<Capacity>,
    /// Its base URL while it is ready, for example `http://127.0.0.1:43117`.
    pub endpoint: Option<String>,
    /// The port it was given.
    pub port: u16,
    /// The process, to find or end it after a crash of ours.
    pub identity: Option<ProcessIdentity>,
    /// Environment and command as they may be shown: secret values masked.
    pub command: Vec<String>,
    /// How long the start took.
    pub timings: StartTimings,
    /// Since when a ready one has been unhealthy; healthy when absent.
    pub unhealthy_since: Option<Timestamp>,
}
