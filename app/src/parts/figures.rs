//! Figures as typography: the value, its uncertainty smaller and greyer, and the tables of a result.

use inferex_model::comparison::Comparison;
use inferex_model::experiment::Level;
use leptos::prelude::*;

use super::basic::scroller;
use super::state::verdict;
use super::swatch::swatch;
use crate::text::{count, half_width, megabytes, percent, ratio, three};
use crate::view::{ArmFigures, ArmView, Estimate, ResultView};

/// A cell with a figure and its half-width; greyed when it rests on too few samples.
fn number(estimate: Option<&Estimate>, firm: bool, subject: bool) -> AnyView {
    let Some(estimate) = estimate else { return missing() };
    let class = match (firm, subject) {
        (false, _) => "num weak",
        (true, true) => "num subject",
        (true, false) => "num",
    };
    let half =
        half_width(estimate.low, estimate.high).map(|half| view! { <small>{format!("±{half}")}</small> });
    let title = match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!("95 % interval {} to {}", three(low), three(high)),
        _ => "one start: no interval".to_owned(),
    };
    view! { <td class=class title=title>{three(estimate.median)}{half}</td> }.into_any()
}

/// A cell without a figure.
fn missing() -> AnyView {
    view! { <td class="num missing">"not reported"</td> }.into_any()
}

fn text(value: impl Into<String>) -> AnyView {
    view! { <td class="num">{value.into()}</td> }.into_any()
}

/// The table of a result: the system's output throughput and one request's speed are two groups of columns.
pub(crate) fn results(result: &ResultView) -> AnyView {
    let n = result.levels.len().to_string();
    let heads = || -> Vec<_> {
        result
            .levels
            .iter()
            .enumerate()
            .map(|(index, level)| {
                let class = if index == 0 { "num group" } else { "num" };
                view! { <th scope="col" class=class>{level.label()}</th> }
            })
            .collect()
    };
    let rows: Vec<_> = result.arms.iter().map(|arm| results_row(result, arm)).collect();
    let table = view! {
        <table class="results">
            <caption class="hidden">"Figures by arm: median over starts with half of the 95 % interval"</caption>
            <thead>
                <tr class="groups">
                    <th scope="col" rowspan="2">"Arm"</th>
                    <th scope="colgroup" colspan=n.clone() class="group">"Output throughput "<small>"tok/s, all requests together"</small></th>
                    <th scope="colgroup" colspan=n class="group">"One request’s speed "<small>"tok/s"</small></th>
                    <th scope="col" rowspan="2" class="num group">{ratio_head(result)}</th>
                    <th scope="col" rowspan="2" class="num">"Errors"</th>
                    <th scope="col" rowspan="2" class="num">"Weights "<small>"MB"</small></th>
                    <th scope="col" rowspan="2" class="num">"Verdict"</th>
                </tr>
                <tr>{heads()}{heads()}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller("Results", table.into_any())
}

fn ratio_head(result: &ResultView) -> AnyView {
    let baseline = result.arms.first().map_or("the baseline", |arm| arm.name.as_str());
    let level = result.levels.last().map(|level| level.label()).unwrap_or_default();
    let title = format!("output throughput at {level} ÷ that of {baseline}");
    view! { <abbr title=title>"÷ baseline"</abbr>" "<small>{level}</small> }.into_any()
}

fn results_row(result: &ResultView, arm: &ArmView) -> AnyView {
    let last = result.levels.len().saturating_sub(1);
    let figures: Vec<Option<&ArmFigures>> =
        (0..=last).map(|i| arm.figures.get(i).and_then(Option::as_ref)).collect();
    let cells = |pick: fn(&ArmFigures) -> Option<&Estimate>, subject: bool| -> Vec<AnyView> {
        figures
            .iter()
            .enumerate()
            .map(|(i, f)| number(f.and_then(pick), true, subject && i == last))
            .collect()
    };
    let comparison = result.comparisons.iter().find(|c| c.candidate == arm.name);
    let class = if comparison.is_none() { "baseline" } else { "" };
    let (failed, sent) = figures.iter().flatten().fold((0, 0), |(f, n), x| (f + x.failed, n + x.requests));
    let errors = if failed > 0 { "num bad" } else { "num" };
    view! {
        <tr class=class>
            <th scope="row">{swatch(arm.slot)}{arm.name.clone()}</th>
            {cells(|f| f.output_throughput_tok_s.as_ref(), true)}
            {cells(|f| f.per_request_tok_s.as_ref(), false)}
            {ratio_cell(comparison)}
            <td class=errors>{format!("{} / {}", count(failed), count(sent))}</td>
            {arm.weight_bytes.map_or_else(missing, |bytes| text(megabytes(bytes)))}
            <td class="num">{verdict_or_baseline(comparison)}</td>
        </tr>
    }
    .into_any()
}

fn ratio_cell(comparison: Option<&Comparison>) -> AnyView {
    use inferex_model::comparison::GatedMetric::OutputThroughput;
    let Some(comparison) = comparison else { return text("1.00") };
    let at = comparison.metrics.iter().rfind(|m| m.name == OutputThroughput);
    let Some((metric, value)) = at.and_then(|m| m.ratio.map(|r| (m, r))) else { return missing() };
    let ci =
        metric.ci.map(|[low, high]| view! { <small>{format!("{}–{}", ratio(low), ratio(high))}</small> });
    view! { <td class="num">{ratio(value)}{ci}</td> }.into_any()
}

fn verdict_or_baseline(comparison: Option<&Comparison>) -> AnyView {
    comparison
        .map_or_else(|| view! { <span class="quiet">"baseline"</span> }.into_any(), |c| verdict(c.verdict))
}

/// Latency by arm and level.
pub(crate) fn latency(result: &ResultView) -> AnyView {
    let rows: Vec<_> = result
        .levels
        .iter()
        .enumerate()
        .flat_map(|(index, level)| result.arms.iter().map(move |arm| latency_row(arm, index, *level)))
        .collect();
    let table = view! {
        <table class="latency">
            <caption class="hidden">"Latency by load level and arm: median over starts of each percentile"</caption>
            <thead>
                <tr class="groups">
                    <th scope="col" rowspan="2">"Arm"</th>
                    <th scope="col" rowspan="2">"Level"</th>
                    <th scope="colgroup" colspan="3" class="group">"Time to first token "<small>"ms"</small></th>
                    <th scope="colgroup" colspan="2" class="group">"Time per output token "<small>"ms"</small></th>
                    <th scope="colgroup" colspan="3" class="group">"End to end "<small>"ms"</small></th>
                    <th scope="col" rowspan="2" class="num group">"Samples"</th>
                    <th scope="col" rowspan="2" class="num">"In flight "<small>"mean"</small></th>
                    <th scope="col" rowspan="2" class="num">"From cache "<small>"prompt"</small></th>
                </tr>
                <tr>{["p50", "p95", "p99", "p50", "p95", "p50", "p95", "p99"].map(|p| {
                    view! { <th scope="col" class=if_first(p)>{p}</th> }
                }).into_iter().collect::<Vec<_>>()}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    };
    let note = "Grey: too few samples per start for that percentile (20 for p95, 100 for p99). ° not certified at 99 % confidence over all starts (130 for p95, 662 for p99).";
    view! { {scroller("Latency", table.into_any())}<p class="note table-note">{note}</p> }.into_any()
}

fn if_first(percentile: &str) -> &'static str {
    if percentile == "p50" { "num group" } else { "num" }
}

