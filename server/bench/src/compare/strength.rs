//! Whether the number of starts allows a verdict at all.

use inferex_model::comparison::MetricComparison;

use super::ALPHA;
use crate::stats::starts_needed;

/// What the number of starts can bear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Strength {
    /// One start of each side.
    Single,
    /// No level's smallest adjusted p reaches the threshold.
    TooFew {
        blocks: [u32; 2],
        /// Smallest adjusted p of any level.
        reachable: f64,
        /// Starts of each side that would do.
        needed: Option<usize>,
    },
    /// At least one level can pass.
    Enough,
}

impl Strength {
    pub(super) fn of(metrics: &[MetricComparison]) -> Self {
        let tested: Vec<&MetricComparison> = metrics.iter().filter(|m| m.reachable_p.is_some()).collect();
        if tested.iter().all(|m| m.blocks == [1, 1]) {
            return Self::Single;
        }
        let family = |level: &str| tested.iter().filter(|m| m.level == level).count();
        let best = tested
            .iter()
            .filter_map(|m| Some((m.reachable_p? * family(&m.level) as f64, m)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((reachable, metric)) if reachable > ALPHA => Self::TooFew {
                blocks: metric.blocks,
                reachable: reachable.min(1.0),
                needed: starts_needed(family(&metric.level), ALPHA),
            },
            _ => Self::Enough,
        }
    }
}

/// `3 starts of each`, or `3 starts against 4`.
pub(super) fn starts([ours, theirs]: [u32; 2]) -> String {
    if ours == theirs {
        format!("{ours} starts of each")
    } else {
        format!("{ours} {} against {theirs}", if ours == 1 { "start" } else { "starts" })
    }
}
