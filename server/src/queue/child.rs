//! The load child: this program again as `load-worker`, fed one job and read line by line.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use inferex_model::load::{LoadJob, LoadMessage};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// How long a child may take to end after its last line or after its standard input closed.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Why the child told us nothing more.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChildError {
    /// It could not be started or fed.
    #[error("the load generator could not be started: {0}")]
    Start(std::io::Error),
    /// Its output could not be read.
    #[error("the load generator's output broke off: {0}")]
    Read(std::io::Error),
    /// It printed something that is no message.
    #[error("the load generator printed a line that is no message: {0}")]
    Line(serde_json::Error),
    /// It ended without its last message.
    #[error("the load generator ended early ({0})")]
    Ended(String),
}

/// A running load child. Its standard input stays open; dropping it ends the child.
pub(super) struct LoadChild {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl LoadChild {
    /// Starts `program load-worker` and hands it the job.
    pub(super) async fn start(program: &Path, job: &LoadJob) -> Result<Self, ChildError> {
        let mut child = Command::new(program)
            .arg("load-worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(ChildError::Start)?;
        let missing = || ChildError::Start(std::io::Error::other("no pipe"));
        let mut stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let mut line = serde_json::to_vec(job).map_err(|e| ChildError::Start(e.into()))?;
        line.push(b'\n');
        stdin.write_all(&line).await.map_err(ChildError::Start)?;
        stdin.flush().await.map_err(ChildError::Start)?;
        Ok(Self { child, stdin: Some(stdin), lines: BufReader::new(stdout).lines() })
    }

    /// The next message; safe to cancel.
    pub(super) async fn next(&mut self) -> Result<LoadMessage, ChildError> {
        match self.lines.next_line().await.map_err(ChildError::Read)? {
            Some(line) => serde_json::from_str(&line).map_err(ChildError::Line),
            None => Err(ChildError::Ended(self.status().await)),
        }
    }

    /// Closes its standard input, which ends it, and waits.
    pub(super) async fn end(mut self) {
        drop(self.stdin.take());
        if tokio::time::timeout(END_LIMIT, self.child.wait()).await.is_err() {
            tracing::warn!("load_child_killed");
            if let Err(error) = self.child.kill().await {
                tracing::error!(%error, "load_child_not_killed");
            }
        }
    }

    async fn status(&mut self) -> String {
        match tokio::time::timeout(END_LIMIT, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "its output closed while it went on".to_owned(),
        }
    }
}
