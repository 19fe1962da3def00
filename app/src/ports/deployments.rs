use async_trait::async_trait;
use inferex_model::actor::Actor;
use inferex_model::id::DeploymentId;
use inferex_model::variant::RuntimeKind;

use super::Answer;
use crate::view::{DeploymentView, LogPage};

/// Started variants.
#[async_trait]
pub trait Deployments: Send + Sync {
    /// The newest deployments, running ones first.
    async fn list(&self, actor: &Actor, limit: u32) -> Answer<Vec<DeploymentView>>;
    /// One deployment with its timeline.
    async fn get(&self, actor: &Actor, id: DeploymentId) -> Answer<DeploymentView>;
    /// Starts a stored variant by name; returns at once with the deployment in `pending`.
    async fn start(&self, actor: &Actor, variant: &str, runtime: RuntimeKind) -> Answer<DeploymentId>;
    /// Stops one; one that an experiment owns is refused.
    async fn stop(&self, actor: &Actor, id: DeploymentId) -> Answer<()>;
    /// The log from line `from` on (0 is the first), at most `limit` lines; `None` gives the last `limit`.
    async fn logs(&self, actor: &Actor, id: DeploymentId, from: Option<u64>, limit: u32) -> Answer<LogPage>;
}
