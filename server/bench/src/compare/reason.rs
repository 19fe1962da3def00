//! Why a comparison came out as it did, in one sentence.

use inferex_model::comparison::{GatedMetric, LedgerEntry, MetricComparison, Verdict};

use super::field::LedgerField;
use super::overall;
use super::strength::{Strength, starts};
use super::text::{p_value, times_or_percent};

pub(super) fn reason(metrics: &[MetricComparison], ledger: &[LedgerEntry]) -> String {
    let forbidding: Vec<&LedgerEntry> = ledger.iter().filter(|entry| entry.forbids_verdict).collect();
    if let Some(first) = forbidding.first() {
        return forbidden(first, forbidding.len() - 1);
    }
    match overall(metrics) {
        Verdict::NotComparable => "Not comparable: no gated figure exists on both sides.".to_owned(),
        Verdict::NoDifferenceShown => nothing_shown(metrics),
        verdict => shown(metrics, verdict),
    }
}

fn forbidden(entry: &LedgerEntry, others: usize) -> String {
    let field = LedgerField::ALL.iter().find(|field| field.as_str() == entry.field);
    let (differs, why) =
        field.map_or(("a fact differs", "so no verdict is possible"), |f| (f.differs(), f.why()));
    let more = match others {
        0 => String::new(),
        1 => " One more difference forbids a verdict.".to_owned(),
        n => format!(" {n} more differences forbid a verdict."),
    };
    format!("Not comparable: {differs} ({} against {}), {why}.{more}", entry.baseline, entry.candidate)
}

fn nothing_shown(metrics: &[MetricComparison]) -> String {
    match Strength::of(metrics) {
        Strength::Single => "Single run: differences under 5 % say nothing.".to_owned(),
        Strength::TooFew { blocks, reachable, needed } => {
            let needed = needed.map_or(String::new(), |n| format!("; {n} starts of each are needed"));
            format!(
                "No verdict can come from {}: the smallest adjusted p is {}{needed}.",
                starts(blocks),
                p_value(reachable)
            )
        }
        Strength::Enough => {
            let compared = metrics.iter().filter(|m| m.verdict != Verdict::NotComparable).count();
            format!(
                "No difference shown: none of {compared} gated figures differs by 3 % or more with an adjusted p \
                 of at most 0.05."
            )
        }
    }
}

/// Names throughput before latency and the largest effect first, and says when others point the other way.
fn shown(metrics: &[MetricComparison], verdict: Verdict) -> String {
    let Some(strongest) = strongest(metrics.iter().filter(|m| m.verdict == verdict)) else {
        return verdict.phrase().to_owned();
    };
    let word = if verdict == Verdict::Better { "Better" } else { "Worse" };
    let better = metrics.iter().filter(|m| m.verdict == Verdict::Better).count();
    let but = match (verdict, better) {
        (Verdict::Worse, 1) => "; one gated figure is better",
        (Verdict::Worse, 2..) => "; other gated figures are better",
        _ => "",
    };
    format!(
        "{word}: {} at {} is {} the baseline's (adjusted p {}){but}.",
        metric_words(strongest.name),
        strongest.level,
        times_or_percent(strongest.ratio.unwrap_or(1.0)),
        p_value(strongest.p.unwrap_or(1.0)),
    )
}

/// Throughput before latency, then the figure whose medians are furthest apart.
fn strongest<'a>(metrics: impl Iterator<Item = &'a MetricComparison>) -> Option<&'a MetricComparison> {
    let is_throughput = |metric: &MetricComparison| metric.name == GatedMetric::OutputThroughput;
    metrics.max_by(|a, b| is_throughput(a).cmp(&is_throughput(b)).then(effect(a).total_cmp(&effect(b))))
}

/// The larger median over the smaller; 1 where there is no ratio.
pub(super) fn effect(metric: &MetricComparison) -> f64 {
    metric.ratio.map_or(1.0, |ratio| ratio.max(1.0 / ratio))
}

/// A metric in words.
pub(super) const fn metric_words(metric: GatedMetric) -> &'static str {
    match metric {
        GatedMetric::OutputThroughput => "output throughput",
        GatedMetric::TtftP95 => "p95 of time to first token",
        GatedMetric::TpotP95 => "p95 of time per output token",
    }
}
