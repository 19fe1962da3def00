//! A small site behind the edge, with the forms of the real one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use axum::extract::{Form, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use inferex_app::ports::{Accounts, Answer, Flash, FlashKind, Visit};
use inferex_model::actor::{Actor, Role};
use inferex_model::time::{Clock, Timestamp};
use inferex_store::Store;
use serde::Deserialize;

use crate::accounts::{AccountService, Hasher};
use crate::config::PublicUrl;
use crate::edge::{Assets, Edge, Source};

pub(super) const PASSWORD: &str = "canary correct horse battery";

/// The present, moved by hand; sessions also look at the real clock, so it begins there.
pub(super) struct Hands(AtomicI64);

impl Hands {
    pub(super) fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        let now = time::OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000_000;
        Timestamp(i64::try_from(now).expect("this era") + self.0.load(Ordering::Relaxed))
    }
}

pub(super) struct Site {
    pub(super) app: Router,
    pub(super) origin: String,
    pub(super) accounts: Arc<AccountService>,
    pub(super) store: Store,
    pub(super) clock: Arc<Hands>,
    pub(super) stylesheet: String,
    slow: Arc<AtomicBool>,
    folder: tempfile::TempDir,
}

impl Site {
    pub(super) async fn open(origin: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("inferex.db")).await.expect("a store");
        let clock = Arc::new(Hands(AtomicI64::new(0)));
        let hasher = Hasher::with_cost(8, 1);
        let accounts = AccountService::open(store.clone(), clock.clone(), hasher).await.expect("accounts");
        let accounts = Arc::new(accounts);
        let css = "a { color: red } ".repeat(100);
        let assets = Assets::new(vec![Source {
            name: "app.css",
            content_type: "text/css; charset=utf-8",
            content: css,
        }]);
        let public = PublicUrl::parse(origin).expect("an address");
        let proxies = vec!["10.0.0.0/8".parse().expect("a network")];
        let edge = Edge::new(store.clone(), accounts.clone(), clock.clone(), public, proxies);
        let slow = Arc::new(AtomicBool::new(false));
        let app = edge.guard(routes(accounts.clone(), slow.clone()).merge(assets.routes()));
        let stylesheet = assets.path("app.css");
        Self { app, origin: origin.to_owned(), accounts, store, clock, stylesheet, slow, folder }
    }

    /// With the admin `ada` and the engineer `grace`.
    pub(super) async fn settled(origin: &str) -> Self {
        let site = Self::open(origin).await;
        for (name, role) in [("ada", Role::Admin), ("grace", Role::Engineer)] {
            site.accounts.create(&Actor::local(), name, role, PASSWORD).await.expect("made");
        }
        site
    }

    /// Whether somebody asked for the page that never comes.
    pub(super) fn slow_began(&self) -> bool {
        self.slow.load(Ordering::Acquire)
    }

    /// Every byte of the database's files, as text.
    pub(super) async fn database(&self) -> String {
        let mut text = String::new();
        for entry in std::fs::read_dir(self.folder.path()).expect("a folder") {
            let bytes = tokio::fs::read(entry.expect("a file").path()).await.expect("read");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        text
    }
}

type Visitor = Extension<Arc<dyn Visit>>;

fn routes(accounts: Arc<AccountService>, slow: Arc<AtomicBool>) -> Router {
    let never = move || {
        slow.store(true, Ordering::Release);
        std::future::pending::<String>()
    };
    Router::new()
        .route("/", get(home))
        .route("/setup", get(|visit: Visitor| async move { visit.nonce() }))
        .route("/login", get(login))
        .route("/long", get(long))
        .route("/address", get(|visit: Visitor| async move { visit.address() }))
        .route("/r/{token}", get(|| async { Html("report") }))
        .route("/healthz", get(|| async { "ok" }))
        .route("/slow", get(never))
        .route("/fault", get(|| async { panic!("canary words") as &str }))
        .route("/upload", post(|body: String| async move { body.len().to_string() }))
        .route("/do/set-up", post(set_up))
        .route("/do/sign-in", post(sign_in))
        .route("/do/sign-out", post(sign_out))
        .route("/do/share", post(share))
        .with_state(accounts)
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    code: String,
    name: String,
    password: String,
}

#[derive(Deserialize)]
struct Share {
    url: String,
}

async fn home(Extension(actor): Extension<Actor>) -> String {
    format!("{} {}", actor.name, actor.role)
}

async fn login(visit: Visitor) -> String {
    visit.take_flash().await.map_or_else(|| "sign in".to_owned(), |flash| flash.text)
}

async fn long(visit: Visitor) -> Html<String> {
    let once = visit.take_flash().await.and_then(|flash| flash.once);
    Html(format!("{once:?}{}", "<p>long</p>".repeat(100)))
}

async fn set_up(
    State(accounts): State<Arc<AccountService>>,
    visit: Visitor,
    Form(entry): Form<Entry>,
) -> Response {
    let made = accounts.set_up(&entry.code, &entry.name, &entry.password).await;
    enter(visit, made).await
}

async fn sign_in(
    State(accounts): State<Arc<AccountService>>,
    visit: Visitor,
    Form(entry): Form<Entry>,
) -> Response {
    let found = accounts.sign_in(&visit.address(), &entry.name, &entry.password).await;
    enter(visit, found).await
}

async fn enter(visit: Visitor, user: Answer<inferex_app::view::UserView>) -> Response {
    let entered = match user {
        Ok(user) => visit.sign_in(&user).await,
        Err(error) => Err(error),
    };
    match entered {
        Ok(()) => Redirect::to("/").into_response(),
        Err(error) => {
            visit.put_flash(flash(FlashKind::Refused, &error.to_string())).await.expect("kept");
            Redirect::to("/login").into_response()
        }
    }
}

async fn sign_out(visit: Visitor) -> Redirect {
    visit.sign_out().await.expect("out");
    Redirect::to("/login")
}

async fn share(visit: Visitor, Form(share): Form<Share>) -> Redirect {
    let once = Some(("Link".to_owned(), share.url));
    visit.put_flash(Flash { once, ..flash(FlashKind::Done, "shared") }).await.expect("kept");
    Redirect::to("/long")
}

fn flash(kind: FlashKind, text: &str) -> Flash {
    Flash { kind, text: text.to_owned(), fields: BTreeMap::new(), entered: BTreeMap::new(), once: None }
}
