//! The generator's judgement of itself: could it have been the bottleneck?

use inferex_model::environment::{GeneratorReport, GeneratorVerdict};

use super::process;
use super::tally::Tally;

/// The generator reads all streams in one thread; above this share of one processor it may read late.
const CPU_LIMIT: f64 = 0.8;

/// Lateness that no measurement minds, milliseconds.
const LATENESS_FLOOR_MS: f64 = 5.0;

/// Lateness beyond this share of the median latency changes the load that the engine sees.
const LATENESS_SHARE: f64 = 0.05;

/// The report over all workers.
pub(crate) fn of(tallies: &[Tally], cpu_share: Option<f64>) -> GeneratorReport {
    let samples = || tallies.iter().flat_map(|tally| &tally.samples);
    let lateness = samples().filter_map(|s| s.sent.map(|sent| sent.saturating_sub(s.due))).collect();
    let e2e =
        samples().filter(|s| s.ok).filter_map(|s| s.sent.map(|sent| s.ended.saturating_sub(sent))).collect();
    let lateness_p99_ms = quantile_ms(lateness, 0.99);
    let (verdict, reason) = judge(lateness_p99_ms, quantile_ms(e2e, 0.5), cpu_share);
    GeneratorReport {
        lateness_p99_ms,
        cpu_share,
        connections: tallies.iter().map(|tally| tally.connections).sum(),
        reused: tallies.iter().map(|tally| tally.reused).sum(),
        replaced: tallies.iter().map(|tally| tally.replaced).sum(),
        nice: process::nice(),
        affinity: process::affinity(),
        verdict,
        reason,
    }
}

/// `client_bound` when more than 0.8 of a processor was used, or when the p99 of (sent − place free) exceeds
/// both 5 ms and 5 % of the median end-to-end latency.
fn judge(
    lateness_ms: Option<f64>,
    e2e_ms: Option<f64>,
    cpu_share: Option<f64>,
) -> (GeneratorVerdict, String) {
    let allowed = e2e_ms.map_or(LATENESS_FLOOR_MS, |e2e| LATENESS_FLOOR_MS.max(e2e * LATENESS_SHARE));
    match (lateness_ms, cpu_share) {
        (_, Some(cpu)) if cpu > CPU_LIMIT => (
            GeneratorVerdict::ClientBound,
            format!(
                "the generator used {cpu:.2} of a processor, more than {CPU_LIMIT}: it may have read answers late"
            ),
        ),
        (Some(late), _) if late > allowed => (
            GeneratorVerdict::ClientBound,
            format!(
                "requests left up to {late:.1} ms (p99) after their place was free, more than {allowed:.1} ms"
            ),
        ),
        (Some(late), Some(cpu)) => (
            GeneratorVerdict::NotClientBound,
            format!(
                "requests left within {late:.1} ms (p99) of their place being free, with {cpu:.2} of a processor"
            ),
        ),
        (None, _) => (GeneratorVerdict::Unknown, "no request was sent".to_owned()),
        (_, None) => (GeneratorVerdict::Unknown, "the kernel does not tell the processor time".to_owned()),
    }
}

/// Linear-interpolated quantile of microseconds, in milliseconds.
fn quantile_ms(mut values: Vec<u64>, q: f64) -> Option<f64> {
    values.sort_unstable();
    let last = values.len().checked_sub(1)?;
    let position = q * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last index"
    )]
    let below = position.floor() as usize;
    let low = values[below] as f64;
    let high = values[(below + 1).min(last)] as f64;
    Some((low + (high - low) * (position - below as f64)) / 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_follows_processor_share_and_lateness() {
        use GeneratorVerdict::{ClientBound, NotClientBound, Unknown};
        let cases = [
            (Some(0.1), Some(100.0), Some(0.2), NotClientBound),
            (Some(0.1), Some(100.0), Some(0.81), ClientBound),
            (Some(5.1), Some(100.0), Some(0.2), ClientBound),
            (Some(5.1), Some(1_000.0), Some(0.2), NotClientBound),
            (Some(51.0), Some(1_000.0), Some(0.2), ClientBound),
            (Some(5.1), None, Some(0.2), ClientBound),
            (None, None, Some(0.2), Unknown),
            (Some(0.1), Some(100.0), None, Unknown),
            (None, None, Some(0.9), ClientBound),
        ];
        for (late, e2e, cpu, wanted) in cases {
            let (verdict, reason) = judge(late, e2e, cpu);
            assert_eq!(verdict, wanted, "{late:?} {e2e:?} {cpu:?}: {reason}");
            assert!(!reason.is_empty());
        }
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile_ms(vec![], 0.5), None);
        assert_eq!(quantile_ms(vec![3_000, 1_000], 0.5), Some(2.0));
        assert_eq!(quantile_ms((0..=100).map(|n| n * 1_000).collect(), 0.99), Some(99.0));
    }
}
