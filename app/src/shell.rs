//! The document around every page, and which page answers which path. Start from [`shell`].

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::components::{Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::context::AssetPaths;
use crate::pages;
use crate::ports::Visit;

/// Stands in the document until the page has told its title.
pub(crate) const TITLE_SLOT: &str = "%inferex-title%";

/// The whole HTML document.
pub fn shell() -> impl IntoView {
    let nonce = use_context::<Arc<dyn Visit>>().map(|visit| visit.nonce()).unwrap_or_default();
    let assets = use_context::<AssetPaths>();
    let (stylesheet, script, favicon) =
        assets.map(|a| (a.stylesheet, a.script, a.favicon)).unwrap_or_default();
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <meta name="description" content="The workbench of an inference engineer."/>
                <title>{TITLE_SLOT}</title>
                <link rel="icon" href=favicon type="image/svg+xml"/>
                <link rel="stylesheet" href=stylesheet/>
                <script nonce=nonce src=script></script>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// All routes. Every page is sent complete, after its data came.
#[component]
pub fn App() -> impl IntoView {
    let ssr = SsrMode::Async;
    view! {
        <Router>
            <Routes fallback=pages::not_found>
                <Route path=path!("/") view=pages::overview ssr=ssr.clone()/>
                <Route path=path!("/setup") view=pages::setup ssr=ssr.clone()/>
                <Route path=path!("/login") view=pages::login ssr=ssr.clone()/>
                <Route path=path!("/engines") view=pages::engines ssr=ssr.clone()/>
                <Route path=path!("/engines/:id") view=pages::deployment ssr=ssr.clone()/>
                <Route path=path!("/experiments") view=pages::experiments ssr=ssr.clone()/>
                <Route path=path!("/experiments/new") view=pages::builder ssr=ssr.clone()/>
                <Route path=path!("/experiments/:id") view=pages::experiment ssr=ssr.clone()/>
                <Route path=path!("/runs/:id") view=pages::run ssr=ssr.clone()/>
                <Route path=path!("/reports") view=pages::reports ssr=ssr.clone()/>
                <Route path=path!("/reports/:id") view=pages::report ssr=ssr.clone()/>
                <Route path=path!("/r/:token") view=pages::shared ssr=ssr.clone()/>
                <Route path=path!("/settings") view=pages::settings ssr=ssr/>
            </Routes>
        </Router>
    }
}
