use super::*;
use crate::fixture::{Fixture, NOW, fixture};

const TOKEN: [u8; 32] = [9; 32];
const END: Timestamp = Timestamp(5_000);

async fn report(f: &Fixture) -> ReportId {
    let made = f.store.create_report(&Actor::local(), None, "F16 and Q8_0", r#"{"v":1}"#, NOW).await;
    made.expect("freezes")
}

#[tokio::test]
async fn a_link_shows_its_report_until_it_expires() {
    let f = fixture().await;
    let id = report(&f).await;
    let share = f.store.create_share(&Actor::local(), id, &TOKEN, Some(END), NOW).await;
    assert!(share.expect("shares").is_some());
    let seen = f.store.open_share(&TOKEN, NOW).await.expect("opens").expect("shows it");
    assert_eq!((seen.id, seen.snapshot.as_str()), (id, r#"{"v":1}"#));
    assert!(f.store.open_share(&TOKEN, END.plus_ms(-1)).await.expect("opens").is_some());
    assert_eq!(f.store.open_share(&TOKEN, END).await.expect("opens"), None);
}

#[tokio::test]
async fn unknown_revoked_expired_and_deleted_look_the_same() {
    let f = fixture().await;
    let (store, local) = (&f.store, Actor::local());
    let (revoked, expired, deleted) = ([1; 32], [2; 32], [3; 32]);
    let id = report(&f).await;
    let share = store.create_share(&local, id, &revoked, None, NOW).await.expect("shares").expect("is made");
    store.create_share(&local, id, &expired, Some(NOW), NOW).await.expect("shares");
    let gone = report(&f).await;
    store.create_share(&local, gone, &deleted, None, NOW).await.expect("shares");
    assert!(store.open_share(&revoked, NOW).await.expect("opens").is_some());
    assert!(store.open_share(&deleted, NOW).await.expect("opens").is_some());

    assert!(store.revoke_share(&local, share, NOW).await.expect("revokes"));
    assert!(!store.revoke_share(&local, share, NOW).await.expect("works"), "it is revoked already");
    assert!(store.delete_report(&local, gone, NOW).await.expect("deletes"));
    for hash in [revoked, expired, deleted, TOKEN] {
        assert_eq!(store.open_share(&hash, NOW).await.expect("no error either"), None);
    }
    let shares = store.shares_of(id).await.expect("reads");
    assert_eq!(shares.iter().map(|share| share.revoked_at).collect::<Vec<_>>(), [None, Some(NOW)]);
    assert_eq!(store.reports().await.expect("reads")[0].shares, 1);
}

#[tokio::test]
async fn a_link_needs_a_report_and_deleting_one_is_audited() {
    let f = fixture().await;
    let none = f.store.create_share(&Actor::local(), ReportId(9), &TOKEN, None, NOW).await;
    assert_eq!(none.expect("works"), None);
    assert!(!f.store.delete_report(&Actor::local(), ReportId(9), NOW).await.expect("works"));
    let id = report(&f).await;
    assert_eq!(
        f.store.report(id).await.expect("reads").map(|row| row.title),
        Some("F16 and Q8_0".to_owned())
    );
    assert!(f.store.delete_report(&Actor::local(), id, NOW).await.expect("deletes"));
    assert!(report(&f).await > id, "the id does not return");
    let actions: Vec<String> =
        f.store.audit(9, None).await.expect("reads").into_iter().map(|r| r.action).collect();
    assert_eq!(actions, ["report.create", "report.delete", "report.create"]);
}
