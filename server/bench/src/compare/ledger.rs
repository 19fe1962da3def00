//! The fairness ledger: one entry for every field that at least one side reports.

use inferex_model::comparison::LedgerEntry;

use super::ArmBlocks;
use super::field::{LedgerField, Weight};
use super::measured;
use super::text::sentence;

/// Shown where a side does not report a fact.
pub(super) const NOT_REPORTED: &str = "not reported";
/// The remark on a difference that is itself what is compared.
pub(super) const SUBJECT: &str = "The subject of the comparison.";
/// Load averages further apart than this are remarked on.
const LOAD_DIFFERENCE: f64 = 1.0;
/// The order of blocks that is fair.
const ALTERNATING: &str = "alternating";

pub(super) fn ledger(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Vec<LedgerEntry> {
    LedgerField::ALL
        .iter()
        .filter_map(|field| match field {
            LedgerField::PromptTokens => measured::prompt_tokens(baseline, candidate),
            LedgerField::Requests => measured::requests(baseline, candidate),
            LedgerField::CacheShare => measured::cache_share(baseline, candidate),
            LedgerField::ErrorRate => measured::error_rate(baseline, candidate),
            LedgerField::ClientBound => measured::client_bound(baseline, candidate),
            LedgerField::Arguments => arguments(baseline, candidate),
            field => stated(*field, baseline, candidate),
        })
        .collect()
}

/// An entry with the words of its field.
pub(super) fn entry(
    field: LedgerField,
    [baseline, candidate]: [String; 2],
    differs: bool,
    weight: Option<Weight>,
) -> LedgerEntry {
    LedgerEntry {
        field: field.as_str().to_owned(),
        baseline,
        candidate,
        differs,
        forbids_verdict: weight == Some(Weight::Forbids),
        remark: match weight {
            None => String::new(),
            Some(Weight::Subject) => SUBJECT.to_owned(),
            Some(Weight::Remark | Weight::Forbids) => sentence(field.differs(), field.why()),
        },
    }
}

/// An entry of which one side says nothing: no difference can be claimed, and none excluded.
pub(super) fn one_sided(field: LedgerField, values: [Option<String>; 2]) -> LedgerEntry {
    let mut entry = entry(field, values.map(|v| v.unwrap_or_else(|| NOT_REPORTED.to_owned())), true, None);
    entry.remark = format!("Only one side reports its {}, so it cannot be compared.", field.label());
    entry
}

fn stated(field: LedgerField, baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    let (ours, theirs) = (baseline.facts.get(field), candidate.facts.get(field));
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        let values = [ours, theirs].map(|value| value.map(str::to_owned));
        return values.iter().any(Option::is_some).then(|| one_sided(field, values));
    };
    let matters = match field {
        LedgerField::MachineLoad => is_far_apart(ours, theirs),
        LedgerField::Interleaving => [ours, theirs].iter().any(|order| *order != ALTERNATING),
        _ => ours != theirs,
    };
    let weight = matters.then(|| field.weight());
    Some(entry(field, [ours.to_owned(), theirs.to_owned()], ours != theirs, weight))
}

fn is_far_apart(ours: &str, theirs: &str) -> bool {
    match (ours.parse::<f64>(), theirs.parse::<f64>()) {
        (Ok(ours), Ok(theirs)) => (ours - theirs).abs() > LOAD_DIFFERENCE,
        _ => ours != theirs,
    }
}

fn arguments(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    if !baseline.facts.has_arguments() && !candidate.facts.has_arguments() {
        return None;
    }
    let differing = [
        baseline.facts.arguments_beside(&candidate.facts),
        candidate.facts.arguments_beside(&baseline.facts),
    ];
    let differs = differing.iter().any(|arguments| !arguments.is_empty());
    let shown = differing.map(|arguments| match (differs, arguments.is_empty()) {
        (false, _) => "the same".to_owned(),
        (true, true) => "none".to_owned(),
        (true, false) => arguments.join(" "),
    });
    Some(entry(LedgerField::Arguments, shown, differs, differs.then_some(Weight::Remark)))
}
