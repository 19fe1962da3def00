//! Comparisons: effect, uncertainty, verdict, and what differs besides the subject.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The four answers a comparison can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The candidate is better: significant and above the effect floor.
    Better,
    /// The candidate is worse: significant and above the effect floor.
    Worse,
    /// Neither could be shown.
    NoDifferenceShown,
    /// Something else differs, or there is too little, so that no verdict is possible.
    NotComparable,
}

impl Verdict {
    /// The words a person reads.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoDifferenceShown => "no difference shown",
            Self::NotComparable => "not comparable",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.phrase())
    }
}

/// The metrics a verdict is gated on by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatedMetric {
    /// System output throughput, tokens per second; more is better.
    OutputThroughput,
    /// p95 of time to first token, milliseconds; less is better.
    TtftP95,
    /// p95 of time per output token, milliseconds; less is better.
    TpotP95,
}

impl GatedMetric {
    /// The default three.
    pub const ALL: [Self; 3] = [Self::OutputThroughput, Self::TtftP95, Self::TpotP95];

    /// The name in JSON, gates and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OutputThroughput => "output_throughput",
            Self::TtftP95 => "ttft_p95",
            Self::TpotP95 => "tpot_p95",
        }
    }

    /// Whether more is better.
    #[must_use]
    pub const fn more_is_better(self) -> bool {
        matches!(self, Self::OutputThroughput)
    }
}

/// One metric of one candidate at one level against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricComparison {
    /// The load level, for example `c=8`.
    pub level: String,
    /// Which metric.
    pub name: GatedMetric,
    /// Median over the baseline's blocks.
    pub baseline: Option<f64>,
    /// Median over the candidate's blocks.
    pub candidate: Option<f64>,
    /// candidate / baseline.
    pub ratio: Option<f64>,
    /// 95 % bootstrap interval of the ratio over blocks; `None` with fewer than two blocks a side.
    pub ci: Option<[f64; 2]>,
    /// Two-sided exact permutation p, adjusted by Holm over the gated metrics of this candidate and level.
    pub p: Option<f64>,
    /// The smallest two-sided p this number of blocks can reach before adjustment.
    pub reachable_p: Option<f64>,
    /// Blocks of baseline and candidate that have the figure.
    pub blocks: [u32; 2],
    /// The answer.
    pub verdict: Verdict,
}

/// One thing that differs (or was checked and is equal) besides the subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// What, for example `prompt_tokens`.
    pub field: String,
    /// The baseline's value, or that it is not reported.
    pub baseline: String,
    /// The candidate's value.
    pub candidate: String,
    /// Whether the values differ.
    pub differs: bool,
    /// Whether the difference forbids a verdict.
    pub forbids_verdict: bool,
    /// Why it matters, in one sentence; empty when equal.
    #[serde(default)]
    pub remark: String,
}

/// One candidate against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The baseline's name.
    pub baseline: String,
    /// The candidate's name.
    pub candidate: String,
    /// Worse if any gated metric at any level is worse, else better if any is better, else none shown;
    /// not comparable when the ledger forbids.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// Per level and metric.
    pub metrics: Vec<MetricComparison>,
    /// What differs besides the subject.
    pub ledger: Vec<LedgerEntry>,
}
