use inferex_model::actor::Role;
use inferex_model::id::UserId;
use inferex_model::time::Timestamp;
use serde::{Deserialize, Serialize};

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserView {
    /// Its id.
    pub id: UserId,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Whether it may not sign in.
    pub disabled: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When somebody last signed in with it.
    pub last_sign_in: Option<Timestamp>,
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditView {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// Through which door: `session`, `local`, `system`.
    pub origin: String,
    /// What was done, for example `experiment.create`.
    pub action: String,
    /// To what, for example `exp-12`.
    pub object: String,
}
