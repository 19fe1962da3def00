use super::*;

fn entry(comparison: &Comparison, field: LedgerField) -> LedgerEntry {
    comparison.ledger.iter().find(|e| e.field == field.as_str()).expect("is in the ledger").clone()
}

fn with_facts(ours: Facts, theirs: Facts) -> Comparison {
    let mut input = planted(1.65);
    input.baseline.facts = ours;
    input.candidate.facts = theirs;
    compare(&input)
}

#[test]
fn differing_prompt_tokens_forbid_a_verdict() {
    let mut input = planted(1.65);
    for block in input.candidate.levels.iter_mut().flat_map(|l| &mut l.blocks) {
        block.prompt_tokens = Some(1_075);
    }
    let comparison = compare(&input);
    assert_eq!(comparison.verdict, Verdict::NotComparable);
    assert_eq!(
        comparison.reason,
        "Not comparable: prompt tokens differ (10,240 against 10,750), so the tokenizers or the templates differ."
    );
    assert!(comparison.metrics.iter().all(|m| m.verdict == Verdict::NotComparable && m.ratio.is_some()));
}

#[test]
fn prompt_tokens_of_runs_with_failures_are_held_together_by_their_means() {
    let mut input = planted(1.65);
    for block in input.candidate.levels.iter_mut().flat_map(|l| &mut l.blocks) {
        (block.successful, block.failed, block.prompt_tokens) = (49, 1, Some(1_004));
    }
    let comparison = compare(&input);
    assert!(!entry(&comparison, LedgerField::PromptTokens).differs);
    for block in input.candidate.levels.iter_mut().flat_map(|l| &mut l.blocks) {
        block.prompt_tokens = Some(1_200);
    }
    assert!(entry(&compare(&input), LedgerField::PromptTokens).forbids_verdict);
}

#[test]
fn every_field_weighs_what_it_says() {
    let measured = [
        LedgerField::PromptTokens,
        LedgerField::Requests,
        LedgerField::CacheShare,
        LedgerField::ErrorRate,
        LedgerField::ClientBound,
        LedgerField::Arguments,
        LedgerField::MachineLoad,
        LedgerField::Interleaving,
    ];
    for field in LedgerField::ALL.iter().copied().filter(|field| !measured.contains(field)) {
        let fact = |value: &str| Facts::default().with(field, Some(value));
        let comparison = with_facts(fact("x"), fact("y"));
        let found = entry(&comparison, field);
        assert_eq!((found.baseline.as_str(), found.candidate.as_str(), found.differs), ("x", "y", true));
        assert_eq!(found.forbids_verdict, field.weight() == Weight::Forbids, "{field:?}");
        assert_eq!(comparison.verdict == Verdict::NotComparable, found.forbids_verdict, "{field:?}");
        assert!(!found.remark.is_empty());
        let same = entry(&with_facts(fact("x"), fact("x")), field);
        assert!(!same.differs && !same.forbids_verdict && same.remark.is_empty());
    }
}

#[test]
fn a_fact_of_one_side_only_is_a_remark_and_of_none_is_left_out() {
    let one = Facts::default().with(LedgerField::PromptsHash, Some("abc"));
    let found = entry(&with_facts(one, Facts::default()), LedgerField::PromptsHash);
    assert_eq!((found.baseline.as_str(), found.candidate.as_str()), ("abc", "not reported"));
    assert!(!found.forbids_verdict && found.remark.contains("Only one side"));
    let blank = Facts::default().with(LedgerField::KvDtype, Some(" ")).with(LedgerField::Slots, None::<u32>);
    let comparison = with_facts(blank.clone(), blank);
    assert!(comparison.ledger.iter().all(|e| e.field != "kv_dtype" && e.field != "slots"));
}

