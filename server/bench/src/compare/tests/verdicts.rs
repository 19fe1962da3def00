use inferex_model::comparison::GatedMetric;

use super::*;

fn metric(comparison: &Comparison, level: &str, name: GatedMetric) -> MetricComparison {
    comparison.metrics.iter().find(|m| m.level == level && m.name == name).expect("is listed").clone()
}

#[test]
fn a_planted_difference_comes_out_with_its_size() {
    let comparison = compare(&planted(1.65));
    assert_eq!(comparison.verdict, Verdict::Better);
    let throughput = metric(&comparison, "c=32", GatedMetric::OutputThroughput);
    let [low, high] = throughput.ci.expect("five blocks");
    assert!(throughput.ratio.is_some_and(|r| (r - 1.65).abs() < 1e-9));
    assert!(low > 1.55 && low < 1.65 && high > 1.65 && high < 1.75, "{low} {high}");
    assert!(throughput.p.is_some_and(|p| (p - 6.0 / 252.0).abs() < 1e-9), "Holm over three");
    assert!(throughput.reachable_p.is_some_and(|p| (p - 2.0 / 252.0).abs() < 1e-9));
    assert_eq!(throughput.blocks, [5, 5]);
    let alone = metric(&comparison, "c=1", GatedMetric::OutputThroughput);
    assert_eq!(alone.verdict, Verdict::NoDifferenceShown);
    assert_eq!(
        comparison.reason,
        "Better: output throughput at c=32 is 1.65 × the baseline's (adjusted p 0.024)."
    );
}

#[test]
fn a_slower_candidate_is_worse() {
    let comparison = compare(&planted(0.7));
    assert_eq!(comparison.verdict, Verdict::Worse);
    assert!(comparison.reason.starts_with("Worse: "), "{}", comparison.reason);
}

#[test]
fn one_worse_figure_outweighs_better_ones_and_both_are_told() {
    let mut input = planted(1.65);
    for block in &mut input.candidate.levels[1].blocks {
        block.ttft_p95_ms = block.ttft_p95_ms.map(|ms| ms * 4.0);
    }
    let comparison = compare(&input);
    assert_eq!(comparison.verdict, Verdict::Worse);
    assert!(comparison.reason.contains("p95 of time to first token at c=32"), "{}", comparison.reason);
    assert!(comparison.reason.ends_with("; other gated figures are better."), "{}", comparison.reason);
}

#[test]
fn a_significant_effect_below_the_floor_is_not_shown() {
    let tight = |middle: f64| vec![middle, middle + 0.01, middle + 0.02, middle + 0.03, middle + 0.04];
    let verdict_at = |factor: f64| {
        let (base, cand) = (tight(100.0), tight(100.0 * factor));
        compare(&input(arm("a", vec![level(8, &base)]), arm("b", vec![level(8, &cand)]))).verdict
    };
    assert_eq!(verdict_at(1.025), Verdict::NoDifferenceShown);
    assert_eq!(verdict_at(1.035), Verdict::Better);
}

#[test]
fn one_start_each_says_so() {
    let comparison = compare(&input(arm("a", vec![level(8, &[100.0])]), arm("b", vec![level(8, &[200.0])])));
    assert_eq!(comparison.verdict, Verdict::NoDifferenceShown);
    assert_eq!(comparison.reason, "Single run: differences under 5 % say nothing.");
    assert_eq!(comparison.metrics[0].ci, None);
}

#[test]
fn too_few_starts_say_how_many_are_needed() {
    let three = [99.0, 100.0, 101.0];
    let comparison =
        compare(&input(arm("a", vec![level(8, &three)]), arm("b", vec![level(8, &three.map(|x| x * 2.0))])));
    assert_eq!(comparison.verdict, Verdict::NoDifferenceShown);
    assert_eq!(
        comparison.reason,
        "No verdict can come from 3 starts of each: the smallest adjusted p is 0.30; 5 starts of each are needed."
    );
}

#[test]
fn a_missing_figure_stays_in_the_list() {
    let mut input = planted(1.65);
    for block in &mut input.candidate.levels[1].blocks {
        block.tpot_p95_ms = None;
    }
    let comparison = compare(&input);
    let missing = metric(&comparison, "c=32", GatedMetric::TpotP95);
    assert_eq!((missing.verdict, missing.candidate, missing.ratio), (Verdict::NotComparable, None, None));
    assert_eq!((missing.p, missing.blocks), (None, [5, 0]));
    assert!(missing.baseline.is_some());
    assert_eq!(comparison.verdict, Verdict::Better, "the other figures still stand");
    let throughput = metric(&comparison, "c=32", GatedMetric::OutputThroughput);
    assert!(
        throughput.p.is_some_and(|p| (p - 4.0 / 252.0).abs() < 1e-9),
        "Holm over the two that were tested"
    );
}

#[test]
fn a_level_of_one_side_only_is_not_comparable() {
    let mut input = planted(1.65);
    input.candidate.levels.pop();
    let comparison = compare(&input);
    assert_eq!(comparison.metrics.len(), 6);
    assert_eq!(metric(&comparison, "c=32", GatedMetric::TtftP95).verdict, Verdict::NotComparable);
    assert_eq!(comparison.verdict, Verdict::NoDifferenceShown);
}

#[test]
fn nothing_on_both_sides_is_not_comparable() {
    let comparison = compare(&input(arm("a", vec![level(8, &five(1.0))]), arm("b", Vec::new())));
    assert_eq!(comparison.verdict, Verdict::NotComparable);
    assert_eq!(comparison.reason, "Not comparable: no gated figure exists on both sides.");
    assert_eq!(compare(&input(arm("a", Vec::new()), arm("b", Vec::new()))).verdict, Verdict::NotComparable);
}

#[test]
fn a_ratio_to_nothing_is_not_comparable() {
    let comparison =
        compare(&input(arm("a", vec![level(8, &[0.0; 5])]), arm("b", vec![level(8, &five(9.0))])));
    assert!(comparison.metrics.iter().all(|m| m.verdict == Verdict::NotComparable), "{comparison:?}");
}
