//! Our definitions over a whole run.

use inferex_model::metrics::{FromSchedule, Metrics, RequestCounts, Stat, TokenSource};

use super::answer::Answer;
use super::collector::Run;
use super::in_flight::{Range, depth};
use super::ms;
use super::request::Outcome;
use crate::stats::{Weighted, summarise, summarise_weighted};

pub(super) fn metrics(run: &Run) -> Metrics {
    let measured = run.measured();
    let latencies: Vec<&Answer> = run.answers().filter(|a| is_sent_in(a, run.window)).collect();
    let of = |pick: fn(&Answer) -> Option<u64>| spread(&latencies, |a| pick(a).map(ms));
    let depth = depth(&run.intervals(), measured);
    Metrics {
        requests: counts(run),
        ttft_ms: of(|a| a.ttft),
        ttft_answer_ms: of(|a| a.ttft_visible),
        tpot_ms: spread(&latencies, |a| a.tpot_ms),
        itl_ms: itl(&latencies),
        e2e_ms: of(|a| a.e2e),
        from_schedule: if run.has_schedule {
            FromSchedule { ttft_ms: of(|a| a.ttft_from_schedule), e2e_ms: of(|a| a.e2e_from_schedule) }
        } else {
            FromSchedule::default()
        },
        output_tokens: sum(run.answers().map(|a| a.tokens.map(|(n, _)| n))),
        output_tokens_source: source(run),
        prompt_tokens: sum(run.answers().map(|a| a.prompt_tokens)),
        cached_tokens: sum(run.answers().map(|a| a.cached_tokens)),
        output_throughput_tok_s: token_rate(run, measured),
        request_throughput_rps: request_rate(run, measured),
        per_request_tok_s: spread(&latencies, Answer::speed),
        peak_in_flight: depth.peak,
        mean_in_flight: depth.mean,
        duration_s: measured.length().map(|us| us / 1e6),
    }
}

fn is_sent_in(answer: &Answer, window: Option<Range>) -> bool {
    window.is_none_or(|window| answer.sent.is_some_and(|t| window.holds(t)))
}

fn spread(answers: &[&Answer], pick: impl Fn(&Answer) -> Option<f64>) -> Option<Stat> {
    let samples: Vec<f64> = answers.iter().filter_map(|answer| pick(answer)).collect();
    summarise(&samples)
}

fn itl(answers: &[&Answer]) -> Option<Stat> {
    let gaps = answers.iter().flat_map(|answer| &answer.gaps);
    summarise_weighted(gaps.map(|gap| Weighted { value: gap.per_token_ms(), count: gap.tokens }).collect())
}

/// The sum of what is known; `None` when nothing is.
fn sum(values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    values.flatten().reduce(u64::saturating_add)
}

/// Output tokens of successful requests that came inside the measured time over its length; `None` without any or
/// without a length. The whole run holds its own last microsecond.
fn token_rate(run: &Run, measured: Range) -> Option<f64> {
    let seconds = measured.length()? / 1e6;
    let inside = |answer: &Answer| match run.window {
        None => answer.tokens.map(|(n, _)| n as f64),
        Some(window) => answer.tokens_inside(window),
    };
    run.answers().filter_map(inside).reduce(|all, tokens| all + tokens).map(|tokens| tokens / seconds)
}

/// Successes that ended inside the measured time over its length.
fn request_rate(run: &Run, measured: Range) -> Option<f64> {
    let seconds = measured.length()? / 1e6;
    let inside =
        |answer: &Answer| run.window.is_none_or(|window| answer.end.is_some_and(|t| window.holds(t)));
    run.answers().next()?;
    Some(run.answers().filter(|answer| inside(answer)).count() as f64 / seconds)
}

fn counts(run: &Run) -> RequestCounts {
    let mut counts = RequestCounts { total: run.requests.len() as u64, ..RequestCounts::default() };
    for settled in &run.requests {
        match settled.outcome {
            Outcome::Success => counts.successful += 1,
            Outcome::Cut => counts.cut += 1,
            Outcome::Failed(class) => {
                counts.failed += 1;
                *counts.by_class.entry(class.as_str().to_owned()).or_default() += 1;
            }
        }
    }
    counts
}

fn source(run: &Run) -> Option<TokenSource> {
    let mut sources = run.answers().filter_map(|answer| answer.tokens.map(|(_, source)| source));
    let first = sources.next()?;
    Some(if sources.all(|other| other == first) { first } else { TokenSource::Mixed })
}
