use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use inferex_app::ports::{Answer, EngineSetup, PortError};
use inferex_app::view::EngineSetupView;
use inferex_engines::engine;
use inferex_model::actor::{Actor, Role};
use inferex_model::variant::{EngineKind, RuntimeKind, Variant, VariantFile};
use tokio::process::Command;

use super::{from_store, require};
use crate::backend::Backend;
use crate::lane::LaneGuard;
use crate::log_lines;

/// The installer, the same file that `deploy/cpu-engine` is.
const SCRIPT: &str = include_str!("../../../deploy/cpu-engine");
/// Lines of its output that are shown.
const SHOWN_LINES: u32 = 200;

pub(super) struct EngineSetupPort {
    backend: Arc<Backend>,
    job: Arc<Mutex<Job>>,
}

/// The installation that runs, or the last one of this process.
#[derive(Debug, Default)]
struct Job {
    running: bool,
    log: Option<PathBuf>,
    failed: Option<String>,
}

impl EngineSetupPort {
    pub(super) fn new(backend: Arc<Backend>) -> Self {
        Self { backend, job: Arc::default() }
    }

    fn is_startable(&self, variant: &Variant) -> bool {
        variant.engine == EngineKind::LlamaCpp
            && self.backend.blocked(variant, RuntimeKind::Process).is_none()
    }
}

#[async_trait]
impl EngineSetup for EngineSetupPort {
    async fn status(&self, actor: &Actor) -> Answer<EngineSetupView> {
        require(actor, Role::Viewer, "reading the engine's state")?;
        let program = engine::of_kind(EngineKind::LlamaCpp).and_then(|e| e.program(&self.backend.paths).ok());
        let variants = self.backend.store.variants().await.map_err(from_store("list variants"))?;
        let job = lock(&self.job);
        Ok(EngineSetupView {
            installed: variants.iter().any(|row| self.is_startable(&row.variant)),
            program: program.map(|path| path.display().to_string()),
            running: job.running,
            lines: job.log.as_deref().map(lines).unwrap_or_default(),
            failed: job.failed.clone(),
        })
    }

    async fn begin(&self, actor: &Actor) -> Answer<()> {
        require(actor, Role::Engineer, "installing an engine")?;
        // It quantises and tries an engine on the very processors that a run is measured on.
        let lane =
            self.backend.fleet.lane().try_take("the installation of the CPU engine").map_err(|holder| {
                PortError::Conflict(format!("the lane of this machine is held by {holder}; wait for its end"))
            })?;
        let log = self.backend.home.logs().join("cpu-engine.log");
        *lock(&self.job) = Job { running: true, log: Some(log.clone()), failed: None };
        let (detail, now) = (serde_json::json!({}), self.backend.now());
        let noted = self.backend.store.note(actor, "engine_setup.begin", "llama_cpp", &detail, now).await;
        if let Err(error) = noted {
            lock(&self.job).running = false;
            return Err(from_store("note an installation")(error));
        }
        tokio::spawn(work(Arc::clone(&self.backend), Arc::clone(&self.job), log, actor.clone(), lane));
        Ok(())
    }
}

async fn work(backend: Arc<Backend>, job: Arc<Mutex<Job>>, log: PathBuf, actor: Actor, lane: LaneGuard) {
    let outcome = match install(&backend, &log).await {
        Ok(()) => register(&backend, &actor).await,
        Err(error) => Err(error),
    };
    drop(lane);
    let mut job = lock(&job);
    job.running = false;
    job.failed = outcome.err();
    if let Some(reason) = &job.failed {
        tracing::error!(reason, "engine_setup_failed");
    }
}

/// Runs the installer under the supervisor, so that nothing of it outlives this server.
async fn install(backend: &Backend, log: &PathBuf) -> Result<(), String> {
    let script = backend.home.root().join("engines").join("cpu-engine.sh");
    let written = async {
        tokio::fs::write(&script, SCRIPT).await?;
        tokio::fs::write(log, "").await
    };
    written.await.map_err(|e| format!("the installer cannot be written into the data folder: {e}"))?;
    let mut child = Command::new(&backend.self_exe)
        .arg("supervise")
        .arg("--output")
        .arg(log)
        .args(["--", "bash"])
        .arg(&script)
        .args(["--no-import", "--data-dir"])
        .arg(backend.home.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|e| format!("the installer could not be started: {e}; is bash installed?"))?;
    // Held to the end: when it closes, whichever way, the supervisor ends the whole group.
    let held = child.stdin.take();
    let status = child.wait().await;
    drop(held);
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(last_words(log, &status.to_string())),
        Err(error) => Err(format!("the installer could not be watched: {error}")),
    }
}

fn lines(log: &std::path::Path) -> Vec<String> {
    match log_lines::read(log, None, SHOWN_LINES) {
        Ok(page) => page.lines,
        Err(error) => vec![format!("{} cannot be read: {error}", log.display())],
    }
}

fn last_words(log: &std::path::Path, status: &str) -> String {
    let lines = lines(log);
    let last = lines.iter().rev().find(|line| !line.trim().is_empty()).cloned().unwrap_or_default();
    format!("the installation ended with {status}: {last}")
}

/// Stores the variants that the installer wrote.
async fn register(backend: &Backend, actor: &Actor) -> Result<(), String> {
    let path = backend.home.models().join("variants.toml");
    let text =
        tokio::fs::read_to_string(&path).await.map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let file: VariantFile =
        toml::from_str(&text).map_err(|e| format!("{}: {}", path.display(), e.message()))?;
    backend.store.put_variants(actor, &file.variant, backend.now()).await.map(drop).map_err(|e| e.to_string())
}

fn lock(job: &Mutex<Job>) -> std::sync::MutexGuard<'_, Job> {
    job.lock().unwrap_or_else(PoisonError::into_inner)
}
