//! Starting engines: checks before anything is spawned, then one task per deployment that drives its life.
//!
//! Joins an [`Engine`](crate::engine::Engine), a [`Runtime`] and the pure [`lifecycle`](crate::lifecycle). It stores
//! nothing; whoever wants every state keeps the [`Transition`]s. Start from [`Launcher`].

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use inferex_model::deployment::{Failure, FailureClass};
use inferex_model::time::Clock;
use inferex_model::variant::{EngineKind, Variant};

use crate::engine::{self, Engine, EnginePaths, Listen};
use crate::explain::refusal;
use crate::procfs::ProcFs;
use crate::runtime::process::ProcessRuntime;
use crate::runtime::{Runtime, StartError, StartOrder};
use crate::secret::Secrets;
use crate::supervise::DEFAULT_GRACE;

mod deployment;
mod driver;
mod observe;
mod port;
mod probe;
mod status;

pub use deployment::Deployment;
pub use status::{StartTimings, Status, Transition};

/// How often and how patiently deployments are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Between two probes of one that is not ready.
    pub starting: Duration,
    /// Between two probes of a ready one.
    pub watching: Duration,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { starting: Duration::from_millis(200), watching: Duration::from_secs(5), grace: DEFAULT_GRACE }
    }
}

/// What a launcher needs to know of this machine.
#[derive(Clone)]
pub struct LaunchConfig {
    /// The program whose `supervise` sub-command is [`crate::supervise::run`].
    pub self_exe: PathBuf,
    /// Where programs and models are.
    pub paths: EnginePaths,
    /// How often to look.
    pub pace: Pace,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// What to start.
#[derive(Debug, Clone)]
pub struct StartSpec {
    /// The variant.
    pub variant: Variant,
    /// The file that collects the engine's output; its folder is made.
    pub log_path: PathBuf,
    /// The port to use where the variant's arguments carry none; a free one when absent.
    pub port: Option<u16>,
}

/// Starts engines on this machine.
#[derive(Clone)]
pub struct Launcher {
    config: LaunchConfig,
    runtime: Arc<dyn Runtime>,
    probe: probe::Probe,
    procfs: ProcFs,
}

/// The HTTP client that probes engines could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client that probes engines could not be made: {0}")]
pub struct LauncherError(#[from] reqwest::Error);

impl Launcher {
    /// A launcher for the runtime `process`.
    pub fn new(config: LaunchConfig) -> Result<Self, LauncherError> {
        let runtime = Arc::new(ProcessRuntime::new(config.self_exe.clone(), config.pace.grace));
        Ok(Self { runtime, probe: probe::Probe::new()?, procfs: ProcFs::default(), config })
    }

    /// Checks, without starting anything, whether the variant could be started now: engine, program, model file,
    /// arguments, and its own port if it names one.
    pub fn check(&self, variant: &Variant) -> Result<(), Failure> {
        self.prepare(variant, None).map(drop)
    }

    /// Starts an engine and returns once its process runs; its life then shows in [`Deployment::watch`].
    ///
    /// What can be refused is refused before anything is spawned: an unknown engine kind, a missing program or model
    /// file, a bad argument, a port in use.
    pub async fn start(&self, spec: StartSpec) -> Result<Deployment, Failure> {
        let prepared = self.prepare(&spec.variant, spec.port)?;
        let StartSpec { variant, log_path, .. } = spec;
        let order = StartOrder {
            command: prepared.command.clone(),
            env: variant.env.clone(),
            foreign_env: prepared.engine.foreign_env().to_vec(),
            log_path,
        };
        let spawned_at = self.config.clock.now();
        let started = self.runtime.start(order).await.map_err(|error| not_started(&error))?;
        let secrets = Secrets::of(&variant);
        let seed = driver::Seed {
            engine: prepared.engine,
            probe: self.probe.clone(),
            pace: self.config.pace,
            clock: Arc::clone(&self.config.clock),
            command: secrets.shown_command(&variant, &prepared.command),
            listen: prepared.listen,
            secrets,
            variant,
            spawned_at,
        };
        Ok(driver::drive(seed, started))
    }

    fn prepare(&self, variant: &Variant, port: Option<u16>) -> Result<Prepared, Failure> {
        let engine = engine::of_kind(variant.engine).ok_or_else(|| unknown_engine(variant.engine))?;
        engine.check(variant, &self.config.paths)?;
        let program = engine.program(&self.config.paths)?;
        let (host, wanted) = engine.wanted_listen(variant)?;
        let host = host.unwrap_or_else(|| "127.0.0.1".to_owned());
        let port = port::choose(&self.procfs, &host, wanted.or(port))?;
        let listen = Listen { host, port };
        let command = engine.command(variant, &program, &self.config.paths, &listen);
        Ok(Prepared { engine, listen, command })
    }
}

struct Prepared {
    engine: &'static dyn Engine,
    listen: Listen,
    command: Vec<String>,
}

fn unknown_engine(kind: EngineKind) -> Failure {
    refusal(
        FailureClass::ProgramNotFound,
        format!("The engine `{kind}` cannot be started by this version on the runtime `process`"),
        "Use `llama_cpp`.",
    )
}

fn not_started(error: &StartError) -> Failure {
    let (class, hint) = match error {
        StartError::ProgramMissing { .. } => {
            (FailureClass::ProgramNotFound, "Install the program, or correct the path that names it.")
        }
        StartError::NotStarted { .. } => (
            FailureClass::Exited,
            "Check that the program is executable and that the log's folder can be written.",
        ),
        StartError::Supervisor { .. } => (
            FailureClass::Exited,
            "Check that the Inferex program itself is where it was when it was started.",
        ),
    };
    refusal(class, error.to_string(), hint)
}
