use proptest::prelude::*;

use super::*;

fn figure() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![8 => (1.0..500.0_f64).prop_map(Some), 2 => Just(Some(100.0)), 1 => Just(None), 1 => Just(Some(0.0))]
}

fn block() -> impl Strategy<Value = BlockFigures> {
    (
        figure(),
        figure(),
        figure(),
        0..200_u64,
        0..3_u64,
        prop::option::of(0..2_000_u64),
        prop::bool::weighted(0.01),
    )
        .prop_map(
            |(
                output_throughput,
                ttft_p95_ms,
                tpot_p95_ms,
                successful,
                failed,
                prompt_tokens,
                client_bound,
            )| {
                let cached_tokens = prompt_tokens.map(|n| n / 20);
                let repeat = 0;
                BlockFigures {
                    samples: 50,
                    repeat,
                    output_throughput,
                    ttft_p95_ms,
                    tpot_p95_ms,
                    successful,
                    failed,
                    prompt_tokens,
                    cached_tokens,
                    client_bound,
                }
            },
        )
}

fn any_arm(name: &'static str) -> impl Strategy<Value = ArmBlocks> {
    let levels = prop::collection::vec(prop::collection::vec(block(), 0..6), 0..3);
    let fact = prop::option::of(prop::sample::select(vec!["x", "y"]));
    (levels, fact).prop_map(move |(levels, fact)| {
        let levels = [1, 8, 32]
            .into_iter()
            .zip(levels)
            .map(|(concurrency, mut blocks)| {
                (0..).zip(&mut blocks).for_each(|(repeat, block)| block.repeat = repeat);
                LevelBlocks { level: Level::closed(concurrency, 50), blocks }
            })
            .collect();
        let facts = Facts::default().with(LedgerField::PromptsHash, fact);
        ArmBlocks { name: name.to_owned(), facts, levels }
    })
}

/// Scattered blocks around two middles, so that verdicts of every kind occur.
fn scattered(name: &'static str) -> impl Strategy<Value = ArmBlocks> {
    (50.0..150.0_f64, prop::collection::vec(0.97..1.03_f64, 5)).prop_map(move |(middle, shares)| {
        let figures: Vec<f64> = shares.iter().map(|share| share * middle).collect();
        arm(name, vec![level(8, &figures)])
    })
}

const fn flipped(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Better => Verdict::Worse,
        Verdict::Worse => Verdict::Better,
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn swapping_the_sides_flips_every_verdict(
        (ours, theirs) in prop_oneof![(scattered("a").boxed(), scattered("b").boxed()), (any_arm("a").boxed(), any_arm("b").boxed())],
    ) {
        let there = compare(&input(ours.clone(), theirs.clone()));
        let back = compare(&input(theirs, ours));
        prop_assert_eq!(there.metrics.len(), back.metrics.len());
        for (a, b) in there.metrics.iter().zip(&back.metrics) {
            prop_assert_eq!(a.verdict, flipped(b.verdict));
            match (a.p, b.p) {
                (Some(p), Some(q)) => prop_assert!((p - q).abs() < 1e-12),
                (p, q) => prop_assert_eq!(p, q),
            }
        }
        let forbids = |c: &Comparison| c.ledger.iter().any(|entry| entry.forbids_verdict);
        prop_assert_eq!(forbids(&there), forbids(&back));
    }

    #[test]
    fn any_blocks_give_an_answer_that_keeps_the_rules(ours in any_arm("a"), theirs in any_arm("b")) {
        let input = input(ours, theirs);
        let comparison = compare(&input);
        let forbidden = comparison.ledger.iter().any(|entry| entry.forbids_verdict);
        prop_assert!(!forbidden || comparison.verdict == Verdict::NotComparable);
        for metric in &comparison.metrics {
            let numbers = [metric.baseline, metric.candidate, metric.ratio, metric.p, metric.reachable_p];
            prop_assert!(numbers.iter().flatten().all(|x| x.is_finite()));
            prop_assert!(metric.ci.is_none_or(|[low, high]| low.is_finite() && low <= high && high.is_finite()));
            prop_assert!(metric.p.is_none_or(|p| p > 0.0 && p <= 1.0));
            if matches!(metric.verdict, Verdict::Better | Verdict::Worse) {
                prop_assert!(!forbidden && metric.p.is_some_and(|p| p <= ALPHA));
                prop_assert!(metric.ratio.is_some_and(|r| r.max(1.0 / r) >= EFFECT_FLOOR - 1e-9));
            }
        }
        prop_assert!(comparison.reason.ends_with('.') && !comparison.reason.contains("NaN"));
        let words = finding(std::slice::from_ref(&comparison), std::slice::from_ref(&input));
        prop_assert!(!words.sentence.is_empty() && !words.sentence.ends_with('.'));
        prop_assert_eq!(compare(&input), comparison, "the same seed gives the same answer");
    }
}
