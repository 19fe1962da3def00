//! The web edge: everything between a browser's request and a handler that is the same for every page and route.
//!
//! Each layer has one responsibility and one file; they are composed in [`Edge::guard`] alone. It may not know what a
//! page shows. The control socket does not pass through here: whoever may open it is a local admin.

mod address;
mod assets;
mod csrf;
mod facts;
mod flashes;
mod gate;
mod headers;
mod host;
mod limits;
mod log;
mod panics;
mod paths;
mod sessions;
mod share_limit;
mod visit;
mod visitor;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use inferex_app::ports::{Accounts, PortError};
use inferex_model::time::Clock;
use inferex_store::Store;
use ipnet::IpNet;

pub(crate) use assets::{Assets, Source};
use flashes::Flashes;
use share_limit::ShareLimit;

use crate::api::problem::{self, Problem};
use crate::config::PublicUrl;

/// What the layers share.
#[derive(Clone)]
pub(crate) struct Edge(Arc<Shared>);

struct Shared {
    /// Sessions and who they belong to.
    store: Store,
    /// Whether an account exists yet.
    accounts: Arc<dyn Accounts>,
    clock: Arc<dyn Clock>,
    /// Decides cookies, HSTS, the origin check and which hosts are answered.
    public: PublicUrl,
    /// Whose `X-Forwarded-For` is believed.
    proxies: Vec<IpNet>,
    /// Messages between two requests.
    flashes: Flashes,
    /// How fast strangers may open shared reports.
    shares: ShareLimit,
}

impl Edge {
    /// The edge of a server that people reach at `public`.
    pub(crate) fn new(
        store: Store,
        accounts: Arc<dyn Accounts>,
        clock: Arc<dyn Clock>,
        public: PublicUrl,
        proxies: Vec<IpNet>,
    ) -> Self {
        let (flashes, shares) = (Flashes::default(), ShareLimit::default());
        Self(Arc::new(Shared { store, accounts, clock, public, proxies, flashes, shares }))
    }

    /// Puts every layer around `router`. Serve the result with the peer's address as connect info.
    ///
    /// The last line is the outermost layer, so a request passes the lines from the bottom to the top.
    pub(crate) fn guard(&self, router: Router) -> Router {
        router
            // Innermost, so that the layers outside do for a fault what they do for any answer.
            .layer(from_fn(panics::layer))
            // Nobody reaches a handler without an account, a public path, or the sign-in form.
            .layer(from_fn_with_state(self.clone(), gate::layer))
            // Who it is; after the session, which it reads, and before the gate, which asks.
            .layer(from_fn_with_state(self.clone(), visitor::layer))
            // Sessions lie inside the refusals below: a refused request must not cost a query or renew a cookie.
            .layer(sessions::layer(self))
            .layer(from_fn(sessions::complete_removal))
            // Before the session: a forged request must not even be recognised.
            .layer(from_fn_with_state(self.clone(), csrf::layer))
            // The deadline bounds reading the body and making the answer's head, not sending a download.
            .layer(from_fn(limits::deadline))
            .layer(from_fn(limits::body))
            // Outside the sessions, since only they know whether the answer holds something shown once.
            .layer(limits::compression())
            // Before anything reads more of a request that was meant for another name.
            .layer(from_fn_with_state(self.clone(), host::layer))
            // After the address, which it counts by.
            .layer(from_fn_with_state(self.clone(), share_limit::layer))
            .layer(from_fn_with_state(self.clone(), address::layer))
            // Outside every refusal, so that refusals carry the headers too.
            .layer(from_fn_with_state(self.clone(), headers::layer))
            // Outermost: every request is logged once, with the status that really left.
            .layer(from_fn(log::layer))
    }
}

/// A refusal of the edge: one plain sentence.
fn refuse(status: StatusCode, sentence: impl AsRef<str>) -> Response {
    let mut chars = sentence.as_ref().chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase()).unwrap_or_default();
    let text = format!("{first}{}.\n", chars.as_str());
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// The answer to a refusal of a port: problem details for programs, a sentence for people.
fn answer(path: &str, error: PortError) -> Response {
    let (status, _) = problem::status(&error);
    let text = error.to_string();
    let problem = Problem(error).into_response();
    if paths::is_api(path) {
        return problem;
    }
    let mut response = refuse(status, text);
    if let Some(wait) = problem.headers().get(RETRY_AFTER) {
        response.headers_mut().insert(RETRY_AFTER, wait.clone());
    }
    response
}

#[cfg(test)]
mod tests;
