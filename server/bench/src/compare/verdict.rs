//! Effect, interval, p and verdict of each gated metric at each level.

use std::collections::BTreeSet;

use inferex_model::comparison::{GatedMetric, MetricComparison, Verdict};

use super::{ALPHA, ArmBlocks, BlockFigures, CompareInput, EFFECT_FLOOR};
use crate::stats::{PermutationTest, holm, median, permutation_test, ratio_interval};

/// All gated metrics at all levels of either side, the lowest concurrency first.
pub(super) fn metrics(input: &CompareInput) -> Vec<MetricComparison> {
    let levels = input.baseline.levels.iter().chain(&input.candidate.levels);
    let concurrencies: BTreeSet<u32> = levels.map(|level| level.level.concurrency).collect();
    concurrencies.into_iter().flat_map(|concurrency| level_metrics(input, concurrency)).collect()
}

fn level_metrics(input: &CompareInput, concurrency: u32) -> Vec<MetricComparison> {
    let mut metrics: Vec<MetricComparison> =
        GatedMetric::ALL.into_iter().map(|name| unadjusted(input, concurrency, name)).collect();
    let raw: Vec<f64> = metrics.iter().filter_map(|metric| metric.p).collect();
    let mut adjusted = holm(&raw).into_iter();
    for metric in &mut metrics {
        metric.p = metric.p.and_then(|_| adjusted.next());
        metric.verdict = verdict(metric);
    }
    metrics
}

fn unadjusted(input: &CompareInput, concurrency: u32, name: GatedMetric) -> MetricComparison {
    let ours = figures(&input.baseline, concurrency, name);
    let theirs = figures(&input.candidate, concurrency, name);
    let (baseline, candidate) = (median(&ours), median(&theirs));
    let ratio = baseline.zip(candidate).and_then(|(b, c)| positive_ratio(b, c));
    let test = ratio.and_then(|_| permutation_test(&ours, &theirs, input.seed));
    MetricComparison {
        level: format!("c={concurrency}"),
        name,
        baseline,
        candidate,
        ratio,
        ci: ratio.and_then(|_| ratio_interval(&ours, &theirs, input.seed)),
        p: test.map(|t| t.p),
        reachable_p: test.map(|t| t.reachable_p),
        blocks: [ours.len(), theirs.len()].map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        verdict: Verdict::NotComparable,
    }
}

/// The test of one metric before Holm's adjustment.
pub(super) fn raw_test(input: &CompareInput, concurrency: u32, name: GatedMetric) -> Option<PermutationTest> {
    let ours = figures(&input.baseline, concurrency, name);
    permutation_test(&ours, &figures(&input.candidate, concurrency, name), input.seed)
}

/// The finite figures of one metric, one a block.
pub(super) fn figures(arm: &ArmBlocks, concurrency: u32, name: GatedMetric) -> Vec<f64> {
    let pick = |block: &BlockFigures| match name {
        GatedMetric::OutputThroughput => block.output_throughput,
        GatedMetric::TtftP95 => block.ttft_p95_ms,
        GatedMetric::TpotP95 => block.tpot_p95_ms,
    };
    arm.levels
        .iter()
        .filter(|level| level.level.concurrency == concurrency)
        .flat_map(|level| &level.blocks)
        .filter_map(pick)
        .filter(|figure| figure.is_finite())
        .collect()
}

/// candidate / baseline where both are above 0; a ratio to nothing says nothing.
fn positive_ratio(baseline: f64, candidate: f64) -> Option<f64> {
    let both = baseline > 0.0 && candidate > 0.0;
    both.then(|| candidate / baseline).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

fn verdict(metric: &MetricComparison) -> Verdict {
    let (Some(baseline), Some(candidate), Some(p), Some(_)) =
        (metric.baseline, metric.candidate, metric.p, metric.ratio)
    else {
        return Verdict::NotComparable;
    };
    let is_above_floor = baseline.max(candidate) / baseline.min(candidate) >= EFFECT_FLOOR;
    if p > ALPHA || !is_above_floor {
        return Verdict::NoDifferenceShown;
    }
    if (candidate > baseline) == metric.name.more_is_better() { Verdict::Better } else { Verdict::Worse }
}
