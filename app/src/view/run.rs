use inferex_model::deployment::Capacity;
use inferex_model::environment::{Environment, GeneratorReport};
use inferex_model::experiment::{Level, Workload};
use inferex_model::id::{DeploymentId, ExperimentId, RunId};
use inferex_model::metrics::MetricsDocument;
use inferex_model::run::{RequestProgress, RunState};
use inferex_model::time::Timestamp;
use inferex_model::variant::Variant;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// Its id.
    pub id: RunId,
    /// The experiment it belongs to.
    pub experiment: ExperimentId,
    /// That experiment's name.
    pub experiment_name: String,
    /// The arm's name.
    pub arm: String,
    /// Index of the arm, which decides colour and marker.
    pub arm_index: usize,
    /// The load level.
    pub level: Level,
    /// From 0.
    pub repeat: u32,
    /// How it stands.
    pub state: RunState,
    /// Why, when that needs saying.
    pub reason: Option<String>,
    /// The attempt; above 1 when a person queued it again.
    pub attempt: i64,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Its requests.
    pub progress: RequestProgress,
    /// Figures and invariants, once done.
    pub document: Option<MetricsDocument>,
    /// How the generator fared.
    pub generator: Option<GeneratorReport>,
    /// What was sent.
    pub workload: Workload,
    /// SHA-256 over the prompts and the salt rule.
    pub prompts_hash: String,
    /// What served it, frozen when it was queued.
    pub variant: Variant,
    /// What the engine said it can hold.
    pub capacity: Option<Capacity>,
    /// The machine.
    pub environment: Option<Environment>,
    /// The deployment, with its log.
    pub deployment: Option<DeploymentId>,
    /// The commands that repeat it: ours, and the engine's.
    pub commands: Vec<CommandView>,
}

/// A command a person can copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandView {
    /// What it does.
    pub label: String,
    /// The command.
    pub text: String,
}
