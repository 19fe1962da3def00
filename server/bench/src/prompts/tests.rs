use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;

use super::*;

fn set() -> &'static PromptSet {
    by_name("inferex-50").expect("built in")
}

fn level(concurrency: u32) -> Level {
    Level { concurrency, requests: 1 }
}

/// A rough upper bound: no common vocabulary needs more than one token for two characters of such text.
fn tokens_at_most(text: &str) -> usize {
    text.chars().count() / 2
}

#[test]
fn the_built_in_set_has_fifty_prompts_of_varied_kind_and_length() {
    let set = set();
    assert_eq!(set.prompts.len(), 50);
    let words = |prompt: &BasePrompt| prompt.text.split_whitespace().count();
    let mut lengths: Vec<usize> = set.prompts.iter().map(words).collect();
    lengths.sort_unstable();
    assert!(lengths[0] <= 15 && lengths[25] >= 35 && lengths[49] >= 200, "{lengths:?}");
    assert!(lengths.iter().collect::<BTreeSet<_>>().len() >= 30, "{lengths:?}");
    assert!(set.prompts.iter().map(|prompt| &prompt.kind).collect::<BTreeSet<_>>().len() >= 10);
    // Short and long prompts are mixed, so that every part of a run sees both.
    for part in set.prompts.chunks(10) {
        assert!(part.iter().any(|prompt| words(prompt) < 30) && part.iter().any(|prompt| words(prompt) > 45));
    }
}

#[test]
fn every_salted_prompt_fits_a_small_context() {
    for text in set().measured(42, level(8), 0, 50) {
        assert!(tokens_at_most(&text) < 1_000, "{text}");
    }
}

#[test]
fn texts_and_salt_rule_are_those_of_the_published_hash() {
    // A change here means a new prompt set: runs before and after it cannot be compared.
    insta::assert_snapshot!(set().hash, @"a7de09ceee5013ca662eccbed7cc98d5065b62fab347b91dee3f1eaa2d4eec49");
    insta::assert_snapshot!(salt(&set().measured(42, level(8), 0, 1)[0]), @"6 8 8 6 0 4 3 1 0 0 4 5");
}

#[test]
fn the_hash_depends_on_name_texts_and_their_bounds() {
    let set = |name: &str, texts: &[&str]| {
        let prompts = texts.iter().map(|text| BasePrompt { kind: String::new(), text: (*text).to_owned() });
        PromptSet::new(name.to_owned(), prompts.collect()).hash
    };
    let hashes =
        [set("a", &["x", "yz"]), set("a", &["xy", "z"]), set("b", &["x", "yz"]), set("a", &["yz", "x"])];
    assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), 4);
    assert!(hashes.iter().all(|hash| hash.len() == 64));
}

#[test]
fn prompts_keep_their_order_and_no_pass_repeats_another() {
    let texts = set().measured(1, level(32), 3, 128);
    assert_eq!(texts.len(), 128);
    for (n, text) in texts.iter().enumerate() {
        assert!(text.ends_with(&set().prompts[n % 50].text), "{n}");
    }
    assert_eq!(texts.iter().collect::<HashSet<_>>().len(), 128);
}

#[test]
fn an_empty_set_gives_nothing() {
    assert!(PromptSet::new("none".to_owned(), Vec::new()).measured(1, level(1), 0, 5).is_empty());
    assert_eq!(by_name("unknown"), None);
    assert_eq!(names().collect::<Vec<_>>(), ["inferex-50"]);
}

/// The salt in front of a prompt.
fn salt(text: &str) -> &str {
    text.split_once(" is the number").expect("a salt line").0
}

proptest! {
    #[test]
    fn every_run_gets_salts_of_its_own(
        seed in any::<u64>(),
        runs in prop::collection::hash_set((1u32..64, 0u32..10), 1..6),
        requests in 1u32..120,
    ) {
        let mut seen = HashSet::new();
        for (concurrency, repeat) in runs {
            let measured = set().measured(seed, level(concurrency), repeat, requests);
            prop_assert_eq!(&measured, &set().measured(seed, level(concurrency), repeat, requests));
            for text in measured.iter().chain(&set().warmup(seed, level(concurrency), repeat, requests)) {
                let salt = salt(text);
                prop_assert_eq!(salt.len(), 23);
                let in_form = |(at, byte): (usize, u8)| if at % 2 == 1 { byte == b' ' } else { byte.is_ascii_digit() };
                prop_assert!(salt.bytes().enumerate().all(in_form));
                prop_assert!(seen.insert(salt.to_owned()), "{} twice", salt);
            }
        }
    }

    #[test]
    fn another_seed_gives_other_salts(seed in any::<u64>(), other in any::<u64>()) {
        prop_assume!(seed != other);
        let first = |seed| set().measured(seed, level(1), 0, 1).remove(0);
        prop_assert_ne!(first(seed), first(other));
    }
}
