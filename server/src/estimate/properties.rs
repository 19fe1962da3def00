//! An estimate is finite, never shrinks when there is more to do, and stays between what was seen.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{History, Level, PastRun, RUN_SECONDS, START_SECONDS, whole};

fn past() -> impl Strategy<Value = Vec<PastRun>> {
    let run = ("[ab]", prop::sample::select(vec![1_u32, 8, 32]), speed())
        .prop_map(|(variant, concurrency, tok_s)| PastRun { variant, concurrency, tok_s });
    vec(run, 0..12)
}

/// Speeds as they come, among them such as no run can have had.
fn speed() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.1..10_000.0_f64, 1 => Just(0.0), 1 => Just(-3.0), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)]
}

fn level() -> impl Strategy<Value = Level> {
    (1..4_096_u32, 1..100_000_u32).prop_map(|(concurrency, requests)| Level::closed(concurrency, requests))
}

proptest! {
    #[test]
    fn an_estimate_is_finite_and_holds_its_overheads(
        past in past(), levels in vec(level(), 0..4), tokens in 1..100_000_u32,
    ) {
        let (seconds, _) = History::of(&past).block_seconds("a", &levels, tokens);
        let least = START_SECONDS + RUN_SECONDS * levels.len() as f64;
        prop_assert!(seconds.is_finite() && seconds >= least, "{seconds} < {least}");
    }

    #[test]
    fn more_work_never_takes_less(past in past(), level in level(), tokens in 1..1_000_u32, more in 0..1_000_u32) {
        let history = History::of(&past);
        let (seconds, _) = history.run_seconds("a", level, tokens);
        let longer = history.run_seconds("a", level, tokens + more).0;
        let fuller = Level { requests: level.requests.saturating_add(more), ..level };
        prop_assert!(longer >= seconds);
        prop_assert!(history.run_seconds("a", fuller, tokens).0 >= seconds);
    }

    #[test]
    fn where_the_past_knows_the_estimate_lies_between_what_was_seen(past in past(), tokens in 1..1_000_u32) {
        let level = Level { concurrency: 8, requests: 50 };
        let seen: Vec<f64> = past
            .iter()
            .filter(|run| run.variant == "a" && run.concurrency == 8)
            .map(|run| run.tok_s)
            .filter(|tok_s| tok_s.is_finite() && *tok_s > 0.0)
            .collect();
        let (seconds, known) = History::of(&past).run_seconds("a", level, tokens);
        prop_assert_eq!(known, !seen.is_empty());
        let work = 50.0 * f64::from(tokens);
        let at = |tok_s: f64| work / tok_s + RUN_SECONDS;
        let fastest = seen.iter().copied().fold(f64::NAN, f64::max);
        let slowest = seen.iter().copied().fold(f64::NAN, f64::min);
        prop_assert!(!known || (seconds >= at(fastest) - 1e-6 && seconds <= at(slowest) + 1e-6));
    }

    #[test]
    fn whole_seconds_round_up_and_never_break(seconds in any::<f64>()) {
        let shown = whole(seconds);
        prop_assert!(shown <= 1_000_000_000);
        prop_assert!(seconds <= 0.0 || seconds.is_nan() || shown >= 1);
        prop_assert!(!(0.0..1e9).contains(&seconds) || (shown as f64 >= seconds && shown as f64 - seconds <= 1.0));
    }
}
