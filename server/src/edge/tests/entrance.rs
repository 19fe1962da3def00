//! Setting up, signing in, signing out, and what ends a session.

use http::StatusCode;
use http::header::{LOCATION, SET_COOKIE};
use inferex_app::ports::Accounts as _;
use inferex_model::actor::Actor;

use super::browser::Browser;
use super::site::{PASSWORD, Site};

const LOCAL: &str = "http://127.0.0.1:8080";
const SECURE: &str = "https://inferex.example.org";

#[tokio::test]
async fn from_the_set_up_to_the_sign_out() {
    let site = Site::open(LOCAL).await;
    let browser = Browser::new(&site);
    assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/setup");
    let path = site.accounts.setup_path().expect("a code");
    assert_eq!(browser.get(&path).await.status, StatusCode::OK);
    assert_eq!(browser.cookie(), None, "no cookie for a visitor");
    let code = path.split('=').next_back().expect("a code");
    let entered =
        browser.post("/do/set-up", &[("code", code), ("name", "ada"), ("password", PASSWORD)]).await;
    assert_eq!((entered.status, entered.header(LOCATION.as_str())), (StatusCode::SEE_OTHER, "/"));
    assert_eq!(browser.get("/").await.text, "ada admin");
    assert_eq!(browser.get("/setup").await.header(LOCATION.as_str()), "/");
    let kept = browser.cookie().expect("a session");
    browser.post("/do/sign-out", &[]).await;
    assert_eq!(browser.cookie(), None);
    browser.set_cookie(&kept);
    assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/login", "the old session is over");
    browser.sign_in("ada", PASSWORD).await;
    assert_eq!(browser.get("/").await.text, "ada admin");
}

#[tokio::test]
async fn cookies_follow_the_scheme_and_nothing_secret_is_at_rest() {
    for (origin, flags) in [
        (LOCAL, "; HttpOnly; SameSite=Lax; Path=/; Max-Age=1209600"),
        (SECURE, "; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=1209600"),
    ] {
        let site = Site::settled(origin).await;
        let browser = Browser::new(&site);
        let entered = browser.sign_in("ada", PASSWORD).await;
        let cookie = browser.cookie().expect("a session");
        let (name, id) = cookie.split_once('=').expect("a pair");
        assert_eq!(name, if origin == SECURE { "__Host-inferex" } else { "inferex" });
        assert_eq!(entered.header(SET_COOKIE.as_str()), format!("{cookie}{flags}"));
        let at_rest = site.database().await;
        assert!(at_rest.contains("$argon2id$") && at_rest.contains("ada"), "the right files");
        assert!(!at_rest.contains(id) && !at_rest.contains(PASSWORD));
        let left = browser.post("/do/sign-out", &[]).await;
        let removal = left.header(SET_COOKIE.as_str());
        assert!(removal.contains("Max-Age=0"), "{removal}");
        assert_eq!(removal.contains("Secure"), origin == SECURE, "{removal}");
    }
}

#[tokio::test]
async fn signing_in_changes_the_session_id() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", "a wrong password").await;
    let before = browser.cookie().expect("a session for the message");
    browser.sign_in("ada", PASSWORD).await;
    let after = browser.cookie().expect("a session");
    assert_ne!(before, after);
    browser.set_cookie(&before);
    assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/login");
}

#[tokio::test]
async fn a_message_is_shown_once_and_its_session_goes() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", "a wrong password").await;
    assert_eq!(browser.get("/login").await.text, "the name or the password is wrong");
    assert_eq!(browser.cookie(), None);
    assert_eq!(browser.get("/login").await.text, "sign in");
}

#[tokio::test]
async fn unknown_and_wrong_are_alike_up_to_the_throttle() {
    let site = Site::settled(LOCAL).await;
    let mut seen = Vec::new();
    for (name, peer) in [("ada", [192, 0, 2, 7]), ("nobody", [192, 0, 2, 8])] {
        let browser = Browser::new(&site).from(peer);
        let mut answers = Vec::new();
        for _ in 0..6 {
            let entered = browser.sign_in(name, "a wrong password").await;
            let shown = browser.get("/login").await;
            answers.push((
                entered.status,
                entered.header(LOCATION.as_str()).to_owned(),
                entered.text,
                shown.text,
            ));
        }
        seen.push(answers);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0][4].3, "the name or the password is wrong");
    assert!(seen[0][5].3.starts_with("too many attempts; wait"), "{:?}", seen[0][5]);
    site.clock.advance_ms(15_000);
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    assert_eq!(browser.get("/").await.text, "ada admin");
}

#[tokio::test]
async fn disabling_and_a_new_password_end_the_sessions() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("grace", PASSWORD).await;
    assert_eq!(browser.get("/").await.text, "grace engineer");
    site.accounts.set_disabled(&Actor::local(), "grace", true).await.expect("disabled");
    assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/login");
    assert_eq!(browser.cookie(), None, "the browser forgets it");
    site.accounts.set_disabled(&Actor::local(), "grace", false).await.expect("enabled");
    browser.sign_in("grace", PASSWORD).await;
    assert_eq!(browser.get("/").await.text, "grace engineer");
    site.accounts.set_password(&Actor::local(), "grace", "another good password").await.expect("set");
    assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/login");
}

#[tokio::test]
async fn a_session_from_before_a_new_password_is_void_even_if_its_row_survived() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("grace", PASSWORD).await;
    let (_, id) = browser
        .cookie()
        .and_then(|c| c.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())))
        .expect("one");
    let hash = crate::secret::digest(&id);
    let now = inferex_model::time::Clock::now(&*site.clock);
    let row = site.store.load_session(&hash, now).await.expect("loads").expect("a row");
    site.accounts.set_password(&Actor::local(), "grace", "another good password").await.expect("set");
    assert!(
        site.store.create_session(&hash, &row.data, row.user, row.expires_at, now).await.expect("put back")
    );
    assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/login");
}

#[tokio::test]
async fn a_session_ends_after_fourteen_idle_days_and_is_prolonged_by_use() {
    const DAY: i64 = 24 * 60 * 60 * 1_000;
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    assert!(!browser.get("/").await.headers.contains_key(SET_COOKIE), "a page writes nothing");
    site.clock.advance_ms(2 * 60 * 60 * 1_000);
    assert!(browser.get("/").await.headers.contains_key(SET_COOKIE), "but now and then it prolongs");
    site.clock.advance_ms(14 * DAY);
    assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/login");
}
