use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use inferex_model::actor::Actor;
use inferex_model::run::{ExperimentState, RunState};
use sqlx::error::DatabaseError;

use super::*;
use crate::fixture::{LEASE, NOW, fixture};

/// The blocks that one of several drivers got hold of.
async fn claim_until_none_is_left(store: Store, owner: String, left: Arc<AtomicUsize>) -> Vec<BlockId> {
    let mut mine = Vec::new();
    while left.load(Ordering::Acquire) > 0 {
        let claimed = store.claim_block(HOST_LANE, &owner, NOW, LEASE).await.expect("claims");
        let Some(block) = claimed else {
            tokio::task::yield_now().await;
            continue;
        };
        let run = block.runs[0].id;
        assert!(store.fail_run(run, block.attempt, "test", NOW).await.expect("ends"));
        assert!(store.finish_block(block.block, block.attempt, NOW).await.expect("finishes"));
        mine.push(block.block);
        left.fetch_sub(1, Ordering::AcqRel);
    }
    mine
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn four_claimers_of_two_thousand_blocks_never_share_one() {
    let f = fixture().await;
    f.experiment(20, 100, &[1]).await;
    let left = Arc::new(AtomicUsize::new(2_000));
    let mut tasks = tokio::task::JoinSet::new();
    for owner in 0..4 {
        let store = Store::open(&f.path).await.expect("another handle opens");
        tasks.spawn(claim_until_none_is_left(store, format!("driver-{owner}"), Arc::clone(&left)));
    }
    let claimed = tasks.join_all().await.concat();
    assert_eq!(claimed.len(), 2_000);
    assert_eq!(claimed.iter().collect::<BTreeSet<_>>().len(), 2_000, "a block was claimed twice");
}

#[tokio::test]
async fn blocks_are_claimed_in_order_one_at_a_time_by_lane() {
    let f = fixture().await;
    f.experiment(2, 1, &[1]).await;
    f.experiment(1, 1, &[1]).await;
    assert_eq!(f.store.claim_block("gpu-0", "driver", NOW, LEASE).await.expect("works"), None);
    for expected in [1, 2, 3] {
        let block = f.claim().await.expect("the lane is free");
        assert_eq!(block.block, BlockId(expected));
        assert_eq!(f.claim().await, None, "the lane is taken");
        f.lead(&block, 0, RunState::Done).await;
        assert!(f.store.finish_block(block.block, block.attempt, NOW).await.expect("finishes"));
    }
    assert_eq!(f.claim().await, None, "nothing is left");
}

#[tokio::test]
async fn the_database_itself_refuses_a_second_running_block_in_a_lane() {
    let f = fixture().await;
    f.experiment(2, 1, &[1]).await;
    f.claim().await.expect("a block");
    let mut tx = f.store.write().await.expect("begins");
    let forced =
        sqlx::query("UPDATE blocks SET state = 'running', owner = 'x', lease_until = 1 WHERE id = 2")
            .execute(&mut *tx)
            .await;
    let error = forced.expect_err("the index refuses");
    assert!(error.as_database_error().is_some_and(DatabaseError::is_unique_violation), "{error}");
    sqlx::query(
        "UPDATE blocks SET state = 'running', owner = 'x', lease_until = 1, lane = 'gpu-0' WHERE id = 2",
    )
    .execute(&mut *tx)
    .await
    .expect("another lane is another matter");
}

#[tokio::test]
async fn a_claim_brings_all_that_a_driver_needs() {
    let f = fixture().await;
    let id = f.experiment(1, 1, &[1, 8]).await;
    let claimed = f.claim().await.expect("a block");
    assert_eq!((claimed.experiment, claimed.arm_name.as_str(), claimed.attempt), (id, "v0", 1));
    assert_eq!(claimed.variant, crate::fixture::variant("v0"));
    assert_eq!(claimed.runs.iter().map(|run| run.level.concurrency).collect::<Vec<_>>(), [1, 8]);
    let row = &f.store.blocks_of(id).await.expect("reads")[0];
    assert_eq!((row.state, row.owner.as_deref()), (BlockState::Running, Some("driver")));
    assert_eq!((row.lease_until, row.started_at), (Some(LEASE), Some(NOW)));

    let environment = Environment { cpus: Some(2), ..Environment::default() };
    let set = f.store.set_block_environment(claimed.block, 1, &environment, None).await;
    assert!(set.expect("sets"));
    assert_eq!(f.store.blocks_of(id).await.expect("reads")[0].environment, Some(environment));
}

#[tokio::test]
async fn a_holder_whose_block_was_taken_away_changes_nothing() {
    let f = fixture().await;
    let id = f.experiment(1, 1, &[1, 8]).await;
    let old = f.claim().await.expect("a block");
    f.lead(&old, 0, RunState::Measuring).await;
    assert_eq!(f.store.interrupt_active(NOW, "the server was stopped").await.expect("interrupts"), 1);
    let new = f.claim().await.expect("the rest of the block");
    assert_eq!((new.block, new.attempt, new.runs.len()), (old.block, 2, 1));
    let before = f.queue_text(id).await;

    let (store, attempt) = (&f.store, old.attempt);
    let (first, second) = (old.runs[0].id, old.runs[1].id);
    let progress = inferex_model::run::RequestProgress::default();
    let environment = Environment::default();
    let writes = [
        store.heartbeat_block(old.block, attempt, LEASE).await,
        store.set_block_environment(old.block, attempt, &environment, None).await,
        store.begin_preparing(second, attempt, NOW).await,
        store.begin_processing(first, attempt).await,
        store.set_run_progress(first, attempt, progress, None).await,
        store.append_events(first, attempt, 0, b"late").await,
        store.finish_run(first, attempt, &crate::fixture::summary(), &[], NOW).await,
        store.fail_run(second, attempt, "late", NOW).await,
        store.cancel_run(first, attempt, "late", NOW).await,
        store.finish_block(old.block, attempt, NOW).await,
    ];
    for (index, write) in writes.into_iter().enumerate() {
        assert!(!write.expect("works"), "write {index} of the old holder went through");
    }
    assert_eq!(f.queue_text(id).await, before);
    assert!(store.heartbeat_block(new.block, new.attempt, LEASE).await.expect("the new holder's does"));
}

/// The server dies in every state a run can be in; the queue afterwards, as text.
#[tokio::test]
async fn a_crash_in_any_state_interrupts_the_run_and_keeps_the_rest() {
    for state in [RunState::Preparing, RunState::Warming, RunState::Measuring, RunState::Processing] {
        let f = fixture().await;
        let id = f.experiment(1, 2, &[1, 8]).await;
        let block = f.claim().await.expect("a block");
        f.lead(&block, 0, state).await;
        f.store.append_events(block.runs[0].id, 1, 0, b"kept").await.expect("appends");
        assert_eq!(f.store.interrupt_active(NOW, "killed").await.expect("interrupts"), 1, "{state}");
        assert_eq!(
            f.queue_text(id).await,
            "blk-1 r0 v0 queued #2 | c=1 interrupted #1 | c=8 queued #2\n\
             blk-2 r1 v0 queued #1 | c=1 queued #1 | c=8 queued #1\n",
            "{state}"
        );
        let run = f.store.run(block.runs[0].id).await.expect("reads").expect("is there");
        assert_eq!((run.reason.as_deref(), run.ended_at), (Some("killed"), Some(NOW)));
        let kept = f.store.event_chunk(run.id, 1, None).await.expect("reads");
        assert_eq!(kept, Some((0, b"kept".to_vec())), "{state}");
        assert_eq!(f.store.interrupt_active(NOW, "killed").await.expect("works"), 0, "a second start");
    }
}

#[tokio::test]
async fn a_crash_in_the_last_run_or_before_the_first_loses_no_block() {
    let f = fixture().await;
    let id = f.experiment(2, 1, &[1]).await;
    let block = f.claim().await.expect("a block");
    assert_eq!(f.store.interrupt_active(NOW, "killed").await.expect("interrupts"), 0, "no run had begun");
    let again = f.claim().await.expect("the same block");
    assert_eq!((again.block, again.attempt), (block.block, 2));
    f.lead(&again, 0, RunState::Warming).await;
    assert_eq!(f.store.interrupt_active(NOW, "killed").await.expect("interrupts"), 1);
    assert_eq!(
        f.queue_text(id).await,
        "blk-1 r0 v0 finished #2 | c=1 interrupted #2\n\
         blk-2 r0 v1 queued #1 | c=1 queued #1\n"
    );
}

#[tokio::test]
async fn only_leases_that_ran_out_are_taken_away() {
    let f = fixture().await;
    f.experiment(1, 1, &[1]).await;
    let block = f.claim().await.expect("a block");
    f.lead(&block, 0, RunState::Measuring).await;
    let before = LEASE.plus_ms(-1);
    assert_eq!(f.store.interrupt_expired(before, "hangs").await.expect("works"), 0);
    f.store.heartbeat_block(block.block, 1, LEASE.plus_ms(10)).await.expect("renews");
    assert_eq!(f.store.interrupt_expired(LEASE, "hangs").await.expect("works"), 0);
    assert_eq!(f.store.interrupt_expired(LEASE.plus_ms(10), "hangs").await.expect("works"), 1);
}

#[tokio::test]
async fn a_block_given_up_early_leaves_nothing_under_way() {
    let f = fixture().await;
    let id = f.experiment(1, 1, &[1, 8]).await;
    let block = f.claim().await.expect("a block");
    f.lead(&block, 0, RunState::Measuring).await;
    assert!(f.store.finish_block(block.block, 1, NOW).await.expect("gives up"));
    assert_eq!(f.queue_text(id).await, "blk-1 r0 v0 queued #2 | c=1 interrupted #1 | c=8 queued #2\n");
    assert!(!f.store.finish_block(block.block, 1, NOW).await.expect("works"));
}

#[tokio::test]
async fn a_person_puts_interrupted_runs_back_and_nothing_else() {
    let f = fixture().await;
    let id = f.experiment(2, 1, &[1, 8]).await;
    let block = f.claim().await.expect("a block");
    f.store.fail_run(block.runs[0].id, 1, "no memory", NOW).await.expect("fails");
    f.lead(&block, 1, RunState::Measuring).await;
    f.store.append_events(block.runs[1].id, 1, 0, b"first try").await.expect("appends");
    f.store.interrupt_active(NOW, "killed").await.expect("interrupts");
    assert_eq!(f.store.requeue_interrupted(&Actor::local(), id, NOW).await.expect("requeues"), 1);
    assert_eq!(
        f.queue_text(id).await,
        "blk-1 r0 v0 queued #2 | c=1 failed #1 | c=8 queued #2\n\
         blk-2 r0 v1 queued #1 | c=1 queued #1 | c=8 queued #1\n"
    );
    let again = f.claim().await.expect("the block again");
    assert_eq!((again.block, again.attempt, again.runs.len()), (block.block, 2, 1));
    let run = &again.runs[0];
    assert_eq!((run.reason.as_deref(), run.started_at, run.progress), (None, None, None));
    f.lead(&again, 0, RunState::Measuring).await;
    assert!(f.store.append_events(run.id, 2, 0, b"second try").await.expect("appends"));
    let kept = f.store.event_chunk(run.id, 1, None).await.expect("reads");
    assert_eq!(kept, Some((0, b"first try".to_vec())));
    assert_eq!(f.store.requeue_interrupted(&Actor::local(), id, NOW).await.expect("works"), 0);
}

#[tokio::test]
async fn a_run_put_back_while_its_block_runs_waits_for_its_end() {
    let f = fixture().await;
    let id = f.experiment(1, 1, &[1, 8]).await;
    let first = f.claim().await.expect("a block");
    f.lead(&first, 0, RunState::Warming).await;
    f.store.interrupt_active(NOW, "killed").await.expect("interrupts");
    let second = f.claim().await.expect("the rest");
    f.lead(&second, 0, RunState::Measuring).await;
    assert_eq!(f.store.requeue_interrupted(&Actor::local(), id, NOW).await.expect("requeues"), 1);
    assert_eq!(f.queue_text(id).await, "blk-1 r0 v0 running #2 | c=1 queued #2 | c=8 measuring #2\n");
    assert_eq!(f.store.queued_runs_of(second.block).await.expect("reads").len(), 1);
    assert!(f.store.begin_processing(second.runs[0].id, 2).await.expect("the holder goes on"));
    assert!(
        f.store.finish_run(second.runs[0].id, 2, &crate::fixture::summary(), &[], NOW).await.expect("ends")
    );
    assert!(f.store.finish_block(second.block, 2, NOW).await.expect("gives back"));
    assert_eq!(f.queue_text(id).await, "blk-1 r0 v0 queued #3 | c=1 queued #3 | c=8 done #2\n");
}

#[tokio::test]
async fn a_cancelled_experiment_is_passed_over_and_can_be_taken_up_again() {
    let f = fixture().await;
    let id = f.experiment(1, 2, &[1]).await;
    let other = f.experiment(1, 1, &[1]).await;
    let block = f.claim().await.expect("a block");
    f.lead(&block, 0, RunState::Measuring).await;
    f.store.cancel_experiment(&Actor::local(), id, NOW).await.expect("cancels");
    let requeued = f.store.requeue_interrupted(&Actor::local(), id, NOW).await;
    assert_eq!(requeued.expect("works"), 0, "it is still being stopped");
    f.store.interrupt_active(NOW, "killed while stopping").await.expect("interrupts");
    assert_eq!(f.claim().await.map(|claimed| claimed.experiment), Some(other));

    assert_eq!(f.store.requeue_interrupted(&Actor::local(), id, NOW).await.expect("requeues"), 1);
    assert!(!f.store.is_cancel_requested(id).await.expect("reads"));
    assert_eq!(
        f.queue_text(id).await,
        "blk-1 r0 v0 queued #2 | c=1 queued #2\n\
         blk-2 r1 v0 finished #1 | c=1 cancelled #1\n"
    );
    let row = f.store.experiment(id).await.expect("reads").expect("is there");
    assert_eq!(row.state(), ExperimentState::Running);
}

/// Cancelling leaves no queued run; should one ever be left, it is still not taken up.
#[tokio::test]
async fn no_block_of_a_cancelled_experiment_is_claimed() {
    let f = fixture().await;
    f.experiment(1, 1, &[1]).await;
    let mut tx = f.store.write().await.expect("begins");
    sqlx::query("UPDATE experiments SET cancel_requested = 1").execute(&mut *tx).await.expect("sets");
    tx.commit().await.expect("commits");
    assert_eq!(f.claim().await, None);
}

#[tokio::test]
async fn the_overview_shows_the_running_block_first() {
    let f = fixture().await;
    f.experiment(1, 2, &[1]).await;
    f.claim().await.expect("a block");
    f.experiment(1, 1, &[1]).await;
    let queue = f.store.queued_blocks().await.expect("reads");
    let seen: Vec<_> = queue.iter().map(|block| (block.id.0, block.state)).collect();
    assert_eq!(seen, [(1, BlockState::Running), (2, BlockState::Queued), (3, BlockState::Queued)]);
}
