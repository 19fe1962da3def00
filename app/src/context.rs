//! What the server hands to every page. It may not know where any of it comes from; start from [`AppContext`].

use std::sync::{Arc, Mutex, PoisonError};

use http::request::Parts;
use inferex_model::time::{Clock, Timestamp};
use leptos::prelude::{provide_context, use_context};

use crate::ports::{Ports, Visit};

/// Addresses of the static files, with their hashes in their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetPaths {
    /// The style sheet, for example `/assets/app-1a2b.css`.
    pub stylesheet: String,
    /// The script.
    pub script: String,
    /// The icon.
    pub favicon: String,
}

/// The present, the same for the whole page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now(pub Timestamp);

/// Everything that is alike for all requests.
#[derive(Clone)]
pub struct AppContext {
    /// What pages read and change.
    pub ports: Ports,
    /// Where the static files are.
    pub assets: AssetPaths,
    /// Where the present comes from.
    pub clock: Arc<dyn Clock>,
}

impl AppContext {
    /// Puts it into the Leptos context of the present request, together with the visit, which a layer of the server
    /// has put into the request's extensions as `Arc<dyn Visit>`.
    pub fn provide(&self) {
        provide_context(self.ports.clone());
        provide_context(self.assets.clone());
        provide_context(Now(self.clock.now()));
        provide_context(Head::default());
        if let Some(visit) =
            use_context::<Parts>().and_then(|p| p.extensions.get::<Arc<dyn Visit>>().cloned())
        {
            provide_context(visit);
        }
    }
}

/// The page's title, told by the page after its data came and written into the document before it is sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head(Arc<Mutex<String>>);

impl Head {
    /// Sets the title.
    pub(crate) fn set_title(&self, title: &str) {
        title.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The title with the product's name.
    pub(crate) fn title(&self) -> String {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_str() {
            "" => "Inferex".to_owned(),
            title => format!("{title} · Inferex"),
        }
    }
}
