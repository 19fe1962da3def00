//! Settings that people change in the product, as text by key. What a key means is the caller's business.

use inferex_model::actor::Actor;
use inferex_model::time::Timestamp;
use serde_json::json;

use crate::audit::record;
use crate::{Store, StoreError};

impl Store {
    /// The value of a setting, if it was ever set.
    pub async fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        Ok(sqlx::query_scalar!("SELECT value FROM settings WHERE key = ?", key)
            .fetch_optional(self.read())
            .await?)
    }

    /// Sets a setting. The audit row names the key, never the value.
    pub async fn put_setting(
        &self,
        actor: &Actor,
        key: &str,
        value: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        sqlx::query!(
            "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
            key,
            value,
            now.0
        )
        .execute(&mut *tx)
        .await?;
        record(&mut tx, actor, now, "setting.put", key, &json!({})).await?;
        Ok(tx.commit().await?)
    }
}
