//! `/engines`: the engine that can be installed here, variants, deployments.

use inferex_model::actor::Role;
use leptos::prelude::*;

use super::{Page, Visitor, member};
use crate::parts::basic::{card, empty, fact, mono, page_head, scroller, when};
use crate::parts::form::{Button, area, button, confirm};
use crate::parts::layout::Place;
use crate::parts::state::deployment_chip;
use crate::text::{bytes, plural};
use crate::view::{DeploymentView, EngineSetupView, VariantView};

/// The page.
pub(crate) fn engines() -> AnyView {
    member(|visitor| async move {
        let actor = &visitor.actor;
        let setup = visitor.ports.engine_setup.status(actor).await?;
        let variants = visitor.ports.variants.list(actor).await?;
        let deployments = visitor.ports.deployments.list(actor, 50).await?;
        let going_on = setup.running || deployments.iter().any(is_moving);
        let facts = vec![
            fact(plural(variants.len() as u64, "variant")),
            fact(plural(deployments.len() as u64, "deployment")),
        ];
        let body = view! {
            {page_head(None, "Engines", facts, vec![])}
            {card("setup", "CPU engine", "llama.cpp’s server with SmolLM2-135M, on this very machine", setup_body(&setup, &visitor))}
            {card("variants", "Variants", "what can be started: an engine with everything that decides its numbers", variants_table(&variants, &visitor))}
            {card("deployments", "Deployments", "started variants, running ones first", if deployments.is_empty() {
                empty("Nothing was started yet. Start a variant above, or queue an experiment.", None)
            } else { deployments_table(&deployments, &visitor, true) })}
            {card("import", "Import variants", "a file of [[variant]] tables · a variant of the same name is replaced", import(&visitor))}
        };
        Ok(Page::new("Engines", Place::Engines, body.into_any()).refreshing(going_on))
    })
}

fn is_moving(deployment: &DeploymentView) -> bool {
    !deployment.state.is_over() && deployment.state.as_str() != "ready"
}

fn setup_body(setup: &EngineSetupView, visitor: &Visitor) -> AnyView {
    let sentence = match (setup.running, setup.installed, &setup.program) {
        (true, ..) => "The installation is running.".to_owned(),
        (false, true, Some(program)) => format!("Installed: {program}"),
        (false, true, None) => "Installed.".to_owned(),
        (false, false, _) => {
            "Not installed yet. It takes a few minutes and writes only under the data folder.".to_owned()
        }
    };
    let failed = setup
        .failed
        .as_ref()
        .map(|why| view! { <p class="error">{format!("The last installation failed: {why}")}</p> });
    let label = if setup.installed { "Install again" } else { "Install the CPU engine" };
    let class = if setup.installed { "button" } else { "button primary" };
    let blocked = if setup.running {
        Some("an installation is running".to_owned())
    } else {
        visitor.lacks(Role::Engineer)
    };
    let lines = (!setup.lines.is_empty()).then(|| {
        let open = setup.running || setup.failed.is_some();
        view! {
            <details class="setup-lines" open=open><summary>"What it printed"</summary>
                <pre tabindex="0" role="region" aria-label="Output of the installation">{setup.lines.join("\n")}</pre>
            </details>
        }
    });
    view! {
        <div class="row"><p>{sentence}</p>{button(Button { action: "/do/engine-install", label, class, hidden: vec![], blocked })}</div>
        {failed}{lines}
    }
    .into_any()
}

