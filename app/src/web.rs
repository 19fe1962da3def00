//! The way from a request to complete HTML. It may not know any page; start from [`router`].
//!
//! Leptos would append scripts for hydration to each document; nothing hydrates here, so they are left out, which
//! also keeps the content security policy free of exceptions.

use std::pin::Pin;

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use futures::{Stream, StreamExt, stream};
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use leptos::prelude::{IntoView, use_context};
use leptos_axum::ResponseOptions;

use crate::context::{AppContext, Head};
use crate::shell::{TITLE_SLOT, shell};
use crate::text::escape;

/// All pages (as the fallback, so that unknown paths get the page for them) and all server functions under `/do`.
///
/// Merge it with routers that have no fallback of their own. A layer around it must put `Arc<dyn Visit>` into the
/// request's extensions, and check that a `POST` comes from this site.
pub fn router<S: Clone + Send + Sync + 'static>(context: AppContext) -> Router<S> {
    crate::actions::register();
    // An error means that it was done before, which is as good.
    let _ = any_spawner::Executor::init_tokio();
    let for_acts = context.clone();
    let act = move |request: Request<Body>| {
        let context = for_acts.clone();
        async move {
            leptos_axum::handle_server_fns_with_context(move || context.provide(), request)
                .await
                .into_response()
        }
    };
    let page = move |request: Request<Body>| render(context.clone(), request);
    Router::new().route("/do/{name}", post(act)).fallback_service(get(page))
}

/// One page as complete HTML.
pub async fn render(context: AppContext, request: Request<Body>) -> Response<Body> {
    leptos_axum::handle_response_inner(move || context.provide(), shell, request, complete).await
}

type Html = Pin<Box<dyn Stream<Item = String> + Send>>;

/// Waits for everything, then sends it at once, without the scripts for hydration (`_scripts`).
fn complete<V: IntoView + 'static>(
    app: V,
    _scripts: Box<dyn FnOnce() -> Html + Send>,
    _out_of_order: bool,
) -> Pin<Box<dyn Future<Output = Html> + Send>> {
    let head = use_context::<Head>().unwrap_or_default();
    let chunks = app.to_html_stream_in_order();
    Box::pin(async move {
        let html: String = chunks.collect().await;
        let html = html.replacen(TITLE_SLOT, &escape(&head.title()), 1);
        Box::pin(stream::once(async move { html })) as Html
    })
}

/// Answers with `303 See Other` to a local path.
pub(crate) fn redirect_with(options: &ResponseOptions, to: &str) {
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    options.insert_header(header::LOCATION, to);
    options.set_status(StatusCode::SEE_OTHER);
}

/// Asks the browser to load the page again after some seconds. A header, because an element in the page cannot be
/// switched off by assistive technology any better and would be repeated in saved copies.
pub(crate) fn refresh_with(options: &ResponseOptions, seconds: u32) {
    options.insert_header(HeaderName::from_static("refresh"), HeaderValue::from(seconds));
}
