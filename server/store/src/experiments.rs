//! Experiments: made with all their blocks and runs at once, watched by counts, cancelled, deleted.
//! What runs next is decided in [`crate::queue`]. Start from [`ExperimentRow`].

use std::collections::BTreeMap;

use inferex_model::actor::Actor;
use inferex_model::experiment::ExperimentSpec;
use inferex_model::id::ExperimentId;
use inferex_model::run::{ExperimentState, RunState};
use inferex_model::time::Timestamp;
use inferex_model::variant::Variant;
use serde_json::json;

use crate::audit::record;
use crate::codec::{from_json, from_word, to_u64, won};
use crate::{Store, StoreError};

mod create;

/// An experiment and how far it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentRow {
    /// The experiment.
    pub id: ExperimentId,
    /// For people.
    pub name: String,
    /// Written by people; empty at first.
    pub notes: String,
    /// As it was stated.
    pub spec: ExperimentSpec,
    /// What each arm runs, frozen when it was queued; in the order of the arms.
    pub variants: Vec<Variant>,
    /// Hash of the prompt set and salt rule.
    pub prompts_hash: String,
    /// Who queued it.
    pub created_by: String,
    /// When it was queued.
    pub created_at: Timestamp,
    /// Somebody cancelled it: the driver stops what is under way.
    pub cancel_requested: bool,
    /// How many runs are in each state; states without a run are absent.
    pub counts: BTreeMap<RunState, u64>,
}

impl ExperimentRow {
    /// The state that follows from its runs.
    #[must_use]
    pub fn state(&self) -> ExperimentState {
        ExperimentState::of(&self.counts.keys().copied().collect::<Vec<_>>())
    }
}

/// What cancelling found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CancelCounts {
    /// Queued runs that were cancelled at once.
    pub cancelled: u64,
    /// Runs under way, which the driver has yet to stop.
    pub active: u64,
}

struct RawExperiment {
    id: i64,
    name: String,
    notes: String,
    spec: String,
    prompts_hash: String,
    created_by: String,
    created_at: i64,
    cancel_requested: bool,
}

impl RawExperiment {
    fn read(self) -> Result<ExperimentRow, StoreError> {
        let id = ExperimentId(self.id);
        Ok(ExperimentRow {
            id,
            name: self.name,
            notes: self.notes,
            spec: from_json("experiment", id, &self.spec)?,
            variants: Vec::new(),
            prompts_hash: self.prompts_hash,
            created_by: self.created_by,
            created_at: Timestamp(self.created_at),
            cancel_requested: self.cancel_requested,
            counts: BTreeMap::new(),
        })
    }
}

impl Store {
    /// The newest `limit` experiments, or those older than `before`; newest first.
    pub async fn experiments(
        &self,
        before: Option<ExperimentId>,
        limit: u32,
    ) -> Result<Vec<ExperimentRow>, StoreError> {
        let before = before.map_or(i64::MAX, |id| id.0);
        let page = sqlx::query_as!(
            RawExperiment,
            r#"SELECT id, name, notes, spec, prompts_hash, created_by, created_at,
                      cancel_requested AS "cancel_requested: bool"
               FROM experiments WHERE id < ? ORDER BY id DESC LIMIT ?"#,
            before,
            limit
        )
        .fetch_all(self.read())
        .await?;
        let mut rows = page.into_iter().map(RawExperiment::read).collect::<Result<Vec<_>, _>>()?;
        self.fill(&mut rows).await?;
        Ok(rows)
    }

    /// The experiment of that id.
    pub async fn experiment(&self, id: ExperimentId) -> Result<Option<ExperimentRow>, StoreError> {
        let page = self.experiments(Some(ExperimentId(id.0.saturating_add(1))), 1).await?;
        Ok(page.into_iter().find(|row| row.id == id))
    }

    /// Whether somebody cancelled it (or it is gone): a light question for the driver's every tick.
    pub async fn is_cancel_requested(&self, id: ExperimentId) -> Result<bool, StoreError> {
        let flag = sqlx::query_scalar!("SELECT cancel_requested FROM experiments WHERE id = ?", id.0);
        Ok(flag.fetch_optional(self.read()).await?.is_none_or(|flag| flag != 0))
    }

