//! Quantiles by linear interpolation over exact samples, and the spread of one quantity.

use inferex_model::metrics::Stat;

/// Samples from which a p95 is certified at 99 % confidence.
const P95_CERTIFIED: u64 = 130;
/// Samples from which a p99 is certified at 99 % confidence.
const P99_CERTIFIED: u64 = 662;

/// A value that was seen `count` times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted {
    /// The sample.
    pub value: f64,
    /// How often it counts.
    pub count: u64,
}

/// The `p` quantile (0 to 1) of samples in ascending order: linear interpolation at rank h = (n − 1) p.
/// `None` without samples.
#[must_use]
pub fn quantile(ascending: &[f64], p: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let rank = last as f64 * p.clamp(0.0, 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ rank ≤ length")]
    let low = (rank.floor() as usize).min(last);
    let high = (low + 1).min(last);
    Some(between(ascending[low], ascending[high], rank - low as f64))
}

fn between(low: f64, high: f64, share: f64) -> f64 {
    // Equal neighbours are answered exactly; the sum would round.
    if low >= high { low } else { (low + (high - low) * share).clamp(low, high) }
}

/// The median of samples in any order; samples that are no finite numbers are left out.
#[must_use]
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut finite: Vec<f64> = samples.iter().copied().filter(|x| x.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    quantile(&finite, 0.5)
}

/// The spread of samples in any order; `None` without a finite sample.
#[must_use]
pub fn summarise(samples: &[f64]) -> Option<Stat> {
    summarise_weighted(samples.iter().map(|value| Weighted { value: *value, count: 1 }).collect())
}

/// The spread of samples that count several times each, as if each were written out `count` times.
/// Samples that are no finite numbers or count 0 times are left out; `None` when none is left.
#[must_use]
pub fn summarise_weighted(mut samples: Vec<Weighted>) -> Option<Stat> {
    samples.retain(|s| s.value.is_finite() && s.count > 0);
    samples.sort_by(|a, b| a.value.total_cmp(&b.value));
    let (min, max) = (samples.first()?.value, samples.last()?.value);
    let total = samples.iter().fold(0_u64, |sum, s| sum.saturating_add(s.count));
    let n = total as f64;
    let mean = (samples.iter().map(|s| s.value * s.count as f64).sum::<f64>() / n).clamp(min, max);
    let squares: f64 = samples.iter().map(|s| (s.value - mean) * (s.value - mean) * s.count as f64).sum();
    let std = if total > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
    let ranks = Ranks::of(&samples);
    let stat = Stat {
        n: total,
        mean,
        min,
        max,
        std,
        p50: ranks.quantile(0.5),
        p90: ranks.quantile(0.9),
        p95: ranks.quantile(0.95),
        p99: ranks.quantile(0.99),
        p95_certified: total >= P95_CERTIFIED,
        p99_certified: total >= P99_CERTIFIED,
    };
    (mean.is_finite() && std.is_finite()).then_some(stat)
}

/// Ascending samples with the rank after each one's last repetition.
struct Ranks<'a> {
    samples: &'a [Weighted],
    ends: Vec<u64>,
}

impl<'a> Ranks<'a> {
    fn of(samples: &'a [Weighted]) -> Self {
        let ends = samples
            .iter()
            .scan(0_u64, |end, s| {
                *end = end.saturating_add(s.count);
                Some(*end)
            })
            .collect();
        Self { samples, ends }
    }

    fn at(&self, rank: u64) -> f64 {
        let index = self.ends.partition_point(|end| *end <= rank).min(self.samples.len() - 1);
        self.samples[index].value
    }

    fn quantile(&self, p: f64) -> f64 {
        let last = self.ends.last().copied().unwrap_or(1) - 1;
        let rank = last as f64 * p;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ rank ≤ count")]
        let low = (rank.floor() as u64).min(last);
        between(self.at(low), self.at(low.saturating_add(1).min(last)), rank - low as f64)
    }
}
