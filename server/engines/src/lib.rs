//! Engines × runtimes: start an inference server, probe it to readiness, explain its failures, read its capacity, stop it.
//!
//! [`engine::Engine`] knows one kind of server software, [`runtime::Runtime`] one place to run it; neither knows the other's
//! details, and a new one of either is one file. [`lifecycle`] is the pure state machine between them. This crate may
//! not know benchmarks, the database or the dashboard. Start from [`launch::Launcher`].

pub mod engine;
pub mod environment;
pub mod explain;
pub mod launch;
pub mod lifecycle;
pub mod log;
pub mod procfs;
pub mod runtime;
pub mod secret;
pub mod supervise;
