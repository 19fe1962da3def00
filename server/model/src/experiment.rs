//! Experiments: arms × load levels × repeats over one workload, as a file says it and as it is planned.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::duration::Span;
use crate::variant::{FieldError, RuntimeKind, Variant, check_name};

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
        let (concurrency, requests, output_tokens) = match self {
            // 40: after the first wave is left out, five starts still certify a p95 (130 samples).
            Self::Quick => (vec![1, 8], 40, 16),
            Self::Full => (vec![1, 8, 32], 50, 64),
        };
        ExperimentSpec {
            name: name.to_owned(),
            repeats: default_repeats(),
            seed: default_seed(),
            workload: Workload { prompts: "inferex-50".to_owned(), output_tokens },
            load: vec![Load { concurrency, requests }],
            arm: variants
                .iter()
                .map(|variant| Arm {
                    name: variant.clone(),
                    variant: VariantRef::Stored(variant.clone()),
                    runtime: RuntimeKind::Process,
                    via: Via::Direct,
                })
                .collect(),
            slo: Slo::default(),
        }
    }
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

    /// Checks everything that needs no database: names, ranges, what this version can do.
    pub fn check(&self) -> Result<(), FieldError> {
        if self.name.trim().is_empty() || self.name.chars().count() > 120 {
            return Err(FieldError::new("name", "must have 1 to 120 characters"));
        }
        if self.name.chars().any(char::is_control) {
            return Err(FieldError::new("name", "must not hold control characters"));
        }
        if !(1..=100).contains(&self.repeats) {
            return Err(FieldError::new("repeats", format!("is {}; must be 1 to 100", self.repeats)));
        }
        if !(1..=100_000).contains(&self.workload.output_tokens) {
            let reason = format!("is {}; must be 1 to 100,000", self.workload.output_tokens);
            return Err(FieldError::new("workload.output_tokens", reason));
        }
        self.check_loads()?;
        self.check_arms()
    }

    fn check_loads(&self) -> Result<(), FieldError> {
        if self.load.is_empty() {
            return Err(FieldError::new("load", "is missing; state at least one [[load]]"));
        }
        let mut seen = BTreeSet::new();
        for (index, load) in self.load.iter().enumerate() {
            let field = |name: &str| format!("load[{index}].{name}");
            if load.concurrency.is_empty() {
                return Err(FieldError::new(field("concurrency"), "is empty; name at least one level"));
            }
            for concurrency in &load.concurrency {
                if !(1..=4_096).contains(concurrency) {
                    let reason = format!("holds {concurrency}; must be 1 to 4,096");
                    return Err(FieldError::new(field("concurrency"), reason));
                }
                if !seen.insert(*concurrency) {
                    let reason = format!("names {concurrency} twice; each level is run once a repeat");
                    return Err(FieldError::new(field("concurrency"), reason));
                }
            }
            if !(1..=1_000_000).contains(&load.requests) {
                let reason = format!("is {}; must be 1 to 1,000,000", load.requests);
                return Err(FieldError::new(field("requests"), reason));
            }
        }
        Ok(())
    }

    fn check_arms(&self) -> Result<(), FieldError> {
        if self.arm.is_empty() {
            return Err(FieldError::new("arm", "is missing; state at least one [[arm]]"));
        }
        if self.arm.len() > 12 {
            return Err(FieldError::new("arm", format!("has {} entries; at most 12", self.arm.len())));
        }
        let mut names = BTreeSet::new();
        for (index, arm) in self.arm.iter().enumerate() {
            let path = format!("arm[{index}]");
            check_name("name", &arm.name).map_err(|e| e.within(&path))?;
            if !names.insert(&arm.name) {
                return Err(FieldError::new(format!("{path}.name"), format!("`{}` is used twice", arm.name)));
            }
            if let VariantRef::Inline(variant) = &arm.variant {
                variant.check().map_err(|e| e.within(&format!("{path}.variant")))?;
            }
            if arm.runtime != RuntimeKind::Process {
                let reason = format!("`{}` is not available yet; use process", arm.runtime);
                return Err(FieldError::new(format!("{path}.runtime"), reason));
            }
            if arm.via != Via::Direct {
                return Err(FieldError::new(
                    format!("{path}.via"),
                    "`gateway` is not available yet; use direct",
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(arms: usize, repeats: u32) -> ExperimentSpec {
        let names: Vec<String> = (0..arms).map(|i| format!("v{i}")).collect();
        ExperimentSpec { repeats, ..Preset::Quick.spec("test", &names) }
    }

    #[test]
    fn every_second_repeat_runs_backwards() {
        let order: Vec<usize> = spec(3, 3).blocks().iter().map(|b| b.arm).collect();
        assert_eq!(order, [0, 1, 2, 2, 1, 0, 0, 1, 2]);
    }

    #[test]
    fn a_level_sends_at_least_four_requests_per_place() {
        assert_eq!(Level::closed(32, 50).requests, 128);
        assert_eq!(Level::closed(8, 50).requests, 50);
        assert!(Level { concurrency: 8, requests: 31 }.is_ramp_dominated());
    }

    #[test]
    fn the_presets_are_what_the_builder_promises() {
        let quick = Preset::Quick.spec("q", &["a".into(), "b".into(), "c".into()]);
        assert_eq!(quick.run_count(), 30);
        assert!(quick.check().is_ok());
        let full = Preset::Full.spec("f", &["a".into()]);
        assert_eq!(full.levels().iter().map(|l| l.concurrency).collect::<Vec<_>>(), [1, 8, 32]);
    }

    #[test]
    fn a_bad_file_names_its_field() {
        type Spoil = fn(&mut ExperimentSpec);
        let cases: [(&str, Spoil); 9] = [
            ("name", |s| s.name.clear()),
            ("repeats", |s| s.repeats = 0),
            ("workload.output_tokens", |s| s.workload.output_tokens = 0),
            ("load", |s| s.load.clear()),
            ("load[0].concurrency", |s| s.load[0].concurrency = vec![1, 1]),
            ("load[0].requests", |s| s.load[0].requests = 0),
            ("arm", |s| s.arm.clear()),
            ("arm[1].name", |s| s.arm[1].name = "v0".into()),
            ("arm[0].runtime", |s| s.arm[0].runtime = RuntimeKind::Docker),
        ];
        for (field, spoil) in cases {
            let mut bad = spec(2, 1);
            spoil(&mut bad);
            assert_eq!(bad.check().err().map(|e| e.field), Some(field.to_owned()));
        }
    }

    #[test]
    fn the_documented_file_reads() {
        let text = r#"
name = "quantisation on this machine"
repeats = 5
[workload]
prompts = "inferex-50"
output_tokens = 64
[[load]]
concurrency = [1, 8, 32]
requests = 50
[[arm]]
name = "f16"
variant = "smollm2-135m-f16"
runtime = "process"
via = "direct"
[[arm]]
name = "q8_0"
[arm.variant]
name = "inline"
engine = "llama_cpp"
model = "x.gguf"
[slo]
ttft_p95 = "500ms"
"#;
        let spec: ExperimentSpec = toml::from_str(text).expect("the documented form");
        assert_eq!(spec.run_count(), 30);
        assert_eq!(spec.slo.ttft_p95, Some(Span(500)));
        let again: ExperimentSpec = toml::from_str(&toml::to_string(&spec).expect("writes")).expect("reads");
        assert_eq!(again, spec);
    }
}
