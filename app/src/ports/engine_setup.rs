use async_trait::async_trait;
use inferex_model::actor::Actor;

use super::Answer;
use crate::view::EngineSetupView;

/// Installing the engine that runs on this very machine (llama.cpp with a small model).
#[async_trait]
pub trait EngineSetup: Send + Sync {
    /// Whether it is installed, and how an installation fares.
    async fn status(&self, actor: &Actor) -> Answer<EngineSetupView>;
    /// Begins the installation; refused while one runs.
    async fn begin(&self, actor: &Actor) -> Answer<()>;
}
