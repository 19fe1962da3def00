//! Giving blocks back: at their end, after a crash, when a lease ran out, and when a person puts interrupted
//! runs into the queue again. Measured work is never repeated unless a person says so.

use inferex_model::actor::Actor;
use inferex_model::id::{BlockId, ExperimentId};
use inferex_model::time::Timestamp;
use serde_json::json;
use sqlx::SqliteConnection;

use super::run_ids;
use crate::audit::record;
use crate::codec::to_i64;
use crate::{Store, StoreError};

impl Store {
    /// Gives a block back: finished, or queued again under a new attempt when runs of it are still queued.
    /// A run that is under way becomes interrupted. `false` when the block is no longer the caller's.
    pub async fn finish_block(
        &self,
        block: BlockId,
        attempt: u32,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let held: Vec<i64> = sqlx::query_scalar!(
            "SELECT id FROM blocks WHERE id = ? AND attempt = ? AND state = 'running'",
            block.0,
            attempt
        )
        .fetch_all(&mut *tx)
        .await?;
        release(&mut tx, &held, "its block was given up before it ended", now).await?;
        tx.commit().await?;
        Ok(!held.is_empty())
    }

    /// After a start: whatever was under way becomes interrupted with that reason, and its blocks are given
    /// back. Says how many runs were interrupted.
    pub async fn interrupt_active(&self, now: Timestamp, reason: &str) -> Result<u64, StoreError> {
        self.interrupt(i64::MAX, now, reason).await
    }

    /// The same for blocks whose lease has run out: their driver has died or hangs.
    pub async fn interrupt_expired(&self, now: Timestamp, reason: &str) -> Result<u64, StoreError> {
        self.interrupt(now.0, now, reason).await
    }

    async fn interrupt(&self, expired: i64, now: Timestamp, reason: &str) -> Result<u64, StoreError> {
        let mut tx = self.write().await?;
        let held: Vec<i64> = sqlx::query_scalar!(
            "SELECT id FROM blocks WHERE state = 'running' AND lease_until <= ? ORDER BY id",
            expired
        )
        .fetch_all(&mut *tx)
        .await?;
        let interrupted = release(&mut tx, &held, reason, now).await?;
        tx.commit().await?;
        Ok(interrupted)
    }

    /// Puts the interrupted runs of an experiment back into the queue under a new attempt; the events of the old
    /// one are kept. An experiment that was cancelled goes on with these runs. Says how many; 0 while a cancelled
    /// one is still being stopped.
    pub async fn requeue_interrupted(
        &self,
        actor: &Actor,
        id: ExperimentId,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let mut tx = self.write().await?;
        if is_stopping(&mut tx, id).await? {
            return Ok(0);
        }
        let runs = requeue_runs(&mut tx, id).await?;
        if runs.is_empty() {
            return Ok(0);
        }
        sqlx::query!("UPDATE experiments SET cancel_requested = 0 WHERE id = ?", id.0)
            .execute(&mut *tx)
            .await?;
        let detail = json!({"runs": run_ids(&runs)});
        record(&mut tx, actor, now, "experiment.requeue", &id.to_string(), &detail).await?;
        tx.commit().await?;
        Ok(to_count(runs.len()))
    }
}

fn to_count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Interrupts what is under way in the blocks and gives them back; the new attempt shuts out the old holder.
async fn release(
    conn: &mut SqliteConnection,
    blocks: &[i64],
    reason: &str,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let mut interrupted = 0;
    for block in blocks {
        interrupted += sqlx::query!(
            "UPDATE runs SET state = 'interrupted', reason = ?, ended_at = ?
             WHERE block_id = ? AND state IN ('preparing', 'warming', 'measuring', 'processing')",
            reason,
            now.0,
            block
        )
        .execute(&mut *conn)
        .await?
        .rows_affected();
        let queued =
            sqlx::query_scalar!("SELECT COUNT(*) FROM runs WHERE block_id = ? AND state = 'queued'", block)
                .fetch_one(&mut *conn)
                .await?;
        let (state, ended_at) = if queued > 0 { ("queued", None) } else { ("finished", Some(now.0)) };
        let grow = to_i64(u64::from(queued > 0));
        sqlx::query!(
            "UPDATE blocks SET state = ?, ended_at = ?, attempt = attempt + ?, owner = NULL, lease_until = NULL
             WHERE id = ?",
            state,
            ended_at,
            grow,
            block
        )
        .execute(&mut *conn)
        .await?;
        align_attempts(conn, *block).await?;
    }
    Ok(interrupted)
}

/// Lets the queued runs of a block carry its attempt.
async fn align_attempts(conn: &mut SqliteConnection, block: i64) -> Result<(), StoreError> {
    sqlx::query!(
        "UPDATE runs SET attempt = (SELECT attempt FROM blocks WHERE id = ?1)
         WHERE block_id = ?1 AND state = 'queued'",
        block
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether the experiment was cancelled and a run of it is still under way.
async fn is_stopping(conn: &mut SqliteConnection, id: ExperimentId) -> Result<bool, StoreError> {
    let active = sqlx::query_scalar!(
        "SELECT COUNT(*) FROM runs JOIN experiments e ON e.id = runs.experiment_id
         WHERE runs.experiment_id = ? AND e.cancel_requested = 1
           AND runs.state IN ('preparing', 'warming', 'measuring', 'processing')",
        id.0
    )
    .fetch_one(conn)
    .await?;
    Ok(active > 0)
}

/// The runs' ids. A finished block goes back to the queue; one that is running keeps its holder, and the runs
/// are taken up when it is given back.
async fn requeue_runs(conn: &mut SqliteConnection, id: ExperimentId) -> Result<Vec<i64>, StoreError> {
    sqlx::query!(
        "UPDATE blocks SET state = 'queued', attempt = attempt + 1, ended_at = NULL
         WHERE experiment_id = ? AND state = 'finished'
           AND EXISTS (SELECT 1 FROM runs WHERE block_id = blocks.id AND state = 'interrupted')",
        id.0
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_scalar!(
        r#"UPDATE runs SET state = 'queued', reason = NULL, started_at = NULL, measured_at = NULL, ended_at = NULL,
                  progress = NULL, tok_s = NULL,
                  attempt = MAX(attempt + 1, (SELECT attempt FROM blocks WHERE id = block_id))
           WHERE experiment_id = ? AND state = 'interrupted' RETURNING id AS "id!: i64""#,
        id.0
    )
    .fetch_all(conn)
    .await?)
}
