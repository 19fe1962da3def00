//! What the load child is told, and what it says back.

use serde::{Deserialize, Serialize};

use crate::environment::GeneratorReport;
use crate::event::Event;

/// Everything the load generator needs for one run, sent as one JSON line on its standard input.
/// Its standard input stays open; when it closes, the generator stops at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadJob {
    /// The run's name, for the meta line.
    pub run: String,
    /// `http://host:port`, without a path.
    pub base_url: String,
    /// The `model` field of each request.
    pub model: String,
    /// The measured prompts in the order they are sent, already salted; one per request.
    pub prompts: Vec<String>,
    /// Prompts sent before, one after another, never measured.
    pub warmup: Vec<String>,
    /// Requests in flight at once (closed loop).
    pub concurrency: u32,
    /// Tokens each answer must have (`max_tokens`).
    pub output_tokens: u32,
    /// Ask the engine to go on past its end-of-text token, so that the length is fixed.
    pub ignore_eos: bool,
    /// Milliseconds after which a request without an end fails.
    pub request_timeout_ms: u64,
}

/// One line the load child prints on its standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LoadMessage {
    /// Warm-up is over; measuring begins now.
    Started {
        /// How many warm-up requests succeeded.
        warmed: u32,
    },
    /// The last line: how the generator fared.
    Finished {
        /// Its own figures and verdict.
        generator: GeneratorReport,
    },
    /// The generator could not run at all.
    Failed {
        /// Why, in one sentence.
        failed: String,
    },
    /// Something happened to a request.
    Event(Event),
}
