//! The load generator: a closed loop of streamed chat completions, told as events.
//!
//! It knows a URL, never an engine, and computes no metric: it writes down what happened and when. Start from
//! [`run`]; [`child_main`] is the same behind standard input and output, for a process of its own.
//!
//! Three rules keep the figures honest. The time of a chunk is taken when its bytes were read, before they are
//! parsed. A measured request never waits for whoever reads the events (they queue in memory). Nothing is sent
//! twice, except that an idle connection found closed before anything of an answer came is replaced once.

mod api;
mod child;
mod clock;
mod connection;
mod error;
mod exchange;
mod failure;
mod process;
mod report;
mod runner;
mod stream;
mod tally;
mod target;
mod window;
mod worker;

pub use child::child_main;
pub use error::LoadError;
pub use runner::run;

#[cfg(test)]
mod tests;
