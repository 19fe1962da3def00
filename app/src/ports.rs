//! The traits the pages and the JSON API call, one per aggregate, the caller's identity first.
//!
//! Authorisation and audit live in the implementation, so that no door can forget them.

mod accounts;
mod deployments;
mod engine_setup;
mod error;
mod experiments;
mod reports;
mod runs;
mod variants;
mod visit;

use std::sync::Arc;

pub use accounts::Accounts;
pub use deployments::Deployments;
pub use engine_setup::EngineSetup;
pub use error::PortError;
pub use experiments::Experiments;
pub use reports::Reports;
pub use runs::Runs;
pub use variants::Variants;
pub use visit::{Flash, FlashKind, Visit};

/// What a port answers.
pub type Answer<T> = Result<T, PortError>;

/// Every port, handed to pages through the Leptos context and to JSON handlers through axum's state.
#[derive(Clone)]
pub struct Ports {
    /// Accounts and sign-in.
    pub accounts: Arc<dyn Accounts>,
    /// Stored variants.
    pub variants: Arc<dyn Variants>,
    /// Started variants.
    pub deployments: Arc<dyn Deployments>,
    /// The engine that can be installed on this machine.
    pub engine_setup: Arc<dyn EngineSetup>,
    /// Experiments and the queue.
    pub experiments: Arc<dyn Experiments>,
    /// Single runs.
    pub runs: Arc<dyn Runs>,
    /// Frozen reports and their share links.
    pub reports: Arc<dyn Reports>,
}
