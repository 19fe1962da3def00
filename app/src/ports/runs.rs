use async_trait::async_trait;
use inferex_model::actor::Actor;
use inferex_model::id::RunId;
use inferex_model::metrics::RequestRow;

use super::Answer;
use crate::view::RunView;

/// Single runs.
#[async_trait]
pub trait Runs: Send + Sync {
    /// One with its figures, configuration, environment and commands.
    async fn get(&self, actor: &Actor, id: RunId) -> Answer<RunView>;
    /// Its requests in pages.
    async fn requests(&self, actor: &Actor, id: RunId, offset: u64, limit: u32) -> Answer<Vec<RequestRow>>;
    /// Its events as JSON lines, chunk by chunk: the first with a sequence above `after`, and its sequence.
    async fn events(&self, actor: &Actor, id: RunId, after: Option<u32>) -> Answer<Option<(u32, Vec<u8>)>>;
}
