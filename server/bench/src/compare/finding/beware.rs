//! What a reader of a finding must know besides it.

use inferex_model::comparison::{Comparison, LedgerEntry, MetricComparison, Verdict};

use super::{CompareInput, Pick};
use crate::compare::ledger::SUBJECT;
use crate::compare::reason::metric_words;
use crate::compare::strength::Strength;
use crate::compare::text::{capitalised, grouped};

/// Samples from which a p95 is certified at 99 % confidence.
const CERTIFIED: u64 = 130;

pub(super) fn beware(
    comparisons: &[Comparison],
    inputs: &[CompareInput],
    shown: Option<Pick<'_>>,
) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(shown.and_then(disagreement));
    lines.extend(not_comparable(comparisons));
    lines.extend(single_start(comparisons));
    for comparison in comparisons {
        lines.extend(
            comparison.ledger.iter().filter_map(|entry| remark(comparison, entry, comparisons.len() > 1)),
        );
        lines.extend(missing(comparison));
    }
    lines.extend(uncertified(inputs));
    lines.extend(ramp_dominated(inputs));
    lines
}

/// Figures of the same candidate that point the other way.
fn disagreement(pick: Pick<'_>) -> Option<String> {
    let other = if pick.metric.verdict == Verdict::Better { Verdict::Worse } else { Verdict::Better };
    let against: Vec<String> =
        pick.comparison.metrics.iter().filter(|m| m.verdict == other).map(figure).collect();
    let verb = if against.len() == 1 { "is" } else { "are" };
    (!against.is_empty())
        .then(|| format!("Not all gated figures agree: {} {verb} {}.", against.join(", "), other.phrase()))
}

fn figure(metric: &MetricComparison) -> String {
    format!("{} at {}", metric_words(metric.name), metric.level)
}

/// With one candidate the reason already is the finding.
fn not_comparable(comparisons: &[Comparison]) -> Vec<String> {
    let several = comparisons.len() > 1;
    comparisons
        .iter()
        .filter(|c| several && c.verdict == Verdict::NotComparable)
        .map(|c| format!("{} against {}: {}", c.candidate, c.baseline, c.reason))
        .collect()
}

fn single_start(comparisons: &[Comparison]) -> Option<String> {
    let tested = |c: &&Comparison| c.metrics.iter().any(|m| m.reachable_p.is_some());
    let single = comparisons.iter().filter(tested).any(|c| Strength::of(&c.metrics) == Strength::Single);
    single.then(|| "Each arm was started once: differences under 5 % say nothing.".to_owned())
}

fn remark(comparison: &Comparison, entry: &LedgerEntry, several: bool) -> Option<String> {
    if entry.remark.is_empty() || entry.remark == SUBJECT {
        return None;
    }
    let values = format!("({} against {})", entry.baseline, entry.candidate);
    let text = format!("{} {values}.", entry.remark.trim_end_matches('.'));
    Some(if several { format!("{}: {text}", comparison.candidate) } else { text })
}

fn missing(comparison: &Comparison) -> Option<String> {
    let missing: Vec<String> = comparison.metrics.iter().filter(|m| m.ratio.is_none()).map(figure).collect();
    (!missing.is_empty()).then(|| {
        let list = capitalised(&missing.join(", "));
        format!("{list}: not comparable for {}, a figure is missing on one side.", comparison.candidate)
    })
}

fn uncertified(inputs: &[CompareInput]) -> Option<String> {
    let arms = inputs.iter().flat_map(|input| [&input.baseline, &input.candidate]);
    let least = arms.flat_map(|arm| &arm.levels).flat_map(|l| &l.blocks).map(|b| b.samples).min()?;
    (least < CERTIFIED).then(|| {
        format!(
            "A p95 of one run is not certified at 99 % confidence: the smallest run has {} answers, \
             {CERTIFIED} are needed.",
            grouped(least)
        )
    })
}

fn ramp_dominated(inputs: &[CompareInput]) -> Option<String> {
    let arms = inputs.iter().flat_map(|input| [&input.baseline, &input.candidate]);
    let level = arms.flat_map(|arm| &arm.levels).map(|l| l.level).find(|l| l.is_ramp_dominated())?;
    Some(format!(
        "At {} ramp-up and drain dominate: {} requests, at least {} are needed.",
        level.label(),
        level.requests,
        level.concurrency.saturating_mul(4)
    ))
}
