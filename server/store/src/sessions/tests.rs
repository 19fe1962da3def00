use inferex_model::actor::{Actor, Role};

use super::*;
use crate::fixture::{NOW, fixture, hash};

const END: Timestamp = Timestamp(5_000);
const KEY: SecretHash = [7; 32];

#[tokio::test]
async fn a_session_lives_until_it_expires() {
    let f = fixture().await;
    assert!(f.store.create_session(&KEY, r#"{"a":1}"#, None, END, NOW).await.expect("creates"));
    assert!(!f.store.create_session(&KEY, "{}", None, END, NOW).await.expect("the hash is in use"));
    let row = f.store.load_session(&KEY, NOW).await.expect("reads").expect("is there");
    assert_eq!((row.hash, row.data.as_str(), row.expires_at), (KEY, r#"{"a":1}"#, END));
    assert_eq!(f.store.load_session(&KEY, END).await.expect("reads"), None);
    assert_eq!(f.store.delete_expired_sessions(END.plus_ms(-1)).await.expect("sweeps"), 0);
    assert_eq!(f.store.delete_expired_sessions(END).await.expect("sweeps"), 1);
}

#[tokio::test]
async fn saving_changes_a_session_but_never_brings_one_back() {
    let f = fixture().await;
    f.store.create_session(&KEY, "{}", None, END, NOW).await.expect("creates");
    assert!(f.store.save_session(&KEY, r#"{"b":2}"#, None, END.plus_ms(1)).await.expect("saves"));
    let row = f.store.load_session(&KEY, END).await.expect("reads").expect("was prolonged");
    assert_eq!(row.data, r#"{"b":2}"#);
    assert!(f.store.delete_session(&KEY).await.expect("ends"));
    assert!(!f.store.save_session(&KEY, "{}", None, END).await.expect("comes too late"));
    assert!(!f.store.delete_session(&KEY).await.expect("works"));
    assert_eq!(f.store.load_session(&KEY, NOW).await.expect("reads"), None);
}

#[tokio::test]
async fn a_disabled_account_has_no_session_even_when_one_was_made_in_the_same_moment() {
    let f = fixture().await;
    f.store.create_first_admin("admin", &hash(), NOW).await.expect("creates");
    let id = f.store.create_user(&Actor::local(), "ada", Role::Viewer, &hash(), NOW).await.expect("creates");
    f.store.set_user_disabled(&Actor::local(), id, true, NOW).await.expect("disables");
    f.store.create_session(&KEY, "{}", Some(id), END, NOW).await.expect("the sign-in was under way");
    assert_eq!(f.store.load_session(&KEY, NOW).await.expect("reads"), None);
}

#[tokio::test]
async fn a_session_prints_neither_its_data_nor_its_hash() {
    let f = fixture().await;
    f.store.create_session(&KEY, r#"{"flash":"s3cret"}"#, None, END, NOW).await.expect("creates");
    let row = f.store.load_session(&KEY, NOW).await.expect("reads").expect("is there");
    let printed = format!("{row:?}");
    assert!(!printed.contains("s3cret") && !printed.contains("7, 7"), "{printed}");
}
