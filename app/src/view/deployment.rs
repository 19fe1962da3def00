use inferex_model::deployment::{Capacity, DeploymentState, Failure};
use inferex_model::id::{DeploymentId, VariantId};
use inferex_model::time::Timestamp;
use inferex_model::variant::{EngineKind, RuntimeKind, Variant};
use serde::{Deserialize, Serialize};

/// A stored variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantView {
    /// Its id.
    pub id: VariantId,
    /// The variant; environment values that look secret are masked.
    pub variant: Variant,
    /// Bytes of its model file, when it is a local file that exists.
    pub file_bytes: Option<u64>,
    /// Why it cannot be started now, in one sentence.
    pub blocked: Option<String>,
}

/// A started variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeploymentView {
    /// Its id.
    pub id: DeploymentId,
    /// The variant's name.
    pub variant: String,
    /// Its engine.
    pub engine: EngineKind,
    /// Where it runs.
    pub runtime: RuntimeKind,
    /// Who started it: a person, or an experiment's block.
    pub owner: String,
    /// Whether a person started it (and may stop it).
    pub person_started: bool,
    /// Where it is in its life.
    pub state: DeploymentState,
    /// The last transition's reason.
    pub reason: Option<String>,
    /// `http://host:port` once known.
    pub endpoint: Option<String>,
    /// What it can hold, once ready.
    pub capacity: Option<Capacity>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// Every transition, oldest first.
    pub timeline: Vec<TransitionView>,
    /// The command it was started with; secrets masked.
    pub command: Vec<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
}

/// One step of a deployment's life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransitionView {
    /// The state that was entered.
    pub state: DeploymentState,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<String>,
}

/// Some lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPage {
    /// Number of the first line, from 0.
    pub first: u64,
    /// The lines.
    pub lines: Vec<String>,
    /// Lines the log has in all.
    pub total: u64,
}

/// The engine that can be installed on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSetupView {
    /// Whether a llama.cpp server and at least one variant of it are here.
    pub installed: bool,
    /// Where the server program was found.
    pub program: Option<String>,
    /// Whether an installation runs now.
    pub running: bool,
    /// What the installation printed, newest last.
    pub lines: Vec<String>,
    /// Why the last installation failed.
    pub failed: Option<String>,
}
