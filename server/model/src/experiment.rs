//! Experiments: arms × load levels × repeats over one workload, as a file says it and as it is planned.

mod check;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::duration::Span;
use crate::variant::{RuntimeKind, Variant, check_name};

/// An experiment as a file or a form states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentSpec {
    /// For people; up to 120 characters.
    pub name: String,
    /// Starts of each arm; five give a verdict, fewer give a description. 1 to 100.
    #[serde(default = "default_repeats")]
    pub repeats: u32,
    /// Decides salts and bootstrap draws.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// What is sent.
    pub workload: Workload,
    /// How it is sent.
    pub load: Vec<Load>,
    /// The sides of the comparison; the first is the baseline.
    pub arm: Vec<Arm>,
    /// Service-level objectives, for goodput.
    #[serde(default, skip_serializing_if = "Slo::is_empty")]
    pub slo: Slo,
}

const fn default_repeats() -> u32 {
    5
}

const fn default_seed() -> u64 {
    42
}

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Name of a prompt set, for example `inferex-50`.
    pub prompts: String,
    /// Fixed length of each answer in tokens, enforced where the engine can. 1 to 100,000.
    pub output_tokens: u32,
}

/// How it is sent: a closed loop at each of the given concurrencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Requests in flight at once, one level each. 1 to 4,096.
    pub concurrency: Vec<u32>,
    /// Requests of each level; at least 4 × concurrency are sent.
    pub requests: u32,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Unique within the experiment.
    pub name: String,
    /// What runs.
    pub variant: VariantRef,
    /// Where it runs.
    #[serde(default = "default_runtime")]
    pub runtime: RuntimeKind,
    /// Which way the requests take.
    #[serde(default)]
    pub via: Via,
}

const fn default_runtime() -> RuntimeKind {
    RuntimeKind::Process
}

/// A stored variant by name, or one given inline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VariantRef {
    /// Looked up among the stored variants when the experiment is queued.
    Stored(String),
    /// Given in the file.
    Inline(Box<Variant>),
}

/// Which way requests take to the engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// Straight to the engine.
    #[default]
    Direct,
    /// Through the gateway.
    Gateway,
}

/// Service-level objectives; a request must meet all that are stated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slo {
    /// Time to first token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_p95: Option<Span>,
    /// Time per output token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tpot_p95: Option<Span>,
    /// End to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e2e_p95: Option<Span>,
}

impl Slo {
    /// Whether nothing is stated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One load level as it will be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Level {
    /// Requests in flight at once.
    pub concurrency: u32,
    /// Requests sent in all.
    pub requests: u32,
}

impl Level {
    /// Requests per place below which ramp-up and drain dominate a closed loop.
    pub const REQUESTS_PER_PLACE: u32 = 4;

    /// A level with at least four requests per place.
    #[must_use]
    pub fn closed(concurrency: u32, requests: u32) -> Self {
        Self { concurrency, requests: requests.max(concurrency.saturating_mul(Self::REQUESTS_PER_PLACE)) }
    }

    /// Whether ramp-up and drain dominate the figure.
    #[must_use]
    pub fn is_ramp_dominated(self) -> bool {
        self.requests < self.concurrency.saturating_mul(Self::REQUESTS_PER_PLACE)
    }

    /// `c=8`.
    #[must_use]
    pub fn label(self) -> String {
        format!("c={}", self.concurrency)
    }
}

/// One start of one arm, in the order in which blocks are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedBlock {
    /// From 0.
    pub repeat: u32,
    /// Index into the arms.
    pub arm: usize,
}

/// The two presets of the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Levels 1 and 8, 16 tokens, 5 repeats: minutes.
    Quick,
    /// Levels 1, 8 and 32, 64 tokens, 5 repeats.
    Full,
}

impl Preset {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }

    /// An experiment of this preset over stored variants, the first being the baseline.
    #[must_use]
    pub fn spec(self, name: &str, variants: &[String]) -> ExperimentSpec {
        let level = |concurrency: &[u32], requests| Load { concurrency: concurrency.to_vec(), requests };
        let (load, output_tokens) = match self {
            // Just enough requests inside the window for a p95 that need not be greyed (20).
            Self::Quick => (vec![level(&[1], 20), level(&[8], 32)], 16),
            Self::Full => (vec![level(&[1, 8, 32], 50)], 64),
        };
        ExperimentSpec {
            name: name.to_owned(),
            repeats: default_repeats(),
            seed: default_seed(),
            workload: Workload { prompts: "inferex-50".to_owned(), output_tokens },
            load,
            arm: variants
                .iter()
                .zip(short_names(variants))
                .map(|(variant, name)| Arm {
                    name,
                    variant: VariantRef::Stored(variant.clone()),
                    runtime: RuntimeKind::Process,
                    via: Via::Direct,
                })
                .collect(),
            slo: Slo::default(),
        }
    }
}

/// The names without what all of them begin with, up to a separator: `m-f16`, `m-q8_0` become `f16`, `q8_0`, so that
/// charts and sentences name what differs.
#[must_use]
pub fn short_names(names: &[String]) -> Vec<String> {
    let Some(first) = names.first().filter(|_| names.len() > 1) else { return names.to_vec() };
    let is_shared = |end: usize| names.iter().all(|name| name.get(..end) == Some(&first[..end]));
    let ends =
        first.char_indices().filter(|(_, c)| matches!(c, '-' | '.' | '/')).map(|(at, c)| at + c.len_utf8());
    let cut = ends.filter(|end| is_shared(*end)).max().unwrap_or(0);
    let short: Vec<String> = names.iter().map(|name| name[cut..].to_owned()).collect();
    if short.iter().all(|name| check_name("name", name).is_ok()) { short } else { names.to_vec() }
}

impl ExperimentSpec {
    /// The levels in the order they are run: as written, each concurrency once.
    #[must_use]
    pub fn levels(&self) -> Vec<Level> {
        let mut seen = BTreeSet::new();
        self.load
            .iter()
            .flat_map(|load| load.concurrency.iter().map(|c| Level::closed(*c, load.requests)))
            .filter(|level| seen.insert(level.concurrency))
            .collect()
    }

    /// All blocks: for each repeat the arms once, every second repeat in reverse (A B B A …),
    /// so that a slow drift of the machine hits every arm alike.
    #[must_use]
    pub fn blocks(&self) -> Vec<PlannedBlock> {
        (0..self.repeats)
            .flat_map(|repeat| {
                let forward = 0..self.arm.len();
                let arms: Vec<usize> =
                    if repeat % 2 == 0 { forward.collect() } else { forward.rev().collect() };
                arms.into_iter().map(move |arm| PlannedBlock { repeat, arm })
            })
            .collect()
    }

    /// Runs in all: arms × levels × repeats.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.arm.len() * self.levels().len() * self.repeats as usize
    }
}

#[cfg(test)]
mod tests;
