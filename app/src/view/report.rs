use inferex_model::id::{ExperimentId, ReportId, ShareId};
use inferex_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::ResultView;

/// A frozen answer: what a share link shows. Built from an allow-list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportSnapshot {
    /// Version of this form.
    pub version: u32,
    /// The title.
    pub title: String,
    /// When it was frozen.
    pub frozen_at: Timestamp,
    /// When the measuring began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The answer.
    pub result: ResultView,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportRow {
    /// Its id.
    pub id: ReportId,
    /// Its title.
    pub title: String,
    /// What it was frozen from.
    pub experiment: Option<ExperimentId>,
    /// The finding.
    pub sentence: String,
    /// When.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// Links that work now.
    pub live_shares: u64,
}

/// One report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportView {
    /// The list's facts.
    #[serde(flatten)]
    pub row: ReportRow,
    /// What it shows.
    pub snapshot: ReportSnapshot,
    /// Its links, newest first.
    pub shares: Vec<ShareView>,
}

/// A share link without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareView {
    /// Its id.
    pub id: ShareId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Whether it works now.
    pub live: bool,
}

/// A new share link, shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewShare {
    /// Its id.
    pub id: ShareId,
    /// The absolute address with its secret.
    pub url: String,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
}
