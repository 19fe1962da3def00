use async_trait::async_trait;
use inferex_app::ports::{Answer, Flash, PortError, Visit};
use inferex_app::view::UserView;
use inferex_model::actor::Actor;
use tower_sessions::{Expiry, Session};

use super::Edge;
use super::facts::Facts;
use super::sessions::{PASSING, SIGNED_IN, SignedIn, key};
use super::visitor::{MaySignIn, stamp};
use crate::api::problem;
use crate::secret::Token;

/// The browser behind one request.
pub(super) struct WebVisit {
    pub(super) edge: Edge,
    pub(super) session: Session,
    pub(super) facts: Facts,
    pub(super) actor: Option<Actor>,
    pub(super) address: String,
    pub(super) may_sign_in: MaySignIn,
}

fn failed(error: tower_sessions::session::Error) -> PortError {
    problem::internal("session", &error)
}

impl WebVisit {
    async fn is_signed_in(&self) -> Answer<bool> {
        Ok(self.session.get_value(key::USER).await.map_err(failed)?.is_some())
    }

    /// The handle of the waiting message, which the session forgets.
    async fn take_handle(&self) -> Answer<Option<String>> {
        // Looking first leaves an untouched session unmodified, so that reading a page writes nothing.
        let Some(handle) = self.session.get::<String>(key::FLASH).await.map_err(failed)? else {
            return Ok(None);
        };
        if self.is_signed_in().await? {
            self.session.remove::<String>(key::FLASH).await.map_err(failed)?;
        } else {
            // Nothing else was remembered about this visitor: the session has done its work.
            self.session.flush().await.map_err(failed)?;
        }
        Ok(Some(handle))
    }
}

#[async_trait]
impl Visit for WebVisit {
    fn actor(&self) -> Option<Actor> {
        self.actor.clone()
    }

    fn address(&self) -> String {
        self.address.clone()
    }

    fn is_plain_http(&self) -> bool {
        !self.edge.0.public.is_https()
    }

    fn nonce(&self) -> String {
        self.facts.nonce.to_string()
    }

    async fn sign_in(&self, user: &UserView) -> Answer<()> {
        if !self.may_sign_in.0 {
            return Err(PortError::Forbidden(super::gate::needs_https(&self.edge.0.public)));
        }
        let row = self.edge.0.store.user_by_id(user.id).await;
        let row = row.map_err(|error| problem::internal("sign-in", &error))?;
        let row = row.ok_or_else(|| PortError::not_found(user.id))?;
        // A fresh id: one that somebody planted in the browser before must not become a signed-in one.
        self.session.cycle_id().await.map_err(failed)?;
        self.session.set_expiry(Some(Expiry::OnInactivity(SIGNED_IN)));
        let signed_in = SignedIn { user: row.id, stamp: stamp(&row) };
        self.session.insert(key::SEEN, self.edge.0.clock.now().0).await.map_err(failed)?;
        self.session.insert(key::USER, signed_in).await.map_err(failed)
    }

    async fn sign_out(&self) -> Answer<()> {
        self.session.flush().await.map_err(failed)
    }

    async fn put_flash(&self, flash: Flash) -> Answer<()> {
        let handle = Token::draw().map_err(|error| problem::internal("message handle", &error))?;
        if !self.is_signed_in().await? {
            self.session.set_expiry(Some(Expiry::OnInactivity(PASSING)));
        }
        self.edge.0.flashes.put(handle.expose().to_owned(), flash, self.edge.0.clock.now());
        self.session.insert(key::FLASH, handle.expose()).await.map_err(failed)
    }

    async fn take_flash(&self) -> Option<Flash> {
        // A failure was logged where it arose; the page is worth more than its message.
        let handle = self.take_handle().await.ok()??;
        let flash = self.edge.0.flashes.take(&handle, self.edge.0.clock.now())?;
        if flash.once.is_some() {
            self.facts.mark_shown_once();
        }
        Some(flash)
    }
}
