//! `/`: deployments, the queue, the latest reports, and the next step of an empty product.

use inferex_model::actor::Role;
use leptos::prelude::*;

use super::{Page, Visitor, member};
use crate::pages::engines::deployments_table;
use crate::pages::experiments::experiments_table;
use crate::pages::reports::reports_list;
use crate::parts::basic::{card, empty, fact, link_button, page_head};
use crate::parts::form::{Button, button, refused};
use crate::parts::layout::Place;
use crate::text::{duration, plural};
use crate::view::{EngineSetupView, ExperimentRow, ReportRow};

/// The page.
pub(crate) fn overview() -> AnyView {
    member(|visitor| async move {
        let actor = &visitor.actor;
        let setup = visitor.ports.engine_setup.status(actor).await?;
        let deployments = visitor.ports.deployments.list(actor, 8).await?;
        let experiments = visitor.ports.experiments.list(actor, None, 20).await?;
        let reports = visitor.ports.reports.list(actor, 5).await?;
        let (open, over): (Vec<_>, Vec<_>) = experiments.into_iter().partition(|row| !row.state.is_over());
        let going_on = !open.is_empty() || setup.running;
        let ready = deployments.iter().filter(|d| d.state.as_str() == "ready").count();
        let facts = vec![
            fact(format!("{ready} ready")),
            fact(queue_fact(&open)),
            fact(plural(reports.len() as u64, "report")),
        ];
        let steps = first_steps(&setup, &open, &over, &reports, &visitor);
        let body = view! {
            {page_head(None, "Overview", facts, vec![link_button("/experiments/new", "New experiment", steps.is_none())])}
            {steps}
            {card("queue", "Queue", "in the order in which they are measured", queue(&open, &visitor))}
            <div class="two">
                {card("deployments", "Deployments", "started engines, running ones first", if deployments.is_empty() {
                    empty("No engine is running. An experiment starts its own; start one by hand to look at it.", Some(link_button("/engines", "Engines", false)))
                } else { deployments_table(&deployments, &visitor, false) })}
                {card("reports", "Latest reports", "frozen answers that can be shared", reports_list(&reports, &visitor))}
            </div>
            {(!over.is_empty()).then(|| card("recent", "Latest experiments", "", experiments_table("Latest experiments", &over[..over.len().min(5)], &visitor)))}
        };
        Ok(Page::new("Overview", Place::Overview, body.into_any()).refreshing(going_on))
    })
}

fn queue_fact(open: &[ExperimentRow]) -> String {
    match open.iter().filter_map(|row| row.eta_s).max() {
        Some(eta) => format!("{} in the queue, about {} left", open.len(), duration(eta)),
        None => format!("{} in the queue", open.len()),
    }
}

fn queue(open: &[ExperimentRow], visitor: &Visitor) -> AnyView {
    if open.is_empty() {
        return empty("Nothing is queued.", None);
    }
    let mut rows = open.to_vec();
    rows.sort_by_key(|row| row.id);
    experiments_table("Queue", &rows, visitor)
}

/// The three steps from nothing to a link, until the third is done.
fn first_steps(
    setup: &EngineSetupView,
    open: &[ExperimentRow],
    over: &[ExperimentRow],
    reports: &[ReportRow],
    visitor: &Visitor,
) -> Option<AnyView> {
    if !reports.is_empty() {
        return None;
    }
    let measured = over.iter().find(|row| row.runs.done > 0);
    let at = match (setup.installed, measured) {
        (false, _) => 0,
        (true, None) => 1,
        (true, Some(_)) => 2,
    };
    let acts = [install(setup, visitor), compare(open, visitor), share(measured)];
    let steps: Vec<_> = STEPS
        .iter()
        .zip(acts)
        .enumerate()
        .map(|(index, ((title, text), act))| step(index, at, title, text, act))
        .collect();
    Some(view! { <section class="card steps" aria-labelledby="steps"><h2 id="steps">"First steps"</h2><ol>{steps}</ol></section> }.into_any())
}

const STEPS: [(&str, &str); 3] = [
    (
        "Install the CPU engine",
        "llama.cpp’s server and SmolLM2-135M in F16, Q8_0 and Q4_0, all under the data folder.",
    ),
    (
        "Run the quick comparison (F16, Q8_0, Q4_0)",
        "Two load levels, five starts each; minutes. The estimate is shown before anything is queued.",
    ),
    ("Share it", "Freeze the result and send a link that needs no account."),
];

fn step(index: usize, at: usize, title: &'static str, text: &'static str, act: AnyView) -> AnyView {
    let (class, word) = match index.cmp(&at) {
        std::cmp::Ordering::Less => ("step done", "done"),
        std::cmp::Ordering::Equal => ("step now", "next"),
        std::cmp::Ordering::Greater => ("step later", "later"),
    };
    let act = (index == at).then_some(act);
    view! {
        <li class=class><div><h3>{title}" "<span class="note">{word}</span></h3><p>{text}</p></div>{act}</li>
    }
    .into_any()
}

fn install(setup: &EngineSetupView, visitor: &Visitor) -> AnyView {
    if setup.running {
        return link_button("/engines", "Installing: watch it", false);
    }
    let blocked = visitor.lacks(Role::Engineer);
    button(Button {
        action: "/do/engine-install",
        label: "Install the CPU engine",
        class: "button primary",
        hidden: vec![],
        blocked,
    })
}

fn compare(open: &[ExperimentRow], visitor: &Visitor) -> AnyView {
    if let Some(row) = open.first() {
        return link_button(&format!("/experiments/{}", row.id), "It runs: watch it", true);
    }
    match visitor.lacks(Role::Engineer) {
        Some(reason) => refused("Run the quick comparison", "button primary", reason),
        None => link_button("/experiments/new?preset=quick", "Run the quick comparison", true),
    }
}

fn share(measured: Option<&ExperimentRow>) -> AnyView {
    let href =
        measured.map_or_else(|| "/experiments".to_owned(), |row| format!("/experiments/{}#share", row.id));
    link_button(&href, "Share it", true)
}
