//! Runs: their states change only through the functions here, each naming the state it expects and carrying the
//! attempt. A `false` means that the run is no longer the caller's. Start from [`RunRow`].

use inferex_model::environment::Environment;
use inferex_model::experiment::Level;
use inferex_model::id::{BlockId, DeploymentId, ExperimentId, RunId};
use inferex_model::metrics::RequestRow;
use inferex_model::run::{RequestProgress, RunState, RunSummary};
use inferex_model::time::Timestamp;
use sqlx::SqliteConnection;

use crate::codec::{from_word, maybe_json, to_json, to_u32, won};
use crate::requests::replace_requests;
use crate::{Store, StoreError};

/// One arm, one level, one repeat.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// Whose it is.
    pub experiment: ExperimentId,
    /// The engine start it belongs to.
    pub block: BlockId,
    /// Which arm, from 0.
    pub arm: u32,
    /// The arm's name.
    pub arm_name: String,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// How it is loaded.
    pub level: Level,
    /// Where it stands.
    pub state: RunState,
    /// The fence; also which try this is.
    pub attempt: u32,
    /// Why it ended other than well.
    pub reason: Option<String>,
    /// When it began to prepare.
    pub started_at: Option<Timestamp>,
    /// When measuring began.
    pub measured_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Counts while it goes on, and at the end.
    pub progress: Option<RequestProgress>,
    /// Output tokens per second of late, while it goes on.
    pub tok_s: Option<f64>,
    /// Its figures, once it is done.
    pub summary: Option<RunSummary>,
    /// The start that served it, once there was one.
    pub deployment: Option<DeploymentId>,
    /// The machine when that start began.
    pub environment: Option<Environment>,
}

struct RawRun {
    id: i64,
    experiment_id: i64,
    block_id: i64,
    arm: i64,
    arm_name: String,
    repeat: i64,
    concurrency: i64,
    requests: i64,
    state: String,
    attempt: i64,
    reason: Option<String>,
    started_at: Option<i64>,
    measured_at: Option<i64>,
    ended_at: Option<i64>,
    progress: Option<String>,
    tok_s: Option<f64>,
    summary: Option<String>,
    deployment_id: Option<i64>,
    environment: Option<String>,
}

impl RawRun {
    fn read(self) -> Result<RunRow, StoreError> {
        let id = RunId(self.id);
        Ok(RunRow {
            id,
            experiment: ExperimentId(self.experiment_id),
            block: BlockId(self.block_id),
            arm: to_u32(self.arm),
            arm_name: self.arm_name,
            repeat: to_u32(self.repeat),
            level: Level { concurrency: to_u32(self.concurrency), requests: to_u32(self.requests) },
            state: from_word("run state", id, &self.state)?,
            attempt: to_u32(self.attempt),
            reason: self.reason,
            started_at: self.started_at.map(Timestamp),
            measured_at: self.measured_at.map(Timestamp),
            ended_at: self.ended_at.map(Timestamp),
            progress: maybe_json("progress", id, self.progress)?,
            tok_s: self.tok_s,
            summary: maybe_json("summary", id, self.summary)?,
            deployment: self.deployment_id.map(DeploymentId),
            environment: maybe_json("environment", id, self.environment)?,
        })
    }
}

/// The columns of [`RawRun`] with a tail of SQL.
macro_rules! select_runs {
    ($tail:literal $(, $arg:expr)*) => {
        sqlx::query_as!(
            RawRun,
            r#"SELECT r.id, r.experiment_id, r.block_id, b.arm, a.name AS arm_name, b.repeat, r.concurrency,
                      r.requests, r.state, r.attempt, r.reason, r.started_at, r.measured_at, r.ended_at,
                      r.progress, r.tok_s, r.summary, r.deployment_id, r.environment
               FROM runs r JOIN blocks b ON b.id = r.block_id
               JOIN experiment_arms a ON a.experiment_id = b.experiment_id AND a.arm = b.arm "#
                + $tail
            $(, $arg)*
        )
    };
}

pub(crate) async fn queued_runs(
    conn: &mut SqliteConnection,
    block: BlockId,
) -> Result<Vec<RunRow>, StoreError> {
    let rows = select_runs!("WHERE r.block_id = ? AND r.state = 'queued' ORDER BY r.position", block.0);
    rows.fetch_all(conn).await?.into_iter().map(RawRun::read).collect()
}

/// One conditional update in its own transaction; whether it found its row.
macro_rules! conditionally {
    ($store:expr, $($query:tt)*) => {{
        let mut tx = $store.write().await?;
        let result = sqlx::query!($($query)*).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(won(&result))
    }};
}

