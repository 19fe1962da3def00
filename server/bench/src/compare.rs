//! Compares two arms over their blocks: effect, uncertainty, verdict, and what differs besides the subject.
//!
//! Pure: blocks and facts in, a [`Comparison`] out. It may not know where they were measured or stored. Start from
//! [`compare`]; [`finding()`] puts several comparisons into the one sentence a result page opens with.
//!
//! The unit of replication is the block (one start of an arm), never the request. Per level and gated metric:
//! the ratio of medians with a bootstrap interval over blocks, the exact permutation test, and Holm's adjustment
//! over the metrics of the level. A verdict needs an adjusted p of 0.05 or less and an effect of at least 3 %: the
//! larger median at least 1.03 × the smaller, so that the answer does not depend on which side is the baseline.

mod facts;
mod field;
mod finding;
mod ledger;
mod measured;
mod reason;
mod strength;
mod text;
mod verdict;

use inferex_model::comparison::{Comparison, LedgerEntry, MetricComparison, Verdict};
use inferex_model::experiment::Level;
use serde::{Deserialize, Serialize};

pub use facts::Facts;
pub use field::{LedgerField, Weight};
pub use finding::{Finding, finding};

/// Adjusted p at or below which a difference is shown.
pub const ALPHA: f64 = 0.05;
/// The larger median over the smaller, at least, for a verdict.
pub const EFFECT_FLOOR: f64 = 1.03;

/// A baseline and a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareInput {
    /// What the candidate is held against.
    pub baseline: ArmBlocks,
    /// What is judged.
    pub candidate: ArmBlocks,
    /// Decides the bootstrap draws.
    pub seed: u64,
}

/// One arm with everything measured of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmBlocks {
    /// As a person reads it.
    pub name: String,
    /// What it ran as and on.
    pub facts: Facts,
    /// Figures by level.
    pub levels: Vec<LevelBlocks>,
}

/// The blocks of one arm at one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelBlocks {
    /// The load.
    pub level: Level,
    /// One entry a start.
    pub blocks: Vec<BlockFigures>,
}

/// The figures of one run: one start of an arm at one level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockFigures {
    /// Which repeat, from 0; the same repeat of two arms got the same prompts.
    pub repeat: u32,
    /// System output throughput, tokens per second.
    pub output_throughput: Option<f64>,
    /// p95 of time to first token, milliseconds.
    pub ttft_p95_ms: Option<f64>,
    /// p95 of time per output token, milliseconds.
    pub tpot_p95_ms: Option<f64>,
    /// Answers behind the latency percentiles: those sent inside the window.
    pub samples: u64,
    /// Requests that succeeded.
    pub successful: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Σ prompt tokens of the successful requests.
    pub prompt_tokens: Option<u64>,
    /// Σ prompt tokens taken from the prefix cache.
    pub cached_tokens: Option<u64>,
    /// Whether the load generator was the bottleneck.
    pub client_bound: bool,
}

/// Compares a candidate with its baseline.
#[must_use]
pub fn compare(input: &CompareInput) -> Comparison {
    let ledger = ledger::ledger(&input.baseline, &input.candidate);
    let mut metrics = verdict::metrics(input);
    if forbids(&ledger) {
        for metric in &mut metrics {
            metric.verdict = Verdict::NotComparable;
        }
    }
    Comparison {
        baseline: input.baseline.name.clone(),
        candidate: input.candidate.name.clone(),
        verdict: overall(&metrics),
        reason: reason::reason(&metrics, &ledger),
        metrics,
        ledger,
    }
}

fn forbids(ledger: &[LedgerEntry]) -> bool {
    ledger.iter().any(|entry| entry.forbids_verdict)
}

/// Worse if any figure is worse, else better if any is better, else none shown if any could be compared.
fn overall(metrics: &[MetricComparison]) -> Verdict {
    [Verdict::Worse, Verdict::Better, Verdict::NoDifferenceShown]
        .into_iter()
        .find(|verdict| metrics.iter().any(|metric| metric.verdict == *verdict))
        .unwrap_or(Verdict::NotComparable)
}

#[cfg(test)]
mod tests;