fn latency_row(arm: &ArmView, index: usize, level: Level) -> AnyView {
    let head = view! { <th scope="row">{swatch(arm.slot)}{arm.name.clone()}</th><td>{level.label()}</td> };
    let Some(figures) = arm.figures.get(index).and_then(Option::as_ref) else {
        return view! { <tr>{head}<td colspan="11" class="missing">"no run of this level has figures"</td></tr> }.into_any();
    };
    let f = figures;
    let p50 = |e: &Option<Estimate>| number(e.as_ref(), true, false);
    let p95 = |e: &Option<Estimate>| tail(e.as_ref(), f.p95_firm, f.samples >= 130);
    let p99 = |e: &Option<Estimate>| tail(e.as_ref(), f.p99_firm, f.samples >= 662);
    view! {
        <tr>
            {head}
            {p50(&f.ttft_p50_ms)}{p95(&f.ttft_p95_ms)}{p99(&f.ttft_p99_ms)}
            {p50(&f.tpot_p50_ms)}{p95(&f.tpot_p95_ms)}
            {p50(&f.e2e_p50_ms)}{p95(&f.e2e_p95_ms)}{p99(&f.e2e_p99_ms)}
            {text(count(f.samples))}
            {f.mean_in_flight.map_or_else(missing, |v| text(three(v)))}
            {f.cached_share.map_or_else(missing, |v| text(percent(v)))}
        </tr>
    }
    .into_any()
}

/// A tail percentile: greyed when not firm, marked when not certified.
fn tail(estimate: Option<&Estimate>, firm: bool, certified: bool) -> AnyView {
    let Some(estimate) = estimate else { return missing() };
    let class = if firm { "num" } else { "num weak" };
    let mark = (!certified).then(|| view! { <abbr title="not certified at 99 % confidence">"°"</abbr> });
    let half =
        half_width(estimate.low, estimate.high).map(|half| view! { <small>{format!("±{half}")}</small> });
    view! { <td class=class>{three(estimate.median)}{mark}{half}</td> }.into_any()
}
