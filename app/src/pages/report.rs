//! `/reports/{id}`: a frozen report and its share links.

use inferex_model::actor::Role;
use inferex_model::id::ReportId;
use leptos::prelude::*;

use super::{Page, Visitor, id_of, member};
use crate::parts::basic::{card, empty, fact, link_button, page_head, scroller, when, when_or};
use crate::parts::form::{Button, button, confirm, hidden, refused, select};
use crate::parts::layout::Place;
use crate::parts::result::result;
use crate::view::{ReportView, ShareView};

/// The page.
pub(crate) fn report() -> AnyView {
    member(|visitor| async move {
        let id: ReportId = id_of(&visitor)?;
        let report = visitor.ports.reports.get(&visitor.actor, id).await?;
        let body = view! {
            {page_head(Some(("Reports", "/reports")), &report.row.title, facts(&report, &visitor), acts(&report, &visitor))}
            {card("share", "Share", "anybody with the link sees this report and nothing else", share(&report, &visitor))}
            {result(&report.snapshot.result, None)}
        };
        Ok(Page::new(report.row.title.clone(), Place::Reports, body.into_any()))
    })
}

fn facts(report: &ReportView, visitor: &Visitor) -> Vec<AnyView> {
    let frozen = view! { "frozen "{when(report.snapshot.frozen_at, visitor.now)}" by "{report.row.created_by.clone()} };
    let mut facts = vec![fact(report.row.id.to_string()), frozen.into_any()];
    facts.extend(report.row.experiment.map(|from| {
        view! { "from "<a href=format!("/experiments/{from}")>{from.to_string()}</a> }.into_any()
    }));
    facts
}

fn acts(report: &ReportView, visitor: &Visitor) -> Vec<AnyView> {
    let id = report.row.id;
    let remove = Button {
        action: "/do/report-remove",
        label: "Delete it",
        class: "button danger",
        hidden: vec![("report", id.to_string())],
        blocked: visitor.lacks(Role::Engineer),
    };
    let lost = format!(
        "{id} and its {} links disappear; whoever holds a link sees nothing any more. The experiment stays.",
        report.shares.len()
    );
    vec![confirm("Delete", &lost, remove), link_button(&format!("/api/v1/reports/{id}"), "JSON", false)]
}

fn share(report: &ReportView, visitor: &Visitor) -> AnyView {
    let form = match visitor.lacks(Role::Engineer) {
        Some(reason) => refused("Make a link", "button primary", reason),
        None => share_form(report.row.id),
    };
    view! { {form}{links(report, visitor)} }.into_any()
}

fn share_form(id: ReportId) -> AnyView {
    let expiries =
        [("1d", "after 1 day"), ("7d", "after 7 days"), ("30d", "after 30 days"), ("never", "never")]
            .map(|(value, label)| (value, label.to_owned()));
    view! {
        <form method="post" action="/do/report-share" class="inline">
            {hidden(vec![("report", id.to_string())])}
            {select("expires", "expires", "Link expires", &expiries, "7d")}
            <button class="button primary">"Make a link"</button>
        </form>
    }
    .into_any()
}

fn links(report: &ReportView, visitor: &Visitor) -> AnyView {
    if report.shares.is_empty() {
        return empty("Nobody has a link to this report.", None);
    }
    let rows: Vec<_> = report.shares.iter().map(|share| link_row(share, report.row.id, visitor)).collect();
    let table = view! {
        <table>
            <caption class="hidden">"Share links"</caption>
            <thead><tr>
                <th scope="col">"Link"</th><th scope="col">"State"</th><th scope="col">"Made"</th>
                <th scope="col">"Expires"</th><th scope="col">"Acts"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller("Share links", table.into_any())
}

fn link_row(share: &ShareView, report: ReportId, visitor: &Visitor) -> AnyView {
    let state = match (share.live, share.revoked_at) {
        (true, _) => "open".into_any(),
        (false, Some(at)) => view! { "revoked "{when(at, visitor.now)} }.into_any(),
        (false, None) => "expired".into_any(),
    };
    let hidden = vec![("share", share.id.to_string()), ("report", report.to_string())];
    let revoke = Button {
        action: "/do/share-revoke",
        label: "Revoke",
        class: "button small",
        hidden,
        blocked: visitor.lacks(Role::Engineer),
    };
    view! {
        <tr>
            <th scope="row">{share.id.to_string()}</th><td>{state}</td><td>{when(share.created_at, visitor.now)}</td>
            <td>{when_or(share.expires_at, visitor.now, "never")}</td>
            <td>{share.live.then(|| button(revoke))}</td>
        </tr>
    }
    .into_any()
}
