//! A whole result: the same on the experiment's page, on a report's and on a shared one.

use leptos::prelude::*;

use super::basic::{card, or_missing, pairs, scroller};
use super::charts::{ChartBase, charts};
use super::comparison::{comparisons, ledger};
use super::figures::{latency, results};
use super::finding::finding;
use super::swatch::swatch;
use crate::text::{bytes, count};
use crate::view::{ArmView, MachineView, ResultView};

/// Finding, charts, tables. `base` is where charts are downloaded.
pub(crate) fn result(result: &ResultView, base: ChartBase<'_>) -> AnyView {
    let compared = (!result.comparisons.is_empty()).then(|| {
        view! {
            {card("comparison", "Comparison", "ratio of medians over starts · throughput: above 1 is better · latency: below 1 is better · effects under 3 % count as no difference", comparisons(result))}
            {card("ledger", "What else differs", "fairness ledger · whatever is not the subject of the comparison", ledger(result))}
        }
    });
    view! {
        {finding(result)}
        {charts(&result.charts, base)}
        {card("results", "Results", "median over starts, ± half of the 95 % bootstrap interval", results(result))}
        {card("latency", "Latency", "ms · lower is better · failed requests are in no latency", latency(result))}
        {compared}
        {card("arms", "What was measured", &result.workload, arms(result))}
    }
    .into_any()
}

fn arms(result: &ResultView) -> AnyView {
    let rows: Vec<_> = result.arms.iter().map(arm_row).collect();
    let table = view! {
        <table class="arms">
            <caption class="hidden">"The arms"</caption>
            <thead><tr>
                <th scope="col">"Arm"</th><th scope="col">"Engine"</th><th scope="col">"Model"</th>
                <th scope="col">"Quantisation"</th><th scope="col">"Weights come from"</th>
                <th scope="col" class="num">"Weights"</th><th scope="col" class="num">"KV cache "<small>"tokens"</small></th>
                <th scope="col" class="num">"Slots"</th><th scope="col">"Arguments"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    view! {
        {scroller("Arms", table.into_any())}
        {pairs(machine(&result.machine, &result.prompts_hash, result.definitions_version))}
    }
    .into_any()
}

fn arm_row(arm: &ArmView) -> AnyView {
    let quantisation = match (&arm.quantisation, &arm.resolved_quantisation) {
        (Some(label), Some(resolved)) if label != resolved => format!("{label} (engine says {resolved})"),
        (Some(label), _) | (None, Some(label)) => label.clone(),
        (None, None) => "not reported".to_owned(),
    };
    let number = |value: Option<String>| view! { <td class="num">{or_missing(value)}</td> };
    view! {
        <tr>
            <th scope="row">{swatch(arm.slot)}{arm.name.clone()}</th>
            <td>{arm.engine_version.clone().unwrap_or_else(|| arm.engine.clone())}</td>
            <td><code>{arm.model.clone()}</code></td><td>{quantisation}</td><td class="prose">{arm.provenance.clone()}</td>
            {number(arm.weight_bytes.map(bytes))}{number(arm.kv_tokens.map(count))}
            {number(arm.slots.map(|slots| slots.to_string()))}
            <td><code>{arm.arguments.join(" ")}</code></td>
        </tr>
    }
    .into_any()
}

fn machine(machine: &MachineView, hash: &str, version: u32) -> Vec<(&'static str, AnyView)> {
    let gpus = if machine.gpus.is_empty() { "none".to_owned() } else { machine.gpus.join(", ") };
    vec![
        ("Processor", or_missing(machine.cpu_model.clone())),
        ("Logical processors", or_missing(machine.cpus.map(|n| n.to_string()))),
        ("Memory", or_missing(machine.memory_bytes.map(bytes))),
        ("GPU", gpus.into_any()),
        ("System", or_missing(machine.os.clone())),
        ("Platform", or_missing(machine.platform.clone())),
        ("Prompts", view! { <code class="hash" title=hash.to_owned()>{hash.chars().take(16).collect::<String>()}</code> }.into_any()),
        ("Definitions", format!("version {version}").into_any()),
    ]
}
