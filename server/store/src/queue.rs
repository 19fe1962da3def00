//! The queue: blocks waiting for their lane, claimed with one statement, held by a lease, fenced by an attempt.
//!
//! An attempt is the fence: it grows whenever a block is taken from its holder, and a write that carries an
//! older one touches nothing. A queued run carries its block's attempt, so one number fences both.
//! The states of a block are `queued → running → finished`; what happens inside is [`crate::runs`].
//! Start from [`Store::claim_block`].

use inferex_model::environment::Environment;
use inferex_model::id::{BlockId, DeploymentId, ExperimentId, RunId};
use inferex_model::time::Timestamp;
use inferex_model::variant::Variant;
use serde::{Deserialize, Serialize};

use crate::codec::{from_json, from_word, maybe_json, to_json, to_u32, won};
use crate::runs::RunRow;
use crate::{Store, StoreError};

mod recovery;

/// The lane that blocks use unless told otherwise: this host's processors.
pub const HOST_LANE: &str = "host";

/// Where a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    /// Waits for its lane.
    Queued,
    /// Held by a driver.
    Running,
    /// No run of it is left to do.
    Finished,
}

/// A block as the queue sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRow {
    /// The block.
    pub id: BlockId,
    /// Whose it is.
    pub experiment: ExperimentId,
    /// Place in the experiment's order, from 0.
    pub position: u32,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// Which arm, from 0.
    pub arm: u32,
    /// The arm's name.
    pub arm_name: String,
    /// The hardware it needs for itself.
    pub lane: String,
    /// Where it stands.
    pub state: BlockState,
    /// The fence.
    pub attempt: u32,
    /// Who holds it, while it runs.
    pub owner: Option<String>,
    /// Until when, unless the holder renews it.
    pub lease_until: Option<Timestamp>,
    /// The engine it started last.
    pub deployment: Option<DeploymentId>,
    /// The machine when it began.
    pub environment: Option<Environment>,
    /// First claimed.
    pub started_at: Option<Timestamp>,
    /// Finished.
    pub ended_at: Option<Timestamp>,
}

/// What a driver needs to carry out a block it has just claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedBlock {
    /// The block.
    pub block: BlockId,
    /// Whose it is.
    pub experiment: ExperimentId,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// Which arm, from 0.
    pub arm: u32,
    /// The arm's name.
    pub arm_name: String,
    /// What to start.
    pub variant: Variant,
    /// The fence; every later write for this block and its runs carries it.
    pub attempt: u32,
    /// The runs still to do, in the order of the levels.
    pub runs: Vec<RunRow>,
}

struct RawBlock {
    id: i64,
    experiment_id: i64,
    position: i64,
    repeat: i64,
    arm: i64,
    arm_name: String,
    lane: String,
    state: String,
    attempt: i64,
    owner: Option<String>,
    lease_until: Option<i64>,
    deployment_id: Option<i64>,
    environment: Option<String>,
    started_at: Option<i64>,
    ended_at: Option<i64>,
}

impl RawBlock {
    fn read(self) -> Result<BlockRow, StoreError> {
        let id = BlockId(self.id);
        Ok(BlockRow {
            id,
            experiment: ExperimentId(self.experiment_id),
            position: to_u32(self.position),
            repeat: to_u32(self.repeat),
            arm: to_u32(self.arm),
            arm_name: self.arm_name,
            lane: self.lane,
            state: from_word("block state", id, &self.state)?,
            attempt: to_u32(self.attempt),
            owner: self.owner,
            lease_until: self.lease_until.map(Timestamp),
            deployment: self.deployment_id.map(DeploymentId),
            environment: maybe_json("environment", id, self.environment)?,
            started_at: self.started_at.map(Timestamp),
            ended_at: self.ended_at.map(Timestamp),
        })
    }
}

/// The columns of [`RawBlock`] with a tail of SQL.
macro_rules! select_blocks {
    ($tail:literal $(, $arg:expr)*) => {
        sqlx::query_as!(
            RawBlock,
            r#"SELECT b.id, b.experiment_id, b.position, b.repeat, b.arm, a.name AS arm_name, b.lane, b.state,
                      b.attempt, b.owner, b.lease_until, b.deployment_id, b.environment, b.started_at, b.ended_at
               FROM blocks b JOIN experiment_arms a ON a.experiment_id = b.experiment_id AND a.arm = b.arm "#
                + $tail
            $(, $arg)*
        )
    };
}

