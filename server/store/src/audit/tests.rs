use inferex_model::actor::Role;
use serde_json::json;

use super::*;
use crate::fixture::{Fixture, NOW, fixture, hash, variant};

async fn forbid_audit(f: &Fixture) {
    let mut tx = f.store.write().await.expect("begins");
    sqlx::query("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END")
        .execute(&mut *tx)
        .await
        .expect("the trigger is made");
    tx.commit().await.expect("commits");
}

#[tokio::test]
async fn a_change_that_cannot_be_audited_does_not_happen() {
    let f = fixture().await;
    let actor = Actor::local();
    let exp = f.experiment(1, 1, &[1]).await;
    forbid_audit(&f).await;
    assert!(f.store.create_user(&actor, "ada", Role::Admin, &hash(), NOW).await.is_err());
    assert!(f.store.create_first_admin("ada", &hash(), NOW).await.is_err());
    assert!(f.store.put_variant(&actor, &variant("v"), NOW).await.is_err());
    assert!(f.store.put_setting(&actor, "key", "value", NOW).await.is_err());
    assert!(f.store.create_report(&actor, None, "title", "{}", NOW).await.is_err());
    assert!(f.store.cancel_experiment(&actor, exp, NOW).await.is_err());

    assert_eq!(f.store.user_count().await.expect("reads"), 0);
    assert_eq!(f.store.variants().await.expect("reads"), []);
    assert_eq!(f.store.setting("key").await.expect("reads"), None);
    assert_eq!(f.store.reports().await.expect("reads"), []);
    assert!(!f.store.is_cancel_requested(exp).await.expect("reads"));
    assert_eq!(f.queue_text(exp).await, "blk-1 r0 v0 queued #1 | c=1 queued #1\n");
}

#[tokio::test]
async fn a_change_that_fails_leaves_no_audit_row() {
    let f = fixture().await;
    f.store.create_user(&Actor::local(), "ada", Role::Admin, &hash(), NOW).await.expect("first");
    let again = f.store.create_user(&Actor::local(), "ADA", Role::Viewer, &hash(), NOW).await;
    assert!(matches!(again, Err(StoreError::Taken { what: "user", name }) if name == "ADA"));
    assert_eq!(f.store.audit(10, None).await.expect("reads").len(), 1);
}

#[tokio::test]
async fn rows_tell_who_did_what_and_read_on_by_page() {
    let f = fixture().await;
    for index in 0..5 {
        let object = format!("thing-{index}");
        f.store.note(&Actor::system(), "test.note", &object, &json!({"n": index}), NOW).await.expect("notes");
    }
    let first = f.store.audit(3, None).await.expect("reads");
    let rest = f.store.audit(3, first.last().map(|row| row.id)).await.expect("reads");
    let objects: Vec<&str> = first.iter().chain(&rest).map(|row| row.object.as_str()).collect();
    assert_eq!(objects, ["thing-4", "thing-3", "thing-2", "thing-1", "thing-0"]);
    let row = &first[0];
    assert_eq!((row.at, row.actor.as_str(), row.origin), (NOW, "system", Origin::System));
    assert_eq!((row.action.as_str(), &row.detail), ("test.note", &json!({"n": 4})));
}
