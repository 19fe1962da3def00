//! Reports, frozen, and the links that show them to people without an account. A link's token is known only by
//! its SHA-256. What a snapshot holds is decided by the caller's allow-list. Start from [`ReportRow`].

use inferex_model::actor::Actor;
use inferex_model::id::{ExperimentId, ReportId};
use inferex_model::time::Timestamp;
use serde_json::json;

use crate::audit::record;
use crate::codec::to_u32;
use crate::{Store, StoreError};

mod shares;

pub use shares::ShareRow;

/// A report with its frozen content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRow {
    /// The report.
    pub id: ReportId,
    /// What it was made from; `None` when that is deleted.
    pub experiment: Option<ExperimentId>,
    /// For people.
    pub title: String,
    /// JSON text.
    pub snapshot: String,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: Timestamp,
}

/// A report as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportHead {
    /// The report.
    pub id: ReportId,
    /// What it was made from; `None` when that is deleted.
    pub experiment: Option<ExperimentId>,
    /// For people.
    pub title: String,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: Timestamp,
    /// Links that have not been revoked; some may have expired.
    pub shares: u32,
}

struct RawReport {
    id: i64,
    experiment_id: Option<i64>,
    title: String,
    snapshot: String,
    created_by: String,
    created_at: i64,
}

impl RawReport {
    fn read(self) -> ReportRow {
        ReportRow {
            id: ReportId(self.id),
            experiment: self.experiment_id.map(ExperimentId),
            title: self.title,
            snapshot: self.snapshot,
            created_by: self.created_by,
            created_at: Timestamp(self.created_at),
        }
    }
}

impl Store {
    /// Freezes a report; `snapshot` is JSON text.
    pub async fn create_report(
        &self,
        actor: &Actor,
        experiment: Option<ExperimentId>,
        title: &str,
        snapshot: &str,
        now: Timestamp,
    ) -> Result<ReportId, StoreError> {
        let source = experiment.map(|id| id.0);
        let mut tx = self.write().await?;
        let id = sqlx::query_scalar!(
            r#"INSERT INTO reports (experiment_id, title, snapshot, created_by, created_at) VALUES (?, ?, ?, ?, ?)
               RETURNING id AS "id!: i64""#,
            source,
            title,
            snapshot,
            actor.name,
            now.0
        )
        .fetch_one(&mut *tx)
        .await?;
        let id = ReportId(id);
        let detail = json!({"title": title, "experiment": experiment});
        record(&mut tx, actor, now, "report.create", &id.to_string(), &detail).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// All reports, newest first.
    pub async fn reports(&self) -> Result<Vec<ReportHead>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT id, experiment_id, title, created_by, created_at,
                      (SELECT COUNT(*) FROM shares WHERE report_id = reports.id AND revoked_at IS NULL)
                          AS "shares!: i64"
               FROM reports ORDER BY id DESC"#
        );
        let rows = rows.fetch_all(self.read()).await?.into_iter().map(|row| ReportHead {
            id: ReportId(row.id),
            experiment: row.experiment_id.map(ExperimentId),
            title: row.title,
            created_by: row.created_by,
            created_at: Timestamp(row.created_at),
            shares: to_u32(row.shares),
        });
        Ok(rows.collect())
    }

    /// The report of that id.
    pub async fn report(&self, id: ReportId) -> Result<Option<ReportRow>, StoreError> {
        let found = sqlx::query_as!(
            RawReport,
            "SELECT id, experiment_id, title, snapshot, created_by, created_at FROM reports WHERE id = ?",
            id.0
        );
        Ok(found.fetch_optional(self.read()).await?.map(RawReport::read))
    }

    /// Deletes a report and its links; `false` when there is none.
    pub async fn delete_report(
        &self,
        actor: &Actor,
        id: ReportId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let title = sqlx::query_scalar!("DELETE FROM reports WHERE id = ? RETURNING title", id.0)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(title) = title else { return Ok(false) };
        record(&mut tx, actor, now, "report.delete", &id.to_string(), &json!({"title": title})).await?;
        tx.commit().await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
