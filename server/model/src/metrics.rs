//! Figures computed from events, with their sample counts and provenance. A figure that does not exist is `None`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The spread of one quantity over its samples (linear-interpolated percentiles over exact samples).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stat {
    /// Number of samples.
    pub n: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest sample.
    pub min: f64,
    /// Largest sample.
    pub max: f64,
    /// Sample standard deviation (n − 1); 0 for one sample.
    pub std: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// n ≥ 130: the p95 is certified at 99 % confidence.
    pub p95_certified: bool,
    /// n ≥ 662: the p99 is certified at 99 % confidence.
    pub p99_certified: bool,
}

impl Stat {
    /// Samples below which a p95 is greyed out.
    pub const P95_LEAST: u64 = 20;
    /// Samples below which a p99 is greyed out.
    pub const P99_LEAST: u64 = 100;
}

/// How many requests there were and how they ended. Requests cut off at the run's end count in none of
/// `successful` and `failed`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestCounts {
    /// All requests that were sent or scheduled.
    pub total: u64,
    /// Ended well.
    pub successful: u64,
    /// Failed.
    pub failed: u64,
    /// In flight when the events end: neither a success nor a failure.
    #[serde(default)]
    pub cut: u64,
    /// Failures by class.
    pub by_class: BTreeMap<String, u64>,
}

/// Where the number of output tokens came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenSource {
    /// The engine's usage.
    Usage,
    /// A tokenizer of ours.
    Tokenizer,
    /// The number that was asked for.
    Requested,
    /// One per token-carrying chunk, because nothing better was there.
    Chunks,
    /// Some requests by usage, some otherwise.
    Mixed,
}

/// Latencies measured from the scheduled time instead of the sending; none in a closed loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FromSchedule {
    /// First token − scheduled, milliseconds.
    pub ttft_ms: Option<Stat>,
    /// End − scheduled, milliseconds.
    pub e2e_ms: Option<Stat>,
}

/// The figures of one definition over one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// How many requests, and how they ended.
    pub requests: RequestCounts,
    /// First token-carrying chunk − sent, milliseconds.
    pub ttft_ms: Option<Stat>,
    /// First content or tool chunk − sent, milliseconds.
    pub ttft_answer_ms: Option<Stat>,
    /// (Last token − first token) / (n − n₁), milliseconds.
    pub tpot_ms: Option<Stat>,
    /// Gaps between successive tokens, milliseconds.
    pub itl_ms: Option<Stat>,
    /// Last token or finish − sent, milliseconds.
    pub e2e_ms: Option<Stat>,
    /// From the scheduled time.
    pub from_schedule: FromSchedule,
    /// Σ output tokens of successful requests.
    pub output_tokens: Option<u64>,
    /// Where that count came from.
    pub output_tokens_source: Option<TokenSource>,
    /// Σ prompt tokens of successful requests, by the engine's usage.
    #[serde(default)]
    pub prompt_tokens: Option<u64>,
    /// Σ prompt tokens that the engine took from its prefix cache.
    #[serde(default)]
    pub cached_tokens: Option<u64>,
    /// Output tokens of successful requests that came inside the window / window, tokens per second: the system's
    /// speed. A request that straddles an end of the window counts with the share of its tokens inside.
    pub output_throughput_tok_s: Option<f64>,
    /// Successes inside the window / window, per second.
    pub request_throughput_rps: Option<f64>,
    /// n / e2e of each request, tokens per second: one user's speed, not the system's.
    pub per_request_tok_s: Option<Stat>,
    /// Most requests in flight at once.
    pub peak_in_flight: Option<u64>,
    /// Requests in flight, averaged over time.
    pub mean_in_flight: Option<f64>,
    /// Length of the window (or of the whole run), seconds.
    pub duration_s: Option<f64>,
}

/// A statement that must hold if the figures are right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invariant {
    /// Short name, for example `itl_sums_to_span`.
    pub name: String,
    /// `None`: not checkable here.
    pub holds: Option<bool>,
    /// The numbers behind it, or why it cannot be checked.
    pub detail: String,
}

/// What `inferex metrics` prints.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricsDocument {
    /// Figures by the name of the definition; ours is `inferex`.
    pub definitions: BTreeMap<String, Metrics>,
    /// Checked statements.
    pub invariants: Vec<Invariant>,
}

/// One request's figures: a row of `requests.csv` and of the run page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestRow {
    /// The request's number.
    pub req: u64,
    /// Sent, milliseconds from the run's start.
    pub sent_ms: Option<f64>,
    /// First token − sent, milliseconds.
    pub ttft_ms: Option<f64>,
    /// Time per output token, milliseconds.
    pub tpot_ms: Option<f64>,
    /// End − sent, milliseconds.
    pub e2e_ms: Option<f64>,
    /// Prompt tokens by usage.
    pub prompt_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Prompt tokens from the prefix cache.
    pub cached_tokens: Option<u64>,
    /// The finish reason.
    pub finish: Option<String>,
    /// The class of failure; `None` for a success or a cut request.
    pub error: Option<String>,
}
