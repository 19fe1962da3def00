//! Events in, figures out: our own definitions (named `inferex`), one row a request, and the invariants.
//!
//! Pure: no clock, no file, no network. Start from [`compute`] (events in memory), [`Collector`] (one by one) or
//! [`parse_jsonl`] (an events file).
//!
//! What counts where, when the events state a window: latencies are those of successful requests **sent** inside
//! it (taking those that ended inside would prefer short ones); throughputs count what **ended** inside it; in
//! flight and duration are the window's own. Request counts and token sums are of the whole run, so that no
//! failure is hidden by a window. A success without any token is a failure of class `empty_answer`.

mod answer;
mod collector;
mod definition;
mod in_flight;
mod invariants;
mod parse;
mod request;

use inferex_model::event::Event;
use inferex_model::metrics::{MetricsDocument, RequestRow};
use serde::Serialize;

pub use collector::Collector;
pub use parse::{EventFileError, parse_jsonl};

/// The name our definitions have in a [`MetricsDocument`].
pub const DEFINITION: &str = "inferex";

/// Everything that one run's events say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Computed {
    /// Figures and invariants.
    pub document: MetricsDocument,
    /// One row a request, by its number.
    pub rows: Vec<RequestRow>,
}

/// Computes all figures from the events of one run.
pub fn compute<'a>(events: impl IntoIterator<Item = &'a Event>) -> Computed {
    let mut collector = Collector::default();
    for event in events {
        collector.push(event);
    }
    collector.finish()
}

/// Microseconds as milliseconds.
fn ms(us: u64) -> f64 {
    us as f64 / 1_000.0
}

#[cfg(test)]
mod tests;
