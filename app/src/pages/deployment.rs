//! `/engines/{id}`: one deployment, its life, what it can hold, its log, why it failed.

use inferex_model::actor::Role;
use inferex_model::deployment::{Capacity, Failure};
use inferex_model::id::DeploymentId;
use leptos::prelude::*;

use super::{Page, Visitor, id_of, member};
use crate::parts::basic::{card, commands, empty, fact, mono, or_missing, page_head, pairs, when};
use crate::parts::form::{Button, confirm};
use crate::parts::layout::Place;
use crate::parts::log::{LINES, log};
use crate::parts::state::deployment_chip;
use crate::text::{bytes, count, utc};
use crate::view::{CommandView, DeploymentView, TransitionView};

/// The page.
pub(crate) fn deployment() -> AnyView {
    member(|visitor| async move {
        let id: DeploymentId = id_of(&visitor)?;
        let d = visitor.ports.deployments.get(&visitor.actor, id).await?;
        let from = visitor.asked("from").and_then(|from| from.parse().ok());
        let lines = visitor.ports.deployments.logs(&visitor.actor, id, from, LINES).await?;
        let going_on = from.is_none() && !d.state.is_over() && d.state.as_str() != "ready";
        let base = format!("/engines/{id}");
        let command = vec![CommandView {
            label: "Started with (secrets masked)".to_owned(),
            text: d.command.join(" "),
        }];
        let body = view! {
            {page_head(Some(("Engines", "/engines")), &format!("{} · {id}", d.variant), facts(&d, &visitor), vec![stop(&d, &visitor)])}
            {d.failure.as_ref().map(failure)}
            <div class="two">
                {card("timeline", "Timeline", "each state and how long it lasted", timeline(&d.timeline))}
                {card("capacity", "Capacity", "as the engine itself reports it", capacity(d.capacity.as_ref()))}
            </div>
            {card("command", "Command", "", commands(&command))}
            {card("log", "Log", "what the engine printed", log(&lines, &base))}
        };
        Ok(Page::new(format!("{id} {}", d.state), Place::Engines, body.into_any()).refreshing(going_on))
    })
}

fn facts(d: &DeploymentView, visitor: &Visitor) -> Vec<AnyView> {
    let mut facts = vec![deployment_chip(d.state)];
    facts.extend(d.reason.clone().filter(|_| d.failure.is_none()).map(fact));
    facts.push(fact(format!("{} by {}", d.engine, d.runtime)));
    facts.push(fact(format!("started by {}", d.owner)));
    facts.push(when(d.created_at, visitor.now));
    facts.extend(d.endpoint.clone().map(mono));
    facts
}

fn stop(d: &DeploymentView, visitor: &Visitor) -> AnyView {
    let blocked = if d.state.is_over() {
        Some("it is over".to_owned())
    } else if !d.person_started {
        Some(format!("{} owns it and stops it", d.owner))
    } else {
        visitor.lacks(Role::Engineer)
    };
    let stop = Button {
        action: "/do/deployment-stop",
        label: "Stop it",
        class: "button danger",
        hidden: vec![("deployment", d.id.to_string())],
        blocked,
    };
    confirm("Stop", "The engine ends and its cache is lost. Its log and timeline stay.", stop)
}

/// The class, the sentence, the hint, the decisive lines.
fn failure(f: &Failure) -> AnyView {
    let exit = f.exit_code.map(|code| format!(" · exit code {code}")).unwrap_or_default();
    let lines = (!f.lines.is_empty()).then(|| {
        view! { <pre tabindex="0" role="region" aria-label="The decisive lines of the log">{f.lines.join("\n")}</pre> }
    });
    view! {
        <section class="card failure" aria-labelledby="failure">
            <h2 id="failure">{f.sentence.clone()}</h2>
            <p class="note">{f.class.as_str()}{exit}</p>
            <p>{f.hint.clone()}</p>
            {lines}
        </section>
    }
    .into_any()
}

fn timeline(steps: &[TransitionView]) -> AnyView {
    if steps.is_empty() {
        return empty("Nothing happened yet.", None);
    }
    let rows: Vec<_> = steps
        .iter()
        .enumerate()
        .map(|(index, step)| {
            let lasted = steps.get(index + 1).map(|next| lasted(next.at.since_ms(step.at)));
            view! {
                <li>
                    {deployment_chip(step.state)}
                    <span class="lasted">{lasted}</span>
                    <span class="note">{step.reason.clone()}" "<time>{utc(step.at)}</time></span>
                </li>
            }
        })
        .collect();
    view! { <ol class="timeline">{rows}</ol> }.into_any()
}

/// A short length with a tenth of a second: `1.4 s`.
fn lasted(ms: i64) -> String {
    if ms < 60_000 {
        format!("{:.1} s", ms.max(0) as f64 / 1_000.0)
    } else {
        crate::text::duration(ms.unsigned_abs() / 1_000)
    }
}

/// What an engine says it can hold.
pub(super) fn capacity(capacity: Option<&Capacity>) -> AnyView {
    let Some(c) = capacity else { return empty("Known once the engine is ready.", None) };
    let tokens = |n: Option<u32>| or_missing(n.map(|n| count(u64::from(n))));
    pairs(vec![
        ("Requests at once (slots)", tokens(c.slots)),
        ("Tokens of one request", tokens(c.context_per_request)),
        ("KV cache, tokens", or_missing(c.kv_tokens.map(count))),
        ("Weights", or_missing(c.weight_bytes.map(bytes))),
        ("Parameters", or_missing(c.parameters.map(count))),
        ("Quantisation, as reported", or_missing(c.resolved_quantisation.clone())),
        ("Engine", or_missing(c.engine_version.clone())),
        ("Trained for, tokens", tokens(c.trained_context)),
    ])
}
