//! Who makes the request: loads the account behind the session once, and hands it on as [`Actor`] and [`Visit`].

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use inferex_app::ports::{Answer, Visit};
use inferex_model::actor::{Actor, Origin};
use inferex_store::users::UserRow;
use tower_sessions::Session;

use super::address::ClientAddress;
use super::facts::{Facts, ShownOnce};
use super::host::host_of;
use super::sessions::{SignedIn, key};
use super::visit::WebVisit;
use super::{Edge, answer, paths};
use crate::api::problem;
use crate::secret;

/// A signed-in session is prolonged when it is used, but not with a write for every page.
const PROLONG_EVERY_MS: i64 = 60 * 60 * 1_000;

/// Whether the way to this browser is safe enough for a password: encrypted, or never leaving the machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaySignIn(pub(super) bool);

pub(super) async fn layer(State(edge): State<Edge>, mut request: Request, next: Next) -> Response {
    let extensions = request.extensions();
    let (Some(facts), Some(session)) =
        (extensions.get::<Facts>().cloned(), extensions.get::<Session>().cloned())
    else {
        let error = std::io::Error::other("the outer layers are missing");
        return answer(request.uri().path(), problem::internal("edge", &error));
    };
    let actor = match actor(&edge, &session, request.uri().path()).await {
        Ok(actor) => actor,
        Err(error) => return answer(request.uri().path(), error),
    };
    let may_sign_in = MaySignIn(may_sign_in(&edge, &request));
    let address = request.extensions().get::<ClientAddress>().map(|address| address.throttle_key());
    let address = address.unwrap_or_default();
    let visit = WebVisit { edge, session, facts: facts.clone(), actor: actor.clone(), address, may_sign_in };
    let visit: Arc<dyn Visit> = Arc::new(visit);
    request.extensions_mut().insert(visit);
    request.extensions_mut().insert(may_sign_in);
    if let Some(actor) = actor {
        request.extensions_mut().insert(actor);
    }
    let mut response = next.run(request).await;
    if facts.is_shown_once() {
        response.extensions_mut().insert(ShownOnce);
    }
    response
}

fn may_sign_in(edge: &Edge, request: &Request) -> bool {
    edge.0.public.is_https() || host_of(request).is_some_and(|host| host.is_loopback())
}

async fn actor(edge: &Edge, session: &Session, path: &str) -> Answer<Option<Actor>> {
    if paths::is_public(path) {
        return Ok(None);
    }
    let failed = |error: tower_sessions::session::Error| problem::internal("session", &error);
    let Some(signed_in) = session.get::<SignedIn>(key::USER).await.map_err(failed)? else { return Ok(None) };
    let user = edge.0.store.user_by_id(signed_in.user).await;
    let user = user.map_err(|error| problem::internal("session's account", &error))?;
    let Some(user) = user.filter(|user| !user.disabled && stamp(user) == signed_in.stamp) else {
        session.flush().await.map_err(failed)?;
        return Ok(None);
    };
    prolong(edge, session).await.map_err(failed)?;
    Ok(Some(Actor { user: Some(user.id), name: user.name, role: user.role, origin: Origin::Session }))
}

async fn prolong(edge: &Edge, session: &Session) -> Result<(), tower_sessions::session::Error> {
    let now = edge.0.clock.now().0;
    let seen = session.get::<i64>(key::SEEN).await?.unwrap_or(0);
    if now.saturating_sub(seen) >= PROLONG_EVERY_MS {
        session.insert(key::SEEN, now).await?;
    }
    Ok(())
}

/// A short fingerprint of the password's hash: it changes with every new password and tells nothing about it.
pub(super) fn stamp(user: &UserRow) -> String {
    URL_SAFE_NO_PAD.encode(&secret::digest(user.password_hash.expose())[..12])
}
