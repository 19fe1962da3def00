//! How many starts a verdict needs, and how small a change a number of starts can show.

use super::permutation::smallest_p;

/// Standard normal quantile at 1 − 0.05/6: two-sided 5 %, shared by three gated metrics.
const Z_ALPHA: f64 = 2.394;
/// Standard normal quantile at 0.8: four of five such changes are shown.
const Z_POWER: f64 = 0.842;
/// Starts beyond which no answer is sought.
const MOST_STARTS: usize = 1_000;

/// The fewest starts of each arm with which `metrics` gated metrics can pass `alpha` after Holm's adjustment.
#[must_use]
pub fn starts_needed(metrics: usize, alpha: f64) -> Option<usize> {
    (2..=MOST_STARTS).find(|n| smallest_p(*n, *n).is_some_and(|p| p * metrics.max(1) as f64 <= alpha))
}

/// About the smallest relative change that `starts` starts of each arm would show four times in five, when one
/// arm's starts scatter by `variation` (standard deviation over mean). `None` with fewer than two starts.
///
/// The two-sample normal approximation with its quantiles widened for the degrees of freedom
/// (t ≈ z + (z³ + z) / 4ν); good enough to plan by, not to judge by.
#[must_use]
pub fn detectable_change(variation: f64, starts: usize) -> Option<f64> {
    if starts < 2 || !variation.is_finite() || variation < 0.0 {
        return None;
    }
    let freedom = 2.0 * (starts as f64 - 1.0);
    let widened = |z: f64| z + (z * z * z + z) / (4.0 * freedom);
    Some((widened(Z_ALPHA) + widened(Z_POWER)) * variation * (2.0 / starts as f64).sqrt())
}
