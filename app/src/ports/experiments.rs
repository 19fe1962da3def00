use async_trait::async_trait;
use inferex_model::actor::Actor;
use inferex_model::experiment::ExperimentSpec;
use inferex_model::id::ExperimentId;

use super::Answer;
use crate::view::{EstimateView, ExperimentRow, ExperimentView};

/// Experiments and their queue.
#[async_trait]
pub trait Experiments: Send + Sync {
    /// The newest first, those before `before` when given.
    async fn list(
        &self,
        actor: &Actor,
        before: Option<ExperimentId>,
        limit: u32,
    ) -> Answer<Vec<ExperimentRow>>;
    /// One with its runs, progress and (as soon as two arms have figures) its result.
    async fn get(&self, actor: &Actor, id: ExperimentId) -> Answer<ExperimentView>;
    /// How many runs it would be and how long they would take; checks the spec.
    async fn estimate(&self, actor: &Actor, spec: &ExperimentSpec) -> Answer<EstimateView>;
    /// Queues it; unknown variants and missing model files are refused before anything is stored.
    async fn create(&self, actor: &Actor, spec: ExperimentSpec) -> Answer<ExperimentId>;
    /// Cancels what is not over; finished runs stay.
    async fn cancel(&self, actor: &Actor, id: ExperimentId) -> Answer<()>;
    /// Queues interrupted runs again; returns how many.
    async fn requeue(&self, actor: &Actor, id: ExperimentId) -> Answer<u64>;
    /// Deletes it with its events; refused while it is not over.
    async fn remove(&self, actor: &Actor, id: ExperimentId) -> Answer<()>;
}
