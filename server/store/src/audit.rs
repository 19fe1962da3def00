//! Who did what, when, to what: rows are written in the transaction of the change they speak of.
//! It may not know what the actions mean. Start from [`AuditRow`].

use inferex_model::actor::{Actor, Origin};
use inferex_model::time::Timestamp;
use serde_json::Value;
use sqlx::SqliteConnection;

use crate::codec::{from_json, from_word};
use crate::{Store, StoreError};

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRow {
    /// Grows with every row; pass it as `before` to read on.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// Who: an account's name, `local` or `system`.
    pub actor: String,
    /// Through which door.
    pub origin: Origin,
    /// What was done, for example `user.disable`.
    pub action: String,
    /// To what: an id or a name.
    pub object: String,
    /// The particulars, without secrets.
    pub detail: Value,
}

struct RawAudit {
    id: i64,
    at: i64,
    actor: String,
    origin: String,
    action: String,
    object: String,
    detail: String,
}

impl RawAudit {
    fn read(self) -> Result<AuditRow, StoreError> {
        Ok(AuditRow {
            id: self.id,
            at: Timestamp(self.at),
            actor: self.actor,
            origin: from_word("origin", self.id, &self.origin)?,
            action: self.action,
            object: self.object,
            detail: from_json("audit detail", self.id, &self.detail)?,
        })
    }
}

const fn origin_word(origin: Origin) -> &'static str {
    match origin {
        Origin::Session => "session",
        Origin::Local => "local",
        Origin::System => "system",
    }
}

/// Adds a row inside the caller's transaction. `detail` must hold no secret.
pub(crate) async fn record(
    conn: &mut SqliteConnection,
    actor: &Actor,
    now: Timestamp,
    action: &str,
    object: &str,
    detail: &Value,
) -> Result<(), StoreError> {
    let origin = origin_word(actor.origin);
    let detail = detail.to_string();
    sqlx::query!(
        "INSERT INTO audit (at, actor, origin, action, object, detail) VALUES (?, ?, ?, ?, ?, ?)",
        now.0,
        actor.name,
        origin,
        action,
        object,
        detail
    )
    .execute(conn)
    .await?;
    Ok(())
}

impl Store {
    /// The newest `limit` rows, or those older than the row `before`; newest first.
    pub async fn audit(&self, limit: u32, before: Option<i64>) -> Result<Vec<AuditRow>, StoreError> {
        let before = before.unwrap_or(i64::MAX);
        sqlx::query_as!(
            RawAudit,
            "SELECT id, at, actor, origin, action, object, detail FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?",
            before,
            limit
        )
        .fetch_all(self.read())
        .await?
        .into_iter()
        .map(RawAudit::read)
        .collect()
    }

    /// Notes something that changes nothing else in the store, for example a failed sign-in.
    pub async fn note(
        &self,
        actor: &Actor,
        action: &str,
        object: &str,
        detail: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        record(&mut tx, actor, now, action, object, detail).await?;
        Ok(tx.commit().await?)
    }
}

#[cfg(test)]
mod tests;
