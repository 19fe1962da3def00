//! Writing a new experiment: its arms, its blocks in their order, and every run, in one transaction.

use inferex_model::actor::Actor;
use inferex_model::experiment::{ExperimentSpec, Level, PlannedBlock};
use inferex_model::id::ExperimentId;
use inferex_model::time::Timestamp;
use inferex_model::variant::Variant;
use serde_json::json;
use sqlx::SqliteConnection;

use crate::audit::record;
use crate::codec::{to_i64, to_json};
use crate::{Store, StoreError};

impl Store {
    /// Queues an experiment. `variants` holds what each arm runs, in the order of the arms; they are frozen.
    pub async fn create_experiment(
        &self,
        actor: &Actor,
        spec: &ExperimentSpec,
        variants: &[Variant],
        prompts_hash: &str,
        now: Timestamp,
    ) -> Result<ExperimentId, StoreError> {
        if spec.arm.len() != variants.len() {
            return Err(StoreError::ArmMismatch { arms: spec.arm.len(), variants: variants.len() });
        }
        let document = to_json("experiment", spec)?;
        let mut tx = self.write().await?;
        let id = sqlx::query_scalar!(
            r#"INSERT INTO experiments (name, spec, prompts_hash, created_by, created_at) VALUES (?, ?, ?, ?, ?)
               RETURNING id AS "id!: i64""#,
            spec.name,
            document,
            prompts_hash,
            actor.name,
            now.0
        )
        .fetch_one(&mut *tx)
        .await?;
        insert_arms(&mut tx, id, spec, variants).await?;
        let levels = spec.levels();
        for (position, block) in spec.blocks().into_iter().enumerate() {
            insert_block(&mut tx, id, position, block, &levels).await?;
        }
        let detail = json!({"name": spec.name, "runs": spec.run_count()});
        let id = ExperimentId(id);
        record(&mut tx, actor, now, "experiment.create", &id.to_string(), &detail).await?;
        tx.commit().await?;
        Ok(id)
    }
}

fn index(position: usize) -> i64 {
    to_i64(position as u64)
}

async fn insert_arms(
    conn: &mut SqliteConnection,
    id: i64,
    spec: &ExperimentSpec,
    variants: &[Variant],
) -> Result<(), StoreError> {
    for (position, (arm, variant)) in spec.arm.iter().zip(variants).enumerate() {
        let (position, document) = (index(position), to_json("variant", variant)?);
        sqlx::query!(
            "INSERT INTO experiment_arms (experiment_id, arm, name, variant) VALUES (?, ?, ?, ?)",
            id,
            position,
            arm.name,
            document
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

async fn insert_block(
    conn: &mut SqliteConnection,
    experiment: i64,
    position: usize,
    block: PlannedBlock,
    levels: &[Level],
) -> Result<(), StoreError> {
    let (position, arm) = (index(position), index(block.arm));
    let id = sqlx::query_scalar!(
        r#"INSERT INTO blocks (experiment_id, position, repeat, arm) VALUES (?, ?, ?, ?) RETURNING id AS "id!: i64""#,
        experiment,
        position,
        block.repeat,
        arm
    )
    .fetch_one(&mut *conn)
    .await?;
    for (position, level) in levels.iter().enumerate() {
        let position = index(position);
        sqlx::query!(
            "INSERT INTO runs (experiment_id, block_id, position, concurrency, requests) VALUES (?, ?, ?, ?, ?)",
            experiment,
            id,
            position,
            level.concurrency,
            level.requests
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}
