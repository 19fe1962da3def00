//! The runtime `process`: a local program under `inferex supervise`, whose standard input we hold.
//!
//! When this process dies, however it dies, that input closes and the supervisor ends the engine's whole group.
//! Start from [`ProcessRuntime`].

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use inferex_model::deployment::ProcessIdentity;
use inferex_model::variant::RuntimeKind;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::{Ownership, Runtime, StartError, StartOrder, Started};
use crate::explain::Exit;
use crate::log::LogFile;
use crate::procfs::{ProcFs, kill_group_if_same};
use crate::supervise::Report;

/// A spawn is a fork and an exec; a machine that needs longer is stuck.
const SPAWN_TIMEOUT: Duration = Duration::from_secs(20);
/// What the supervisor may need beyond the grace to kill, reap and exit.
const STOP_MARGIN: Duration = Duration::from_secs(5);
/// Our own configuration holds keys; no engine needs it.
const OUR_ENV: [&str; 2] = ["INFEREX_", "GATEWAY_"];

/// Runs programs of this machine.
#[derive(Debug, Clone)]
pub struct ProcessRuntime {
    self_exe: PathBuf,
    grace: Duration,
    procfs: ProcFs,
}

impl ProcessRuntime {
    /// A runtime whose supervisor is `self_exe supervise …`, which leaves engines `grace` between SIGTERM and SIGKILL.
    #[must_use]
    pub fn new(self_exe: PathBuf, grace: Duration) -> Self {
        Self { self_exe, grace, procfs: ProcFs::default() }
    }

    fn supervisor(&self, order: &StartOrder) -> Command {
        let mut command = Command::new(&self.self_exe);
        command.arg("supervise").arg("--output").arg(&order.log_path);
        command.arg("--grace-ms").arg(self.grace.as_millis().to_string());
        command.arg("--").args(&order.command);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let foreign = OUR_ENV.iter().chain(&order.foreign_env).any(|prefix| text.starts_with(prefix));
            if foreign {
                command.env_remove(&name);
            }
        }
        // A group of its own: a Ctrl-C in the server's terminal must not end the supervisor before its engine.
        command.envs(&order.env).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }
}

#[async_trait]
impl Runtime for ProcessRuntime {
    fn kind(&self) -> RuntimeKind {
        RuntimeKind::Process
    }

    async fn start(&self, order: StartOrder) -> Result<Box<dyn Started>, StartError> {
        let program = order.command.first().cloned().unwrap_or_default();
        let failed = |message: String| StartError::Supervisor { program: program.clone(), message };
        let log = LogFile::from_now(&order.log_path);
        let mut child = self.supervisor(&order).spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("its pipes are missing".to_owned()));
        };
        let report = timeout(SPAWN_TIMEOUT, read_report(output)).await;
        match report.unwrap_or_else(|_| Err(format!("no report within {} s", SPAWN_TIMEOUT.as_secs()))) {
            Ok(Report::Spawned { identity }) => Ok(Box::new(Supervised {
                child,
                input: Some(input),
                identity,
                log,
                patience: self.grace + STOP_MARGIN,
                procfs: self.procfs.clone(),
                exit: None,
            })),
            Ok(Report::NotStarted { missing: true, message }) => {
                Err(StartError::ProgramMissing { program, message })
            }
            Ok(Report::NotStarted { missing: false, message }) => {
                Err(StartError::NotStarted { program, message })
            }
            Err(message) => Err(failed(message)),
        }
    }
}

async fn read_report(output: ChildStdout) -> Result<Report, String> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).await.map_err(|error| error.to_string())?;
    serde_json::from_str(&line).map_err(|_| "it ended without a report".to_owned())
}

/// An engine under its supervisor.
struct Supervised {
    child: Child,
    /// Held open while the engine shall live; closing it is the order to end.
    input: Option<ChildStdin>,
    identity: ProcessIdentity,
    log: LogFile,
    patience: Duration,
    procfs: ProcFs,
    exit: Option<Exit>,
}

#[async_trait]
impl Started for Supervised {
    fn identity(&self) -> Option<&ProcessIdentity> {
        Some(&self.identity)
    }

    fn log(&self) -> LogFile {
        self.log.clone()
    }

    fn ownership(&self) -> Ownership {
        let (procfs, group) = (self.procfs.clone(), self.identity.pid);
        Ownership::new(move |port| procfs.listener(port).map(|holder| holder.group == group))
    }

    async fn exited(&mut self) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        let status = self.child.wait().await.ok();
        // A supervisor that was itself killed could not clean up.
        let supervisor_died = status.is_none_or(|status| status.signal().is_some());
        if supervisor_died {
            let _ = kill_group_if_same(&self.procfs, &self.identity);
        }
        let exit = Exit { code: status.and_then(|status| status.code()) };
        self.exit = Some(exit);
        exit
    }

    async fn stop(&mut self) -> Exit {
        self.input = None;
        let patience = self.patience;
        if let Ok(exit) = timeout(patience, self.exited()).await {
            return exit;
        }
        let _ = kill_group_if_same(&self.procfs, &self.identity);
        let _ = self.child.start_kill();
        self.exited().await
    }
}
