//! The figures of a run with their definitions, its invariants, and how the generator fared.

use inferex_model::environment::{GeneratorReport, GeneratorVerdict};
use inferex_model::metrics::{Metrics, Stat, TokenSource};
use leptos::prelude::*;

use crate::parts::basic::{Tone, card, chip, empty, or_missing, pairs, scroller};
use crate::text::{count, percent, plural, three};
use crate::view::RunView;

const TTFT: &str = "first chunk that carries reasoning, content or a tool call − sent";
const TTFT_ANSWER: &str = "first content or tool chunk − sent";
const TPOT: &str = "(last token − first token) / (tokens − those of the first chunk)";
const ITL: &str = "gap between successive tokens; a chunk of k tokens counts as k gaps";
const E2E: &str = "last token or finish, whichever is later − sent";
const SPEED: &str = "output tokens / end to end: what one user sees, not the system’s speed";

/// The figures by our definitions.
pub(super) fn figures(run: &RunView) -> AnyView {
    let Some(metrics) = run.document.as_ref().and_then(|d| d.definitions.get("inferex")) else {
        let sentence = if run.state.is_over() {
            "This run has no figures."
        } else {
            "Figures appear when the run is done."
        };
        return card("figures", "Figures", "", empty(sentence, None));
    };
    let rows = [
        ("TTFT", "ms", TTFT, metrics.ttft_ms),
        ("TTFT of the answer", "ms", TTFT_ANSWER, metrics.ttft_answer_ms),
        ("TPOT", "ms", TPOT, metrics.tpot_ms),
        ("ITL", "ms", ITL, metrics.itl_ms),
        ("End to end", "ms", E2E, metrics.e2e_ms),
        ("One request’s speed", "tok/s", SPEED, metrics.per_request_tok_s),
    ];
    let rows: Vec<_> = rows.into_iter().map(|(name, unit, what, stat)| row(name, unit, what, stat)).collect();
    let table = view! {
        <table class="figures">
            <caption class="hidden">"Figures of this run"</caption>
            <thead><tr>
                <th scope="col">"Figure"</th><th scope="col" class="num">"p50"</th><th scope="col" class="num">"p90"</th>
                <th scope="col" class="num">"p95"</th><th scope="col" class="num">"p99"</th><th scope="col" class="num">"Mean"</th>
                <th scope="col" class="num">"Min"</th><th scope="col" class="num">"Max"</th><th scope="col" class="num">"n"</th>
                <th scope="col">"Definition"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    let body = view! {
        {headline(metrics)}
        {scroller("Figures", table.into_any())}
        <p class="note table-note">"Grey: too few samples (20 for p95, 100 for p99). ° not certified at 99 % confidence (130 for p95, 662 for p99)."</p>
    };
    card("figures", "Figures", "by our definitions; the export has those of other tools", body.into_any())
}

fn headline(m: &Metrics) -> AnyView {
    let requests = &m.requests;
    let by_class: Vec<String> = requests.by_class.iter().map(|(class, n)| format!("{class} {n}")).collect();
    let failed = match by_class.as_slice() {
        [] => format!("{} / {}", count(requests.failed), count(requests.total)),
        classes => format!("{} / {} ({})", count(requests.failed), count(requests.total), classes.join(", ")),
    };
    let cached = m
        .prompt_tokens
        .zip(m.cached_tokens)
        .filter(|(all, _)| *all > 0)
        .map(|(all, hit)| percent(hit as f64 / all as f64));
    let unit = |value: Option<f64>, unit: &str| or_missing(value.map(|v| format!("{} {unit}", three(v))));
    pairs(vec![
        ("Output throughput, all requests together", unit(m.output_throughput_tok_s, "tok/s")),
        ("Request throughput", unit(m.request_throughput_rps, "per s")),
        ("Errors", failed.into_any()),
        (
            "Output tokens",
            or_missing(m.output_tokens.map(|n| format!("{} ({})", count(n), source(m.output_tokens_source)))),
        ),
        ("Prompt tokens", or_missing(m.prompt_tokens.map(count))),
        ("Prompt tokens from the prefix cache", or_missing(cached)),
        (
            "In flight, mean and peak",
            or_missing(
                m.mean_in_flight.zip(m.peak_in_flight).map(|(mean, peak)| format!("{}, {peak}", three(mean))),
            ),
        ),
        ("Window", unit(m.duration_s, "s")),
    ])
}

const fn source(source: Option<TokenSource>) -> &'static str {
    match source {
        Some(TokenSource::Usage) => "as the engine counted",
        Some(TokenSource::Tokenizer) => "counted by a tokenizer of ours",
        Some(TokenSource::Requested) => "the number asked for",
        Some(TokenSource::Chunks) => "one per chunk",
        Some(TokenSource::Mixed) => "partly as the engine counted",
        None => "source not reported",
    }
}

