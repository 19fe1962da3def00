use std::sync::Arc;

use async_trait::async_trait;
use inferex_app::ports::{Answer, Experiments, PortError};
use inferex_app::view::{EstimateView, ExperimentRow, ExperimentView, RunCounts};
use inferex_bench::prompts;
use inferex_model::actor::{Actor, Role};
use inferex_model::experiment::{ExperimentSpec, VariantRef};
use inferex_model::id::ExperimentId;
use inferex_model::run::RunState;
use inferex_model::variant::{FieldError, Variant};
use inferex_store::experiments::ExperimentRow as StoredExperiment;

use super::variants::holds_no_secret;
use super::{from_store, require};
use crate::backend::Backend;

mod outlook;
mod show;

pub(super) struct ExperimentsPort(pub(super) Arc<Backend>);

#[async_trait]
impl Experiments for ExperimentsPort {
    async fn list(
        &self,
        actor: &Actor,
        before: Option<ExperimentId>,
        limit: u32,
    ) -> Answer<Vec<ExperimentRow>> {
        require(actor, Role::Viewer, "reading experiments")?;
        let rows =
            self.0.store.experiments(before, limit.min(500)).await.map_err(from_store("list experiments"))?;
        let mut views = Vec::with_capacity(rows.len());
        for row in rows {
            let eta_s = if row.state().is_over() { None } else { Some(self.outlook(&row).await?.seconds) };
            views.push(self::row(row, eta_s));
        }
        Ok(views)
    }

    async fn get(&self, actor: &Actor, id: ExperimentId) -> Answer<ExperimentView> {
        require(actor, Role::Viewer, "reading experiments")?;
        self.view(id).await
    }

    async fn estimate(&self, actor: &Actor, spec: &ExperimentSpec) -> Answer<EstimateView> {
        require(actor, Role::Viewer, "estimating an experiment")?;
        let variants = self.resolve(spec).await?;
        self.estimate_of(spec, &variants).await
    }

    async fn create(&self, actor: &Actor, spec: ExperimentSpec) -> Answer<ExperimentId> {
        require(actor, Role::Engineer, "queueing an experiment")?;
        let variants = self.resolve(&spec).await?;
        let set = prompt_set(&spec)?;
        let now = self.0.now();
        let created = self.0.store.create_experiment(actor, &spec, &variants, &set.hash, now).await;
        let id = created.map_err(from_store("store an experiment"))?;
        self.0.signals.wake();
        Ok(id)
    }

    async fn cancel(&self, actor: &Actor, id: ExperimentId) -> Answer<()> {
        require(actor, Role::Engineer, "cancelling an experiment")?;
        let row = self.stored(id).await?;
        if row.state().is_over() {
            return Err(PortError::Conflict(format!("{id} is {} already", row.state())));
        }
        self.0
            .store
            .cancel_experiment(actor, id, self.0.now())
            .await
            .map_err(from_store("cancel an experiment"))?;
        self.0.signals.cancel(id);
        Ok(())
    }

    async fn requeue(&self, actor: &Actor, id: ExperimentId) -> Answer<u64> {
        require(actor, Role::Engineer, "queueing runs again")?;
        self.stored(id).await?;
        let queued = self.0.store.requeue_interrupted(actor, id, self.0.now()).await;
        match queued.map_err(from_store("queue runs again"))? {
            0 => Err(PortError::Conflict(format!("{id} has no interrupted run that could be queued again"))),
            count => {
                self.0.signals.wake();
                Ok(count)
            }
        }
    }

    async fn remove(&self, actor: &Actor, id: ExperimentId) -> Answer<()> {
        require(actor, Role::Engineer, "deleting an experiment")?;
        self.stored(id).await?;
        let removed = self.0.store.delete_experiment(actor, id, self.0.now()).await;
        if removed.map_err(from_store("delete an experiment"))? {
            return Ok(());
        }
        Err(PortError::Conflict(format!("{id} is not over; cancel it first")))
    }
}

impl ExperimentsPort {
    async fn stored(&self, id: ExperimentId) -> Answer<StoredExperiment> {
        let row = self.0.store.experiment(id).await.map_err(from_store("read an experiment"))?;
        row.ok_or_else(|| PortError::not_found(id))
    }

    /// The variant of each arm; unknown ones and those that cannot start are refused with the arm's field.
    async fn resolve(&self, spec: &ExperimentSpec) -> Answer<Vec<Variant>> {
        spec.check()?;
        prompt_set(spec)?;
        let mut variants = Vec::with_capacity(spec.arm.len());
        for (index, arm) in spec.arm.iter().enumerate() {
            let field = format!("arm[{index}].variant");
            let variant = match &arm.variant {
                VariantRef::Inline(variant) => {
                    holds_no_secret(variant).map_err(|error| error.within(&field))?;
                    variant.as_ref().clone()
                }
                VariantRef::Stored(name) => self.stored_variant(name, &field).await?,
            };
            if let Some(reason) = self.0.blocked(&variant, arm.runtime) {
                return Err(PortError::invalid(field, format!("`{}`: {reason}", variant.name)));
            }
            variants.push(variant);
        }
        Ok(variants)
    }

    async fn stored_variant(&self, name: &str, field: &str) -> Answer<Variant> {
        let row = self.0.store.variant_by_name(name).await.map_err(from_store("find a variant"))?;
        let unknown =
            || PortError::invalid(field, format!("`{name}` is not stored; import it or name another"));
        Ok(row.ok_or_else(unknown)?.variant)
    }
}

fn prompt_set(spec: &ExperimentSpec) -> Result<&'static prompts::PromptSet, FieldError> {
    prompts::by_name(&spec.workload.prompts).ok_or_else(|| {
        let known = prompts::names().collect::<Vec<_>>().join(", ");
        FieldError::new("workload.prompts", format!("`{}` is unknown; known: {known}", spec.workload.prompts))
    })
}

fn row(stored: StoredExperiment, eta_s: Option<u64>) -> ExperimentRow {
    let state = stored.state();
    let count = |states: &[RunState]| states.iter().filter_map(|state| stored.counts.get(state)).sum::<u64>();
    let runs = RunCounts {
        total: count(&RunState::ALL),
        done: count(&[RunState::Done]),
        failed: count(&[RunState::Failed]),
        cancelled: count(&[RunState::Cancelled]),
        interrupted: count(&[RunState::Interrupted]),
        active: count(&[RunState::Preparing, RunState::Warming, RunState::Measuring, RunState::Processing]),
    };
    ExperimentRow {
        id: stored.id,
        state,
        runs,
        arms: stored.spec.arm.iter().map(|arm| arm.name.clone()).collect(),
        name: stored.name,
        created_at: stored.created_at,
        created_by: stored.created_by,
        eta_s,
    }
}
