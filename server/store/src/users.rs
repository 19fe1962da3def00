//! Accounts. Password hashes pass through as opaque text; this module cannot make or check one.
//! Start from [`UserRow`].

use std::fmt;

use inferex_model::actor::{Actor, Origin, Role};
use inferex_model::id::UserId;
use inferex_model::time::Timestamp;
use serde_json::json;
use sqlx::SqliteConnection;

use crate::audit::record;
use crate::codec::{from_word, or_taken, won};
use crate::{Store, StoreError};

/// A password's hash; its `Debug` tells nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Wraps a hash in PHC form.
    #[must_use]
    pub fn new(phc: String) -> Self {
        Self(phc)
    }

    /// The hash in PHC form, for checking a password.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

/// A person with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRow {
    /// The account.
    pub id: UserId,
    /// As it was entered; unique without regard to case.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// A disabled account cannot sign in and has no sessions.
    pub disabled: bool,
    /// For checking a password.
    pub password_hash: PasswordHash,
    /// When it was made.
    pub created_at: Timestamp,
    /// The last successful sign-in.
    pub last_sign_in: Option<Timestamp>,
}

struct RawUser {
    id: i64,
    name: String,
    role: String,
    disabled: bool,
    password_hash: String,
    created_at: i64,
    last_sign_in: Option<i64>,
}

impl RawUser {
    fn read(self) -> Result<UserRow, StoreError> {
        let id = UserId(self.id);
        Ok(UserRow {
            id,
            role: from_word("role", id, &self.role)?,
            name: self.name,
            disabled: self.disabled,
            password_hash: PasswordHash(self.password_hash),
            created_at: Timestamp(self.created_at),
            last_sign_in: self.last_sign_in.map(Timestamp),
        })
    }
}

/// The columns of [`RawUser`] with a tail of SQL.
macro_rules! select_users {
    ($tail:literal $(, $arg:expr)*) => {
        sqlx::query_as!(
            RawUser,
            r#"SELECT id, name, role, disabled AS "disabled: bool", password_hash, created_at, last_sign_in
               FROM users "# + $tail
            $(, $arg)*
        )
    };
}

async fn insert(
    conn: &mut SqliteConnection,
    name: &str,
    role: Role,
    hash: &PasswordHash,
    now: Timestamp,
) -> Result<UserId, StoreError> {
    let key = name.to_lowercase();
    let role = role.as_str();
    let id = sqlx::query_scalar!(
        r#"INSERT INTO users (name, name_key, role, password_hash, created_at) VALUES (?, ?, ?, ?, ?)
           RETURNING id AS "id!: i64""#,
        name,
        key,
        role,
        hash.0,
        now.0
    )
    .fetch_one(conn)
    .await
    .map_err(|error| or_taken(error, "user", name))?;
    Ok(UserId(id))
}

impl Store {
    /// Makes an account; [`StoreError::Taken`] when the name is in use, in whatever case.
    pub async fn create_user(
        &self,
        actor: &Actor,
        name: &str,
        role: Role,
        hash: &PasswordHash,
        now: Timestamp,
    ) -> Result<UserId, StoreError> {
        let mut tx = self.write().await?;
        let id = insert(&mut tx, name, role, hash, now).await?;
        let detail = json!({"name": name, "role": role.as_str()});
        record(&mut tx, actor, now, "user.create", &id.to_string(), &detail).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Makes the first account, an admin; `None` when any account exists. Of two calls at once, one wins.
    pub async fn create_first_admin(
        &self,
        name: &str,
        hash: &PasswordHash,
        now: Timestamp,
    ) -> Result<Option<UserId>, StoreError> {
        let mut tx = self.write().await?;
        let users = sqlx::query_scalar!("SELECT COUNT(*) FROM users").fetch_one(&mut *tx).await?;
        if users > 0 {
            return Ok(None);
        }
        let id = insert(&mut tx, name, Role::Admin, hash, now).await?;
        let actor =
            Actor { user: Some(id), name: name.to_owned(), role: Role::Admin, origin: Origin::Session };
        record(&mut tx, &actor, now, "user.first_admin", &id.to_string(), &json!({"name": name})).await?;
        tx.commit().await?;
        Ok(Some(id))
    }

    /// How many accounts there are, disabled ones included.
    pub async fn user_count(&self) -> Result<u64, StoreError> {
        let count = sqlx::query_scalar!("SELECT COUNT(*) FROM users").fetch_one(self.read()).await?;
        Ok(crate::codec::to_u64(count))
    }

    /// The account of that name, in whatever case.
    pub async fn user_by_name(&self, name: &str) -> Result<Option<UserRow>, StoreError> {
        let key = name.to_lowercase();
        let found = select_users!("WHERE name_key = ?", key).fetch_optional(self.read()).await?;
        found.map(RawUser::read).transpose()
    }

    /// The account of that id.
    pub async fn user_by_id(&self, id: UserId) -> Result<Option<UserRow>, StoreError> {
        let found = select_users!("WHERE id = ?", id.0).fetch_optional(self.read()).await?;
        found.map(RawUser::read).transpose()
    }

    /// All accounts by name.
    pub async fn users(&self) -> Result<Vec<UserRow>, StoreError> {
        let all = select_users!("ORDER BY name_key").fetch_all(self.read()).await?;
        all.into_iter().map(RawUser::read).collect()
    }

    /// Disables an account, ending its sessions, or enables it again. `false` when there is no such account;
    /// [`StoreError::LastAdmin`] when nobody could manage Inferex afterwards.
    pub async fn set_user_disabled(
        &self,
        actor: &Actor,
        id: UserId,
        disabled: bool,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        if disabled && is_last_admin(&mut tx, id).await? {
            return Err(StoreError::LastAdmin(id));
        }
        let update = sqlx::query!("UPDATE users SET disabled = ? WHERE id = ?", disabled, id.0);
        if !won(&update.execute(&mut *tx).await?) {
            return Ok(false);
        }
        if disabled {
            end_sessions(&mut tx, id).await?;
        }
        let action = if disabled { "user.disable" } else { "user.enable" };
        record(&mut tx, actor, now, action, &id.to_string(), &json!({})).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Replaces the password's hash and ends the account's sessions; `false` when there is no such account.
    pub async fn set_password(
        &self,
        actor: &Actor,
        id: UserId,
        hash: &PasswordHash,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let update = sqlx::query!("UPDATE users SET password_hash = ? WHERE id = ?", hash.0, id.0);
        if !won(&update.execute(&mut *tx).await?) {
            return Ok(false);
        }
        end_sessions(&mut tx, id).await?;
        record(&mut tx, actor, now, "user.password", &id.to_string(), &json!({})).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Remembers a successful sign-in.
    pub async fn note_sign_in(&self, id: UserId, now: Timestamp) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        sqlx::query!("UPDATE users SET last_sign_in = ? WHERE id = ?", now.0, id.0).execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }
}

async fn is_last_admin(conn: &mut SqliteConnection, id: UserId) -> Result<bool, StoreError> {
    let admins: Vec<i64> = sqlx::query_scalar!("SELECT id FROM users WHERE role = 'admin' AND disabled = 0")
        .fetch_all(conn)
        .await?;
    Ok(admins == [id.0])
}

async fn end_sessions(conn: &mut SqliteConnection, id: UserId) -> Result<(), StoreError> {
    sqlx::query!("DELETE FROM sessions WHERE user_id = ?", id.0).execute(conn).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