fn row(name: &'static str, unit: &'static str, what: &'static str, stat: Option<Stat>) -> AnyView {
    let head = view! { <th scope="row"><abbr title=what>{name}</abbr>" "<small>{unit}</small></th> };
    let Some(s) = stat else {
        return view! { <tr>{head}<td colspan="8" class="missing">"not reported"</td><td class="definition">{what}</td></tr> }.into_any();
    };
    let cell = |value: f64| view! { <td class="num">{three(value)}</td> };
    let tail = |value: f64, firm: bool, certified: bool| {
        let class = if firm { "num" } else { "num weak" };
        let mark = (!certified).then(|| view! { <abbr title="not certified at 99 % confidence">"°"</abbr> });
        view! { <td class=class>{three(value)}{mark}</td> }
    };
    view! {
        <tr>
            {head}{cell(s.p50)}{cell(s.p90)}
            {tail(s.p95, s.n >= Stat::P95_LEAST, s.p95_certified)}{tail(s.p99, s.n >= Stat::P99_LEAST, s.p99_certified)}
            {cell(s.mean)}{cell(s.min)}{cell(s.max)}<td class="num">{count(s.n)}</td><td class="definition">{what}</td>
        </tr>
    }
    .into_any()
}

/// Statements that must hold if the figures are right.
pub(super) fn invariants(run: &RunView) -> AnyView {
    let items: Vec<_> = run
        .document
        .iter()
        .flat_map(|d| &d.invariants)
        .map(|i| {
            let state = match i.holds {
                Some(true) => chip(Tone::Good, "✓", "holds"),
                Some(false) => chip(Tone::Bad, "✕", "broken"),
                None => chip(Tone::Plain, "–", "not checkable"),
            };
            view! { <li>{state}<span><strong>{invariant_words(&i.name)}</strong><span class="note">{i.detail.clone()}</span></span></li> }
        })
        .collect();
    let body = if items.is_empty() {
        empty("Checked when the run is done.", None)
    } else {
        view! { <ul class="checks">{items}</ul> }.into_any()
    };
    card("invariants", "Invariants", "what must hold if the figures are right", body)
}

/// Whether the generator could have been the bottleneck.
pub(super) fn generator(run: &RunView) -> AnyView {
    let body =
        run.generator.as_ref().map_or_else(|| empty("Told when the run is done.", None), generator_body);
    card("generator", "Load generator", "whether it could have been the bottleneck", body)
}

fn generator_body(g: &GeneratorReport) -> AnyView {
    let verdict = match g.verdict {
        GeneratorVerdict::NotClientBound => chip(Tone::Good, "✓", "not client-bound"),
        GeneratorVerdict::ClientBound => chip(Tone::Bad, "!", "client-bound: no verdict"),
        GeneratorVerdict::Unknown => chip(Tone::Plain, "–", "could not be told"),
    };
    view! {
        <p class="row">{verdict}<span>{g.reason.clone()}</span></p>
        {pairs(vec![
            ("Lateness, p99", or_missing(g.lateness_p99_ms.map(|v| format!("{} ms", three(v))))),
            ("Processor share", or_missing(g.cpu_share.map(percent))),
            ("Connections", format!("{}, {} reused", count(g.connections), plural(g.reused, "time")).into_any()),
            ("Priority (nice)", or_missing(g.nice.map(|n| n.to_string()))),
            ("Processors it may use", or_missing(g.affinity.clone())),
        ])}
    }
    .into_any()
}

/// What an invariant states, for a reader; an unknown one keeps its name.
fn invariant_words(name: &str) -> String {
    match name {
        "itl_sums_to_span" => "The gaps add up to last token − first token".to_owned(),
        "e2e_not_before_last_token" => "No answer ends before its last token".to_owned(),
        "peak_not_below_mean" => "The peak in flight is not below the mean".to_owned(),
        "littles_law" => "Little’s law: mean in flight = rate × mean latency".to_owned(),
        "client_tokens_match_engine" => "Our tokens are the engine’s".to_owned(),
        other => other.replace('_', " "),
    }
}
