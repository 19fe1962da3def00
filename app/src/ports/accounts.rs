use async_trait::async_trait;
use inferex_model::actor::{Actor, Role};

use super::Answer;
use crate::view::UserView;

/// Accounts: the first admin, sign-in, and the management of users.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Whether no account exists yet.
    async fn needs_setup(&self) -> Answer<bool>;
    /// Makes the first admin; `code` is the one-time code printed on the console.
    async fn set_up(&self, code: &str, name: &str, password: &str) -> Answer<UserView>;
    /// Checks a password; the same answer for an unknown user and a wrong password. `address` is throttled.
    async fn sign_in(&self, address: &str, name: &str, password: &str) -> Answer<UserView>;
    /// All accounts.
    async fn list(&self, actor: &Actor) -> Answer<Vec<UserView>>;
    /// Makes an account.
    async fn create(&self, actor: &Actor, name: &str, role: Role, password: &str) -> Answer<UserView>;
    /// Disables or enables an account by name; its sessions end.
    async fn set_disabled(&self, actor: &Actor, name: &str, disabled: bool) -> Answer<()>;
    /// Sets a password by account name; its sessions end.
    async fn set_password(&self, actor: &Actor, name: &str, password: &str) -> Answer<()>;
    /// The newest entries of the audit log.
    async fn audit(&self, actor: &Actor, limit: u32) -> Answer<Vec<crate::view::AuditView>>;
}
