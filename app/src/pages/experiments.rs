//! `/experiments`: the list.

use inferex_model::id::ExperimentId;
use leptos::prelude::*;

use super::{Page, Visitor, member};
use crate::parts::basic::{card, empty, link_button, page_head, scroller, when};
use crate::parts::layout::Place;
use crate::parts::matrix::summary;
use crate::parts::state::experiment_chip;
use crate::view::ExperimentRow;

const ROWS: u32 = 50;

/// The page.
pub(crate) fn experiments() -> AnyView {
    member(|visitor| async move {
        let before: Option<ExperimentId> = visitor.asked("before").and_then(|id| id.parse().ok());
        let rows = visitor.ports.experiments.list(&visitor.actor, before, ROWS).await?;
        let going_on = rows.iter().any(|row| !row.state.is_over());
        let older = rows.get(ROWS as usize - 1).map(|row| row.id);
        let new = || link_button("/experiments/new", "New experiment", true);
        let list = if rows.is_empty() {
            empty("No experiment yet. The quick preset compares variants in minutes.", Some(new()))
        } else {
            experiments_table("Experiments", &rows, &visitor)
        };
        let body = view! {
            {page_head(None, "Experiments", vec![], vec![new()])}
            {card("list", "All experiments", "newest first", list)}
            {older.map(|id| view! { <p class="pager"><a href=format!("?before={id}")>"Older"</a></p> })}
        };
        Ok(Page::new("Experiments", Place::Experiments, body.into_any()).refreshing(going_on))
    })
}

/// Experiments as a table; the overview shows it too.
pub(super) fn experiments_table(label: &str, rows: &[ExperimentRow], visitor: &Visitor) -> AnyView {
    let rows: Vec<_> = rows.iter().map(|row| experiment_row(row, visitor)).collect();
    let table = view! {
        <table>
            <caption class="hidden">"Experiments"</caption>
            <thead><tr>
                <th scope="col">"Experiment"</th><th scope="col">"State"</th><th scope="col">"Arms"</th>
                <th scope="col">"Runs"</th><th scope="col">"Queued"</th><th scope="col">"By"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller(label, table.into_any())
}

fn experiment_row(row: &ExperimentRow, visitor: &Visitor) -> AnyView {
    view! {
        <tr>
            <th scope="row"><a href=format!("/experiments/{}", row.id)>{row.name.clone()}</a>" "<span class="note">{row.id.to_string()}</span></th>
            <td>{experiment_chip(row.state)}</td>
            <td>{row.arms.join(", ")}</td>
            <td>{summary(&row.runs, row.eta_s)}{progress(row)}</td>
            <td>{when(row.created_at, visitor.now)}</td>
            <td>{row.created_by.clone()}</td>
        </tr>
    }
    .into_any()
}

fn progress(row: &ExperimentRow) -> Option<AnyView> {
    (!row.state.is_over()).then(|| {
        let (max, done) = (row.runs.total.max(1).to_string(), row.runs.done.to_string());
        view! { <progress max=max value=done aria-label="Runs that are done"></progress> }.into_any()
    })
}
