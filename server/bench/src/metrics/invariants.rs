//! Statements that must hold if the figures are right, with the numbers behind them.

use inferex_model::metrics::{Invariant, Metrics};

use super::collector::Run;
use super::in_flight::depth;
use super::ms;

/// Relative error of sums of fractions that is rounding.
const ROUNDING: f64 = 1e-9;
/// Relative difference allowed in Little's law.
const LITTLE_TOLERANCE: f64 = 0.01;

pub(super) fn invariants(run: &Run, metrics: &Metrics) -> Vec<Invariant> {
    vec![
        itl_sums_to_span(run),
        e2e_covers_last_token(run),
        peak_covers_mean(metrics),
        littles_law(run),
        invariant(
            "client_tokens_match_engine",
            None,
            "not checkable from events alone: it needs the engine's counters from before and after"
                .to_owned(),
        ),
    ]
}

fn invariant(name: &str, holds: Option<bool>, detail: String) -> Invariant {
    Invariant { name: name.to_owned(), holds, detail }
}

fn itl_sums_to_span(run: &Run) -> Invariant {
    let name = "itl_sums_to_span";
    let (mut checked, mut broken, mut worst) = (0_u64, 0_u64, 0.0_f64);
    for answer in run.answers() {
        let Some(span) = answer.span.map(ms) else { continue };
        let sum: f64 = answer.gaps.iter().map(|gap| gap.per_token_ms() * gap.tokens as f64).sum();
        checked += 1;
        worst = worst.max((sum - span).abs());
        broken += u64::from((sum - span).abs() > ROUNDING * span.max(1.0));
    }
    if checked == 0 {
        let why = if run.streamed { "no answer came in two or more chunks" } else { "not streamed" };
        return invariant(name, None, format!("not checkable: {why}"));
    }
    let detail = format!(
        "Σ itl = last token − first token in {} of {checked} answers; largest difference {worst:.6} ms",
        checked - broken
    );
    invariant(name, Some(broken == 0), detail)
}

fn e2e_covers_last_token(run: &Run) -> Invariant {
    let name = "e2e_not_before_last_token";
    let pairs: Vec<bool> = run.answers().filter_map(|a| Some(a.e2e? >= a.last_token?)).collect();
    if pairs.is_empty() {
        return invariant(name, None, "not checkable: no answer has both an end and a token time".to_owned());
    }
    let good = pairs.iter().filter(|holds| **holds).count();
    invariant(
        name,
        Some(good == pairs.len()),
        format!("e2e ≥ last token in {good} of {} answers", pairs.len()),
    )
}

fn peak_covers_mean(metrics: &Metrics) -> Invariant {
    let name = "peak_not_below_mean";
    let (Some(peak), Some(mean)) = (metrics.peak_in_flight, metrics.mean_in_flight) else {
        return invariant(name, None, "not checkable: the measured time has no length".to_owned());
    };
    let holds = peak as f64 >= mean * (1.0 - ROUNDING);
    invariant(name, Some(holds), format!("peak {peak}, mean {mean:.3} in flight"))
}

/// Mean in flight by the sweep against rate × mean time in flight, both over the whole run and all requests,
/// failures included: two independent roads to the same number.
fn littles_law(run: &Run) -> Invariant {
    let name = "littles_law";
    let intervals = run.intervals();
    let (Some(length), false) = (run.whole.length(), intervals.is_empty()) else {
        return invariant(
            name,
            None,
            "not checkable: no request was sent, or the run has no length".to_owned(),
        );
    };
    let n = intervals.len() as f64;
    let rate = n / (length / 1e6);
    let latency = intervals.iter().map(|(from, to)| to.saturating_sub(*from) as f64).sum::<f64>() / n / 1e6;
    let mean = depth(&intervals, run.whole).mean.unwrap_or(0.0);
    let product = rate * latency;
    let holds = (mean - product).abs() <= LITTLE_TOLERANCE * mean.max(product);
    let detail = format!(
        "mean in flight {mean:.3}; rate {rate:.3}/s × mean time in flight {latency:.4} s = {product:.3}; \
         whole run, tolerance 1 %"
    );
    invariant(name, Some(holds), detail)
}
