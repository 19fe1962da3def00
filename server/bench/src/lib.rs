//! Workloads, the load generator, events → metrics, statistics and comparison.
//!
//! This crate knows a URL, never an engine: whatever answers `POST /v1/chat/completions` can be measured.
//! Start from [`load::run`] (what the load child does), [`metrics::compute`] and [`compare::compare`].

pub mod compare;
pub mod load;
pub mod metrics;
pub mod prompts;
pub mod sse;
pub mod stats;