impl Store {
    /// queued → preparing, under a block that is running with the same attempt.
    pub async fn begin_preparing(
        &self,
        run: RunId,
        attempt: u32,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        conditionally!(
            self,
            "UPDATE runs SET state = 'preparing', started_at = ?3
             WHERE id = ?1 AND attempt = ?2 AND state = 'queued'
               AND EXISTS (SELECT 1 FROM blocks b WHERE b.id = block_id AND b.attempt = ?2 AND b.state = 'running')",
            run.0,
            attempt,
            now.0
        )
    }

    /// preparing → warming.
    pub async fn begin_warming(&self, run: RunId, attempt: u32) -> Result<bool, StoreError> {
        conditionally!(
            self,
            "UPDATE runs SET state = 'warming', reason = NULL WHERE id = ? AND attempt = ? AND state = 'preparing'",
            run.0,
            attempt
        )
    }

    /// warming → measuring.
    pub async fn begin_measuring(
        &self,
        run: RunId,
        attempt: u32,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        conditionally!(
            self,
            "UPDATE runs SET state = 'measuring', measured_at = ?3
             WHERE id = ?1 AND attempt = ?2 AND state = 'warming'",
            run.0,
            attempt,
            now.0
        )
    }

    /// measuring → processing.
    pub async fn begin_processing(&self, run: RunId, attempt: u32) -> Result<bool, StoreError> {
        conditionally!(
            self,
            "UPDATE runs SET state = 'processing' WHERE id = ? AND attempt = ? AND state = 'measuring'",
            run.0,
            attempt
        )
    }

    /// processing → done, with the run's figures and one row a request.
    pub async fn finish_run(
        &self,
        run: RunId,
        attempt: u32,
        summary: &RunSummary,
        rows: &[RequestRow],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (document, progress) = (to_json("summary", summary)?, to_json("progress", &summary.progress)?);
        let mut tx = self.write().await?;
        let done = sqlx::query!(
            "UPDATE runs SET state = 'done', summary = ?3, progress = ?4, tok_s = NULL, ended_at = ?5
             WHERE id = ?1 AND attempt = ?2 AND state = 'processing'",
            run.0,
            attempt,
            document,
            progress,
            now.0
        )
        .execute(&mut *tx)
        .await?;
        if !won(&done) {
            return Ok(false);
        }
        replace_requests(&mut tx, run, rows).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Queued or under way → failed; the reason says what to do about it.
    pub async fn fail_run(
        &self,
        run: RunId,
        attempt: u32,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.end_run(run, attempt, RunState::Failed, reason, now).await
    }

    /// Queued or under way → cancelled.
    pub async fn cancel_run(
        &self,
        run: RunId,
        attempt: u32,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.end_run(run, attempt, RunState::Cancelled, reason, now).await
    }

    async fn end_run(
        &self,
        run: RunId,
        attempt: u32,
        end: RunState,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let end = end.as_str();
        conditionally!(
            self,
            "UPDATE runs SET state = ?3, reason = ?4, tok_s = NULL, ended_at = ?5
             WHERE id = ?1 AND attempt = ?2
               AND state IN ('queued', 'preparing', 'warming', 'measuring', 'processing')",
            run.0,
            attempt,
            end,
            reason,
            now.0
        )
    }

    /// Notes what a run that is being prepared waits for.
    pub async fn set_run_reason(&self, run: RunId, attempt: u32, reason: &str) -> Result<bool, StoreError> {
        conditionally!(
            self,
            "UPDATE runs SET reason = ?3 WHERE id = ?1 AND attempt = ?2 AND state = 'preparing'",
            run.0,
            attempt,
            reason
        )
    }

    /// Notes how far a run has come; only while it is under way.
    pub async fn set_run_progress(
        &self,
        run: RunId,
        attempt: u32,
        progress: RequestProgress,
        tok_s: Option<f64>,
    ) -> Result<bool, StoreError> {
        let document = to_json("progress", &progress)?;
        conditionally!(
            self,
            "UPDATE runs SET progress = ?3, tok_s = ?4 WHERE id = ?1 AND attempt = ?2
               AND state IN ('preparing', 'warming', 'measuring', 'processing')",
            run.0,
            attempt,
            document,
            tok_s
        )
    }

    /// The run of that id.
    pub async fn run(&self, id: RunId) -> Result<Option<RunRow>, StoreError> {
        let found = select_runs!("WHERE r.id = ?", id.0).fetch_optional(self.read()).await?;
        found.map(RawRun::read).transpose()
    }

    /// All runs of an experiment in the order in which they are measured.
    pub async fn runs_of(&self, experiment: ExperimentId) -> Result<Vec<RunRow>, StoreError> {
        let rows = select_runs!("WHERE r.experiment_id = ? ORDER BY b.position, r.position", experiment.0);
        rows.fetch_all(self.read()).await?.into_iter().map(RawRun::read).collect()
    }
}

#[cfg(test)]
mod tests;
