use async_trait::async_trait;
use inferex_model::actor::Actor;
use inferex_model::duration::Span;
use inferex_model::id::{ExperimentId, ReportId, ShareId};

use super::Answer;
use crate::view::{NewShare, ReportRow, ReportSnapshot, ReportView};

/// Frozen reports and their share links.
#[async_trait]
pub trait Reports: Send + Sync {
    /// The newest first.
    async fn list(&self, actor: &Actor, limit: u32) -> Answer<Vec<ReportRow>>;
    /// One with its share links.
    async fn get(&self, actor: &Actor, id: ReportId) -> Answer<ReportView>;
    /// Freezes the result of an experiment as it is now.
    async fn create(&self, actor: &Actor, experiment: ExperimentId, title: &str) -> Answer<ReportId>;
    /// Makes a share link; its address is in the answer and nowhere else.
    async fn share(&self, actor: &Actor, id: ReportId, expires: Option<Span>) -> Answer<NewShare>;
    /// Revokes a link; from then on it is as unknown as any other.
    async fn revoke(&self, actor: &Actor, share: ShareId) -> Answer<()>;
    /// Deletes a report and its links.
    async fn remove(&self, actor: &Actor, id: ReportId) -> Answer<()>;
    /// What a link shows; unknown, revoked and expired links are alike `NotFound`. For anyone.
    async fn open(&self, token: &str) -> Answer<ReportSnapshot>;
}
