//! `/experiments/{id}`: the result, the runs, what goes on, and everything that can be done with it.

use inferex_model::actor::Role;
use inferex_model::id::ExperimentId;
use leptos::prelude::*;

use super::{Page, Visitor, id_of, member};
use crate::parts::basic::{card, commands, empty, fact, link_button, page_head, when};
use crate::parts::form::{Button, Field, button, confirm, field, hidden, refused};
use crate::parts::layout::Place;
use crate::parts::matrix::{matrix, summary};
use crate::parts::result::result;
use crate::parts::state::experiment_chip;
use crate::text::{count, duration, plural, three};
use crate::view::ExperimentView;

/// The page.
pub(crate) fn experiment() -> AnyView {
    member(|visitor| async move {
        let id: ExperimentId = id_of(&visitor)?;
        let view = visitor.ports.experiments.get(&visitor.actor, id).await?;
        let charts = format!("/api/v1/experiments/{id}/charts");
        let going_on = !view.row.state.is_over();
        let runs = card(
            "runs",
            "Runs",
            &format!("a cell is one level of one start · {}", summary(&view.row.runs, None)),
            matrix(&view),
        );
        let answer = match &view.result {
            Some(answer) => result(answer, Some(&charts)),
            None => no_result(&view),
        };
        let (first, second) = if going_on { (runs, answer) } else { (answer, runs) };
        let body = view! {
            {page_head(Some(("Experiments", "/experiments")), &view.row.name, facts(&view, &visitor), acts(&view, &visitor))}
            {going_on.then(|| progress(&view))}
            {first}{second}
            {share(&view, &visitor)}
            {repeat(&view)}
        };
        let title = if going_on {
            format!("{}/{} {}", view.row.runs.done, view.row.runs.total, view.row.name)
        } else {
            view.row.name.clone()
        };
        Ok(Page::new(title, Place::Experiments, body.into_any()).refreshing(going_on))
    })
}

fn facts(view: &ExperimentView, visitor: &Visitor) -> Vec<AnyView> {
    let spec = &view.spec;
    let mut facts = vec![experiment_chip(view.row.state), fact(view.row.id.to_string())];
    facts.push(fact(format!("{}, {} tokens out", spec.workload.prompts, spec.workload.output_tokens)));
    facts.push(fact(format!("{} each", plural(u64::from(spec.repeats), "start"))));
    match (view.started_at, view.ended_at) {
        (Some(from), Some(to)) => {
            let took = duration(to.since_ms(from).unsigned_abs() / 1_000);
            facts.push(view! { {took}", ended "{when(to, visitor.now)} }.into_any());
        }
        (Some(from), None) => facts.push(view! { "began "{when(from, visitor.now)} }.into_any()),
        (None, _) => facts.push(
            view! { "queued "{when(view.row.created_at, visitor.now)}" by "{view.row.created_by.clone()} }
                .into_any(),
        ),
    }
    facts
}

fn acts(view: &ExperimentView, visitor: &Visitor) -> Vec<AnyView> {
    let api = format!("/api/v1/experiments/{}", view.row.id);
    let mut acts =
        vec![export(&api, view.result.is_some()), link_button(&clone_address(view), "Clone", false)];
    if !view.row.state.is_over() {
        acts.push(cancel(view, visitor));
    }
    if view.row.runs.interrupted > 0 {
        let n = view.row.runs.interrupted;
        let hidden = vec![("experiment", view.row.id.to_string())];
        let blocked = visitor.lacks(Role::Engineer);
        acts.push(button(Button {
            action: "/do/experiment-requeue",
            label: &format!("Queue {} again", plural(n, "run")),
            class: "button",
            hidden,
            blocked,
        }));
    }
    if view.row.state.is_over() {
        acts.push(remove(view, visitor));
    }
    if view.result.is_some() {
        acts.push(link_button("#share", "Share report", true));
    }
    acts
}

/// What there is as a file; the answer's files only when there is an answer.
fn export(api: &str, has_result: bool) -> AnyView {
    let answer = [("Result, JSON", "/result.json"), ("Results, CSV", "/results.csv")];
    let always = [("All of it, JSON", ""), ("Experiment file, TOML", "/export.toml")];
    let links: Vec<_> = always
        .into_iter()
        .chain(answer.into_iter().filter(|_| has_result))
        .map(|(name, path)| view! { <li><a href=format!("{api}{path}") download>{name}</a></li> })
        .collect();
    view! { <details class="menu"><summary class="button">"Export"</summary><ul>{links}</ul></details> }
        .into_any()
}

