//! `/runs/{id}`: one run in full.

mod requests;
mod summary;

use inferex_model::id::RunId;
use leptos::prelude::*;

use super::{Page, Visitor, id_of, member};
use crate::pages::deployment::capacity;
use crate::pages::engines::{base_name, provenance};
use crate::parts::basic::{card, commands, empty, fact, mono, or_missing, page_head, pairs, when};
use crate::parts::layout::Place;
use crate::parts::state::run_chip;
use crate::parts::swatch::swatch;
use crate::text::{bytes, ordinal, three};
use crate::view::RunView;

/// The page.
pub(crate) fn run() -> AnyView {
    member(|visitor| async move {
        let id: RunId = id_of(&visitor)?;
        let run = visitor.ports.runs.get(&visitor.actor, id).await?;
        let offset = visitor.asked("offset").and_then(|n| n.parse().ok()).unwrap_or(0);
        let rows = visitor.ports.runs.requests(&visitor.actor, id, offset, requests::ROWS).await?;
        let neighbours = neighbours(&run, &visitor).await;
        let going_on = !run.state.is_over();
        let title = format!("{}, {}, start {}", run.arm, run.level.label(), ordinal(run.repeat));
        let crumb = (run.experiment_name.clone(), format!("/experiments/{}", run.experiment));
        let body = view! {
            {page_head(Some((&crumb.0, &crumb.1)), &title, facts(&run, &visitor), acts(&run, neighbours))}
            {run.reason.clone().map(|reason| view! { <p class="reason">{reason}</p> })}
            {summary::figures(&run)}
            <div class="two">{summary::invariants(&run)}{summary::generator(&run)}</div>
            {card("requests", "Requests", "ms from the run’s start; failed requests are in no latency", requests::table(&rows, offset, &run))}
            <div class="two">{configuration(&run)}{environment(&run)}</div>
            {card("commands", "Commands", "ours, and the engine’s", commands(&run.commands))}
        };
        Ok(Page::new(format!("{id} {title}"), Place::Experiments, body.into_any())
            .refreshing(going_on && offset == 0))
    })
}

/// The runs before and after it in the order of measuring; none where the experiment cannot be read.
async fn neighbours(run: &RunView, visitor: &Visitor) -> [Option<RunId>; 2] {
    let Ok(experiment) = visitor.ports.experiments.get(&visitor.actor, run.experiment).await else {
        return [None, None];
    };
    let Some(at) = experiment.cells.iter().position(|cell| cell.id == run.id) else { return [None, None] };
    let id = |index: Option<usize>| index.and_then(|i| experiment.cells.get(i)).map(|cell| cell.id);
    [id(at.checked_sub(1)), id(Some(at + 1))]
}

fn facts(run: &RunView, visitor: &Visitor) -> Vec<AnyView> {
    let arm = view! { {swatch(run.arm_index)}{run.arm.clone()} };
    let mut facts = vec![run_chip(run.state), arm.into_any(), fact(run.id.to_string())];
    if run.attempt > 1 {
        facts.push(fact(format!("attempt {}", run.attempt)));
    }
    facts.push(fact(format!(
        "{} of {} requests done, {} failed",
        run.progress.done, run.progress.total, run.progress.failed
    )));
    facts.extend(run.ended_at.or(run.started_at).map(|at| when(at, visitor.now)));
    facts
}

fn acts(run: &RunView, [before, after]: [Option<RunId>; 2]) -> Vec<AnyView> {
    let step = |id: Option<RunId>, label: &'static str| match id {
        Some(id) => view! { <a class="button" href=format!("/runs/{id}")>{label}</a> }.into_any(),
        None => {
            view! { <button type="button" class="button" disabled title="there is none">{label}</button> }
                .into_any()
        }
    };
    let api = format!("/api/v1/runs/{}", run.id);
    let links: Vec<_> =
        [("Summary, JSON", ""), ("Events, JSONL", "/events"), ("Requests, CSV", "/requests?format=csv")]
            .map(|(name, path)| view! { <li><a href=format!("{api}{path}") download>{name}</a></li> })
            .into_iter()
            .collect();
    let export =
        view! { <details class="menu"><summary class="button">"Export"</summary><ul>{links}</ul></details> };
    let log = run
        .deployment
        .map(|id| view! { <a class="button" href=format!("/engines/{id}#log")>"Engine log"</a> }.into_any());
    let mut acts = vec![step(before, "← Before"), step(after, "After →")];
    acts.extend(log);
    acts.push(export.into_any());
    acts
}

fn configuration(run: &RunView) -> AnyView {
    let v = &run.variant;
    let body = view! {
        {pairs(vec![
            ("Variant", v.name.clone().into_any()),
            ("Engine", v.engine.as_str().into_any()),
            ("Model", mono(base_name(&v.model))),
            ("Quantisation", or_missing(v.quantisation.clone())),
            ("Weights come from", provenance(v).into_any()),
            ("Arguments", mono(v.args.join(" "))),
            ("Prompts", run.workload.prompts.clone().into_any()),
            ("Prompts, SHA-256", view! { <code class="hash">{run.prompts_hash.clone()}</code> }.into_any()),
            ("Output tokens", run.workload.output_tokens.to_string().into_any()),
            ("Requests in flight at once", run.level.concurrency.to_string().into_any()),
            ("Requests", run.level.requests.to_string().into_any()),
        ])}
        <h3>"Capacity"</h3>
        {capacity(run.capacity.as_ref())}
    };
    card("config", "Configuration", "frozen when it was queued", body.into_any())
}

fn environment(run: &RunView) -> AnyView {
    let body = match &run.environment {
        None => empty("Recorded when the engine starts.", None),
        Some(e) => pairs(vec![
            ("Processor", or_missing(e.cpu_model.clone())),
            ("Logical processors", or_missing(e.cpus.map(|n| n.to_string()))),
            ("Memory", or_missing(e.memory_bytes.map(bytes))),
            ("GPU", if e.gpus.is_empty() { "none".into_any() } else { e.gpus.join(", ").into_any() }),
            ("GPU driver", or_missing(e.driver.clone())),
            ("System", or_missing(e.os.clone())),
            ("Kernel", or_missing(e.kernel.clone())),
            ("Platform", or_missing(e.platform.clone())),
            ("Load average before", or_missing(e.load_average.map(three))),
            ("Frequency governor", or_missing(e.governor.clone())),
            ("Inferex", or_missing(e.inferex_version.clone())),
        ]),
    };
    card("environment", "Environment", "the machine when the engine started", body)
}
