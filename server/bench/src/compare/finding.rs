//! The sentence a result page opens with, its uncertainty, and what to beware of.

mod beware;

use inferex_model::comparison::{Comparison, GatedMetric, MetricComparison, Verdict};
use serde::{Deserialize, Serialize};

use super::reason::{effect, metric_words};
use super::strength::{Strength, starts};
use super::text::{p_value, percent, three, times_or_percent};
use super::verdict::{figures, raw_test};
use super::{CompareInput, EFFECT_FLOOR};
use crate::stats::{detectable_change, summarise};

/// A result in words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found; without a full stop.
    pub sentence: String,
    /// How sure it is; empty when there is nothing to be sure of.
    pub uncertainty: String,
    /// What else to know, one sentence each.
    pub beware: Vec<String>,
}

/// One figure of one comparison.
#[derive(Clone, Copy)]
struct Pick<'a> {
    comparison: &'a Comparison,
    metric: &'a MetricComparison,
}

/// Puts comparisons against one baseline into a sentence. It speaks of the highest concurrency at which a
/// difference is shown, there of throughput before latency, and of the candidate with the largest effect.
/// `inputs` are what `comparisons` were made from, in any order; without them less is said.
#[must_use]
pub fn finding(comparisons: &[Comparison], inputs: &[CompareInput]) -> Finding {
    let Some(first) = comparisons.first() else {
        return Finding { sentence: "Nothing to compare: there is one arm".to_owned(), ..Finding::default() };
    };
    let shown = strongest(comparisons, |m| matches!(m.verdict, Verdict::Better | Verdict::Worse));
    let beware = beware::beware(comparisons, inputs, shown);
    if let Some(pick) = shown {
        return Finding { sentence: effect_sentence(pick), uncertainty: uncertainty(pick, inputs), beware };
    }
    let open = strongest(comparisons, |m| m.verdict == Verdict::NoDifferenceShown);
    match open {
        Some(pick) => Finding {
            sentence: nothing_shown(comparisons, inputs),
            uncertainty: format!("{}: {}", place(pick), uncertainty(pick, inputs)),
            beware,
        },
        None => Finding { sentence: without_stop(&first.reason), uncertainty: String::new(), beware },
    }
}

/// Concurrency of a level's label; 0 when it names none.
fn concurrency(level: &str) -> u32 {
    level.trim_start_matches("c=").parse().unwrap_or(0)
}

/// Among the figures that `fits` accepts: highest concurrency, throughput first, largest effect.
fn strongest(comparisons: &[Comparison], fits: fn(&MetricComparison) -> bool) -> Option<Pick<'_>> {
    let order = |pick: &Pick<'_>| {
        let is_throughput = pick.metric.name == GatedMetric::OutputThroughput;
        (concurrency(&pick.metric.level), is_throughput)
    };
    comparisons
        .iter()
        .flat_map(|comparison| comparison.metrics.iter().map(move |metric| Pick { comparison, metric }))
        .filter(|pick| fits(pick.metric))
        .max_by(|a, b| order(a).cmp(&order(b)).then(effect(a.metric).total_cmp(&effect(b.metric))))
}

fn effect_sentence(Pick { comparison, metric }: Pick<'_>) -> String {
    let amount = times_or_percent(metric.ratio.unwrap_or(1.0));
    let (candidate, baseline) = (&comparison.candidate, &comparison.baseline);
    let level = concurrency(&metric.level);
    match metric.name {
        GatedMetric::OutputThroughput => {
            format!("{candidate} serves {amount} the tokens of {baseline} at concurrency {level}")
        }
        GatedMetric::TtftP95 => {
            format!(
                "{candidate} needs {amount} the time of {baseline} to the first token (p95) at concurrency {level}"
            )
        }
        GatedMetric::TpotP95 => {
            format!(
                "{candidate} needs {amount} the time of {baseline} per output token (p95) at concurrency {level}"
            )
        }
    }
}

fn place(Pick { comparison, metric }: Pick<'_>) -> String {
    let ratio = metric.ratio.map(|ratio| format!(" is {} the baseline's", times_or_percent(ratio)));
    format!(
        "{} of {} at concurrency {}{}",
        metric_words(metric.name),
        comparison.candidate,
        concurrency(&metric.level),
        ratio.unwrap_or_default()
    )
}

