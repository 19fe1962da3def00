//! The smallest parts: page head, card, chip, time, empty state, command.

use inferex_model::time::Timestamp;
use leptos::prelude::*;

use crate::text::{ago, utc};
use crate::view::CommandView;

/// Crumb (name and address), title, facts separated by middle dots, acts at the right.
pub(crate) fn page_head(
    crumb: Option<(&str, &str)>,
    title: &str,
    facts: Vec<AnyView>,
    acts: Vec<AnyView>,
) -> AnyView {
    let crumb = crumb.map(|(name, href)| {
        view! { <p class="crumb"><a href=href.to_owned()>{name.to_owned()}</a></p> }.into_any()
    });
    let facts = (!facts.is_empty()).then(|| {
        let facts: Vec<_> = facts.into_iter().map(|fact| view! { <li>{fact}</li> }).collect();
        view! { <ul class="facts">{facts}</ul> }
    });
    let acts = (!acts.is_empty()).then(|| view! { <div class="acts">{acts}</div> });
    view! {
        <header class="page-head">
            <div class="page-title">{crumb}<h1>{title.to_owned()}</h1>{facts}</div>
            {acts}
        </header>
    }
    .into_any()
}

/// Text as a fact of the page head.
pub(crate) fn fact(text: impl Into<String>) -> AnyView {
    text.into().into_any()
}

/// A card: title, one grey line, content. No card inside a card.
pub(crate) fn card(id: &str, title: &str, note: &str, body: AnyView) -> AnyView {
    let (heading, label) = (format!("{id}-title"), format!("{id}-title"));
    let note = (!note.is_empty()).then(|| view! { <p class="note">{note.to_owned()}</p> });
    view! {
        <section class="card" id=id.to_owned() aria-labelledby=label>
            <div class="card-head"><h2 id=heading>{title.to_owned()}</h2>{note}</div>
            {body}
        </section>
    }
    .into_any()
}

/// How a chip is coloured; the icon and the word say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing to say by colour.
    Plain,
    /// Better, ready, done.
    Good,
    /// Worse, failed.
    Bad,
    /// Under way.
    Busy,
}

impl Tone {
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Plain => "chip",
            Self::Good => "chip good",
            Self::Bad => "chip bad",
            Self::Busy => "chip busy",
        }
    }
}

/// State or remark: icon and word.
pub(crate) fn chip(tone: Tone, icon: &'static str, word: impl Into<String>) -> AnyView {
    view! { <span class=tone.class()><span class="icon" aria-hidden="true">{icon}</span>{word.into()}</span> }
        .into_any()
}

/// A time: relative, with the absolute one in UTC on hover.
pub(crate) fn when(at: Timestamp, now: Timestamp) -> AnyView {
    let absolute = utc(at);
    let machine = absolute.replacen(' ', "T", 1).replace(" UTC", "Z");
    view! { <time datetime=machine title=absolute>{ago(at, now)}</time> }.into_any()
}

/// The same where it may not have happened.
pub(crate) fn when_or(at: Option<Timestamp>, now: Timestamp, otherwise: &'static str) -> AnyView {
    match at {
        Some(at) => when(at, now),
        None => view! { <span class="quiet">{otherwise}</span> }.into_any(),
    }
}

/// One sentence, and the act that ends the emptiness.
pub(crate) fn empty(sentence: &str, act: Option<AnyView>) -> AnyView {
    view! { <div class="empty"><p>{sentence.to_owned()}</p>{act}</div> }.into_any()
}

/// A link that looks like a button.
pub(crate) fn link_button(href: &str, label: &str, primary: bool) -> AnyView {
    let class = if primary { "button primary" } else { "button" };
    view! { <a class=class href=href.to_owned()>{label.to_owned()}</a> }.into_any()
}

/// Commands that can be copied; the button appears where scripts run.
pub(crate) fn commands(commands: &[CommandView]) -> AnyView {
    commands
        .iter()
        .map(|command| {
            let label = format!("{} (command)", command.label);
            view! {
                <div class="command">
                    <p class="note">{command.label.clone()}</p>
                    <div class="copyable">
                        <pre tabindex="0" role="region" aria-label=label><code>{command.text.clone()}</code></pre>
                        <button type="button" class="button small copy" hidden>"Copy"</button>
                    </div>
                </div>
            }
        })
        .collect::<Vec<_>>()
        .into_any()
}

/// A box that scrolls sideways by itself, reachable by keyboard.
pub(crate) fn scroller(label: &str, table: AnyView) -> AnyView {
    view! { <div class="scroll" tabindex="0" role="region" aria-label=format!("{label}, table")>{table}</div> }
        .into_any()
}

/// Pairs of name and value.
pub(crate) fn pairs(rows: Vec<(&'static str, AnyView)>) -> AnyView {
    let rows: Vec<_> =
        rows.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect();
    view! { <dl class="pairs">{rows}</dl> }.into_any()
}

/// A value that is configuration.
pub(crate) fn mono(text: impl Into<String>) -> AnyView {
    view! { <code>{text.into()}</code> }.into_any()
}

/// Text, or in grey why there is none.
pub(crate) fn or_missing(text: Option<String>) -> AnyView {
    match text {
        Some(text) => text.into_any(),
        None => view! { <span class="missing">"not reported"</span> }.into_any(),
    }
}
