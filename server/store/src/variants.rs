//! Stored variants, by name. An experiment freezes its own copies, so changing or deleting one here rewrites
//! no past. Start from [`VariantRow`].

use std::collections::BTreeSet;

use inferex_model::actor::Actor;
use inferex_model::id::VariantId;
use inferex_model::time::Timestamp;
use inferex_model::variant::Variant;
use serde_json::json;
use sqlx::SqliteConnection;

use crate::audit::record;
use crate::codec::{from_json, to_json};
use crate::{Store, StoreError};

/// A stored variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantRow {
    /// Stays the same when the variant of that name is replaced.
    pub id: VariantId,
    /// What to run.
    pub variant: Variant,
    /// When the name was first stored.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

struct RawVariant {
    id: i64,
    variant: String,
    created_at: i64,
    updated_at: i64,
}

impl RawVariant {
    fn read(self) -> Result<VariantRow, StoreError> {
        let id = VariantId(self.id);
        Ok(VariantRow {
            id,
            variant: from_json("variant", id, &self.variant)?,
            created_at: Timestamp(self.created_at),
            updated_at: Timestamp(self.updated_at),
        })
    }
}

impl Store {
    /// Stores a variant, replacing the one of that name.
    pub async fn put_variant(
        &self,
        actor: &Actor,
        variant: &Variant,
        now: Timestamp,
    ) -> Result<VariantId, StoreError> {
        let mut tx = self.write().await?;
        let id = put(&mut tx, actor, variant, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Stores all of them or none; [`StoreError::Taken`] when two have the same name.
    pub async fn put_variants(
        &self,
        actor: &Actor,
        variants: &[Variant],
        now: Timestamp,
    ) -> Result<Vec<VariantId>, StoreError> {
        let mut tx = self.write().await?;
        let mut names = BTreeSet::new();
        let mut ids = Vec::with_capacity(variants.len());
        for variant in variants {
            if !names.insert(&variant.name) {
                return Err(StoreError::Taken { what: "variant", name: variant.name.clone() });
            }
            ids.push(put(&mut tx, actor, variant, now).await?);
        }
        tx.commit().await?;
        Ok(ids)
    }

    /// All stored variants by name.
    pub async fn variants(&self) -> Result<Vec<VariantRow>, StoreError> {
        sqlx::query_as!(RawVariant, "SELECT id, variant, created_at, updated_at FROM variants ORDER BY name")
            .fetch_all(self.read())
            .await?
            .into_iter()
            .map(RawVariant::read)
            .collect()
    }

    /// The variant of that name.
    pub async fn variant_by_name(&self, name: &str) -> Result<Option<VariantRow>, StoreError> {
        sqlx::query_as!(
            RawVariant,
            "SELECT id, variant, created_at, updated_at FROM variants WHERE name = ?",
            name
        )
        .fetch_optional(self.read())
        .await?
        .map(RawVariant::read)
        .transpose()
    }

    /// Deletes a stored variant; `false` when there is none.
    pub async fn delete_variant(
        &self,
        actor: &Actor,
        id: VariantId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let name = sqlx::query_scalar!("DELETE FROM variants WHERE id = ? RETURNING name", id.0)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(name) = name else { return Ok(false) };
        record(&mut tx, actor, now, "variant.delete", &id.to_string(), &json!({"name": name})).await?;
        tx.commit().await?;
        Ok(true)
    }
}

async fn put(
    conn: &mut SqliteConnection,
    actor: &Actor,
    variant: &Variant,
    now: Timestamp,
) -> Result<VariantId, StoreError> {
    let (engine, document) = (variant.engine.as_str(), to_json("variant", variant)?);
    let id = sqlx::query_scalar!(
        r#"INSERT INTO variants (name, engine, variant, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)
           ON CONFLICT (name) DO UPDATE
           SET engine = excluded.engine, variant = excluded.variant, updated_at = excluded.updated_at
           RETURNING id AS "id!: i64""#,
        variant.name,
        engine,
        document,
        now.0
    )
    .fetch_one(&mut *conn)
    .await?;
    let id = VariantId(id);
    let detail = json!({"name": variant.name, "engine": engine});
    record(conn, actor, now, "variant.put", &id.to_string(), &detail).await?;
    Ok(id)
}

#[cfg(test)]
mod tests;
