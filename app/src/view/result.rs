use inferex_model::comparison::Comparison;
use inferex_model::experiment::Level;
use serde::{Deserialize, Serialize};

/// The answer of an experiment. It is what a report freezes, so it is built from an allow-list: it holds no host
/// name, no full path, no environment variable, no argument outside the list, no prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultView {
    /// Version of the metric definitions.
    pub definitions_version: u32,
    /// The sentence that a person came for.
    pub finding: FindingView,
    /// The sides, the baseline first.
    pub arms: Vec<ArmView>,
    /// The levels.
    pub levels: Vec<Level>,
    /// One per candidate, against the baseline.
    pub comparisons: Vec<Comparison>,
    /// The charts, ready to show.
    pub charts: Vec<ChartView>,
    /// The machine.
    pub machine: MachineView,
    /// What was sent, in one line: prompt set, tokens out, starts each.
    pub workload: String,
    /// SHA-256 over the prompts and the salt rule.
    pub prompts_hash: String,
    /// Runs that ended without figures, in words (`Q8_0, c=8, repeat 2: failed: …`).
    pub missing: Vec<String>,
}

/// The finding, its uncertainty and what to beware of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FindingView {
    /// One sentence.
    pub sentence: String,
    /// Interval, p and n, in grey beside it.
    pub uncertainty: String,
    /// What to beware of, one sentence each.
    pub beware: Vec<String>,
}

/// One side of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmView {
    /// Its name.
    pub name: String,
    /// Colour, marker and dash: 0 is the first slot.
    pub slot: usize,
    /// `llama_cpp`, …
    pub engine: String,
    /// Name and build of the server as it reported them.
    pub engine_version: Option<String>,
    /// The model file's base name or the repository.
    pub model: String,
    /// Quantisation as labelled.
    pub quantisation: Option<String>,
    /// Quantisation as the engine reported it.
    pub resolved_quantisation: Option<String>,
    /// Where the weights came from, in words.
    pub provenance: String,
    /// Bytes of the weights.
    pub weight_bytes: Option<u64>,
    /// Tokens the KV cache holds.
    pub kv_tokens: Option<u64>,
    /// Requests served at once.
    pub slots: Option<u32>,
    /// Longest request in tokens.
    pub context_per_request: Option<u32>,
    /// Arguments that may be shown.
    pub arguments: Vec<String>,
    /// Figures, one per level in the result's order; `None` where no run of that level has figures.
    pub figures: Vec<Option<ArmFigures>>,
}

/// The figures of one arm at one level over its starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmFigures {
    /// Starts that have figures.
    pub starts: u32,
    /// Output tokens per second, all requests together.
    pub output_throughput_tok_s: Option<Estimate>,
    /// Tokens per second that one request sees (median over requests).
    pub per_request_tok_s: Option<Estimate>,
    /// Requests finished per second.
    pub request_throughput_rps: Option<Estimate>,
    /// Time to first token, milliseconds.
    pub ttft_p50_ms: Option<Estimate>,
    /// Time to first token, milliseconds.
    pub ttft_p95_ms: Option<Estimate>,
    /// Time to first token, milliseconds.
    pub ttft_p99_ms: Option<Estimate>,
    /// Time per output token, milliseconds.
    pub tpot_p50_ms: Option<Estimate>,
    /// Time per output token, milliseconds.
    pub tpot_p95_ms: Option<Estimate>,
    /// End to end, milliseconds.
    pub e2e_p50_ms: Option<Estimate>,
    /// End to end, milliseconds.
    pub e2e_p95_ms: Option<Estimate>,
    /// End to end, milliseconds.
    pub e2e_p99_ms: Option<Estimate>,
    /// Latency samples over all starts.
    pub samples: u64,
    /// Whether a p95 over that many samples per start may be shown in full ink (≥ 20 each).
    pub p95_firm: bool,
    /// Whether a p99 over that many samples per start may be shown in full ink (≥ 100 each).
    pub p99_firm: bool,
    /// Requests sent.
    pub requests: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Requests in flight, averaged.
    pub mean_in_flight: Option<f64>,
    /// Share of prompt tokens from the prefix cache, 0 to 1.
    pub cached_share: Option<f64>,
    /// Prompt tokens per start.
    pub prompt_tokens: Option<u64>,
    /// Starts whose generator was client-bound.
    pub client_bound: u32,
    /// Fewer than four requests per place.
    pub ramp_dominated: bool,
}

/// A median over starts with its 95 % bootstrap interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Median over starts.
    pub median: f64,
    /// Lower end; `None` with one start.
    pub low: Option<f64>,
    /// Upper end; `None` with one start.
    pub high: Option<f64>,
}

/// A chart in three widths, with its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChartView {
    /// For addresses and element ids.
    pub id: String,
    /// Card title.
    pub title: String,
    /// One grey line: unit and reading aid.
    pub note: String,
    /// About 680 px.
    pub wide: String,
    /// About 400 px.
    pub narrow: String,
    /// About 300 px, for phones; empty when it was not drawn.
    #[serde(default)]
    pub small: String,
    /// The numbers.
    pub table: DataTable,
}

/// A small table of text cells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataTable {
    /// Column heads with units.
    pub head: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// The machine, from an allow-list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineView {
    /// Processor.
    pub cpu_model: Option<String>,
    /// Logical processors.
    pub cpus: Option<u32>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Operating system.
    pub os: Option<String>,
    /// `native`, `wsl2`, …
    pub platform: Option<String>,
    /// GPUs by name.
    pub gpus: Vec<String>,
}
