//! The ports of `inferex_app` implemented over the store, the fleet and the queue.
//!
//! Authorisation happens here and nowhere else; the audit row is written by the store in the transaction of the change.

mod deployments;
mod engine_setup;
mod experiments;
mod reports;
mod runs;
mod variants;

use std::sync::Arc;

use inferex_app::ports::{Accounts, Answer, PortError, Ports};
use inferex_model::actor::{Actor, Role};
use inferex_store::StoreError;

pub(crate) use crate::api::problem::internal;
use crate::backend::Backend;
use engine_setup::EngineSetupPort;

/// Every port over one backend.
pub(crate) fn all(backend: &Arc<Backend>, accounts: Arc<dyn Accounts>) -> Ports {
    Ports {
        accounts,
        variants: Arc::new(variants::VariantsPort(Arc::clone(backend))),
        deployments: Arc::new(deployments::DeploymentsPort(Arc::clone(backend))),
        engine_setup: Arc::new(EngineSetupPort::new(Arc::clone(backend))),
        experiments: Arc::new(experiments::ExperimentsPort(Arc::clone(backend))),
        runs: Arc::new(runs::RunsPort(Arc::clone(backend))),
        reports: Arc::new(reports::ReportsPort(Arc::clone(backend))),
    }
}

/// Refuses an actor whose role is too small, saying which act and which role.
fn require(actor: &Actor, role: Role, act: &str) -> Answer<()> {
    if actor.may(role) {
        return Ok(());
    }
    Err(PortError::Forbidden(format!("{act} needs the role {role}; {} is {}", actor.name, actor.role)))
}

/// What a refusal of the store means to a caller.
fn from_store(doing: &'static str) -> impl Fn(StoreError) -> PortError {
    move |error| match error {
        StoreError::Taken { .. } | StoreError::LastAdmin(_) => PortError::Conflict(error.to_string()),
        other => internal(doing, &other),
    }
}