    /// Replaces the notes; `false` when there is no such experiment.
    pub async fn set_experiment_notes(
        &self,
        actor: &Actor,
        id: ExperimentId,
        notes: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let update = sqlx::query!("UPDATE experiments SET notes = ? WHERE id = ?", notes, id.0);
        if !won(&update.execute(&mut *tx).await?) {
            return Ok(false);
        }
        record(&mut tx, actor, now, "experiment.notes", &id.to_string(), &json!({})).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Cancels what is queued at once and asks the driver to stop what is under way. `None` when there is no
    /// such experiment or nothing of it is left to cancel.
    pub async fn cancel_experiment(
        &self,
        actor: &Actor,
        id: ExperimentId,
        now: Timestamp,
    ) -> Result<Option<CancelCounts>, StoreError> {
        let mut tx = self.write().await?;
        let active = sqlx::query_scalar!(
            "SELECT COUNT(*) FROM runs WHERE experiment_id = ?
             AND state IN ('preparing', 'warming', 'measuring', 'processing')",
            id.0
        )
        .fetch_one(&mut *tx)
        .await?;
        let cancelled = sqlx::query!(
            "UPDATE runs SET state = 'cancelled', reason = 'cancelled before it began', ended_at = ?
             WHERE experiment_id = ? AND state = 'queued'",
            now.0,
            id.0
        )
        .execute(&mut *tx)
        .await?
        .rows_affected();
        if active == 0 && cancelled == 0 {
            return Ok(None);
        }
        sqlx::query!("UPDATE experiments SET cancel_requested = 1 WHERE id = ?", id.0)
            .execute(&mut *tx)
            .await?;
        sqlx::query!(
            "UPDATE blocks SET state = 'finished', ended_at = ? WHERE experiment_id = ? AND state = 'queued'",
            now.0,
            id.0
        )
        .execute(&mut *tx)
        .await?;
        let detail = json!({"cancelled": cancelled, "active": active});
        record(&mut tx, actor, now, "experiment.cancel", &id.to_string(), &detail).await?;
        tx.commit().await?;
        Ok(Some(CancelCounts { cancelled, active: to_u64(active) }))
    }

    /// Deletes an experiment with its runs, events and engines' records; reports made from it stay.
    /// `false` when there is none, or a run, a block or an engine of it is not over.
    pub async fn delete_experiment(
        &self,
        actor: &Actor,
        id: ExperimentId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let name = sqlx::query_scalar!(
            "DELETE FROM experiments WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM runs WHERE experiment_id = ?1
                             AND state IN ('queued', 'preparing', 'warming', 'measuring', 'processing'))
             AND NOT EXISTS (SELECT 1 FROM blocks WHERE experiment_id = ?1 AND state = 'running')
             AND NOT EXISTS (SELECT 1 FROM deployments
                             WHERE block_id IN (SELECT id FROM blocks WHERE experiment_id = ?1)
                             AND state NOT IN ('stopped', 'failed', 'lost'))
             RETURNING name",
            id.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(name) = name else { return Ok(false) };
        record(&mut tx, actor, now, "experiment.delete", &id.to_string(), &json!({"name": name})).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Adds the variants and run counts of a page of experiments, whose ids lie close together.
    async fn fill(&self, rows: &mut [ExperimentRow]) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
        let (newest, oldest) = (first.id.0, last.id.0);
        let mut by_id: BTreeMap<i64, &mut ExperimentRow> =
            rows.iter_mut().map(|row| (row.id.0, row)).collect();
        let arms = sqlx::query!(
            "SELECT experiment_id, variant FROM experiment_arms
             WHERE experiment_id BETWEEN ? AND ? ORDER BY experiment_id, arm",
            oldest,
            newest
        );
        for arm in arms.fetch_all(self.read()).await? {
            let Some(row) = by_id.get_mut(&arm.experiment_id) else { continue };
            row.variants.push(from_json("frozen variant", row.id, &arm.variant)?);
        }
        let counts = sqlx::query!(
            "SELECT experiment_id, state, COUNT(*) AS runs FROM runs
             WHERE experiment_id BETWEEN ? AND ? GROUP BY experiment_id, state",
            oldest,
            newest
        );
        for count in counts.fetch_all(self.read()).await? {
            let Some(row) = by_id.get_mut(&count.experiment_id) else { continue };
            row.counts.insert(from_word("run state", row.id, &count.state)?, to_u64(count.runs));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
