//! Sessions: the cookie, and a store that keeps only the SHA-256 of a session's id.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::SET_COOKIE;
use inferex_model::id::UserId;
use inferex_model::time::{Clock, Timestamp};
use inferex_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use tower_sessions::cookie::SameSite;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};
use tower_sessions::{Expiry, SessionManagerLayer, SessionStore};

use super::Edge;
use crate::secret;

/// A signed-in session ends after so long without a visit.
pub(super) const SIGNED_IN: Duration = Duration::days(14);
/// One that only carries a message to the next page.
pub(super) const PASSING: Duration = Duration::hours(1);
/// The prefix makes browsers refuse the cookie unless it is `Secure`, for `/`, and set by this very host.
const SECURE_NAME: &str = "__Host-inferex";
const PLAIN_NAME: &str = "inferex";

/// Keys of a session's data.
pub(super) mod key {
    /// Who is signed in: [`super::SignedIn`].
    pub(in crate::edge) const USER: &str = "user";
    /// When the session was last prolonged, milliseconds.
    pub(in crate::edge) const SEEN: &str = "seen";
    /// Handle of the message for the next page.
    pub(in crate::edge) const FLASH: &str = "flash";
}

/// Who a session belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignedIn {
    pub(super) user: UserId,
    /// Changes with the password, so that a session from before a change counts no more.
    pub(super) stamp: String,
}

/// The session layer; no cookie is set before there is something to remember.
pub(super) fn layer(edge: &Edge) -> SessionManagerLayer<HashedSessions> {
    let shared = &edge.0;
    let https = shared.public.is_https();
    let store = HashedSessions { store: shared.store.clone(), clock: Arc::clone(&shared.clock) };
    SessionManagerLayer::new(store)
        .with_name(if https { SECURE_NAME } else { PLAIN_NAME })
        .with_secure(https)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(SIGNED_IN))
}

/// Browsers refuse a `__Host-` cookie without `Secure` even when it only removes one, and the session layer leaves it
/// out there.
pub(super) async fn complete_removal(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for cookie in
        response.headers_mut().iter_mut().filter(|(name, _)| **name == SET_COOKIE).map(|(_, value)| value)
    {
        let Ok(text) = cookie.to_str() else { continue };
        if text.starts_with(SECURE_NAME)
            && !text.contains("Secure")
            && let Ok(whole) = HeaderValue::from_str(&format!("{text}; HttpOnly; SameSite=Lax; Secure"))
        {
            *cookie = whole;
        }
    }
    response
}

/// Sessions in the database, known by their hashes.
#[derive(Clone)]
pub(super) struct HashedSessions {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for HashedSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashedSessions")
    }
}

#[async_trait]
impl SessionStore for HashedSessions {
    async fn create(&self, record: &mut Record) -> Result<()> {
        let (data, user, until) = columns(record)?;
        // 128 random bits never collide; the loop makes a broken generator an error instead of a shared session.
        for _ in 0..3 {
            let now = self.clock.now();
            if self.store.create_session(&hash(&record.id), &data, user, until, now).await.map_err(backend)? {
                return Ok(());
            }
            record.id = Id::default();
        }
        Err(Error::Backend("three fresh session ids were all in use".to_owned()))
    }

    async fn save(&self, record: &Record) -> Result<()> {
        let (data, user, until) = columns(record)?;
        // A session that was ended while this request ran stays ended; the next request finds none.
        self.store.save_session(&hash(&record.id), &data, user, until).await.map(drop).map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let row = self.store.load_session(&hash(id), self.clock.now()).await.map_err(backend)?;
        let Some(row) = row else { return Ok(None) };
        let data = serde_json::from_str(&row.data).map_err(|error| Error::Decode(error.to_string()))?;
        let expiry_date = OffsetDateTime::from_unix_timestamp_nanos(i128::from(row.expires_at.0) * 1_000_000);
        let expiry_date = expiry_date.map_err(|error| Error::Decode(error.to_string()))?;
        Ok(Some(Record { id: *id, data, expiry_date }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        self.store.delete_session(&hash(id)).await.map(drop).map_err(backend)
    }
}

fn hash(id: &Id) -> [u8; 32] {
    secret::digest(&id.to_string())
}

fn columns(record: &Record) -> Result<(String, Option<UserId>, Timestamp)> {
    let data = serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))?;
    let signed_in = record.data.get(key::USER).and_then(|value| SignedIn::deserialize(value).ok());
    let until = i64::try_from(record.expiry_date.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX);
    Ok((data, signed_in.map(|signed_in| signed_in.user), Timestamp(until)))
}

fn backend(error: StoreError) -> Error {
    Error::Backend(error.to_string())
}
