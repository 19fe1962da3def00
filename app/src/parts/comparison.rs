//! Comparisons in full, and the fairness ledger.

use inferex_model::comparison::{LedgerEntry, MetricComparison};
use leptos::prelude::*;

use super::basic::scroller;
use super::state::verdict;
use crate::text::{metric, p_value, ratio, three};
use crate::view::ResultView;

/// Every gated metric of every candidate at every level.
pub(crate) fn comparisons(result: &ResultView) -> AnyView {
    let rows: Vec<_> = result
        .comparisons
        .iter()
        .flat_map(|c| c.metrics.iter().map(|m| metric_row(&c.candidate, m)))
        .collect();
    let reasons: Vec<_> = result
        .comparisons
        .iter()
        .map(|c| view! { <li><strong>{c.candidate.clone()}</strong>": "{c.reason.clone()}</li> })
        .collect();
    let table = view! {
        <table class="comparison">
            <caption class="hidden">"Each gated metric of each candidate against the baseline"</caption>
            <thead><tr>
                <th scope="col">"Candidate"</th><th scope="col">"Level"</th><th scope="col">"Metric"</th>
                <th scope="col" class="num">"Baseline"</th><th scope="col" class="num">"Candidate"</th>
                <th scope="col" class="num">"Ratio"</th><th scope="col" class="num">"95 % interval"</th>
                <th scope="col" class="num"><abbr title="two-sided exact permutation test, adjusted by Holm over the gated metrics of one candidate and level">"p"</abbr></th>
                <th scope="col" class="num"><abbr title="the smallest two-sided p that this number of starts can reach, before adjustment">"reachable p"</abbr></th>
                <th scope="col" class="num">"Starts"</th><th scope="col" class="num">"Verdict"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    view! { <ul class="reasons">{reasons}</ul>{scroller("Comparison", table.into_any())} }.into_any()
}

fn metric_row(candidate: &str, m: &MetricComparison) -> AnyView {
    let (name, unit) = metric(m.name);
    let figure = |value: Option<f64>, show: fn(f64) -> String| match value {
        Some(value) => view! { <td class="num">{show(value)}</td> }.into_any(),
        None => view! { <td class="num missing">"not reported"</td> }.into_any(),
    };
    let ci =
        m.ci.map_or_else(|| "one start".to_owned(), |[low, high]| format!("{}–{}", ratio(low), ratio(high)));
    view! {
        <tr>
            <th scope="row">{candidate.to_owned()}</th><td>{m.level.clone()}</td>
            <td>{name}" "<small>{unit}</small></td>
            {figure(m.baseline, three)}{figure(m.candidate, three)}{figure(m.ratio, ratio)}
            <td class="num">{ci}</td>{figure(m.p, p_value)}{figure(m.reachable_p, p_value)}
            <td class="num">{format!("{} against {}", m.blocks[1], m.blocks[0])}</td>
            <td class="num">{verdict(m.verdict)}</td>
        </tr>
    }
    .into_any()
}

/// What differs besides the subject, the differing first.
pub(crate) fn ledger(result: &ResultView) -> AnyView {
    let rows: Vec<_> = merged(result).into_iter().map(|(who, entry)| ledger_row(&who, &entry)).collect();
    let baseline = result.arms.first().map_or("Baseline", |arm| arm.name.as_str()).to_owned();
    let table = view! {
        <table class="ledger">
            <caption class="hidden">"What differs between the arms besides the subject"</caption>
            <thead><tr>
                <th scope="col">"What"</th><th scope="col">{baseline}</th><th scope="col">"Candidate"</th>
                <th scope="col">"For"</th><th scope="col">"Meaning"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller("Fairness ledger", table.into_any())
}

/// Entries that are alike for several candidates become one line.
fn merged(result: &ResultView) -> Vec<(String, LedgerEntry)> {
    let mut lines: Vec<(String, LedgerEntry)> = Vec::new();
    for comparison in &result.comparisons {
        for entry in &comparison.ledger {
            match lines.iter_mut().find(|(_, known)| known == entry) {
                Some((who, _)) => *who = format!("{who}, {}", comparison.candidate),
                None => lines.push((comparison.candidate.clone(), entry.clone())),
            }
        }
    }
    let everybody = result.comparisons.iter().map(|c| c.candidate.as_str()).collect::<Vec<_>>().join(", ");
    for (who, _) in lines.iter_mut().filter(|(who, _)| *who == everybody && result.comparisons.len() > 1) {
        "all".clone_into(who);
    }
    lines.sort_by_key(|(_, entry)| weight(entry));
    lines
}

/// What an entry means to a reader, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// No verdict is possible.
    Forbids,
    /// To be known beside the verdict.
    Remark,
    /// It is what is compared.
    Subject,
    /// The values differ by less than matters.
    Slight,
    /// No difference.
    Equal,
}

/// Fields that say what is compared; a difference in them is the point.
const SUBJECTS: [&str; 2] = ["quantisation", "dtype"];

pub(super) fn weight(entry: &LedgerEntry) -> Weight {
    match (entry.forbids_verdict, entry.differs) {
        (true, _) => Weight::Forbids,
        (false, false) => Weight::Equal,
        (false, true) if SUBJECTS.contains(&entry.field.as_str()) => Weight::Subject,
        (false, true) if entry.remark.is_empty() => Weight::Slight,
        (false, true) => Weight::Remark,
    }
}

fn ledger_row(who: &str, entry: &LedgerEntry) -> AnyView {
    let (class, word) = match weight(entry) {
        Weight::Forbids => ("forbids", "⊘ forbids a verdict"),
        Weight::Remark => ("differs", "≠ remark"),
        Weight::Subject => ("equal", "◆ the subject"),
        Weight::Slight => ("equal", "≈ too little to matter"),
        Weight::Equal => ("equal", "= equal"),
    };
    let has_words = matches!(weight(entry), Weight::Forbids | Weight::Remark);
    let remark = has_words.then(|| view! { <p class="note">{entry.remark.clone()}</p> });
    view! {
        <tr class=class>
            <th scope="row">{entry.field.replace('_', " ")}</th>
            <td><code>{entry.baseline.clone()}</code></td><td><code>{entry.candidate.clone()}</code></td>
            <td>{who.to_owned()}</td><td>{word}{remark}</td>
        </tr>
    }
    .into_any()
}
