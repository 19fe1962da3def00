//! Statistics: quantiles, spreads, the exact permutation test, Holm's adjustment and bootstrap intervals.
//!
//! Pure numbers in, numbers out: nothing here knows what a metric or a run is. Randomness comes from a seed,
//! with one `ChaCha` stream per purpose, and only `+ − × ÷ √` are used, so that figures agree across machines.
//! Start from [`summarise`] and [`permutation_test`].

mod bootstrap;
mod draws;
mod permutation;
mod power;
mod spread;

pub use bootstrap::{Interval, RESAMPLES, median_interval, ratio_interval};
pub use permutation::{MONTE_CARLO_DRAWS, Method, PermutationTest, permutation_test, smallest_p, splits};
pub use power::{detectable_change, starts_needed};
pub use spread::{Weighted, median, quantile, summarise, summarise_weighted};

/// Holm's step-down adjustment: each p as if it had been tested together with the others.
///
/// The answers stand in the order of `ps`; none exceeds 1. Source: S. Holm, "A simple sequentially rejective
/// multiple test procedure", 1979.
#[must_use]
pub fn holm(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|a, b| ps[*a].total_cmp(&ps[*b]));
    let mut adjusted = vec![1.0; ps.len()];
    let mut floor = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        let raised = ps[index] * (ps.len() - rank) as f64;
        floor = floor.max(raised.min(1.0));
        adjusted[index] = floor;
    }
    adjusted
}

#[cfg(test)]
mod tests;