/// The builder with this experiment's values.
fn clone_address(view: &ExperimentView) -> String {
    use std::fmt::Write as _;

    use crate::text::encode;
    let spec = &view.spec;
    let levels: Vec<String> = spec.levels().iter().map(|level| level.concurrency.to_string()).collect();
    let requests = spec.load.first().map_or(32, |load| load.requests);
    let mut address = format!(
        "/experiments/new?preset=custom&name={}&levels={}&requests={requests}&tokens={}&repeats={}",
        encode(&spec.name),
        encode(&levels.join(", ")),
        spec.workload.output_tokens,
        spec.repeats
    );
    for (index, arm) in spec.arm.iter().enumerate() {
        if let inferex_model::experiment::VariantRef::Stored(name) = &arm.variant {
            let baseline = if index == 0 { format!("&baseline={}", encode(name)) } else { String::new() };
            let _ = write!(address, "&variant={}{baseline}", encode(name));
        }
    }
    address
}

fn cancel(view: &ExperimentView, visitor: &Visitor) -> AnyView {
    let runs = &view.row.runs;
    let left = runs.total - runs.done - runs.failed - runs.cancelled - runs.interrupted;
    let lost = format!(
        "{} will not be measured; {} that are done stay with their figures.",
        plural(left, "run"),
        count(runs.done)
    );
    let hidden = vec![("experiment", view.row.id.to_string())];
    confirm(
        "Cancel",
        &lost,
        Button {
            action: "/do/experiment-cancel",
            label: "Cancel the experiment",
            class: "button danger",
            hidden,
            blocked: visitor.lacks(Role::Engineer),
        },
    )
}

fn remove(view: &ExperimentView, visitor: &Visitor) -> AnyView {
    let lost = format!(
        "{} with all their events are deleted for good. Reports frozen from it stay.",
        plural(view.row.runs.total, "run")
    );
    let hidden = vec![("experiment", view.row.id.to_string())];
    confirm(
        "Delete",
        &lost,
        Button {
            action: "/do/experiment-remove",
            label: "Delete the experiment",
            class: "button danger",
            hidden,
            blocked: visitor.lacks(Role::Engineer),
        },
    )
}

fn progress(view: &ExperimentView) -> AnyView {
    let p = &view.progress;
    let requests = p.requests;
    let place = p.position.map(|n| format!("position {n} in the queue"));
    let eta = p.eta_s.map(|s| format!("about {} left", duration(s)));
    let speed = p.tok_s.map(|v| format!("{} tok/s now", three(v)));
    let counts = format!(
        "{} of {} requests, {} in flight, {} failed",
        count(requests.done),
        count(requests.total),
        requests.in_flight,
        requests.failed
    );
    let line = [place, Some(counts), speed, eta].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    view! {
        <section class="card now" aria-labelledby="now">
            <h2 id="now">{capitalised(&p.now)}</h2>
            <progress max=requests.total.max(1).to_string() value=requests.done.to_string() aria-label="Requests that are done"></progress>
            <p class="note">{line}</p>
        </section>
    }
    .into_any()
}

fn no_result(view: &ExperimentView) -> AnyView {
    let sentence = if view.row.state.is_over() {
        "There is no result: fewer than two arms have figures. The runs say why."
    } else {
        "The result appears as soon as two arms have figures."
    };
    view! { <section class="card">{empty(sentence, None)}</section> }.into_any()
}

fn share(view: &ExperimentView, visitor: &Visitor) -> Option<AnyView> {
    view.result.as_ref()?;
    let title = Field {
        id: "title",
        name: "title",
        label: "Title of the report",
        kind: "text",
        value: visitor.entered("title").unwrap_or_else(|| view.row.name.clone()),
        help: "Whoever gets the link reads it first.",
        autocomplete: "off",
        error: visitor.error("title"),
    };
    let body = match visitor.lacks(Role::Engineer) {
        Some(reason) => refused("Share report", "button primary", reason),
        None => view! {
            <form method="post" action="/do/report-create" class="inline">
                {hidden(vec![("experiment", view.row.id.to_string())])}
                {field(title)}
                <button class="button primary">"Freeze the report"</button>
            </form>
        }
        .into_any(),
    };
    Some(card(
        "share",
        "Share report",
        "freezes the result as it is now; links are made on the next page",
        body,
    ))
}

fn repeat(view: &ExperimentView) -> AnyView {
    let toml = view! {
        {commands(&view.commands)}
        <details><summary>"Experiment file (TOML)"</summary>
            <pre tabindex="0" role="region" aria-label="Experiment file"><code>{view.toml.clone()}</code></pre>
        </details>
    };
    card("repeat", "Repeat it", "the commands that measure the same again", toml.into_any())
}

/// A headline begins with a capital letter.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
