use super::*;
use crate::fixture::{NOW, fixture, hash};

const LATER: Timestamp = Timestamp(9_000);

#[tokio::test]
async fn names_are_unique_without_regard_to_case() {
    let f = fixture().await;
    let id =
        f.store.create_user(&Actor::local(), "Ædda", Role::Engineer, &hash(), NOW).await.expect("creates");
    let found = f.store.user_by_name("ÆDDA").await.expect("reads").expect("is found in another case");
    assert_eq!((found.id, found.name.as_str(), found.role), (id, "Ædda", Role::Engineer));
    let again = f.store.create_user(&Actor::local(), "ædda", Role::Viewer, &hash(), NOW).await;
    assert!(matches!(again, Err(StoreError::Taken { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_first_admins_one_wins() {
    let f = fixture().await;
    let mut tasks = tokio::task::JoinSet::new();
    for index in 0..8 {
        let store = Store::open(&f.path).await.expect("another handle opens");
        tasks.spawn(async move { store.create_first_admin(&format!("admin{index}"), &hash(), NOW).await });
    }
    let won: Vec<_> = tasks.join_all().await.into_iter().filter_map(|r| r.expect("no error")).collect();
    assert_eq!(won.len(), 1);
    let users = f.store.users().await.expect("reads");
    assert_eq!(users.iter().map(|user| (user.id, user.role)).collect::<Vec<_>>(), [(won[0], Role::Admin)]);
}

#[tokio::test]
async fn the_last_enabled_admin_cannot_be_disabled() {
    let f = fixture().await;
    let local = Actor::local();
    let first = f.store.create_first_admin("first", &hash(), NOW).await.expect("works").expect("is first");
    let viewer = f.store.create_user(&local, "viewer", Role::Viewer, &hash(), NOW).await.expect("creates");
    let refused = f.store.set_user_disabled(&local, first, true, NOW).await;
    assert!(matches!(refused, Err(StoreError::LastAdmin(id)) if id == first));
    assert!(f.store.set_user_disabled(&local, viewer, true, NOW).await.expect("a viewer may go"));

    let second = f.store.create_user(&local, "second", Role::Admin, &hash(), NOW).await.expect("creates");
    assert!(f.store.set_user_disabled(&local, first, true, NOW).await.expect("another is left"));
    let refused = f.store.set_user_disabled(&local, second, true, NOW).await;
    assert!(matches!(refused, Err(StoreError::LastAdmin(id)) if id == second));
    assert!(f.store.set_user_disabled(&local, first, false, NOW).await.expect("enables again"));
}

#[tokio::test]
async fn disabling_and_a_new_password_end_all_sessions() {
    let f = fixture().await;
    let local = Actor::local();
    let id = f.store.create_user(&local, "ada", Role::Engineer, &hash(), NOW).await.expect("creates");
    for (index, end) in ["disable", "password"].into_iter().enumerate() {
        let hash_of_id = [u8::try_from(index).expect("small"); 32];
        f.store.create_session(&hash_of_id, "{}", Some(id), LATER, NOW).await.expect("signs in");
        if end == "disable" {
            assert!(f.store.set_user_disabled(&local, id, true, NOW).await.expect("disables"));
            assert!(f.store.set_user_disabled(&local, id, false, NOW).await.expect("enables"));
        } else {
            let new = PasswordHash::new("$argon2id$new".to_owned());
            assert!(f.store.set_password(&local, id, &new, NOW).await.expect("sets"));
            let row = f.store.user_by_id(id).await.expect("reads").expect("is there");
            assert_eq!(row.password_hash.expose(), "$argon2id$new");
        }
        assert_eq!(f.store.sessions_of(id).await.expect("reads"), [], "{end}");
    }
}

#[tokio::test]
async fn a_sign_in_is_remembered_and_nobody_is_changed_by_mistake() {
    let f = fixture().await;
    let id = f.store.create_user(&Actor::local(), "ada", Role::Viewer, &hash(), NOW).await.expect("creates");
    f.store.note_sign_in(id, LATER).await.expect("notes");
    let row = f.store.user_by_id(id).await.expect("reads").expect("is there");
    assert_eq!((row.last_sign_in, row.created_at), (Some(LATER), NOW));
    let nobody = UserId(99);
    assert!(!f.store.set_password(&Actor::local(), nobody, &hash(), NOW).await.expect("works"));
    assert!(!f.store.set_user_disabled(&Actor::local(), nobody, true, NOW).await.expect("works"));
    assert_eq!(f.store.audit(10, None).await.expect("reads").len(), 1);
}

#[test]
fn a_hash_is_not_printed() {
    assert_eq!(format!("{:?}", PasswordHash::new("secret".to_owned())), "PasswordHash(hidden)");
}
