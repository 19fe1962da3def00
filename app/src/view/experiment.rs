use inferex_model::experiment::{ExperimentSpec, Level};
use inferex_model::id::{ExperimentId, RunId};
use inferex_model::run::{ExperimentState, RequestProgress, RunState};
use inferex_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::ResultView;

/// Runs by how they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCounts {
    /// All.
    pub total: u64,
    /// With figures.
    pub done: u64,
    /// Failed.
    pub failed: u64,
    /// Cancelled.
    pub cancelled: u64,
    /// Interrupted by a crash of the server.
    pub interrupted: u64,
    /// Under way.
    pub active: u64,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentRow {
    /// Its id.
    pub id: ExperimentId,
    /// Its name.
    pub name: String,
    /// How it stands.
    pub state: ExperimentState,
    /// Names of the arms, the baseline first.
    pub arms: Vec<String>,
    /// Its runs.
    pub runs: RunCounts,
    /// When it was queued.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// Seconds that what is left will take, when it can be told.
    pub eta_s: Option<u64>,
}

/// One experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentView {
    /// The list's facts.
    #[serde(flatten)]
    pub row: ExperimentRow,
    /// When the first run began.
    pub started_at: Option<Timestamp>,
    /// When the last run ended.
    pub ended_at: Option<Timestamp>,
    /// What was asked for.
    pub spec: ExperimentSpec,
    /// The TOML that reproduces it.
    pub toml: String,
    /// Every run, in the order in which they are measured.
    pub cells: Vec<RunCell>,
    /// What goes on now.
    pub progress: ExperimentProgress,
    /// The finding, once figures are there.
    pub result: Option<ResultView>,
    /// The commands that repeat it.
    pub commands: Vec<super::CommandView>,
}

/// A cell of the run matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCell {
    /// The run.
    pub id: RunId,
    /// Index into the arms.
    pub arm: usize,
    /// The load level.
    pub level: Level,
    /// From 0.
    pub repeat: u32,
    /// How it stands.
    pub state: RunState,
    /// Why it failed, was cancelled or waits.
    pub reason: Option<String>,
    /// Its requests.
    pub progress: RequestProgress,
}

/// What goes on in an experiment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExperimentProgress {
    /// Requests over all runs.
    pub requests: RequestProgress,
    /// Output tokens per second right now, all requests together.
    pub tok_s: Option<f64>,
    /// Seconds left, when it can be told.
    pub eta_s: Option<u64>,
    /// One sentence: what is being done, or what is waited for.
    pub now: String,
    /// Position in the queue, 1 being next; `None` when it runs or is over.
    pub position: Option<u64>,
}

/// What an experiment would take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EstimateView {
    /// Runs.
    pub runs: u64,
    /// Starts of engines.
    pub starts: u64,
    /// Requests over all runs.
    pub requests: u64,
    /// Seconds it would take.
    pub seconds: u64,
    /// Seconds of what is queued before it.
    pub queue_seconds: u64,
    /// What the estimate rests on, in words.
    pub basis: String,
}
