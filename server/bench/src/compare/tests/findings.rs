use super::*;

fn found(inputs: &[CompareInput]) -> Finding {
    let comparisons: Vec<Comparison> = inputs.iter().map(compare).collect();
    finding(&comparisons, inputs)
}

#[test]
fn the_finding_is_a_sentence_with_its_uncertainty() {
    let finding = found(&[planted(1.65)]);
    assert_eq!(finding.sentence, "Q4_0 serves 1.65 × the tokens of F16 at concurrency 32");
    assert!(finding.uncertainty.starts_with("95 % interval 1.6"), "{}", finding.uncertainty);
    assert!(
        finding.uncertainty.ends_with(", p = 0.0079 adjusted 0.024, n = 5 against 5"),
        "{}",
        finding.uncertainty
    );
    assert_eq!(
        finding.beware,
        [
            "A p95 of one run is not certified at 99 % confidence: the smallest run has 50 answers, 130 are needed."
        ]
    );
}

#[test]
fn a_loss_is_told_as_a_share() {
    let finding = found(&[planted(0.714)]);
    assert_eq!(finding.sentence, "Q4_0 serves 71.4 % of the tokens of F16 at concurrency 32");
    assert!(finding.uncertainty.starts_with("95 % interval 69."), "{}", finding.uncertainty);
}

#[test]
fn the_largest_effect_speaks_and_the_others_are_not_forgotten() {
    let mut other = planted(1.2);
    other.candidate.name = "Q8_0".to_owned();
    let mut forbidden = planted(3.0);
    forbidden.candidate.name = "Q5_0".to_owned();
    forbidden.candidate.levels[0].blocks[0].client_bound = true;
    let finding = found(&[other, planted(1.65), forbidden]);
    assert!(finding.sentence.starts_with("Q4_0 serves 1.65 ×"), "{}", finding.sentence);
    assert!(
        finding.beware.iter().any(|line| line.starts_with("Q5_0 against F16: Not comparable: ")),
        "{finding:?}"
    );
}

#[test]
fn figures_that_disagree_are_named() {
    let mut input = planted(1.65);
    for block in &mut input.candidate.levels[1].blocks {
        block.ttft_p95_ms = block.ttft_p95_ms.map(|ms| ms * 4.0);
    }
    let finding = found(&[input]);
    assert!(finding.sentence.starts_with("Q4_0 serves 1.65 ×"), "{}", finding.sentence);
    assert_eq!(
        finding.beware[0],
        "Not all gated figures agree: p95 of time to first token at c=32 is worse."
    );
}

#[test]
fn nothing_shown_says_what_would_have_been() {
    let input = planted(1.01);
    let finding = found(&[input]);
    assert_eq!(
        finding.sentence,
        "No difference shown between F16 and Q4_0; 5 starts each show differences of about 4 % or more"
    );
    assert!(
        finding
            .uncertainty
            .starts_with("output throughput of Q4_0 at concurrency 32 is 1.01 × the baseline's: 95 %"),
        "{}",
        finding.uncertainty
    );
}

#[test]
fn single_and_too_few_starts_are_told_in_the_sentence() {
    let of = |ours: &[f64], theirs: &[f64]| {
        found(&[input(arm("A", vec![level(8, ours)]), arm("B", vec![level(8, theirs)]))])
    };
    let single = of(&[100.0], &[200.0]);
    assert_eq!(
        single.sentence,
        "No difference shown between A and B: a single run, and differences under 5 % say nothing"
    );
    assert!(single.beware.iter().any(|line| line.starts_with("Each arm was started once")));
    let few = of(&[1.0, 1.1, 1.2], &[2.0, 2.1, 2.2]);
    assert_eq!(
        few.sentence,
        "No difference shown between A and B: 3 starts of each are too few for a verdict; 5 starts of each are needed"
    );
}

#[test]
fn a_forbidden_comparison_says_why_first() {
    let mut input = planted(1.65);
    input.baseline.facts.set(LedgerField::CpuModel, Some("Xeon"));
    input.candidate.facts.set(LedgerField::CpuModel, Some("EPYC"));
    let finding = found(&[input]);
    assert_eq!(
        finding.sentence,
        "Not comparable: processors differ (Xeon against EPYC), so the hardware differs"
    );
    assert_eq!(finding.uncertainty, "");
}

#[test]
fn remarks_of_the_ledger_are_to_beware_of_but_the_subject_is_not() {
    let mut input = planted(1.65);
    let facts = |quantisation: &str, slots: u32| {
        Facts::default()
            .with(LedgerField::Quantisation, Some(quantisation))
            .with(LedgerField::Slots, Some(slots))
    };
    input.baseline.facts = facts("F16", 8);
    input.candidate.facts = facts("Q4_0", 4);
    let beware = found(&[input]).beware;
    assert!(
        beware.contains(
            &"Slots differ, so the engines serve different numbers of requests at once (8 against 4)."
                .to_owned()
        ),
        "{beware:?}"
    );
    assert!(beware.iter().all(|line| !line.contains("subject")), "{beware:?}");
}

#[test]
fn no_comparison_is_no_finding() {
    assert_eq!(finding(&[], &[]).sentence, "Nothing to compare: there is one arm");
    let comparisons = [compare(&planted(1.65))];
    let without_inputs = finding(&comparisons, &[]);
    assert!(without_inputs.uncertainty.contains("adjusted p = 0.024"), "{}", without_inputs.uncertainty);
}

#[test]
fn numbers_have_three_significant_digits() {
    use crate::compare::text::{grouped, p_value, percent, three};
    for (x, text) in [
        (1.6549, "1.65"),
        (0.9996, "1.00"),
        (12.345, "12.3"),
        (1_234.5, "1,230"),
        (1_234_567.0, "1,230,000"),
        (0.001_234, "0.00123"),
        (-0.5, "-0.500"),
        (0.0, "0.00"),
    ] {
        assert_eq!(three(x), text);
    }
    assert_eq!((percent(0.714), percent(0.0), percent(1.0)), ("71.4 %".into(), "0 %".into(), "100 %".into()));
    assert_eq!((p_value(2.0 / 252.0), p_value(1.0)), ("0.0079".to_owned(), "1".to_owned()));
    assert_eq!(
        (grouped(5_377), grouped(12), grouped(1_000_000)),
        ("5,377".into(), "12".into(), "1,000,000".into())
    );
}