impl Store {
    /// Takes the oldest block of the lane that has queued runs, if the lane is free. The experiments come in the
    /// order they were queued, each one's blocks in their order; cancelled experiments are passed over.
    pub async fn claim_block(
        &self,
        lane: &str,
        owner: &str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> Result<Option<ClaimedBlock>, StoreError> {
        let mut tx = self.write().await?;
        let claimed = sqlx::query!(
            r#"UPDATE blocks SET state = 'running', owner = ?2, started_at = COALESCE(started_at, ?3), lease_until = ?4
               WHERE id = (
                   SELECT b.id FROM blocks b JOIN experiments e ON e.id = b.experiment_id
                   WHERE b.lane = ?1 AND b.state = 'queued' AND e.cancel_requested = 0
                     AND EXISTS (SELECT 1 FROM runs r WHERE r.block_id = b.id AND r.state = 'queued')
                     AND NOT EXISTS (SELECT 1 FROM blocks o WHERE o.lane = ?1 AND o.state = 'running')
                   ORDER BY b.experiment_id, b.position LIMIT 1)
               RETURNING id AS "id!: i64", experiment_id AS "experiment_id!: i64", repeat AS "repeat!: i64",
                         arm AS "arm!: i64", attempt AS "attempt!: i64""#,
            lane,
            owner,
            now.0,
            lease_until.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(claimed) = claimed else { return Ok(None) };
        sqlx::query!(
            "UPDATE runs SET attempt = ? WHERE block_id = ? AND state = 'queued'",
            claimed.attempt,
            claimed.id
        )
        .execute(&mut *tx)
        .await?;
        let arm = sqlx::query!(
            "SELECT name, variant FROM experiment_arms WHERE experiment_id = ? AND arm = ?",
            claimed.experiment_id,
            claimed.arm
        )
        .fetch_one(&mut *tx)
        .await?;
        let block = BlockId(claimed.id);
        let runs = crate::runs::queued_runs(&mut tx, block).await?;
        tx.commit().await?;
        Ok(Some(ClaimedBlock {
            block,
            experiment: ExperimentId(claimed.experiment_id),
            repeat: to_u32(claimed.repeat),
            arm: to_u32(claimed.arm),
            arm_name: arm.name,
            variant: from_json("frozen variant", block, &arm.variant)?,
            attempt: to_u32(claimed.attempt),
            runs,
        }))
    }

    /// Renews the lease; `false` when the block is no longer the caller's, who must then stop.
    pub async fn heartbeat_block(
        &self,
        block: BlockId,
        attempt: u32,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let renewed = sqlx::query!(
            "UPDATE blocks SET lease_until = ? WHERE id = ? AND attempt = ? AND state = 'running'",
            lease_until.0,
            block.0,
            attempt
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(won(&renewed))
    }

    /// Remembers the machine and the engine of a block that is being carried out; `false` when it is no longer
    /// the caller's.
    pub async fn set_block_environment(
        &self,
        block: BlockId,
        attempt: u32,
        environment: &Environment,
        deployment: Option<DeploymentId>,
    ) -> Result<bool, StoreError> {
        let (document, deployment) = (to_json("environment", environment)?, deployment.map(|id| id.0));
        let mut tx = self.write().await?;
        let updated = sqlx::query!(
            "UPDATE blocks SET environment = ?, deployment_id = ?
             WHERE id = ? AND attempt = ? AND state = 'running'",
            document,
            deployment,
            block.0,
            attempt
        )
        .execute(&mut *tx)
        .await?;
        if !won(&updated) {
            return Ok(false);
        }
        // The runs of an earlier attempt keep the start that served them.
        let runs = sqlx::query!(
            "UPDATE runs SET environment = ?, deployment_id = ?
             WHERE block_id = ? AND attempt = ? AND state IN ('queued', 'preparing')",
            document,
            deployment,
            block.0,
            attempt
        );
        runs.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Runs of a block that are still queued, with the fence they carry now: also those that a person
    /// put back while the block was running.
    pub async fn queued_runs_of(&self, block: BlockId) -> Result<Vec<RunRow>, StoreError> {
        let mut conn = self.read().acquire().await?;
        crate::runs::queued_runs(&mut conn, block).await
    }

    /// All blocks of an experiment in their order.
    pub async fn blocks_of(&self, experiment: ExperimentId) -> Result<Vec<BlockRow>, StoreError> {
        let rows = select_blocks!("WHERE b.experiment_id = ? ORDER BY b.position", experiment.0);
        rows.fetch_all(self.read()).await?.into_iter().map(RawBlock::read).collect()
    }

    /// The queue: running blocks first, then the queued ones in the order in which they will be claimed.
    pub async fn queued_blocks(&self) -> Result<Vec<BlockRow>, StoreError> {
        let rows = select_blocks!(
            "WHERE b.state IN ('queued', 'running')
             ORDER BY b.state = 'queued', b.experiment_id, b.position"
        );
        rows.fetch_all(self.read()).await?.into_iter().map(RawBlock::read).collect()
    }
}

/// The ids of runs, for messages and audit rows.
pub(crate) fn run_ids(ids: &[i64]) -> Vec<String> {
    ids.iter().map(|id| RunId(*id).to_string()).collect()
}

#[cfg(test)]
mod tests;
