use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use inferex_app::ports::{Answer, EngineSetup, PortError};
use inferex_app::view::EngineSetupView;
use inferex_engines::engine;
use inferex_model::actor::{Actor, Role};
use inferex_model::variant::{EngineKind, RuntimeKind, VariantFile};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::Command;

use super::{from_store, require};
use crate::backend::Backend;

/// The installer, the same file that `deploy/cpu-engine` is.
const SCRIPT: &str = include_str!("../../../deploy/cpu-engine");
/// Lines of its output that are kept.
const KEPT_LINES: usize = 200;

pub(super) struct EngineSetupPort {
    backend: Arc<Backend>,
    job: Arc<Mutex<Job>>,
}

/// The installation that runs, or the last one.
#[derive(Debug, Default)]
struct Job {
    running: bool,
    lines: VecDeque<String>,
    failed: Option<String>,
}

impl EngineSetupPort {
    pub(super) fn new(backend: Arc<Backend>) -> Self {
        Self { backend, job: Arc::default() }
    }
}

#[async_trait]
impl EngineSetup for EngineSetupPort {
    async fn status(&self, actor: &Actor) -> Answer<EngineSetupView> {
        require(actor, Role::Viewer, "reading the engine's state")?;
        let program = engine::of_kind(EngineKind::LlamaCpp).and_then(|e| e.program(&self.backend.paths).ok());
        let variants = self.backend.store.variants().await.map_err(from_store("list variants"))?;
        let startable = |v: &inferex_model::variant::Variant| {
            v.engine == EngineKind::LlamaCpp && self.backend.blocked(v, RuntimeKind::Process).is_none()
        };
        let job = lock(&self.job);
        Ok(EngineSetupView {
            installed: variants.iter().any(|row| startable(&row.variant)),
            program: program.map(|path| path.display().to_string()),
            running: job.running,
            lines: job.lines.iter().cloned().collect(),
            failed: job.failed.clone(),
        })
    }

    async fn begin(&self, actor: &Actor) -> Answer<()> {
        require(actor, Role::Engineer, "installing an engine")?;
        {
            let mut job = lock(&self.job);
            if job.running {
                return Err(PortError::Conflict("an installation runs already; wait for its end".to_owned()));
            }
            *job = Job { running: true, ..Job::default() };
        }
        let now = self.backend.now();
        let noted = self
            .backend
            .store
            .note(actor, "engine_setup.begin", "llama_cpp", &serde_json::json!({}), now)
            .await;
        if let Err(error) = noted {
            lock(&self.job).running = false;
            return Err(from_store("note an installation")(error));
        }
        tokio::spawn(work(Arc::clone(&self.backend), Arc::clone(&self.job), actor.clone()));
        Ok(())
    }
}

async fn work(backend: Arc<Backend>, job: Arc<Mutex<Job>>, actor: Actor) {
    let outcome = match install(&backend, &job).await {
        Ok(()) => register(&backend, &actor).await,
        Err(error) => Err(error),
    };
    let mut job = lock(&job);
    job.running = false;
    job.failed = outcome.err();
    if let Some(reason) = &job.failed {
        tracing::error!(reason, "engine_setup_failed");
    }
}

async fn install(backend: &Backend, job: &Arc<Mutex<Job>>) -> Result<(), String> {
    let mut child = Command::new("bash")
        .args(["-s", "--", "--no-import", "--data-dir"])
        .arg(backend.home.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| format!("the installer could not be started: {e}; is bash installed?"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(SCRIPT.as_bytes()).await.map_err(|e| format!("the installer ended early: {e}"))?;
    }
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let read_out = async {
        if let Some(out) = out {
            gather(out, job).await;
        }
    };
    let read_err = async {
        if let Some(err) = err {
            gather(err, job).await;
        }
    };
    let (status, (), ()) = tokio::join!(child.wait(), read_out, read_err);
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(last_words(job, &status.to_string())),
        Err(error) => Err(format!("the installer could not be watched: {error}")),
    }
}

/// Keeps what the installer prints, newest last.
async fn gather(pipe: impl AsyncRead + Unpin, job: &Arc<Mutex<Job>>) {
    let mut lines = BufReader::new(pipe).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut job = lock(job);
        if job.lines.len() == KEPT_LINES {
            job.lines.pop_front();
        }
        job.lines.push_back(line);
    }
}

fn last_words(job: &Arc<Mutex<Job>>, status: &str) -> String {
    let job = lock(job);
    let last = job.lines.iter().rev().find(|line| !line.trim().is_empty()).cloned().unwrap_or_default();
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
