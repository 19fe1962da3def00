//! Who asks: accounts, roles and the identity that every port receives first.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::UserId;

/// What a person may do; each role includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads everything, changes nothing.
    Viewer,
    /// Starts engines, queues experiments, shares reports.
    Engineer,
    /// Also manages users and settings.
    Admin,
}

impl Role {
    /// All roles, the weakest first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Engineer, Self::Admin];

    /// The word for it, as in URLs, tables and commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Engineer => "engineer",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A role that does not exist was named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role; use admin, engineer or viewer")]
pub struct RoleError(String);

impl FromStr for Role {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, RoleError> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| RoleError(text.chars().take(40).collect()))
    }
}

/// Through which door a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A signed-in browser.
    Session,
    /// The control socket or the command line on this machine: local admin.
    Local,
    /// Inferex itself, for example the queue.
    System,
}

/// The identity a port is called with; authorisation and audit read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The account, when a person signed in.
    pub user: Option<UserId>,
    /// What the audit log shows: the account's name, `local` or `system`.
    pub name: String,
    /// What the actor may do.
    pub role: Role,
    /// Through which door the request came.
    pub origin: Origin,
}

impl Actor {
    /// The command line on this machine: whoever may open the data folder is an admin.
    #[must_use]
    pub fn local() -> Self {
        Self { user: None, name: "local".to_owned(), role: Role::Admin, origin: Origin::Local }
    }

    /// Inferex acting by itself.
    #[must_use]
    pub fn system() -> Self {
        Self { user: None, name: "system".to_owned(), role: Role::Admin, origin: Origin::System }
    }

    /// Whether the actor's role includes `role`.
    #[must_use]
    pub fn may(&self, role: Role) -> bool {
        self.role >= role
    }
}
