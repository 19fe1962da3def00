//! The finding: the sentence first, its uncertainty in grey, what to beware of, and the verdicts as chips.

use inferex_model::comparison::{Comparison, Verdict};
use leptos::prelude::*;

use super::basic::{Tone, chip};
use super::comparison::{Weight, weight};
use crate::text::{mark, plural};
use crate::view::ResultView;

/// The card that opens a result.
pub(crate) fn finding(result: &ResultView) -> AnyView {
    let finding = &result.finding;
    let beware: Vec<_> = finding.beware.iter().map(|line| view! { <li>{line.clone()}</li> }).collect();
    let beware = (!beware.is_empty()).then(|| view! { <ul class="beware">{beware}</ul> });
    let missing = (!result.missing.is_empty()).then(|| missing(&result.missing));
    view! {
        <section class="card finding" aria-labelledby="finding">
            <div class="finding-text">
                <h2 id="finding">{finding.sentence.clone()}</h2>
                <p class="uncertainty">{finding.uncertainty.clone()}</p>
                {beware}{missing}
            </div>
            <div class="chips">{chips(result)}</div>
        </section>
    }
    .into_any()
}

fn missing(lines: &[String]) -> AnyView {
    let lines: Vec<_> = lines.iter().map(|line| view! { <li>{line.clone()}</li> }).collect();
    let title = format!("{} without figures", plural(lines.len() as u64, "run"));
    view! { <details class="missing-runs"><summary>{title}</summary><ul>{lines}</ul></details> }.into_any()
}

fn chips(result: &ResultView) -> Vec<AnyView> {
    let mut chips: Vec<AnyView> = result.comparisons.iter().map(comparison_chip).collect();
    if !result.comparisons.is_empty() {
        chips.push(fairness_chip(&result.comparisons));
    }
    chips.push(generator_chip(result));
    chips
}

fn comparison_chip(comparison: &Comparison) -> AnyView {
    let tone = match comparison.verdict {
        Verdict::Better => Tone::Good,
        Verdict::Worse => Tone::Bad,
        _ => Tone::Plain,
    };
    chip(tone, mark(comparison.verdict), comparison_words(comparison))
}

/// `Q4_0: better, 6 of 6 gated`.
fn comparison_words(comparison: &Comparison) -> String {
    let all = comparison.metrics.len();
    let same = comparison.metrics.iter().filter(|m| m.verdict == comparison.verdict).count();
    let name = &comparison.candidate;
    match comparison.verdict {
        Verdict::Better | Verdict::Worse => format!("{name}: {}, {same} of {all} gated", comparison.verdict),
        verdict => format!("{name}: {verdict}"),
    }
}

fn fairness_chip(comparisons: &[Comparison]) -> AnyView {
    let forbids = comparisons.iter().any(|c| c.ledger.iter().any(|entry| entry.forbids_verdict));
    let mut fields: Vec<&str> = comparisons
        .iter()
        .flat_map(|c| &c.ledger)
        .filter(|e| weight(e) == Weight::Remark)
        .map(|e| e.field.as_str())
        .collect();
    fields.sort_unstable();
    fields.dedup();
    match (forbids, fields.len()) {
        (true, _) => chip(Tone::Bad, "⊘", "fairness: forbids a verdict"),
        (false, 0) => chip(Tone::Plain, "=", "fair: nothing else differs"),
        (false, n) => chip(Tone::Plain, "≠", format!("fair: {}", plural(n as u64, "remark"))),
    }
}

fn generator_chip(result: &ResultView) -> AnyView {
    let bound: u64 =
        result.arms.iter().flat_map(|a| a.figures.iter().flatten()).map(|f| u64::from(f.client_bound)).sum();
    match bound {
        0 => chip(Tone::Plain, "·", "generator: not client-bound"),
        n => chip(Tone::Bad, "!", format!("generator: client-bound in {}", plural(n, "run"))),
    }
}