#[test]
fn only_the_arguments_that_differ_are_listed() {
    let facts = |text: &str| Facts::default().with_arguments(text.split(' '));
    let comparison = with_facts(
        facts("--parallel 8 -c 4096 --metrics -t 2"),
        facts("-t 2 --parallel 8 -c 8192 --seed -1 --metrics"),
    );
    let found = entry(&comparison, LedgerField::Arguments);
    assert_eq!((found.baseline.as_str(), found.candidate.as_str()), ("-c 4096", "-c 8192 --seed -1"));
    assert!(found.differs && !found.forbids_verdict);
    let same = entry(&with_facts(facts("-t 2 -c 1"), facts("-c 1 -t 2")), LedgerField::Arguments);
    assert_eq!((same.differs, same.baseline.as_str()), (false, "the same"));
}

#[test]
fn warm_against_cold_forbids_a_verdict() {
    let cached = |share: u64| {
        let mut input = planted(1.65);
        for block in &mut input.candidate.levels[1].blocks {
            block.cached_tokens = Some(share * 1_024 / 100);
        }
        compare(&input)
    };
    let warm = cached(71);
    assert_eq!(warm.verdict, Verdict::NotComparable);
    assert!(warm.reason.contains("(0 % at c=32 against 71.0 % at c=32)"), "{}", warm.reason);
    let mut near = planted(1.65);
    for (arm, tokens) in [(&mut near.baseline, 100), (&mut near.candidate, 105)] {
        for block in arm.levels.iter_mut().flat_map(|l| &mut l.blocks) {
            block.cached_tokens = Some(tokens);
        }
    }
    assert_eq!(compare(&near).verdict, Verdict::Better, "9.8 % against 10.3 % is the same");
    // A level where both are warm is further apart than the one that forbids.
    let mut mixed = planted(1.65);
    for (arm, shares) in [(&mut mixed.baseline, [300, 51]), (&mut mixed.candidate, [800, 154])] {
        for (level, tokens) in arm.levels.iter_mut().zip(shares) {
            for block in &mut level.blocks {
                block.cached_tokens = Some(tokens);
            }
        }
    }
    let reason = compare(&mixed).reason;
    assert!(reason.contains("(4.98 % at c=32 against 15.0 % at c=32)"), "{reason}");
    let cold = cached(5);
    assert_eq!(cold.verdict, Verdict::Better);
    assert!(entry(&cold, LedgerField::CacheShare).differs);
}

#[test]
fn error_rates_forbid_from_one_point_apart() {
    let failing = |failed: u64| {
        let mut input = planted(1.65);
        for block in &mut input.candidate.levels[1].blocks {
            (block.failed, block.successful, block.prompt_tokens) = (failed, 1_000 - failed, None);
        }
        compare(&input)
    };
    assert_eq!(failing(30).verdict, Verdict::NotComparable);
    let few = failing(5);
    assert_eq!(few.verdict, Verdict::Better);
    assert!(entry(&few, LedgerField::ErrorRate).remark.starts_with("Requests failed (0 against 25)"));
}

#[test]
fn one_client_bound_run_forbids_a_verdict() {
    let mut input = planted(1.65);
    input.baseline.levels[0].blocks[3].client_bound = true;
    let comparison = compare(&input);
    assert_eq!(comparison.verdict, Verdict::NotComparable);
    let found = entry(&comparison, LedgerField::ClientBound);
    assert_eq!((found.baseline.as_str(), found.candidate.as_str()), ("1 of 10 runs", "0 of 10 runs"));
}

#[test]
fn machine_load_is_remarked_on_from_one_apart() {
    let loaded = |load: f64| Facts::default().with(LedgerField::MachineLoad, Some(load));
    assert!(entry(&with_facts(loaded(0.2), loaded(1.1)), LedgerField::MachineLoad).remark.is_empty());
    assert!(!entry(&with_facts(loaded(0.2), loaded(1.3)), LedgerField::MachineLoad).remark.is_empty());
}

#[test]
fn blocks_that_do_not_alternate_are_remarked_on() {
    let order = |text: &str| Facts::default().with(LedgerField::Interleaving, Some(text));
    let found = entry(
        &with_facts(order("one arm after the other"), order("one arm after the other")),
        LedgerField::Interleaving,
    );
    assert!(!found.differs && found.remark.starts_with("Blocks did not alternate"));
    assert!(
        entry(&with_facts(order("alternating"), order("alternating")), LedgerField::Interleaving)
            .remark
            .is_empty()
    );
}
