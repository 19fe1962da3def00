use inferex_model::variant::RuntimeKind;

use super::*;
use crate::deployments::DeploymentOwner;
use crate::fixture::{NOW, fixture, spec, variant};

#[tokio::test]
async fn an_experiment_comes_with_every_block_and_run_in_their_order() {
    let f = fixture().await;
    let id = f.experiment(2, 2, &[1, 8]).await;
    assert_eq!(
        f.queue_text(id).await,
        "blk-1 r0 v0 queued #1 | c=1 queued #1 | c=8 queued #1\n\
         blk-2 r0 v1 queued #1 | c=1 queued #1 | c=8 queued #1\n\
         blk-3 r1 v1 queued #1 | c=1 queued #1 | c=8 queued #1\n\
         blk-4 r1 v0 queued #1 | c=1 queued #1 | c=8 queued #1\n"
    );
    let row = f.store.experiment(id).await.expect("reads").expect("is there");
    assert_eq!(row.spec, spec(2, 2, &[1, 8]));
    assert_eq!(row.variants, [variant("v0"), variant("v1")]);
    assert_eq!(row.counts, BTreeMap::from([(RunState::Queued, 8)]));
    assert_eq!((row.state(), row.prompts_hash.as_str()), (ExperimentState::Queued, "hash"));
    assert_eq!(f.store.runs_of(id).await.expect("reads")[1].level.requests, 32, "four for each place");
}

#[tokio::test]
async fn an_experiment_without_a_variant_for_each_arm_is_refused_whole() {
    let f = fixture().await;
    let refused =
        f.store.create_experiment(&Actor::local(), &spec(2, 1, &[1]), &[variant("v0")], "h", NOW).await;
    assert!(matches!(refused, Err(StoreError::ArmMismatch { arms: 2, variants: 1 })));
    assert_eq!(f.store.experiments(None, 10).await.expect("reads"), []);
}

#[tokio::test]
async fn later_changes_of_a_stored_variant_do_not_reach_the_frozen_one() {
    let f = fixture().await;
    f.store.put_variant(&Actor::local(), &variant("v0"), NOW).await.expect("stores");
    let id = f.experiment(1, 1, &[1]).await;
    let changed = Variant { args: vec!["-t".to_owned()], ..variant("v0") };
    f.store.put_variant(&Actor::local(), &changed, NOW).await.expect("replaces");
    assert_eq!(f.claim().await.map(|claimed| claimed.variant), Some(variant("v0")));
    let row = f.store.experiment(id).await.expect("reads").expect("is there");
    assert_eq!(row.variants, [variant("v0")]);
}

#[tokio::test]
async fn pages_go_from_the_newest_to_the_oldest() {
    let f = fixture().await;
    for _ in 0..5 {
        f.experiment(1, 1, &[1]).await;
    }
    let first = f.store.experiments(None, 2).await.expect("reads");
    let second = f.store.experiments(first.last().map(|row| row.id), 10).await.expect("reads");
    let ids: Vec<i64> = first.iter().chain(&second).map(|row| row.id.0).collect();
    assert_eq!(ids, [5, 4, 3, 2, 1]);
    assert!(second.iter().all(|row| row.variants.len() == 1 && row.counts.len() == 1));
    assert_eq!(f.store.experiment(ExperimentId(6)).await.expect("reads"), None);
    assert_eq!(f.store.experiment(ExperimentId(0)).await.expect("reads"), None);
}

#[tokio::test]
async fn cancelling_ends_the_queued_runs_and_asks_for_the_active_ones() {
    let f = fixture().await;
    let id = f.experiment(2, 1, &[1, 8]).await;
    let block = f.claim().await.expect("a block");
    f.lead(&block, 0, RunState::Measuring).await;
    let counts = f.store.cancel_experiment(&Actor::local(), id, NOW).await.expect("cancels");
    assert_eq!(counts, Some(CancelCounts { cancelled: 3, active: 1 }));
    assert!(f.store.is_cancel_requested(id).await.expect("reads"));
    assert_eq!(
        f.queue_text(id).await,
        "blk-1 r0 v0 running #1 | c=1 measuring #1 | c=8 cancelled #1\n\
         blk-2 r0 v1 finished #1 | c=1 cancelled #1 | c=8 cancelled #1\n"
    );
    assert!(!f.store.begin_preparing(block.runs[1].id, 1, NOW).await.expect("works"), "it is cancelled");
    assert!(f.store.cancel_run(block.runs[0].id, 1, "cancelled", NOW).await.expect("cancels"));
    assert!(f.store.finish_block(block.block, 1, NOW).await.expect("finishes"));
    assert_eq!(f.store.cancel_experiment(&Actor::local(), id, NOW).await.expect("works"), None);
    let row = f.store.experiment(id).await.expect("reads").expect("is there");
    assert_eq!(row.state(), ExperimentState::Cancelled);
}

#[tokio::test]
async fn only_what_is_over_can_be_deleted_and_everything_goes_with_it() {
    let f = fixture().await;
    let (store, local) = (&f.store, Actor::local());
    let id = f.experiment(1, 1, &[1]).await;
    let report = store.create_report(&local, Some(id), "kept", "{}", NOW).await.expect("freezes");
    assert!(!store.delete_experiment(&local, id, NOW).await.expect("works"), "a run is queued");
    let block = f.claim().await.expect("a block");
    f.lead(&block, 0, RunState::Processing).await;
    assert!(store.append_events(block.runs[0].id, 1, 0, b"{}").await.expect("appends"));
    assert!(store.finish_run(block.runs[0].id, 1, &crate::fixture::summary(), &[], NOW).await.expect("ends"));
    assert!(!store.delete_experiment(&local, id, NOW).await.expect("works"), "the block is running");
    store.finish_block(block.block, 1, NOW).await.expect("finishes");
    let owner = DeploymentOwner::Block(block.block);
    let engine =
        store.create_deployment(&Actor::system(), &block.variant, RuntimeKind::Process, owner, NOW).await;
    let engine = engine.expect("is still there");
    assert!(!store.delete_experiment(&local, id, NOW).await.expect("works"), "its engine is running");
    let stopped = inferex_model::deployment::DeploymentState::Stopped;
    store.set_deployment_state(engine, stopped, None, NOW).await.expect("stops");

    assert!(store.delete_experiment(&local, id, NOW).await.expect("deletes"));
    assert_eq!(store.run(block.runs[0].id).await.expect("reads"), None);
    assert_eq!(store.event_chunk(block.runs[0].id, 1, None).await.expect("reads"), None);
    assert_eq!(store.deployment(engine).await.expect("reads"), None);
    let kept = store.report(report).await.expect("reads").expect("the report stays");
    assert_eq!(kept.experiment, None);
    assert_eq!(f.experiment(1, 1, &[1]).await, ExperimentId(2), "the id does not return");
}

#[tokio::test]
async fn notes_are_replaced() {
    let f = fixture().await;
    let id = f.experiment(1, 1, &[1]).await;
    assert!(f.store.set_experiment_notes(&Actor::local(), id, "idle machine", NOW).await.expect("sets"));
    assert!(!f.store.set_experiment_notes(&Actor::local(), ExperimentId(9), "x", NOW).await.expect("works"));
    let row = f.store.experiment(id).await.expect("reads").expect("is there");
    assert_eq!(row.notes, "idle machine");
}
