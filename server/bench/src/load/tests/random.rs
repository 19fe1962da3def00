//! Whatever an upstream does, a run keeps its order and ends.

use proptest::prelude::*;

use super::upstream::{Step, Upstream, delta, done, end, event, finish, head, piece, plain, token, usage};
use super::*;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(token()),
        2 => Just(delta(r#"{"role":"assistant"}"#)),
        2 => Just(finish()),
        2 => Just(done()),
        2 => Just(usage()),
        2 => Just(end()),
        1 => Just(head()),
        1 => Just(event(r#"{"error":{"type":"x"}}"#)),
        1 => Just(plain("503 Service Unavailable", "{}")),
        1 => Just(Step::Close),
        1 => Just(Step::Reset),
        2 => prop::collection::vec(any::<u8>(), 0..12).prop_filter("an empty piece ends the body", |bytes| !bytes.is_empty()).prop_map(piece),
        1 => prop::collection::vec(any::<u8>(), 0..12).prop_map(Step::Write),
    ]
}

/// Mostly well-formed beginnings; the connection ends after each script, so that nothing can hang.
fn script() -> impl Strategy<Value = Vec<Step>> {
    (any::<bool>(), prop::collection::vec(step(), 0..8)).prop_map(|(begun, steps)| {
        let begin = if begun { vec![head()] } else { Vec::new() };
        [begin, steps, vec![Step::Close]].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_run_keeps_its_order_and_ends(scripts in prop::collection::vec(script(), 1..9), places in 1u32..4) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let requests = scripts.len();
            let upstream = Upstream::start(move |asked| {
                let index: usize = asked.prompt[1..].parse().unwrap();
                scripts[index].clone()
            })
            .await;
            let observed = observe(job(&upstream, requests, places)).await;
            observed.check(requests);
            let timed_out = observed.outcomes().values().any(|end| *end == Some(ErrorClass::Timeout));
            assert!(!timed_out);
        });
    }
}