fn input_of<'a>(comparison: &Comparison, inputs: &'a [CompareInput]) -> Option<&'a CompareInput> {
    inputs.iter().find(|input| {
        input.baseline.name == comparison.baseline && input.candidate.name == comparison.candidate
    })
}

fn uncertainty(Pick { comparison, metric }: Pick<'_>, inputs: &[CompareInput]) -> String {
    let mut parts = Vec::new();
    parts.extend(metric.ci.map(|ci| interval(ci, metric.ratio.unwrap_or(1.0))));
    let raw = input_of(comparison, inputs)
        .and_then(|input| raw_test(input, concurrency(&metric.level), metric.name))
        .map(|test| p_value(test.p));
    let adjusted = metric.p.map(p_value);
    parts.extend(match (raw, adjusted) {
        (Some(raw), Some(adjusted)) => Some(format!("p = {raw} adjusted {adjusted}")),
        (None, Some(adjusted)) => Some(format!("adjusted p = {adjusted}")),
        (_, None) => None,
    });
    parts.push(format!("n = {} against {}", metric.blocks[0], metric.blocks[1]));
    parts.join(", ")
}

/// In the unit the sentence uses: × from 1 on, % below.
fn interval([low, high]: [f64; 2], ratio: f64) -> String {
    if ratio >= 1.0 {
        format!("95 % interval {}–{}", three(low), three(high))
    } else {
        format!("95 % interval {}–{}", three(low * 100.0), percent(high))
    }
}

fn nothing_shown(comparisons: &[Comparison], inputs: &[CompareInput]) -> String {
    let open: Vec<&Comparison> =
        comparisons.iter().filter(|c| c.verdict == Verdict::NoDifferenceShown).collect();
    let candidates: Vec<&str> = open.iter().map(|c| c.candidate.as_str()).collect();
    let baseline = open.first().map_or("", |c| c.baseline.as_str());
    let between = format!("No difference shown between {baseline} and {}", candidates.join(" or "));
    let metrics: Vec<MetricComparison> = open.iter().flat_map(|c| c.metrics.clone()).collect();
    match open.first().map_or(Strength::Enough, |c| Strength::of(&c.metrics)) {
        Strength::Single => format!("{between}: a single run, and differences under 5 % say nothing"),
        Strength::TooFew { blocks, needed, .. } => {
            let needed = needed.map_or(String::new(), |n| format!("; {n} starts of each are needed"));
            format!("{between}: {} are too few for a verdict{needed}", starts(blocks))
        }
        Strength::Enough => match detectable(&open, inputs) {
            Some(change) => {
                let n = metrics.iter().map(|m| m.blocks[0].min(m.blocks[1])).filter(|n| *n > 0).min();
                let change = percent_about(change);
                format!(
                    "{between}; {} starts each show differences of about {change} or more",
                    n.unwrap_or(0)
                )
            }
            None => between,
        },
    }
}

/// The smallest change of throughput at the highest level that the scatter of the starts lets be shown.
fn detectable(open: &[&Comparison], inputs: &[CompareInput]) -> Option<f64> {
    let changes = open.iter().filter_map(|comparison| {
        let input = input_of(comparison, inputs)?;
        let level = comparison.metrics.iter().map(|m| concurrency(&m.level)).max()?;
        let arms = [&input.baseline, &input.candidate];
        let groups = arms.map(|arm| figures(arm, level, GatedMetric::OutputThroughput));
        let [ours, theirs] = groups.each_ref().map(|group| squared_variation(group));
        let pooled = f64::midpoint(ours?, theirs?).sqrt();
        detectable_change(pooled, groups[0].len().min(groups[1].len()))
    });
    changes.max_by(f64::total_cmp).map(|change| change.max(EFFECT_FLOOR - 1.0))
}

/// (Standard deviation over mean)².
fn squared_variation(group: &[f64]) -> Option<f64> {
    summarise(group)
        .filter(|stat| stat.mean > 0.0)
        .map(|stat| (stat.std / stat.mean) * (stat.std / stat.mean))
}

/// A rough percentage: whole numbers say enough.
fn percent_about(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn without_stop(text: &str) -> String {
    text.strip_suffix('.').unwrap_or(text).to_owned()
}
