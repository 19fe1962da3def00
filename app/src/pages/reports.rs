//! `/reports`: the list.

use leptos::prelude::*;

use super::{Page, Visitor, member};
use crate::parts::basic::{card, empty, link_button, page_head, when};
use crate::parts::layout::Place;
use crate::text::plural;
use crate::view::ReportRow;

/// The page.
pub(crate) fn reports() -> AnyView {
    member(|visitor| async move {
        let rows = visitor.ports.reports.list(&visitor.actor, 100).await?;
        let body = view! {
            {page_head(None, "Reports", vec![], vec![])}
            {card("list", "All reports", "frozen answers: what is shown does not change any more", reports_list(&rows, &visitor))}
        };
        Ok(Page::new("Reports", Place::Reports, body.into_any()))
    })
}

/// Reports with their findings; the overview shows it too.
pub(super) fn reports_list(rows: &[ReportRow], visitor: &Visitor) -> AnyView {
    if rows.is_empty() {
        let act = link_button("/experiments", "Experiments", false);
        return empty("No report yet. Freeze one from an experiment that is done.", Some(act));
    }
    let items: Vec<_> = rows.iter().map(|row| item(row, visitor)).collect();
    view! { <ul class="reports">{items}</ul> }.into_any()
}

fn item(row: &ReportRow, visitor: &Visitor) -> AnyView {
    let links = match row.live_shares {
        0 => "not shared".to_owned(),
        n => format!("{} open", plural(n, "link")),
    };
    view! {
        <li>
            <h3><a href=format!("/reports/{}", row.id)>{row.title.clone()}</a></h3>
            <p>{row.sentence.clone()}</p>
            <p class="note">{row.id.to_string()}" · "{when(row.created_at, visitor.now)}" by "{row.created_by.clone()}" · "{links}</p>
        </li>
    }
    .into_any()
}
