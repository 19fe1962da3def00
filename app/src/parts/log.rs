//! Some lines of a log: line numbers as links, level by weight.

use leptos::prelude::*;

use super::basic::empty;
use crate::view::LogPage;

/// Lines a page of a log has.
pub(crate) const LINES: u32 = 200;

/// The lines with links to older and newer ones; `base` is the page's path.
pub(crate) fn log(page: &LogPage, base: &str) -> AnyView {
    if page.lines.is_empty() {
        return empty("The log has no lines yet.", None);
    }
    let lines: Vec<_> = (page.first..).zip(&page.lines).map(|(number, text)| line(number, text)).collect();
    view! {
        {pager(page, base)}
        <div class="scroll log" tabindex="0" role="region" aria-label="Log lines"><ol>{lines}</ol></div>
    }
    .into_any()
}

fn line(number: u64, text: &str) -> AnyView {
    let id = format!("L{}", number + 1);
    let class = if is_loud(text) { "loud" } else { "" };
    view! {
        <li id=id.clone() class=class><a href=format!("#{id}")>{number + 1}</a><code>{text.to_owned()}</code></li>
    }
    .into_any()
}

fn is_loud(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["error", "fail", "warn", "fatal", "panic"].iter().any(|word| lower.contains(word))
}

fn pager(page: &LogPage, base: &str) -> AnyView {
    let after = page.first + page.lines.len() as u64;
    let step = u64::from(LINES);
    let older = (page.first > 0).then(|| {
        let href = format!("{base}?from={}#log", page.first.saturating_sub(step));
        view! { <a href=href>"Older"</a> }
    });
    let newer = (after < page.total).then(|| {
        view! { <a href=format!("{base}?from={after}#log")>"Newer"</a><a href=format!("{base}#log")>"Newest"</a> }
    });
    view! {
        <p class="pager">
            <span class="note">{format!("lines {} to {after} of {}", page.first + 1, page.total)}</span>{older}{newer}
        </p>
    }
    .into_any()
}
