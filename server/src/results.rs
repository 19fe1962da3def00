//! From runs to the answer of an experiment: figures per arm and level, comparisons, finding and charts.
//!
//! Pure: rows in, [`ResultView`] out. Everything that goes in here may end in a shared report, so texts pass the
//! allow-list in [`allow`] first.

mod allow;
mod charts;
mod facts;
mod figures;

use std::collections::{BTreeMap, BTreeSet};

use inferex_app::view::{ArmView, FindingView, MachineView, ResultView};
use inferex_bench::compare::{self, ArmBlocks, CompareInput};
use inferex_model::comparison::Comparison;
use inferex_model::deployment::Capacity;
use inferex_model::environment::{Environment, GeneratorReport};
use inferex_model::experiment::{ExperimentSpec, Level};
use inferex_model::id::DeploymentId;
use inferex_model::metrics::Metrics;
use inferex_model::run::{RequestProgress, RunState};
use inferex_model::variant::Variant;

/// Version of the metric definitions; raised when a definition changes its meaning.
pub(crate) const DEFINITIONS_VERSION: u32 = 1;

/// Everything the answer is built from.
pub(crate) struct ResultInput<'a> {
    pub(crate) spec: &'a ExperimentSpec,
    pub(crate) variants: &'a [Variant],
    pub(crate) prompts_hash: &'a str,
    pub(crate) runs: &'a [MeasuredRun],
    /// By arm: what the newest start said it can hold, and the machine it was measured on.
    pub(crate) starts: &'a [ArmStart],
}

/// What the newest start of an arm reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArmStart {
    pub(crate) capacity: Option<Capacity>,
    pub(crate) environment: Option<Environment>,
}

/// One run as the answer needs it.
#[derive(Debug, Clone)]
pub(crate) struct MeasuredRun {
    pub(crate) arm: usize,
    pub(crate) level: Level,
    pub(crate) repeat: u32,
    pub(crate) state: RunState,
    /// Above 1 when its block was interrupted or queued again.
    pub(crate) attempt: u32,
    /// Requests of a run that failed, which has no figures.
    pub(crate) progress: RequestProgress,
    /// The start of the engine that served it.
    pub(crate) start: Option<DeploymentId>,
    /// Set when the run is done.
    pub(crate) metrics: Option<Metrics>,
    pub(crate) generator: Option<GeneratorReport>,
}

/// The answer, or `None` while no run has figures.
pub(crate) fn build(input: &ResultInput<'_>) -> Option<ResultView> {
    if !input.runs.iter().any(|run| run.metrics.is_some()) {
        return None;
    }
    let levels = input.spec.levels();
    let blocks: Vec<ArmBlocks> =
        (0..input.spec.arm.len()).map(|arm| facts::blocks(input, arm, &levels)).collect();
    let against_baseline = |candidate: &ArmBlocks| CompareInput {
        baseline: blocks[0].clone(),
        candidate: candidate.clone(),
        seed: input.spec.seed,
    };
    let inputs: Vec<CompareInput> = blocks.iter().skip(1).map(against_baseline).collect();
    let comparisons: Vec<_> = inputs.iter().map(compare::compare).collect();
    let arms: Vec<ArmView> = (0..input.spec.arm.len()).map(|arm| arm_view(input, arm, &levels)).collect();
    let charts = charts::all(input, &arms, &levels, &comparisons);
    Some(ResultView {
        definitions_version: DEFINITIONS_VERSION,
        finding: finding(input, &comparisons, &inputs),
        charts,
        machine: machine(input),
        workload: workload(input.spec),
        prompts_hash: input.prompts_hash.to_owned(),
        missing: missing(input),
        arms,
        levels,
        comparisons,
    })
}

fn arm_view(input: &ResultInput<'_>, index: usize, levels: &[Level]) -> ArmView {
    let variant = &input.variants[index];
    let capacity = input.starts.get(index).and_then(|start| start.capacity.clone()).unwrap_or_default();
    ArmView {
        name: input.spec.arm[index].name.clone(),
        slot: index,
        engine: variant.engine.as_str().to_owned(),
        engine_version: capacity.engine_version,
        model: allow::model(variant),
        quantisation: variant.quantisation.as_deref().map(allow::label),
        resolved_quantisation: capacity.resolved_quantisation,
        provenance: allow::origin(&variant.provenance),
        weight_bytes: capacity.weight_bytes,
        kv_tokens: capacity.kv_tokens,
        slots: capacity.slots,
        context_per_request: capacity.context_per_request,
        arguments: allow::arguments(&variant.args),
        figures: levels.iter().map(|level| figures::of(input, index, *level)).collect(),
    }
}

fn finding(input: &ResultInput<'_>, comparisons: &[Comparison], inputs: &[CompareInput]) -> FindingView {
    let mut finding = compare::finding(comparisons, inputs);
    finding.beware.extend(split_blocks(input));
    FindingView { sentence: finding.sentence, uncertainty: finding.uncertainty, beware: finding.beware }
}

/// Blocks whose levels were served by more than one start: after a crash the rest of a block starts anew.
fn split_blocks(input: &ResultInput<'_>) -> Vec<String> {
    let mut starts: BTreeMap<(usize, u32), BTreeSet<DeploymentId>> = BTreeMap::new();
    for run in input.runs.iter().filter(|run| run.metrics.is_some()) {
        starts.entry((run.arm, run.repeat)).or_default().extend(run.start);
    }
    let split = starts.into_iter().filter(|(_, starts)| starts.len() > 1);
    split
        .map(|((arm, repeat), starts)| {
            let (name, repeat, count) = (&input.spec.arm[arm].name, repeat + 1, starts.len());
            format!("The levels of {name}, repeat {repeat}, come from {count} starts, because the first was interrupted.")
        })
        .collect()
}

fn workload(spec: &ExperimentSpec) -> String {
    let starts = if spec.repeats == 1 { "1 start".to_owned() } else { format!("{} starts", spec.repeats) };
    format!("{}, {} tokens out, {starts} each", spec.workload.prompts, spec.workload.output_tokens)
}

fn machine(input: &ResultInput<'_>) -> MachineView {
    let environment = input.starts.iter().find_map(|start| start.environment.clone()).unwrap_or_default();
    MachineView {
        cpu_model: environment.cpu_model,
        cpus: environment.cpus,
        memory_bytes: environment.memory_bytes,
        os: environment.os,
        platform: environment.platform,
        gpus: environment.gpus,
    }
}

/// Runs that are over without figures. Their reasons hold words of engines and names of people, so they stay on the
/// page of the run; here stands what became of them.
fn missing(input: &ResultInput<'_>) -> Vec<String> {
    let mut by_state: BTreeMap<RunState, Vec<String>> = BTreeMap::new();
    for run in input.runs.iter().filter(|run| run.state.is_over() && run.metrics.is_none()) {
        let name = &input.spec.arm[run.arm].name;
        let place = format!("{name} {} repeat {}", run.level.label(), run.repeat + 1);
        by_state.entry(run.state).or_default().push(place);
    }
    by_state.into_iter().map(|(state, places)| format!("{}: {state}", places.join(", "))).collect()
}

#[cfg(test)]
mod tests;
