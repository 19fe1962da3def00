//! The figures of one arm at one level: a median over starts with its interval.

use inferex_app::view::{ArmFigures, Estimate};
use inferex_bench::stats;
use inferex_model::environment::GeneratorVerdict;
use inferex_model::experiment::Level;
use inferex_model::metrics::{Metrics, Stat};
use inferex_model::run::{RequestProgress, RunState};

use super::{MeasuredRun, ResultInput};

/// `None` when no run of this arm and level has figures.
pub(super) fn of(input: &ResultInput<'_>, arm: usize, level: Level) -> Option<ArmFigures> {
    let runs: Vec<(&MeasuredRun, &Metrics)> = runs_of(input, arm, level);
    if runs.is_empty() {
        return None;
    }
    let seed = input.spec.seed;
    let failed = |run: &&MeasuredRun| run.arm == arm && run.level == level && run.state == RunState::Failed;
    let lost: Vec<RequestProgress> = input.runs.iter().filter(failed).map(|run| run.progress).collect();
    let over = |figure: &dyn Fn(&Metrics) -> Option<f64>| {
        estimate(&runs.iter().filter_map(|(_, metrics)| figure(metrics)).collect::<Vec<_>>(), seed)
    };
    let stat = |which: fn(&Metrics) -> Option<Stat>, part: fn(&Stat) -> f64| {
        over(&move |metrics| which(metrics).as_ref().map(part))
    };
    let fewest = runs.iter().map(|(_, m)| m.ttft_ms.map_or(0, |s| s.n)).min().unwrap_or(0);
    let sum = |count: fn(&Metrics) -> u64| runs.iter().map(|(_, metrics)| count(metrics)).sum::<u64>();
    Some(ArmFigures {
        starts: u32::try_from(runs.len()).unwrap_or(u32::MAX),
        output_throughput_tok_s: over(&|m| m.output_throughput_tok_s),
        per_request_tok_s: stat(|m| m.per_request_tok_s, |s| s.p50),
        request_throughput_rps: over(&|m| m.request_throughput_rps),
        ttft_p50_ms: stat(|m| m.ttft_ms, |s| s.p50),
        ttft_p95_ms: stat(|m| m.ttft_ms, |s| s.p95),
        ttft_p99_ms: stat(|m| m.ttft_ms, |s| s.p99),
        tpot_p50_ms: stat(|m| m.tpot_ms, |s| s.p50),
        tpot_p95_ms: stat(|m| m.tpot_ms, |s| s.p95),
        e2e_p50_ms: stat(|m| m.e2e_ms, |s| s.p50),
        e2e_p95_ms: stat(|m| m.e2e_ms, |s| s.p95),
        e2e_p99_ms: stat(|m| m.e2e_ms, |s| s.p99),
        samples: sum(|m| m.ttft_ms.map_or(0, |s| s.n)),
        p95_firm: fewest >= Stat::P95_LEAST,
        p99_firm: fewest >= Stat::P99_LEAST,
        requests: sum(|m| m.requests.total) + lost.iter().map(|p| p.done + p.failed).sum::<u64>(),
        failed: sum(|m| m.requests.failed) + lost.iter().map(|p| p.failed).sum::<u64>(),
        mean_in_flight: stats::median(&runs.iter().filter_map(|(_, m)| m.mean_in_flight).collect::<Vec<_>>()),
        cached_share: cached_share(&runs),
        prompt_tokens: runs.iter().find_map(|(_, m)| m.prompt_tokens),
        client_bound: client_bound(&runs),
        ramp_dominated: level.is_ramp_dominated(),
    })
}

/// The runs of one arm and level that have figures, in the order of their repeats.
pub(super) fn runs_of<'a>(
    input: &'a ResultInput<'_>,
    arm: usize,
    level: Level,
) -> Vec<(&'a MeasuredRun, &'a Metrics)> {
    let mut runs: Vec<_> = input
        .runs
        .iter()
        .filter(|run| run.arm == arm && run.level == level)
        .filter_map(|run| Some((run, run.metrics.as_ref()?)))
        .collect();
    runs.sort_by_key(|(run, _)| run.repeat);
    runs
}

fn estimate(values: &[f64], seed: u64) -> Option<Estimate> {
    let median = stats::median(values)?;
    let interval = stats::median_interval(values, seed);
    Some(Estimate { median, low: interval.map(|i| i[0]), high: interval.map(|i| i[1]) })
}

fn cached_share(runs: &[(&MeasuredRun, &Metrics)]) -> Option<f64> {
    let known: Vec<(u64, u64)> =
        runs.iter().filter_map(|(_, m)| Some((m.cached_tokens?, m.prompt_tokens?))).collect();
    let prompt: u64 = known.iter().map(|(_, prompt)| prompt).sum();
    let cached: u64 = known.iter().map(|(cached, _)| cached).sum();
    (prompt > 0).then(|| cached as f64 / prompt as f64)
}

fn client_bound(runs: &[(&MeasuredRun, &Metrics)]) -> u32 {
    let bound = |run: &MeasuredRun| {
        run.generator.as_ref().is_some_and(|generator| generator.verdict == GeneratorVerdict::ClientBound)
    };
    u32::try_from(runs.iter().filter(|(run, _)| bound(run)).count()).unwrap_or(u32::MAX)
}
