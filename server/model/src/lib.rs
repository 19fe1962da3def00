//! The vocabulary of Inferex: ids, states, variants, experiments, events, metrics and comparisons.
//!
//! Everything here is plain data with serde and the pure functions that belong to it. This crate may not know
//! how anything is stored, sent or shown: no clock, no socket, no file. Start from [`experiment::ExperimentSpec`],
//! [`event::Event`] and [`metrics::MetricsDocument`].

pub mod actor;
pub mod comparison;
pub mod deployment;
pub mod duration;
pub mod environment;
pub mod event;
pub mod experiment;
pub mod id;
pub mod load;
pub mod metrics;
pub mod run;
pub mod time;
pub mod variant;
