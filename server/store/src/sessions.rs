//! Browser sessions, known only by the SHA-256 of their ids. What a session holds is the caller's business.
//! Start from [`SessionRow`].

use std::fmt;

use inferex_model::id::UserId;
use inferex_model::time::Timestamp;

use crate::codec::{damaged, won};
use crate::{Store, StoreError};

/// SHA-256 of a secret: a session's id or a share's token.
pub type SecretHash = [u8; 32];

/// A stored session.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// SHA-256 of its id.
    pub hash: SecretHash,
    /// Who is signed in.
    pub user: Option<UserId>,
    /// JSON text; may hold a message that is shown once, so `Debug` leaves it out.
    pub data: String,
    /// When it began.
    pub created_at: Timestamp,
    /// From when on it counts no more.
    pub expires_at: Timestamp,
}

impl fmt::Debug for SessionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionRow")
            .field("user", &self.user)
            .field("created_at", &self.created_at)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

struct RawSession {
    hash: Vec<u8>,
    user_id: Option<i64>,
    data: String,
    created_at: i64,
    expires_at: i64,
}

impl RawSession {
    fn read(self) -> Result<SessionRow, StoreError> {
        let hash = self.hash.try_into().map_err(|_| damaged("hash", "a session", "it has not 32 bytes"))?;
        Ok(SessionRow {
            hash,
            user: self.user_id.map(UserId),
            data: self.data,
            created_at: Timestamp(self.created_at),
            expires_at: Timestamp(self.expires_at),
        })
    }
}

impl Store {
    /// Begins a session; `false` when the hash is in use (draw another id).
    pub async fn create_session(
        &self,
        hash: &SecretHash,
        data: &str,
        user: Option<UserId>,
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (hash, user) = (hash.as_slice(), user.map(|id| id.0));
        let mut tx = self.write().await?;
        let inserted = sqlx::query!(
            "INSERT INTO sessions (hash, user_id, data, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (hash) DO NOTHING",
            hash,
            user,
            data,
            now.0,
            expires_at.0
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(won(&inserted))
    }

    /// Changes a session; `false` when it is gone. A session that was ended while a request was under way
    /// stays ended: saving never brings one back.
    pub async fn save_session(
        &self,
        hash: &SecretHash,
        data: &str,
        user: Option<UserId>,
        expires_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let (hash, user) = (hash.as_slice(), user.map(|id| id.0));
        let mut tx = self.write().await?;
        let updated = sqlx::query!(
            "UPDATE sessions SET user_id = ?, data = ?, expires_at = ? WHERE hash = ?",
            user,
            data,
            expires_at.0,
            hash
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(won(&updated))
    }

    /// The session of that hash, unless it has expired or its account is disabled.
    pub async fn load_session(
        &self,
        hash: &SecretHash,
        now: Timestamp,
    ) -> Result<Option<SessionRow>, StoreError> {
        let hash = hash.as_slice();
        let found = sqlx::query_as!(
            RawSession,
            "SELECT hash, user_id, data, created_at, expires_at FROM sessions
             WHERE hash = ? AND expires_at > ?
               AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = sessions.user_id AND users.disabled = 1)",
            hash,
            now.0
        )
        .fetch_optional(self.read())
        .await?;
        found.map(RawSession::read).transpose()
    }

    /// Ends a session; `false` when there was none.
    pub async fn delete_session(&self, hash: &SecretHash) -> Result<bool, StoreError> {
        let hash = hash.as_slice();
        let mut tx = self.write().await?;
        let deleted = sqlx::query!("DELETE FROM sessions WHERE hash = ?", hash).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(won(&deleted))
    }

    /// A person's sessions, the newest first, expired ones included until they are swept.
    pub async fn sessions_of(&self, user: UserId) -> Result<Vec<SessionRow>, StoreError> {
        sqlx::query_as!(
            RawSession,
            "SELECT hash, user_id, data, created_at, expires_at FROM sessions
             WHERE user_id = ? ORDER BY created_at DESC, hash",
            user.0
        )
        .fetch_all(self.read())
        .await?
        .into_iter()
        .map(RawSession::read)
        .collect()
    }

    /// Sweeps sessions that have expired; says how many.
    pub async fn delete_expired_sessions(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut tx = self.write().await?;
        let swept =
            sqlx::query!("DELETE FROM sessions WHERE expires_at <= ?", now.0).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(swept.rows_affected())
    }
}

#[cfg(test)]
mod tests;
