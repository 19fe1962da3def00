//! Percentile bootstrap intervals over blocks.

use super::draws::{Draws, Purpose};
use super::spread::{median, quantile};

/// Resamples behind each interval.
pub const RESAMPLES: usize = 10_000;

/// A 95 % interval: low end, high end.
pub type Interval = [f64; 2];

/// The 95 % interval of median(candidate) / median(baseline), each group resampled over its blocks.
/// `None` with fewer than two blocks a side, or when a ratio would not be a finite number.
#[must_use]
pub fn ratio_interval(baseline: &[f64], candidate: &[f64], seed: u64) -> Option<Interval> {
    if baseline.len() < 2 || candidate.len() < 2 {
        return None;
    }
    let mut draws = Draws::new(seed, Purpose::RatioInterval);
    percentile_interval(|| {
        let below = resampled_median(baseline, &mut draws)?;
        let above = resampled_median(candidate, &mut draws)?;
        Some(above / below)
    })
}

/// The 95 % interval of a group's median over its blocks, for error bars. `None` with fewer than two blocks.
#[must_use]
pub fn median_interval(samples: &[f64], seed: u64) -> Option<Interval> {
    if samples.len() < 2 {
        return None;
    }
    let mut draws = Draws::new(seed, Purpose::MedianInterval);
    percentile_interval(|| resampled_median(samples, &mut draws))
}

fn percentile_interval(mut resample: impl FnMut() -> Option<f64>) -> Option<Interval> {
    let mut values = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        values.push(resample().filter(|value| value.is_finite())?);
    }
    values.sort_by(f64::total_cmp);
    Some([quantile(&values, 0.025)?, quantile(&values, 0.975)?])
}

fn resampled_median(samples: &[f64], draws: &mut Draws) -> Option<f64> {
    if samples.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let resample: Vec<f64> = samples.iter().map(|_| samples[draws.below(samples.len())]).collect();
    median(&resample)
}
