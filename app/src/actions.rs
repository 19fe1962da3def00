//! Server functions: one port call each, then a message and a redirect. They may not decide anything themselves.
//!
//! Forms post to them without scripts (`<form method="post" action="/do/…">`). Start from [`register`].
#![allow(
    missing_docs,
    reason = "the macro repeats each function as a struct whose fields are the form's fields"
)]

pub mod accounts;
pub mod engines;
pub mod experiments;
pub mod reports;

use accounts::{CreateUser, DisableUser, SetPassword, SetUp, SignIn, SignOut};
use engines::{ImportVariants, InstallEngine, RemoveVariant, StartDeployment, StopDeployment};
use experiments::{CancelExperiment, QueueExperiment, RemoveExperiment, RequeueExperiment};
use leptos::server_fn::axum::register_explicit;
use reports::{CreateReport, RemoveReport, RevokeShare, ShareReport};

/// Registers every server function by name, so that none depends on the linker's mood.
pub fn register() {
    register_explicit::<SetUp>();
    register_explicit::<SignIn>();
    register_explicit::<SignOut>();
    register_explicit::<CreateUser>();
    register_explicit::<DisableUser>();
    register_explicit::<SetPassword>();
    register_explicit::<InstallEngine>();
    register_explicit::<ImportVariants>();
    register_explicit::<RemoveVariant>();
    register_explicit::<StartDeployment>();
    register_explicit::<StopDeployment>();
    register_explicit::<QueueExperiment>();
    register_explicit::<CancelExperiment>();
    register_explicit::<RequeueExperiment>();
    register_explicit::<RemoveExperiment>();
    register_explicit::<CreateReport>();
    register_explicit::<ShareReport>();
    register_explicit::<RevokeShare>();
    register_explicit::<RemoveReport>();
}

/// An id out of a form.
fn id<T: std::str::FromStr<Err: ToString>>(field: &str, text: &str) -> crate::ports::Answer<T> {
    text.parse().map_err(|error: T::Err| crate::ports::PortError::invalid(field, error.to_string()))
}
