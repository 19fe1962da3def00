use std::sync::atomic::AtomicI64;

use inferex_model::time::Timestamp;

use super::*;

/// A clock that tests move.
#[derive(Default)]
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp(1_700_000_000_000 + self.0.load(Ordering::Relaxed))
    }
}

struct House {
    accounts: AccountService,
    clock: Arc<Hands>,
    _folder: tempfile::TempDir,
}

const PASSWORD: &str = "correct horse battery";

async fn house() -> House {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("inferex.db")).await.expect("a store");
    let clock = Arc::new(Hands::default());
    let accounts =
        AccountService::open(store, clock.clone(), Hasher::with_cost(8, 1)).await.expect("accounts");
    House { accounts, clock, _folder: folder }
}

async fn settled() -> House {
    let house = house().await;
    let accounts = &house.accounts;
    accounts.set_up(&code(accounts), "ada", PASSWORD).await.expect("the first admin");
    accounts.create(&Actor::local(), "grace", Role::Viewer, PASSWORD).await.expect("a viewer");
    house
}

fn code(accounts: &AccountService) -> String {
    let path = accounts.setup_path().expect("not set up");
    path.strip_prefix("/setup?code=").expect("a code").to_owned()
}

#[tokio::test]
async fn the_code_makes_one_admin_and_is_gone() {
    let house = house().await;
    let accounts = &house.accounts;
    assert_eq!(accounts.needs_setup().await, Ok(true));
    let code = code(accounts);
    let refused = accounts.set_up("wrong", "ada", PASSWORD).await.expect_err("wrong code");
    assert!(matches!(&refused, PortError::Invalid(field) if field.field == "code"), "{refused}");
    let short = accounts.set_up(&code, "ada", "short").await.expect_err("short password");
    assert!(matches!(&short, PortError::Invalid(field) if field.field == "password"), "{short}");
    let admin = accounts.set_up(&code, "ada", PASSWORD).await.expect("made");
    assert_eq!((admin.name.as_str(), admin.role), ("ada", Role::Admin));
    assert_eq!((accounts.needs_setup().await, accounts.setup_path()), (Ok(false), None));
    let second = accounts.set_up(&code, "eve", PASSWORD).await.expect_err("over");
    assert!(matches!(second, PortError::Conflict(_)), "{second}");
}

#[tokio::test]
async fn unknown_wrong_and_disabled_answer_alike() {
    let house = settled().await;
    let accounts = &house.accounts;
    accounts.set_disabled(&Actor::local(), "grace", true).await.expect("disabled");
    let unknown = accounts.sign_in("10.0.0.1", "nobody", PASSWORD).await.expect_err("unknown");
    let wrong = accounts.sign_in("10.0.0.1", "ada", "wrong password").await.expect_err("wrong");
    let disabled = accounts.sign_in("10.0.0.1", "grace", PASSWORD).await.expect_err("disabled");
    assert_eq!((&unknown, &wrong), (&wrong, &disabled));
    let user = accounts.sign_in("10.0.0.1", "ADA", PASSWORD).await.expect("names ignore case");
    assert_eq!(user.last_sign_in, Some(house.clock.now()));
}

#[tokio::test]
async fn a_name_is_throttled_from_everywhere_and_for_unknown_names_alike() {
    let house = settled().await;
    for name in ["ada", "nobody"] {
        for n in 0..5 {
            let answer = house.accounts.sign_in(&format!("10.0.0.{n}"), name, "wrong password").await;
            assert!(matches!(answer, Err(PortError::Forbidden(_))), "{answer:?}");
        }
        let sixth = house.accounts.sign_in("10.0.1.1", &name.to_uppercase(), PASSWORD).await;
        assert_eq!(sixth, Err(PortError::Throttled { seconds: 15 }));
    }
    house.clock.0.store(15_000, Ordering::Relaxed);
    house.accounts.sign_in("10.0.1.1", "ada", PASSWORD).await.expect("after the wait");
}

#[tokio::test]
async fn an_address_is_throttled_over_all_names() {
    let house = settled().await;
    for n in 0..20 {
        let answer = house.accounts.sign_in("10.0.0.1", &format!("user{n}"), "wrong password").await;
        assert!(matches!(answer, Err(PortError::Forbidden(_))), "{answer:?}");
    }
    let next = house.accounts.sign_in("10.0.0.1", "ada", PASSWORD).await;
    assert_eq!(next, Err(PortError::Throttled { seconds: 10 }));
    house.accounts.sign_in("10.0.0.2", "ada", PASSWORD).await.expect("another address is free");
}

#[tokio::test]
async fn only_an_admin_manages_accounts() {
    let house = settled().await;
    let accounts = &house.accounts;
    for role in [Role::Viewer, Role::Engineer] {
        let actor = Actor { user: None, name: "grace".to_owned(), role, origin: Origin::Session };
        let refusals = [
            accounts.list(&actor).await.err(),
            accounts.create(&actor, "eve", Role::Admin, PASSWORD).await.err(),
            accounts.set_disabled(&actor, "ada", true).await.err(),
            accounts.set_password(&actor, "ada", PASSWORD).await.err(),
            accounts.audit(&actor, 10).await.err(),
        ];
        for refused in refusals {
            let text = refused.expect("refused").to_string();
            assert!(text.starts_with("only an admin may") && text.contains(role.as_str()), "{text}");
        }
    }
    assert_eq!(accounts.list(&Actor::local()).await.expect("listed").len(), 2);
}

#[tokio::test]
async fn a_lost_password_is_replaced_and_what_is_refused_says_why() {
    let house = settled().await;
    let (accounts, local) = (&house.accounts, Actor::local());
    accounts.set_password(&local, "ada", "another good password").await.expect("set");
    accounts.sign_in("10.0.0.1", "ada", "another good password").await.expect("the new one");
    assert!(accounts.sign_in("10.0.0.1", "ada", PASSWORD).await.is_err(), "not the old one");
    let last = accounts.set_disabled(&local, "ada", true).await.expect_err("the last admin");
    assert!(matches!(&last, PortError::Conflict(text) if text.contains("last admin")), "{last}");
    let taken = accounts.create(&local, "Grace", Role::Viewer, PASSWORD).await.expect_err("taken");
    assert!(matches!(&taken, PortError::Conflict(text) if text.contains("exists already")), "{taken}");
    let missing = accounts.set_disabled(&local, "nobody", true).await.expect_err("missing");
    assert_eq!(missing.to_string(), "user `nobody` does not exist");
}

#[tokio::test]
async fn an_account_made_on_the_command_line_ends_the_setup() {
    let house = house().await;
    house.accounts.create(&Actor::local(), "ada", Role::Admin, PASSWORD).await.expect("made");
    assert_eq!((house.accounts.needs_setup().await, house.accounts.setup_path()), (Ok(false), None));
}
