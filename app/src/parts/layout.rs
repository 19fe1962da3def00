//! The frame around a page: navigation, flash line, foot.

use leptos::prelude::*;

use crate::pages::visitor::{PageParts, Visitor};
use crate::ports::{Flash, FlashKind};

/// A page's place in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// `/`
    Overview,
    /// `/experiments`
    Experiments,
    /// `/reports`
    Reports,
    /// `/engines`
    Engines,
    /// `/settings`
    Settings,
    /// None of them.
    Nowhere,
}

/// Navigation, flash, content. `paused`: whether a page that refreshes itself has been paused.
pub(crate) fn framed(page: PageParts, visitor: &Visitor, paused: Option<bool>) -> AnyView {
    view! {
        <a class="skip" href="#main">"Skip to the content"</a>
        <div class="frame">
            {navigation(page.place, visitor)}
            <main id="main" tabindex="-1">
                {visitor.plain_http.then(plain_http)}
                {visitor.flash.as_ref().map(flash)}
                {paused.map(live)}
                {page.body}
            </main>
        </div>
    }
    .into_any()
}

/// Content alone, for people without an account.
pub(crate) fn bare(body: AnyView) -> AnyView {
    view! { <main id="main" class="bare">{body}</main> }.into_any()
}

fn navigation(place: Place, visitor: &Visitor) -> AnyView {
    let item = |to: Place, href: &'static str, name: &'static str, key: &'static str| {
        let current = (to == place).then_some("page");
        view! { <li><a href=href aria-current=current data-go=key>{name}</a></li> }.into_any()
    };
    view! {
        <nav class="nav" aria-label="Pages">
            <a class="brand" href="/">"Inferex"</a>
            <ul>{item(Place::Overview, "/", "Overview", "o")}</ul>
            <p class="nav-group" aria-hidden="true">"Measure"</p>
            <ul>
                {item(Place::Experiments, "/experiments", "Experiments", "x")}
                {item(Place::Reports, "/reports", "Reports", "r")}
            </ul>
            <p class="nav-group" aria-hidden="true">"Serve"</p>
            <ul>{item(Place::Engines, "/engines", "Engines", "e")}</ul>
            <p class="nav-group" aria-hidden="true">"Operate"</p>
            <ul>{item(Place::Settings, "/settings", "Settings", "s")}</ul>
            <div class="nav-foot">
                <button type="button" class="button quiet-button theme" hidden>"Theme: system"</button>
                {account(visitor)}
            </div>
        </nav>
    }
    .into_any()
}

fn account(visitor: &Visitor) -> AnyView {
    if !visitor.signed_in {
        return view! { <a class="button quiet-button" href="/login">"Sign in"</a> }.into_any();
    }
    view! {
        <p class="who">{visitor.actor.name.clone()}<span class="quiet">{visitor.actor.role.as_str()}</span></p>
        <form method="post" action="/do/sign-out">
            <button class="button quiet-button">"Sign out"</button>
        </form>
    }
    .into_any()
}

fn plain_http() -> AnyView {
    view! {
        <p class="banner">
            <strong>"Plain http on this machine only. "</strong>
            "Set INFEREX_PUBLIC_URL to an https address before anybody else may sign in."
        </p>
    }
    .into_any()
}

/// One line at the top: how the last act went, and what is shown this once.
pub(crate) fn flash(flash: &Flash) -> AnyView {
    let (class, role, icon) = match flash.kind {
        FlashKind::Done => ("flash done", "status", "✓"),
        FlashKind::Refused => ("flash refused", "alert", "!"),
    };
    view! {
        <div class=class role=role>
            <p><span class="icon" aria-hidden="true">{icon}</span>{flash.text.clone()}</p>
            {flash.once.clone().map(|(label, value)| once(label, value))}
        </div>
    }
    .into_any()
}

fn once(label: String, value: String) -> AnyView {
    view! {
        <div class="copyable once">
            <label for="once">{label}</label>
            <input id="once" type="text" readonly value=value/>
            <button type="button" class="button small copy" hidden>"Copy"</button>
        </div>
    }
    .into_any()
}

fn live(paused: bool) -> AnyView {
    if paused {
        view! { <p class="live">"Paused. " <a href="?">"Follow again"</a></p> }.into_any()
    } else {
        view! {
            <p class="live"><span class="pulse" aria-hidden="true"></span>
            "This page loads itself again every 2 s. " <a href="?live=off">"Pause"</a></p>
        }
        .into_any()
    }
}
