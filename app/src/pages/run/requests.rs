//! The requests of a run, a page at a time.

use inferex_model::metrics::RequestRow;
use leptos::prelude::*;

use crate::parts::basic::{empty, scroller};
use crate::text::{count, three};
use crate::view::RunView;

/// Requests a page has.
pub(super) const ROWS: u32 = 25;

/// The table with links to the pages before and after.
pub(super) fn table(rows: &[RequestRow], offset: u64, run: &RunView) -> AnyView {
    if rows.is_empty() {
        let sentence =
            if offset > 0 { "There are no requests that far." } else { "No request has ended yet." };
        return empty(sentence, None);
    }
    let body: Vec<_> = rows.iter().map(row).collect();
    let table = view! {
        <table class="requests">
            <caption class="hidden">"Requests of this run"</caption>
            <thead><tr>
                <th scope="col">"Request"</th><th scope="col" class="num">"Sent "<small>"ms"</small></th>
                <th scope="col" class="num">"TTFT "<small>"ms"</small></th><th scope="col" class="num">"TPOT "<small>"ms"</small></th>
                <th scope="col" class="num">"End to end "<small>"ms"</small></th><th scope="col" class="num">"Prompt "<small>"tokens"</small></th>
                <th scope="col" class="num">"Cached "<small>"tokens"</small></th><th scope="col" class="num">"Output "<small>"tokens"</small></th>
                <th scope="col">"End"</th>
            </tr></thead>
            <tbody>{body}</tbody>
        </table>
    };
    view! { {scroller("Requests", table.into_any())}{pager(rows.len() as u64, offset, run)} }.into_any()
}

fn row(r: &RequestRow) -> AnyView {
    let ms = |value: Option<f64>| number(value.map(three));
    let n = |value: Option<u64>| number(value.map(count));
    let (class, end) = match (&r.error, &r.finish) {
        (Some(error), _) => ("bad", error.clone()),
        (None, Some(finish)) => ("", finish.clone()),
        (None, None) => ("missing", "cut".to_owned()),
    };
    view! {
        <tr>
            <th scope="row">{r.req.to_string()}</th>
            {ms(r.sent_ms)}{ms(r.ttft_ms)}{ms(r.tpot_ms)}{ms(r.e2e_ms)}
            {n(r.prompt_tokens)}{n(r.cached_tokens)}{n(r.output_tokens)}
            <td class=class>{end}</td>
        </tr>
    }
    .into_any()
}

fn number(value: Option<String>) -> AnyView {
    match value {
        Some(value) => view! { <td class="num">{value}</td> }.into_any(),
        None => view! { <td class="num missing">"none"</td> }.into_any(),
    }
}

fn pager(shown: u64, offset: u64, run: &RunView) -> AnyView {
    let total = run.progress.done + run.progress.failed;
    let link = |to: u64, word: &'static str| view! { <a href=format!("?offset={to}#requests")>{word}</a> };
    let before = (offset > 0).then(|| link(offset.saturating_sub(u64::from(ROWS)), "Before"));
    let after = (shown == u64::from(ROWS) && offset + shown < total).then(|| link(offset + shown, "After"));
    view! {
        <p class="pager"><span class="note">{format!("{} to {} of {}", offset + 1, offset + shown, count(total))}</span>{before}{after}</p>
    }
    .into_any()
}
