//! `/experiments/new`: the builder. What is chosen stands in the address; the estimate comes before queueing.

mod wanted;

use inferex_model::actor::Role;
use inferex_model::experiment::ExperimentSpec;
use leptos::prelude::*;
use wanted::{Choice, Wanted};

use super::{Page, Visitor, member};
use crate::pages::engines::origin;
use crate::parts::basic::{card, empty, link_button, page_head, pairs, scroller};
use crate::parts::form::{Button, Field, area, button, field};
use crate::parts::layout::Place;
use crate::ports::{Answer, PortError};
use crate::text::{count, duration};
use crate::view::{EstimateView, VariantView};

/// The page.
pub(crate) fn builder() -> AnyView {
    member(|visitor| async move {
        let variants = visitor.ports.variants.list(&visitor.actor).await?;
        let body = if variants.is_empty() {
            let act = link_button("/engines", "Install the CPU engine", true);
            empty("There is nothing to compare yet: an experiment needs at least one variant.", Some(act))
        } else {
            let wanted = Wanted::read(&visitor.query, &variants);
            let (problem, ready) = estimated(&wanted, &visitor).await;
            view! {
                {choices(&wanted, &variants, problem.as_ref())}
                {card("estimate", "Estimate", "what the choices above would take", estimate(ready.as_ref(), problem.as_ref(), &visitor))}
            }
            .into_any()
        };
        let body = view! {
            {page_head(Some(("Experiments", "/experiments")), "New experiment", vec![], vec![])}
            {body}
            {card("file", "From a file", "the same as inferex experiment run FILE.toml", file(&visitor))}
        };
        Ok(Page::new("New experiment", Place::Experiments, body.into_any()))
    })
}

type Ready = (ExperimentSpec, EstimateView);

/// Why it cannot be queued, or the spec with its estimate.
async fn estimated(wanted: &Wanted, visitor: &Visitor) -> (Option<PortError>, Option<Ready>) {
    let estimate = async {
        let spec = wanted.spec()?;
        let estimate = visitor.ports.experiments.estimate(&visitor.actor, &spec).await?;
        Ok::<_, PortError>((spec, estimate))
    };
    match estimate.await {
        Ok(ready) => (None, Some(ready)),
        Err(problem) => (Some(problem), None),
    }
}

fn choices(wanted: &Wanted, variants: &[VariantView], problem: Option<&PortError>) -> AnyView {
    let error = |name: &str| match problem {
        Some(PortError::Invalid(field)) if field.field == name => Some(field.reason.clone()),
        _ => None,
    };
    let name = Field {
        id: "name",
        name: "name",
        label: "Name",
        kind: "text",
        value: wanted.name.clone(),
        help: "For people; up to 120 characters.",
        autocomplete: "off",
        error: error("name"),
    };
    view! {
        <form method="get" action="/experiments/new" class="card builder">
            {field(name)}
            {arms(wanted, variants)}
            {presets(wanted)}
            {custom(wanted, &error)}
            <button class="button">"Estimate"</button>
        </form>
    }
    .into_any()
}

