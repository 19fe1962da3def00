//! Share links: made, listed, revoked, opened.

use inferex_model::actor::Actor;
use inferex_model::id::{ReportId, ShareId};
use inferex_model::time::Timestamp;
use serde_json::json;

use super::{RawReport, ReportRow};
use crate::audit::record;
use crate::sessions::SecretHash;
use crate::{Store, StoreError};

/// A share link, without its token, which nobody knows but those who have the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareRow {
    /// The link.
    pub id: ShareId,
    /// What it shows.
    pub report: ReportId,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: Timestamp,
    /// From when on it shows nothing.
    pub expires_at: Option<Timestamp>,
    /// Since when it shows nothing because somebody said so.
    pub revoked_at: Option<Timestamp>,
}

impl Store {
    /// Makes a link to a report; `None` when there is no such report.
    pub async fn create_share(
        &self,
        actor: &Actor,
        report: ReportId,
        token_hash: &SecretHash,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Option<ShareId>, StoreError> {
        let (hash, expires) = (token_hash.as_slice(), expires_at.map(|at| at.0));
        let mut tx = self.write().await?;
        let id = sqlx::query_scalar!(
            r#"INSERT INTO shares (report_id, token_hash, created_by, created_at, expires_at)
               SELECT id, ?2, ?3, ?4, ?5 FROM reports WHERE id = ?1 RETURNING id AS "id!: i64""#,
            report.0,
            hash,
            actor.name,
            now.0,
            expires
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(id) = id.map(ShareId) else { return Ok(None) };
        let detail = json!({"report": report, "expires_at": expires});
        record(&mut tx, actor, now, "share.create", &id.to_string(), &detail).await?;
        tx.commit().await?;
        Ok(Some(id))
    }

    /// The links of a report, newest first, revoked and expired ones included.
    pub async fn shares_of(&self, report: ReportId) -> Result<Vec<ShareRow>, StoreError> {
        let rows = sqlx::query!(
            "SELECT id, report_id, created_by, created_at, expires_at, revoked_at
             FROM shares WHERE report_id = ? ORDER BY id DESC",
            report.0
        );
        let rows = rows.fetch_all(self.read()).await?.into_iter().map(|row| ShareRow {
            id: ShareId(row.id),
            report: ReportId(row.report_id),
            created_by: row.created_by,
            created_at: Timestamp(row.created_at),
            expires_at: row.expires_at.map(Timestamp),
            revoked_at: row.revoked_at.map(Timestamp),
        });
        Ok(rows.collect())
    }

    /// Revokes a link; `false` when there is none or it was revoked before.
    pub async fn revoke_share(
        &self,
        actor: &Actor,
        share: ShareId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let report = sqlx::query_scalar!(
            "UPDATE shares SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING report_id",
            now.0,
            share.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(report) = report.map(ReportId) else { return Ok(false) };
        record(&mut tx, actor, now, "share.revoke", &share.to_string(), &json!({"report": report})).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// What a link shows to a stranger, read on the public connections. Unknown, revoked and expired links are
    /// answered alike: by nothing.
    pub async fn open_share(
        &self,
        token_hash: &SecretHash,
        now: Timestamp,
    ) -> Result<Option<ReportRow>, StoreError> {
        let hash = token_hash.as_slice();
        let found = sqlx::query_as!(
            RawReport,
            "SELECT r.id, r.experiment_id, r.title, r.snapshot, r.created_by, r.created_at
             FROM shares s JOIN reports r ON r.id = s.report_id
             WHERE s.token_hash = ? AND s.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?)",
            hash,
            now.0
        );
        Ok(found.fetch_optional(self.public()).await?.map(RawReport::read))
    }
}
