use proptest::prelude::*;

use super::*;
use crate::fixture::{Fixture, NOW, fixture, summary};

fn row(req: u64) -> RequestRow {
    RequestRow {
        req,
        sent_ms: Some(1.5),
        ttft_ms: Some(300.0),
        tpot_ms: None,
        e2e_ms: Some(460.25),
        prompt_tokens: Some(12),
        output_tokens: Some(7),
        cached_tokens: None,
        finish: Some("length".to_owned()),
        error: None,
    }
}

#[tokio::test]
async fn a_run_that_is_done_has_its_figures_and_its_requests() {
    let f = fixture().await;
    f.experiment(1, 1, &[1]).await;
    let block = f.claim().await.expect("a block");
    f.lead(&block, 0, RunState::Measuring).await;
    let run = block.runs[0].id;
    let progress = RequestProgress { total: 4, done: 1, in_flight: 1, failed: 0 };
    assert!(f.store.set_run_progress(run, 1, progress, Some(36.5)).await.expect("notes"));
    let seen = f.store.run(run).await.expect("reads").expect("is there");
    assert_eq!((seen.progress, seen.tok_s, seen.measured_at), (Some(progress), Some(36.5), Some(NOW)));

    assert!(f.store.begin_processing(run, 1).await.expect("processes"));
    let failed = RequestRow { error: Some("timeout".to_owned()), ttft_ms: None, ..row(1) };
    let rows = [row(2), row(0), failed.clone()];
    let later = NOW.plus_ms(500);
    assert!(f.store.finish_run(run, 1, &summary(), &rows, later).await.expect("ends"));
    let seen = f.store.run(run).await.expect("reads").expect("is there");
    assert_eq!((seen.state, seen.summary, seen.ended_at), (RunState::Done, Some(summary()), Some(later)));
    assert_eq!((seen.tok_s, seen.progress), (None, Some(summary().progress)));
    assert_eq!(f.store.request_rows(run, 0, 2).await.expect("reads"), [row(0), failed]);
    assert_eq!(f.store.request_rows(run, 2, 2).await.expect("reads"), [row(2)]);
}

/// What a driver might call, in whatever order.
#[derive(Debug, Clone, Copy)]
enum Step {
    Prepare,
    Warm,
    Measure,
    Process,
    Finish,
    Fail,
    Cancel,
    Crash,
}

const STEPS: [Step; 8] = [
    Step::Prepare,
    Step::Warm,
    Step::Measure,
    Step::Process,
    Step::Finish,
    Step::Fail,
    Step::Cancel,
    Step::Crash,
];

/// The states as the vocabulary describes them; `None` when the step does not apply.
fn expected(state: RunState, step: Step) -> Option<RunState> {
    match (step, state) {
        (Step::Prepare, RunState::Queued) => Some(RunState::Preparing),
        (Step::Warm, RunState::Preparing) => Some(RunState::Warming),
        (Step::Measure, RunState::Warming) => Some(RunState::Measuring),
        (Step::Process, RunState::Measuring) => Some(RunState::Processing),
        (Step::Finish, RunState::Processing) => Some(RunState::Done),
        (Step::Fail, state) if !state.is_over() => Some(RunState::Failed),
        (Step::Cancel, state) if !state.is_over() => Some(RunState::Cancelled),
        (Step::Crash, state) if state.is_active() => Some(RunState::Interrupted),
        _ => None,
    }
}

async fn take(f: &Fixture, run: RunId, attempt: u32, step: Step) -> bool {
    let store = &f.store;
    let taken = match step {
        Step::Prepare => store.begin_preparing(run, attempt, NOW).await,
        Step::Warm => store.begin_warming(run, attempt).await,
        Step::Measure => store.begin_measuring(run, attempt, NOW).await,
        Step::Process => store.begin_processing(run, attempt).await,
        Step::Finish => store.finish_run(run, attempt, &summary(), &[], NOW).await,
        Step::Fail => store.fail_run(run, attempt, "test", NOW).await,
        Step::Cancel => store.cancel_run(run, attempt, "test", NOW).await,
        Step::Crash => store.interrupt_active(NOW, "test").await.map(|count| count > 0),
    };
    taken.expect("no step is an error")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is called in whatever order, a run changes only along its life and every end is final.
    #[test]
    fn a_run_changes_only_along_its_life(steps in prop::collection::vec(0usize..STEPS.len(), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let f = fixture().await;
            f.experiment(1, 1, &[1]).await;
            let mut run = f.claim().await.expect("a block").runs.remove(0);
            for step in steps.into_iter().map(|index| STEPS[index]) {
                let wanted = expected(run.state, step);
                assert_eq!(take(&f, run.id, run.attempt, step).await, wanted.is_some(), "{step:?} on {}", run.state);
                let crashed_before_it_began = matches!(step, Step::Crash) && run.state == RunState::Queued;
                run = f.store.run(run.id).await.expect("reads").expect("is there");
                if let Some(wanted) = wanted {
                    assert_eq!(run.state, wanted);
                }
                if crashed_before_it_began {
                    run = f.claim().await.expect("the block is claimed again").runs.remove(0);
                }
            }
        });
    }
}