fn arms(wanted: &Wanted, variants: &[VariantView]) -> AnyView {
    let rows: Vec<_> = variants.iter().map(|view| arm(wanted, view)).collect();
    let table = view! {
        <table>
            <thead><tr>
                <th scope="col">"Compare"</th><th scope="col">"Baseline"</th>
                <th scope="col">"Quantisation"</th><th scope="col">"Weights come from"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    view! {
        <fieldset><legend>"Variants"</legend>
            {scroller("Variants to compare", table.into_any())}
            <p class="help">"Each candidate is compared with the baseline. Without a choice the first ticked one is the baseline."</p>
        </fieldset>
    }
    .into_any()
}

fn arm(wanted: &Wanted, view: &VariantView) -> AnyView {
    let name = &view.variant.name;
    let id = format!("variant-{name}");
    let checked = wanted.variants.contains(name);
    let why = view.blocked.clone().map(|why| view! { <p class="note">{why}</p> });
    view! {
        <tr>
            <th scope="row">
                <label class="tick"><input type="checkbox" id=id name="variant" value=name.clone() checked=checked/>{name.clone()}</label>
                {why}
            </th>
            <td><input type="radio" name="baseline" value=name.clone() checked=wanted.baseline == *name
                aria-label=format!("{name} is the baseline")/></td>
            <td>{view.variant.quantisation.clone().unwrap_or_else(|| "not stated".to_owned())}</td>
            <td>{origin(&view.variant)}</td>
        </tr>
    }
    .into_any()
}

fn presets(wanted: &Wanted) -> AnyView {
    let items: Vec<_> = Choice::ALL
        .iter()
        .map(|choice| {
            view! {
                <label class="tick">
                    <input type="radio" name="preset" value=choice.as_str() checked=wanted.preset == *choice/>
                    <span><strong>{choice.as_str()}</strong>" "<span class="note">{choice.note()}</span></span>
                </label>
            }
        })
        .collect();
    view! { <fieldset class="presets"><legend>"Preset"</legend>{items}</fieldset> }.into_any()
}

fn custom(wanted: &Wanted, error: &dyn Fn(&str) -> Option<String>) -> AnyView {
    let entry = |name: &str, label: &str, value: &str, help: &str, kind: &str| {
        let error = error(wanted::field_of(name));
        field(Field {
            id: name,
            name,
            label,
            kind,
            value: value.to_owned(),
            help,
            autocomplete: "off",
            error,
        })
    };
    let open = wanted.preset == Choice::Custom;
    view! {
        <details open=open class="custom"><summary>"Custom load"</summary>
            <div class="columns">
                {entry("levels", "Requests in flight at once", &wanted.levels, "One level each, for example 1, 8, 32.", "text")}
                {entry("requests", "Requests of each level", &wanted.requests, "At least 4 × the level are sent.", "number")}
                {entry("tokens", "Output tokens", &wanted.tokens, "Fixed length of each answer.", "number")}
                {entry("repeats", "Starts of each arm", &wanted.repeats, "Five give a verdict, fewer a description.", "number")}
            </div>
            <p class="help">"Used when the preset is custom."</p>
        </details>
    }
    .into_any()
}

fn estimate(ready: Option<&Ready>, problem: Option<&PortError>, visitor: &Visitor) -> AnyView {
    let Some((spec, e)) = ready else {
        let why = match problem {
            Some(PortError::Invalid(field)) => {
                format!("Nothing to estimate yet: {} {}.", field.field, field.reason)
            }
            Some(other) => crate::act::sentence(&other.to_string()),
            None => String::new(),
        };
        return view! { <p class="error" role="status">{why}</p> }.into_any();
    };
    let text = |n: u64| count(n).into_any();
    let queue = if e.queue_seconds == 0 { "nothing before it".to_owned() } else { duration(e.queue_seconds) };
    view! {
        <p class="big">{format!("about {}", duration(e.seconds))}</p>
        {pairs(vec![("Runs", text(e.runs)), ("Starts of engines", text(e.starts)), ("Requests", text(e.requests)), ("Queue before it", queue.into_any())])}
        <p class="note">{e.basis.clone()}</p>
        {queue_button(spec, visitor)}
    }
    .into_any()
}

fn queue_button(spec: &ExperimentSpec, visitor: &Visitor) -> AnyView {
    let hidden = match toml_of(spec) {
        Ok(toml) => vec![("toml", toml), ("back", visitor.address.clone())],
        Err(error) => return view! { <p class="error">{error.to_string()}</p> }.into_any(),
    };
    let queue = Button {
        action: "/do/experiment-queue",
        label: "Queue experiment",
        class: "button primary",
        hidden,
        blocked: visitor.lacks(Role::Engineer),
    };
    view! { <div class="row">{button(queue)}<p class="note">"Queues exactly what is estimated here; press Estimate after a change."</p></div> }
        .into_any()
}

fn toml_of(spec: &ExperimentSpec) -> Answer<String> {
    toml::to_string(spec).map_err(|error| PortError::invalid("experiment", error.to_string()))
}

fn file(visitor: &Visitor) -> AnyView {
    if let Some(reason) = visitor.lacks(Role::Engineer) {
        return crate::parts::form::refused("Queue it", "button", reason);
    }
    let text = visitor.entered("toml").unwrap_or_default();
    let field = area(
        "toml",
        "Experiment (TOML)",
        &text,
        "Unknown variants and missing model files are refused before anything is stored.",
        visitor.error("toml"),
    );
    view! { <form method="post" action="/do/experiment-queue" class="stack">{field}<button class="button">"Queue it"</button></form> }
        .into_any()
}
