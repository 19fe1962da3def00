//! One place to run an engine: start, observe, logs, stop.
//!
//! A runtime knows nothing of the program it runs. Start from [`Runtime`]; [`process`] is the one for this machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use inferex_model::deployment::ProcessIdentity;
use inferex_model::variant::RuntimeKind;

use crate::explain::Exit;
use crate::log::LogFile;

pub mod process;

/// What to start.
#[derive(Debug, Clone)]
pub struct StartOrder {
    /// The command line, program first.
    pub command: Vec<String>,
    /// Environment added to (and winning over) what the runtime gives.
    pub env: BTreeMap<String, String>,
    /// Names beginning so are not inherited from our own environment.
    pub foreign_env: Vec<&'static str>,
    /// The file that collects its output.
    pub log_path: PathBuf,
}

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program does not exist.
    #[error("{program} was not found: {message}")]
    ProgramMissing {
        /// The program.
        program: String,
        /// The system's words.
        message: String,
    },
    /// The program exists and could not be started.
    #[error("{program} could not be started: {message}")]
    NotStarted {
        /// The program.
        program: String,
        /// The system's words.
        message: String,
    },
    /// The supervisor itself failed.
    #[error("the supervisor of {program} failed: {message}")]
    Supervisor {
        /// The program.
        program: String,
        /// What happened.
        message: String,
    },
}

/// A place to run engines.
#[async_trait]
pub trait Runtime: Send + Sync {
    /// Which kind of place.
    fn kind(&self) -> RuntimeKind;

    /// Starts one engine and returns as soon as it runs, not when it is ready.
    async fn start(&self, order: StartOrder) -> Result<Box<dyn Started>, StartError>;
}

/// Tells whether the one who listens on a port is the started engine.
#[derive(Clone)]
pub struct Ownership(Arc<dyn Fn(u16) -> Option<bool> + Send + Sync>);

impl Ownership {
    /// Ownership as `tell` sees it.
    pub fn new(tell: impl Fn(u16) -> Option<bool> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Whether `port` is held by the started engine; `None` when that cannot be told.
    #[must_use]
    pub fn of(&self, port: u16) -> Option<bool> {
        (self.0)(port)
    }
}

/// A started engine; dropping it ends it.
#[async_trait]
pub trait Started: Send + Sync {
    /// Its identity, where the place has processes of ours.
    fn identity(&self) -> Option<&ProcessIdentity>;

    /// Its log.
    fn log(&self) -> LogFile;

    /// Tells whether a port is held by this engine.
    fn ownership(&self) -> Ownership;

    /// Waits for its end. Dropping the future loses nothing.
    async fn exited(&mut self) -> Exit;

    /// Ends it, gently first, and returns when nothing of it runs any more.
    async fn stop(&mut self) -> Exit;
}
