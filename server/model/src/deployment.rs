//! A deployment: one started variant, its states, its health, and why a start failed.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The life of a deployment. Order: pending → pulling → starting → loading → warming → ready → stopping → stopped,
/// or `failed`, or `lost` (its process vanished while we were not looking).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeploymentState {
    /// Accepted, waiting for its lane.
    Pending,
    /// The image is being pulled; not counted in the start deadline.
    Pulling,
    /// The process was spawned and does not answer yet.
    Starting,
    /// The server answers and says that it loads its model.
    Loading,
    /// Health is good; one real completion is on its way.
    Warming,
    /// A real completion came back.
    Ready,
    /// Told to stop.
    Stopping,
    /// Gone because somebody asked.
    Stopped,
    /// Gone or never there; see the [`Failure`].
    Failed,
    /// We cannot say what became of it.
    Lost,
}

impl DeploymentState {
    /// All states in the order of life.
    pub const ALL: [Self; 10] = [
        Self::Pending,
        Self::Pulling,
        Self::Starting,
        Self::Loading,
        Self::Warming,
        Self::Ready,
        Self::Stopping,
        Self::Stopped,
        Self::Failed,
        Self::Lost,
    ];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Pulling => "pulling",
            Self::Starting => "starting",
            Self::Loading => "loading",
            Self::Warming => "warming",
            Self::Ready => "ready",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Lost => "lost",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether nothing runs any more.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Stopped | Self::Failed | Self::Lost)
    }
}

impl fmt::Display for DeploymentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a start failed or a running engine died: one class per remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The GPU's memory is held by something else.
    GpuBusy,
    /// The KV cache does not fit one request of the maximum length.
    KvTooSmall,
    /// Out of memory, by text or by the runtime's own flag.
    Oom,
    /// The model file or repository does not exist.
    ModelNotFound,
    /// The file exists and is no model this engine reads.
    ModelUnreadable,
    /// The model asks for a licence to be accepted.
    ModelGated,
    /// A token is needed and absent.
    HfTokenMissing,
    /// The asked length is beyond the model's own.
    MaxLenTooLong,
    /// The quantisation or dtype does not fit the weights.
    QuantisationMismatch,
    /// The card is too old or unknown to the engine.
    UnsupportedGpu,
    /// Something else listens on the port.
    PortInUse,
    /// No space left on the device.
    DiskFull,
    /// An argument the engine does not know or accept.
    BadArgument,
    /// The program is not installed where we look.
    ProgramNotFound,
    /// The process ended; the code is in the failure.
    Exited,
    /// Not ready within the start deadline.
    Timeout,
}

impl FailureClass {
    /// The word for it, as in the database and the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GpuBusy => "gpu_busy",
            Self::KvTooSmall => "kv_too_small",
            Self::Oom => "oom",
            Self::ModelNotFound => "model_not_found",
            Self::ModelUnreadable => "model_unreadable",
            Self::ModelGated => "model_gated",
            Self::HfTokenMissing => "hf_token_missing",
            Self::MaxLenTooLong => "max_len_too_long",
            Self::QuantisationMismatch => "quantisation_mismatch",
            Self::UnsupportedGpu => "unsupported_gpu",
            Self::PortInUse => "port_in_use",
            Self::DiskFull => "disk_full",
            Self::BadArgument => "bad_argument",
            Self::ProgramNotFound => "program_not_found",
            Self::Exited => "exited",
            Self::Timeout => "timeout",
        }
    }
}

/// Why something failed, for a person: one class, one sentence, one hint, the decisive log lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The class, one per remedy.
    pub class: FailureClass,
    /// The exit code, when the process ended with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What happened, to what.
    pub sentence: String,
    /// What to do next.
    pub hint: String,
    /// The decisive lines of the log, oldest first; at most twelve.
    pub lines: Vec<String>,
}

/// What a ready engine says it can hold; `None` where it does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capacity {
    /// Requests served at once.
    pub slots: Option<u32>,
    /// Longest prompt plus output of one request, in tokens.
    pub context_per_request: Option<u32>,
    /// Tokens the KV cache holds over all requests.
    pub kv_tokens: Option<u64>,
    /// Bytes of the weights.
    pub weight_bytes: Option<u64>,
    /// Number of parameters.
    pub parameters: Option<u64>,
    /// Quantisation as the engine reports it, not as the label says.
    pub resolved_quantisation: Option<String>,
    /// Name and build of the server, for example `llama.cpp b10434`.
    pub engine_version: Option<String>,
    /// The context length the model was trained for.
    pub trained_context: Option<u32>,
}

/// Identity of a process that a restart cannot confuse with another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// Process id.
    pub pid: i32,
    /// Clock ticks since boot at which it started (`/proc/PID/stat`, field 22).
    pub start_ticks: u64,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot_id: String,
}
