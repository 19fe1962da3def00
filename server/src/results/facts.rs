//! What is known of an arm besides its figures, for the fairness ledger; texts pass the allow-list.

use inferex_bench::compare::{ArmBlocks, BlockFigures, Facts, LedgerField, LevelBlocks};
use inferex_model::environment::GeneratorVerdict;
use inferex_model::experiment::Level;
use inferex_model::metrics::{Metrics, Stat};
use inferex_model::run::RunState;
use inferex_model::variant::{EngineKind, Variant};

use super::{ArmStart, MeasuredRun, ResultInput, allow, figures};

/// One arm with its blocks.
pub(super) fn blocks(input: &ResultInput<'_>, arm: usize, levels: &[Level]) -> ArmBlocks {
    let of_level = |level: &Level| LevelBlocks {
        level: *level,
        blocks: figures::runs_of(input, arm, *level).into_iter().map(block).collect(),
    };
    ArmBlocks {
        name: input.spec.arm[arm].name.clone(),
        facts: facts(input, arm),
        levels: levels.iter().map(of_level).collect(),
    }
}

fn block((run, metrics): (&MeasuredRun, &Metrics)) -> BlockFigures {
    let p95 = |stat: Option<Stat>| stat.map(|stat| stat.p95);
    BlockFigures {
        repeat: run.repeat,
        output_throughput: metrics.output_throughput_tok_s,
        ttft_p95_ms: p95(metrics.ttft_ms),
        tpot_p95_ms: p95(metrics.tpot_ms),
        samples: metrics.ttft_ms.map_or(0, |stat| stat.n),
        successful: metrics.requests.successful,
        failed: metrics.requests.failed,
        prompt_tokens: metrics.prompt_tokens,
        cached_tokens: metrics.cached_tokens,
        client_bound: run.generator.as_ref().is_some_and(|g| g.verdict == GeneratorVerdict::ClientBound),
    }
}

fn facts(input: &ResultInput<'_>, arm: usize) -> Facts {
    use LedgerField as F;
    let variant = &input.variants[arm];
    let ArmStart { capacity, environment } = input.starts.get(arm).cloned().unwrap_or_default();
    let (capacity, environment) = (capacity.unwrap_or_default(), environment.unwrap_or_default());
    let resolved =
        capacity.resolved_quantisation.or_else(|| variant.quantisation.as_deref().map(allow::label));
    let is_simulated = variant.engine == EngineKind::Simulated;
    Facts::default()
        .with(F::Model, Some(family(variant)))
        .with(F::ModelRevision, variant.revision.as_deref().map(allow::label))
        .with(F::WeightsProvenance, Some(allow::provenance(&variant.provenance)))
        .with(F::Quantisation, resolved)
        .with(F::Dtype, variant.dtype.as_deref().map(allow::label))
        .with(F::PromptsHash, Some(input.prompts_hash))
        .with(F::OutputTokensTarget, Some(input.spec.workload.output_tokens))
        .with(F::ContextPerRequest, capacity.context_per_request)
        .with(F::Slots, capacity.slots)
        .with(F::Gpus, Some(environment.gpus.join(", ")))
        .with(F::Driver, environment.driver)
        .with(F::CpuModel, environment.cpu_model)
        .with(F::Platform, environment.platform)
        .with(F::Engine, Some(variant.engine))
        .with(F::EngineVersion, capacity.engine_version)
        .with(F::Simulated, Some(if is_simulated { "simulated" } else { "real" }))
        .with(F::MachineLoad, environment.load_average.map(|load| format!("{load:.2}")))
        .with(F::Interleaving, Some(order_of_blocks(input)))
        .with(F::LostRuns, Some(lost_runs(input, arm)))
        .with_arguments(allow::arguments(&variant.args))
}

/// Runs of the arm that failed; cancelled and interrupted ones are nobody's fault but ours.
fn lost_runs(input: &ResultInput<'_>, arm: usize) -> usize {
    input.runs.iter().filter(|run| run.arm == arm && run.state == RunState::Failed).count()
}

/// A B B A … is fair only when it was kept: with one repeat nothing alternates, and what was queued again ran later.
fn order_of_blocks(input: &ResultInput<'_>) -> &'static str {
    let again = input.runs.iter().any(|run| run.metrics.is_some() && run.attempt > 1);
    match (input.spec.repeats, again) {
        (_, true) => "broken: some runs were interrupted or queued again",
        (1, false) => "one after another",
        (_, false) => "alternating",
    }
}

/// The model's name without its quantisation, the same for all its siblings.
fn family(variant: &Variant) -> String {
    let name = allow::model(variant);
    let name = name.strip_suffix(".gguf").unwrap_or(&name);
    let label = variant.quantisation.as_deref().unwrap_or_default();
    let cut = name.len().saturating_sub(label.len());
    let is_labelled =
        !label.is_empty() && name.is_char_boundary(cut) && name[cut..].eq_ignore_ascii_case(label);
    let stem = if is_labelled { &name[..cut] } else { name };
    stem.trim_end_matches(['.', '-', '_']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(model: &str, quantisation: &str) -> Variant {
        let text = format!(
            "name = \"v\"\nengine = \"llama_cpp\"\nmodel = {model:?}\nquantisation = {quantisation:?}\n"
        );
        toml::from_str(&text).expect("a variant")
    }

    #[test]
    fn siblings_share_a_family_name() {
        for (model, quantisation) in [
            ("/m/SmolLM2-135M-Instruct.F16.gguf", "F16"),
            ("SmolLM2-135M-Instruct-q8_0.gguf", "Q8_0"),
            ("SmolLM2-135M-Instruct.gguf", "Q4_0"),
        ] {
            assert_eq!(family(&variant(model, quantisation)), "SmolLM2-135M-Instruct", "{model}");
        }
    }
}
