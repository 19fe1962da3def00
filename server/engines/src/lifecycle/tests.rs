use super::*;
use proptest::prelude::*;

use DeploymentState as S;

/// The states entered, and the life at the end.
fn live(inputs: impl IntoIterator<Item = Input>) -> (Life, Vec<S>, Vec<Effect>) {
    let (mut life, mut states, mut all) = (Life::default(), Vec::new(), Vec::new());
    for input in inputs {
        let (next, effects) = step(life, input);
        life = next;
        states.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Enter(state, _) => Some(*state),
            _ => None,
        }));
        all.extend(effects);
    }
    (life, states, all)
}

fn to_ready() -> Vec<Input> {
    vec![
        Input::Spawned,
        Input::Probed(Readiness::Starting),
        Input::Probed(Readiness::Loading),
        Input::Probed(Readiness::Up),
        Input::Completed,
    ]
}

fn exit(code: i32) -> Input {
    Input::Exited(Exit { code: Some(code) })
}

#[test]
fn a_good_start_passes_every_state_once() {
    let (_, states, effects) = live(to_ready());
    assert_eq!(states, [S::Starting, S::Loading, S::Warming, S::Ready]);
    let capacity = effects.iter().position(|effect| *effect == Effect::ReadCapacity);
    let ready = effects.iter().position(|effect| matches!(effect, Effect::Enter(S::Ready, _)));
    assert!(capacity < ready, "capacity is known when ready is told");
}

#[test]
fn health_alone_is_not_ready() {
    let inputs = [Input::Spawned, Input::Probed(Readiness::Up), Input::NotCompleted("HTTP 500".to_owned())];
    let (life, _, effects) = live(inputs);
    assert_eq!(life.state, S::Warming);
    assert!(matches!(effects.last(), Some(Effect::Note(text)) if text.contains("HTTP 500")));
    assert_eq!(step(life, Input::Probed(Readiness::Up)).1, [Effect::Complete], "it is tried again");
}

#[test]
fn a_foreign_server_never_leads_to_warming() {
    let (life, _, effects) = live([Input::Spawned, Input::Foreign("someone else answers".to_owned())]);
    assert_eq!(life.state, S::Starting);
    assert!(!effects.contains(&Effect::Complete));
}

#[test]
fn an_exit_counts_at_once_in_every_state_before_the_end() {
    for length in 1..=to_ready().len() {
        let (life, _, _) = live(to_ready().into_iter().take(length).chain([exit(3)]));
        assert_eq!(life.state, S::Failed, "after {length} inputs");
    }
}

#[test]
fn an_exit_after_a_stop_is_no_failure() {
    let (_, states, effects) = live(to_ready().into_iter().chain([Input::StopRequested, exit(137)]));
    assert_eq!(states[4..], [S::Stopping, S::Stopped]);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Explain(_) | Effect::Fail(_))));
}

#[test]
fn the_deadline_kills_before_it_tells_and_does_not_touch_a_ready_one() {
    let (_, effects) = step(Life { state: S::Loading, failed_probes: 0 }, Input::DeadlinePassed);
    assert_eq!(effects[..2], [Effect::Kill, Effect::Fail(FailureClass::Timeout)]);
    let ready = Life { state: S::Ready, failed_probes: 0 };
    assert_eq!(step(ready, Input::DeadlinePassed), (ready, vec![]));
}

#[test]
fn several_failed_probes_in_a_row_make_unhealthy_and_one_good_one_heals() {
    let bad = || Input::Probed(Readiness::Unclear("no answer within 5 s".to_owned()));
    let good = || Input::Probed(Readiness::Up);
    let health = |inputs: Vec<Input>| {
        let effects = live(to_ready().into_iter().chain(inputs)).2;
        effects.into_iter().filter(|effect| matches!(effect, Effect::Health(_))).collect::<Vec<_>>()
    };
    assert_eq!(health(vec![bad(), bad(), good(), bad(), bad()]), []);
    assert_eq!(health(vec![bad(), bad(), bad(), bad()]), [Effect::Health(false)]);
    assert_eq!(health(vec![bad(), bad(), bad(), good()]), [Effect::Health(false), Effect::Health(true)]);
}

fn any_input() -> impl Strategy<Value = Input> {
    prop_oneof![
        Just(Input::Spawned),
        Just(Input::Probed(Readiness::Starting)),
        Just(Input::Probed(Readiness::Loading)),
        Just(Input::Probed(Readiness::Up)),
        Just(Input::Probed(Readiness::Unclear("?".to_owned()))),
        Just(Input::Foreign("?".to_owned())),
        Just(Input::Completed),
        Just(Input::NotCompleted("?".to_owned())),
        Just(Input::DeadlinePassed),
        Just(Input::StopRequested),
        (0..3).prop_map(exit),
    ]
}

proptest! {
    #[test]
    fn states_only_go_forward_and_the_end_is_the_end(
        inputs in proptest::collection::vec(any_input(), 0..30),
    ) {
        let (_, states, _) = live(inputs);
        let rank = |state: &S| S::ALL.iter().position(|other| other == state);
        prop_assert!(states.windows(2).all(|pair| rank(&pair[0]) < rank(&pair[1])), "{:?}", states);
        prop_assert!(states.iter().filter(|state| state.is_over()).count() <= 1);
    }

    #[test]
    fn ready_needs_a_real_completion(inputs in proptest::collection::vec(any_input(), 0..30)) {
        let completed = inputs.contains(&Input::Completed);
        let (_, states, effects) = live(inputs);
        if states.contains(&S::Ready) {
            prop_assert!(completed && effects.contains(&Effect::Complete));
        }
    }
}