fn variants_table(variants: &[VariantView], visitor: &Visitor) -> AnyView {
    if variants.is_empty() {
        return empty("There are no variants yet. Install the CPU engine, or import your own below.", None);
    }
    let rows: Vec<_> = variants.iter().map(|variant| variant_row(variant, visitor)).collect();
    let table = view! {
        <table>
            <caption class="hidden">"Variants"</caption>
            <thead><tr>
                <th scope="col">"Variant"</th><th scope="col">"Engine"</th><th scope="col">"Model"</th>
                <th scope="col">"Quantisation"</th><th scope="col">"Weights come from"</th>
                <th scope="col" class="num">"Size"</th><th scope="col">"Acts"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller("Variants", table.into_any())
}

fn variant_row(view: &VariantView, visitor: &Visitor) -> AnyView {
    let v = &view.variant;
    let blocked = view.blocked.clone().or_else(|| visitor.lacks(Role::Engineer));
    let hidden = vec![("variant", v.name.clone())];
    let start = button(Button {
        action: "/do/deployment-start",
        label: "Start",
        class: "button small",
        hidden,
        blocked,
    });
    let remove = Button {
        action: "/do/variant-remove",
        label: "Remove it",
        class: "button danger",
        hidden: vec![("name", v.name.clone())],
        blocked: visitor.lacks(Role::Engineer),
    };
    let lost = format!(
        "{} disappears from this list. Its model file stays; experiments keep their frozen copies.",
        v.name
    );
    view! {
        <tr>
            <th scope="row">{v.name.clone()}</th><td>{v.engine.as_str()}</td>
            <td>{mono(base_name(&v.model))}</td>
            <td>{v.quantisation.clone().unwrap_or_else(|| "not stated".to_owned())}</td>
            <td>{origin(v)}</td>
            <td class="num">{view.file_bytes.map_or_else(|| "not local".to_owned(), bytes)}</td>
            <td><div class="acts">{start}{visitor.lacks(Role::Engineer).is_none().then(|| confirm("Remove", &lost, remove))}</div></td>
        </tr>
    }
    .into_any()
}

/// The last segment of a path; repositories keep their owner.
pub(super) fn base_name(model: &str) -> String {
    if model.starts_with('/') {
        model.rsplit('/').next().unwrap_or(model).to_owned()
    } else {
        model.to_owned()
    }
}

/// What weights came from: short, for a table.
pub(super) fn origin(variant: &inferex_model::variant::Variant) -> String {
    let p = &variant.provenance;
    p.from
        .as_ref()
        .map_or_else(|| p.kind.phrase().to_owned(), |from| format!("{} from {from}", p.kind.phrase()))
}

/// The same with the recipe.
pub(super) fn provenance(variant: &inferex_model::variant::Variant) -> String {
    let origin = origin(variant);
    variant.provenance.recipe.as_ref().map_or_else(|| origin.clone(), |recipe| format!("{origin}; {recipe}"))
}

/// Deployments as a table; the overview shows fewer columns of it.
pub(super) fn deployments_table(deployments: &[DeploymentView], visitor: &Visitor, full: bool) -> AnyView {
    let rows: Vec<_> = deployments.iter().map(|d| deployment_row(d, visitor, full)).collect();
    let more = full.then(|| view! { <th scope="col">"Runtime"</th><th scope="col">"Started by"</th> });
    let table = view! {
        <table>
            <caption class="hidden">"Deployments"</caption>
            <thead><tr>
                <th scope="col">"Deployment"</th><th scope="col">"State"</th><th scope="col">"Variant"</th>
                {more}<th scope="col">"When"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller("Deployments", table.into_any())
}

fn deployment_row(d: &DeploymentView, visitor: &Visitor, full: bool) -> AnyView {
    let why = d.failure.as_ref().map(|f| f.sentence.clone()).or_else(|| d.reason.clone());
    let more = full.then(|| view! { <td>{d.runtime.as_str()}</td><td>{d.owner.clone()}</td> });
    view! {
        <tr>
            <th scope="row"><a href=format!("/engines/{}", d.id)>{d.id.to_string()}</a></th>
            <td>{deployment_chip(d.state)}{why.map(|why| view! { <span class="note why">{why}</span> })}</td>
            <td>{d.variant.clone()}</td>{more}
            <td>{when(d.created_at, visitor.now)}</td>
        </tr>
    }
    .into_any()
}

fn import(visitor: &Visitor) -> AnyView {
    if let Some(reason) = visitor.lacks(Role::Engineer) {
        return crate::parts::form::refused("Import", "button", reason);
    }
    let text = visitor.entered("toml").unwrap_or_default();
    let field = area(
        "toml",
        "Variants (TOML)",
        &text,
        "The same as inferex variant import FILE.toml: all are stored or none.",
        visitor.error("toml"),
    );
    view! { <form method="post" action="/do/variant-import" class="stack">{field}<button class="button">"Import"</button></form> }
        .into_any()
}
