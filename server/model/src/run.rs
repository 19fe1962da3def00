//! Runs: one arm, one level, one repeat.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::environment::GeneratorReport;
use crate::metrics::MetricsDocument;

/// The life of a run: queued → preparing → warming → measuring → processing → done, or one of the other ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Waits for its turn.
    Queued,
    /// Waits for the lane, or its engine starts.
    Preparing,
    /// Unmeasured requests are being sent.
    Warming,
    /// Measured requests are being sent; never repeated silently.
    Measuring,
    /// Metrics are being computed from its events.
    Processing,
    /// Finished, with figures.
    Done,
    /// Ended by a fault; the reason says which.
    Failed,
    /// Ended by a person.
    Cancelled,
    /// The server died while it ran; its events are kept and it is not repeated unless a person says so.
    Interrupted,
}

impl RunState {
    /// All states in the order of life.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Preparing,
        Self::Warming,
        Self::Measuring,
        Self::Processing,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
        Self::Interrupted,
    ];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Preparing => "preparing",
            Self::Warming => "warming",
            Self::Measuring => "measuring",
            Self::Processing => "processing",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether nothing more will happen to it.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled | Self::Interrupted)
    }

    /// Whether it is under way right now.
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Preparing | Self::Warming | Self::Measuring | Self::Processing)
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The state of an experiment, derived from its runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExperimentState {
    /// No run has begun.
    Queued,
    /// At least one run has begun and at least one is not over.
    Running,
    /// Every run is over and every one is done.
    Done,
    /// Every run is over, some are not done.
    Partial,
    /// Every run is over, none is done, and a person cancelled it.
    Cancelled,
    /// Every run is over and none is done.
    Failed,
}

impl ExperimentState {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Partial => "partial",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// Whether nothing more will happen to it.
    #[must_use]
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The state that follows from the states of all runs.
    #[must_use]
    pub fn of(runs: &[RunState]) -> Self {
        let has = |state| runs.contains(&state);
        let over = runs.iter().all(|state| state.is_over());
        if !over {
            let begun = runs.iter().any(|state| *state != RunState::Queued);
            return if begun { Self::Running } else { Self::Queued };
        }
        match (has(RunState::Done), runs.iter().all(|state| *state == RunState::Done)) {
            (true, true) => Self::Done,
            (true, false) => Self::Partial,
            (false, _) if has(RunState::Cancelled) => Self::Cancelled,
            (false, _) => Self::Failed,
        }
    }
}

impl fmt::Display for ExperimentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Counts of a run or an experiment while it goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestProgress {
    /// Requests that will be sent.
    pub total: u64,
    /// Requests that succeeded.
    pub done: u64,
    /// Requests in flight now.
    pub in_flight: u64,
    /// Requests that failed.
    pub failed: u64,
}

/// What remains of a run once its events are read: pages and comparisons use only this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Version of this form; a reader refuses one it does not know.
    pub version: u32,
    /// The figures and the statements that must hold.
    pub metrics: MetricsDocument,
    /// How the generator fared.
    pub generator: GeneratorReport,
    /// The counts at the run's end.
    pub progress: RequestProgress,
}

impl RunSummary {
    /// The version this program writes.
    pub const VERSION: u32 = 1;

    /// A summary in the present version.
    #[must_use]
    pub const fn new(
        metrics: MetricsDocument,
        generator: GeneratorReport,
        progress: RequestProgress,
    ) -> Self {
        Self { version: Self::VERSION, metrics, generator, progress }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_is_what_its_runs_are() {
        use RunState::{Cancelled, Done, Failed, Interrupted, Measuring, Queued};
        let cases = [
            (vec![Queued, Queued], ExperimentState::Queued),
            (vec![Done, Queued], ExperimentState::Running),
            (vec![Measuring, Queued], ExperimentState::Running),
            (vec![Done, Done], ExperimentState::Done),
            (vec![Done, Interrupted], ExperimentState::Partial),
            (vec![Done, Cancelled], ExperimentState::Partial),
            (vec![Failed, Failed], ExperimentState::Failed),
            (vec![Cancelled, Failed], ExperimentState::Cancelled),
        ];
        for (runs, wanted) in cases {
            assert_eq!(ExperimentState::of(&runs), wanted, "{runs:?}");
        }
    }
}
