//! Accounts: the first admin, sign-in, and the management of users over the store.
//!
//! Role checks live here, so that no door can forget them. It may not know what a page, a cookie or a session is.
//! Start from [`AccountService`].

mod password;
mod rules;
mod setup_code;
mod sign_in;
mod throttle;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use inferex_app::ports::{Accounts, Answer, PortError};
use inferex_app::view::{AuditView, UserView};
use inferex_model::actor::{Actor, Origin, Role};
use inferex_model::time::Clock;
use inferex_store::users::{PasswordHash, UserRow};
use inferex_store::{Store, StoreError};

pub(crate) use password::Hasher;
use setup_code::SetupCode;
use sign_in::SignInGuard;
pub(crate) use throttle::{Rate, Throttle};

use crate::secret::RandomError;

/// The accounts of this installation.
pub(crate) struct AccountService {
    store: Store,
    clock: Arc<dyn Clock>,
    hasher: Hasher,
    guard: SignInGuard,
    setup_code: SetupCode,
    /// Once an account exists one always will: accounts are disabled, never deleted.
    is_set_up: AtomicBool,
}

/// Why the accounts cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AccountsError {
    /// The database did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No set-up code could be drawn.
    #[error(transparent)]
    Random(#[from] RandomError),
}

impl AccountService {
    /// Looks whether an account exists; draws the set-up code when none does.
    pub(crate) async fn open(
        store: Store,
        clock: Arc<dyn Clock>,
        hasher: Hasher,
    ) -> Result<Self, AccountsError> {
        let is_set_up = store.user_count().await? > 0;
        let setup_code = if is_set_up { SetupCode::none() } else { SetupCode::draw()? };
        let is_set_up = AtomicBool::new(is_set_up);
        Ok(Self { store, clock, hasher, guard: SignInGuard::default(), setup_code, is_set_up })
    }

    /// The path with the one-time code for the console; `None` once an account exists.
    pub(crate) fn setup_path(&self) -> Option<String> {
        self.setup_code.path()
    }

    fn mark_set_up(&self) {
        self.is_set_up.store(true, Ordering::Release);
        self.setup_code.forget();
    }

    async fn named(&self, name: &str) -> Answer<UserRow> {
        let found = self.store.user_by_name(name).await.map_err(|error| internal(&error))?;
        found.ok_or_else(|| PortError::not_found(format!("user `{}`", name.escape_debug())))
    }

    async fn view_of(&self, name: &str) -> Answer<UserView> {
        Ok(view(self.named(name).await?))
    }

    async fn hash(&self, password: &str) -> Answer<PasswordHash> {
        Ok(PasswordHash::new(self.hasher.hash(password).await?))
    }
}

#[async_trait]
impl Accounts for AccountService {
    async fn needs_setup(&self) -> Answer<bool> {
        if self.is_set_up.load(Ordering::Acquire) {
            return Ok(false);
        }
        let empty = self.store.user_count().await.map_err(|error| internal(&error))? == 0;
        if !empty {
            self.mark_set_up();
        }
        Ok(empty)
    }

    async fn set_up(&self, code: &str, name: &str, password: &str) -> Answer<UserView> {
        let is_over = || PortError::Conflict("the first account exists already; sign in instead".to_owned());
        if !self.needs_setup().await? {
            return Err(is_over());
        }
        if !self.setup_code.matches(code) {
            return Err(PortError::invalid("code", "is not the code that this start printed on the console"));
        }
        rules::name(name)?;
        rules::password(password)?;
        let hash = self.hash(password).await?;
        let made = self.store.create_first_admin(name, &hash, self.clock.now()).await;
        let made = made.map_err(refusal)?;
        self.mark_set_up();
        let id = made.ok_or_else(is_over)?;
        // The set-up page signs the new admin in.
        self.store.note_sign_in(id, self.clock.now()).await.map_err(|error| internal(&error))?;
        self.view_of(name).await
    }

    async fn sign_in(&self, address: &str, name: &str, password: &str) -> Answer<UserView> {
        sign_in::attempt(self, address, name, password).await
    }

    async fn list(&self, actor: &Actor) -> Answer<Vec<UserView>> {
        admin_only(actor, "see accounts")?;
        let users = self.store.users().await.map_err(|error| internal(&error))?;
        Ok(users.into_iter().map(view).collect())
    }

    async fn create(&self, actor: &Actor, name: &str, role: Role, password: &str) -> Answer<UserView> {
        admin_only(actor, "make accounts")?;
        rules::name(name)?;
        rules::password(password)?;
        let hash = self.hash(password).await?;
        self.store.create_user(actor, name, role, &hash, self.clock.now()).await.map_err(refusal)?;
        self.mark_set_up();
        self.view_of(name).await
    }

    async fn set_disabled(&self, actor: &Actor, name: &str, disabled: bool) -> Answer<()> {
        admin_only(actor, "disable or enable accounts")?;
        let user = self.named(name).await?;
        let changed = self.store.set_user_disabled(actor, user.id, disabled, self.clock.now()).await;
        found(changed.map_err(refusal)?, name)
    }

    async fn set_password(&self, actor: &Actor, name: &str, password: &str) -> Answer<()> {
        admin_only(actor, "set passwords")?;
        rules::password(password)?;
        let user = self.named(name).await?;
        let hash = self.hash(password).await?;
        let changed = self.store.set_password(actor, user.id, &hash, self.clock.now()).await;
        found(changed.map_err(refusal)?, name)
    }

    async fn audit(&self, actor: &Actor, limit: u32) -> Answer<Vec<AuditView>> {
        admin_only(actor, "read the audit log")?;
        let rows = self.store.audit(limit, None).await.map_err(|error| internal(&error))?;
        Ok(rows.into_iter().map(audit_view).collect())
    }
}

fn admin_only(actor: &Actor, act: &str) -> Answer<()> {
    if actor.may(Role::Admin) {
        return Ok(());
    }
    let role = actor.role;
    Err(PortError::Forbidden(format!(
        "only an admin may {act}, and you are signed in as {role}; ask an admin"
    )))
}

fn found(changed: bool, name: &str) -> Answer<()> {
    if changed { Ok(()) } else { Err(PortError::not_found(format!("user `{}`", name.escape_debug()))) }
}

/// What the store refuses for a reason that the caller can act on; everything else is ours.
fn refusal(error: StoreError) -> PortError {
    match error {
        StoreError::Taken { name, .. } => {
            PortError::Conflict(format!("an account named `{name}` exists already; choose another name"))
        }
        StoreError::LastAdmin(_) => PortError::Conflict(
            "this is the last admin that can sign in; make another admin before disabling it".to_owned(),
        ),
        error => internal(&error),
    }
}

/// Logs a failure of ours once, under a reference that the answer carries.
fn internal(error: &(dyn std::error::Error + 'static)) -> PortError {
    crate::api::problem::internal("accounts", error)
}

fn view(user: UserRow) -> UserView {
    UserView {
        id: user.id,
        name: user.name,
        role: user.role,
        disabled: user.disabled,
        created_at: user.created_at,
        last_sign_in: user.last_sign_in,
    }
}

fn audit_view(row: inferex_store::audit::AuditRow) -> AuditView {
    let origin = match row.origin {
        Origin::Session => "session",
        Origin::Local => "local",
        Origin::System => "system",
    };
    AuditView {
        at: row.at,
        actor: row.actor,
        origin: origin.to_owned(),
        action: row.action,
        object: row.object,
    }
}

#[cfg(test)]
mod tests;
