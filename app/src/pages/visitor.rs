//! Who looks at a page, and how its data becomes a document.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use inferex_model::actor::{Actor, Role};
use inferex_model::time::Timestamp;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use crate::act::sign_in_path;
use crate::context::{Head, Now};
use crate::parts::layout::{Place, bare, framed};
use crate::parts::problem::problem;
use crate::ports::{Answer, Flash, PortError, Ports, Visit};
use crate::web::{redirect_with, refresh_with};

/// The person in front of a page, what the address says, and the ports.
pub(crate) struct Visitor {
    /// What can be read.
    pub(crate) ports: Ports,
    /// Who it is; an anonymous viewer where nobody is signed in.
    pub(crate) actor: Actor,
    /// Whether somebody is signed in.
    pub(crate) signed_in: bool,
    /// The present.
    pub(crate) now: Timestamp,
    /// The address's query.
    pub(crate) query: ParamsMap,
    /// The last segment of the path: an id, or a token.
    pub(crate) segment: String,
    /// The address's path.
    pub(crate) path: String,
    /// The path with its query.
    pub(crate) address: String,
    /// What the last act has to say.
    pub(crate) flash: Option<Flash>,
    /// Whether the page came over plain http at a loopback address.
    pub(crate) plain_http: bool,
}

impl Visitor {
    /// Why this person may not do what needs `role`; `None` when allowed.
    pub(crate) fn lacks(&self, role: Role) -> Option<String> {
        (!self.actor.may(role))
            .then(|| format!("needs the role {role}; {} has {}", self.actor.name, self.actor.role))
    }

    /// What was entered into `field` before it was refused.
    pub(crate) fn entered(&self, field: &str) -> Option<String> {
        self.flash.as_ref()?.entered.get(field).cloned()
    }

    /// Why `field` was refused.
    pub(crate) fn error(&self, field: &str) -> Option<String> {
        self.flash.as_ref()?.fields.get(field).cloned()
    }

    /// The first value of `name` in the query, when not empty.
    pub(crate) fn asked(&self, name: &str) -> Option<String> {
        self.query.get(name).filter(|value| !value.is_empty())
    }
}

/// What a page became.
pub(crate) struct Page {
    title: String,
    place: Place,
    body: AnyView,
    refresh: bool,
}

impl Page {
    /// A page with its title (for the tab) and its place in the navigation.
    pub(crate) fn new(title: impl Into<String>, place: Place, body: AnyView) -> Self {
        Self { title: title.into(), place, body, refresh: false }
    }

    /// Loads itself again every two seconds while `going_on`.
    pub(crate) fn refreshing(mut self, going_on: bool) -> Self {
        self.refresh = going_on;
        self
    }
}

/// What is read from the context at once, because it is gone after the first await.
struct Desk {
    visitor: Option<(Visitor, Arc<dyn Visit>)>,
    response: ResponseOptions,
    head: Head,
}

fn desk() -> Desk {
    let visitor = match (use_context::<Ports>(), use_context::<Arc<dyn Visit>>(), use_context::<Now>()) {
        (Some(ports), Some(visit), Some(Now(now))) => Some((visitor(ports, &visit, now), visit)),
        _ => None,
    };
    let response = use_context::<ResponseOptions>().unwrap_or_default();
    Desk { visitor, response, head: use_context::<Head>().unwrap_or_default() }
}

fn visitor(ports: Ports, visit: &Arc<dyn Visit>, now: Timestamp) -> Visitor {
    let actor = visit.actor();
    let uri = use_context::<Parts>().map(|parts| parts.uri).unwrap_or_default();
    Visitor {
        ports,
        signed_in: actor.is_some(),
        actor: actor.unwrap_or_else(|| Actor {
            role: Role::Viewer,
            name: "nobody".to_owned(),
            ..Actor::system()
        }),
        now,
        query: use_query_map().get_untracked(),
        segment: uri.path().rsplit('/').next().unwrap_or_default().to_owned(),
        path: uri.path().to_owned(),
        address: uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        flash: None,
        plain_http: visit.is_plain_http(),
    }
}

/// A page for signed-in people; others are led to the sign-in page, or to the set-up page where nobody has an account.
pub(crate) fn member<F, Fut>(page: F) -> AnyView
where
    F: FnOnce(Arc<Visitor>) -> Fut + Send + 'static,
    Fut: Future<Output = Answer<Page>> + Send + 'static,
{
    document(true, framed, page)
}

/// A page for anyone, without navigation.
pub(crate) fn anyone<F, Fut>(page: F) -> AnyView
where
    F: FnOnce(Arc<Visitor>) -> Fut + Send + 'static,
    Fut: Future<Output = Answer<Page>> + Send + 'static,
{
    document(false, |page, _, _| bare(page.body), page)
}

type Frame = fn(PageParts, &Visitor, Option<bool>) -> AnyView;

/// What a frame needs of a page.
pub(crate) struct PageParts {
    /// Where in the navigation.
    pub(crate) place: Place,
    /// The content.
    pub(crate) body: AnyView,
}

fn document<F, Fut>(members_only: bool, frame: Frame, page: F) -> AnyView
where
    F: FnOnce(Arc<Visitor>) -> Fut + Send + 'static,
    Fut: Future<Output = Answer<Page>> + Send + 'static,
{
    let Desk { visitor, response, head } = desk();
    let Some((mut visitor, visit)) = visitor else {
        response.set_status(StatusCode::INTERNAL_SERVER_ERROR);
        return bare(problem(&PortError::Internal { reference: "no session layer".to_owned() }, false));
    };
    Suspend::new(async move {
        if members_only && !visitor.signed_in {
            redirect_with(&response, &way_in(&visitor).await);
            return ().into_any();
        }
        visitor.flash = visit.take_flash().await;
        let visitor = Arc::new(visitor);
        match page(Arc::clone(&visitor)).await {
            Ok(page) => {
                head.set_title(&page.title);
                let paused = page.refresh.then(|| visitor.asked("live").as_deref() == Some("off"));
                if paused == Some(false) {
                    refresh_with(&response, 2);
                }
                frame(PageParts { place: page.place, body: page.body }, &visitor, paused)
            }
            Err(error) => refused(&error, &visitor, &response, &head, frame),
        }
    })
    .into_any()
}

/// Where somebody who is not signed in has to go.
async fn way_in(visitor: &Visitor) -> String {
    match visitor.ports.accounts.needs_setup().await {
        Ok(true) => "/setup".to_owned(),
        _ => sign_in_path(&visitor.address),
    }
}

fn refused(
    error: &PortError,
    visitor: &Visitor,
    response: &ResponseOptions,
    head: &Head,
    frame: Frame,
) -> AnyView {
    let status = match error {
        PortError::SignInNeeded => {
            redirect_with(response, &sign_in_path(&visitor.address));
            return ().into_any();
        }
        PortError::Forbidden(_) => StatusCode::FORBIDDEN,
        PortError::NotFound { .. } => StatusCode::NOT_FOUND,
        PortError::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        PortError::Conflict(_) => StatusCode::CONFLICT,
        PortError::Throttled { seconds } => {
            response.insert_header(HeaderName::from_static("retry-after"), HeaderValue::from(*seconds));
            StatusCode::TOO_MANY_REQUESTS
        }
        PortError::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    };
    response.set_status(status);
    head.set_title(if status == StatusCode::NOT_FOUND { "Not found" } else { "Not possible" });
    frame(PageParts { place: Place::Nowhere, body: problem(error, visitor.signed_in) }, visitor, None)
}
