//! How long measuring takes: from runs of the past where there are any, else from a stated guess.
//!
//! Pure: past runs in, seconds out.

use std::collections::HashMap;

use inferex_bench::stats;
use inferex_model::experiment::Level;

/// A finished run of the past.
#[derive(Debug, Clone)]
pub(crate) struct PastRun {
    /// The variant's name.
    pub(crate) variant: String,
    pub(crate) concurrency: u32,
    /// Output tokens per second while it was measured.
    pub(crate) tok_s: f64,
}

/// What the past teaches: median output throughput by variant and concurrency.
#[derive(Debug, Default)]
pub(crate) struct History {
    exact: HashMap<(String, u32), f64>,
    by_level: HashMap<u32, f64>,
}

/// Seconds that an estimate adds to each start of an engine: load, first completion, stop.
const START_SECONDS: f64 = 4.0;
/// Seconds that an estimate adds to each run: warm-up, ramp-up and drain.
const RUN_SECONDS: f64 = 2.0;
/// Output tokens per second of one request that is assumed where nothing was measured yet: a small model on a few
/// processor cores.
const GUESS_TOK_S: f64 = 40.0;
/// Requests at once beyond which more concurrency is assumed to bring nothing.
const GUESS_SLOTS: u32 = 8;

impl History {
    pub(crate) fn of(runs: &[PastRun]) -> Self {
        let mut exact: HashMap<(String, u32), Vec<f64>> = HashMap::new();
        let mut by_level: HashMap<u32, Vec<f64>> = HashMap::new();
        for run in runs.iter().filter(|run| run.tok_s.is_finite() && run.tok_s > 0.0) {
            exact.entry((run.variant.clone(), run.concurrency)).or_default().push(run.tok_s);
            by_level.entry(run.concurrency).or_default().push(run.tok_s);
        }
        Self { exact: medians(exact), by_level: medians(by_level) }
    }

    /// Whether nothing was measured yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_level.is_empty()
    }

    /// Seconds one run takes without its start, and whether the past knows this variant and level.
    pub(crate) fn run_seconds(&self, variant: &str, level: Level, output_tokens: u32) -> (f64, bool) {
        let known = self.exact.get(&(variant.to_owned(), level.concurrency));
        let tok_s = known.or_else(|| self.by_level.get(&level.concurrency)).copied();
        let tok_s = tok_s.unwrap_or_else(|| guess(level.concurrency));
        let tokens = f64::from(level.requests) * f64::from(output_tokens);
        (tokens / tok_s + RUN_SECONDS, known.is_some())
    }

    /// Seconds of one block: a start and all levels.
    pub(crate) fn block_seconds(&self, variant: &str, levels: &[Level], output_tokens: u32) -> (f64, bool) {
        let runs = levels.iter().map(|level| self.run_seconds(variant, *level, output_tokens));
        runs.fold((START_SECONDS, true), |(sum, known), (seconds, k)| (sum + seconds, known && k))
    }
}

fn guess(concurrency: u32) -> f64 {
    GUESS_TOK_S * f64::from(concurrency.min(GUESS_SLOTS)).sqrt()
}

fn medians<K: Eq + std::hash::Hash>(groups: HashMap<K, Vec<f64>>) -> HashMap<K, f64> {
    groups.into_iter().filter_map(|(key, values)| Some((key, stats::median(&values)?))).collect()
}

/// Seconds as whole seconds, at least 1 when there is anything.
pub(crate) fn whole(seconds: f64) -> u64 {
    // Bounded far below 2^53 and never negative here.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = seconds.clamp(0.0, 1e9).ceil() as u64;
    whole
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_beats_the_guess() {
        let past = |tok_s| PastRun { variant: "a".to_owned(), concurrency: 8, tok_s };
        let history = History::of(&[past(100.0), past(200.0), past(300.0), past(f64::NAN)]);
        let level = Level { concurrency: 8, requests: 50 };
        assert_eq!(history.run_seconds("a", level, 64), (50.0 * 64.0 / 200.0 + RUN_SECONDS, true));
        assert_eq!(history.run_seconds("b", level, 64), (50.0 * 64.0 / 200.0 + RUN_SECONDS, false));
        let (seconds, known) = History::default().run_seconds("a", level, 64);
        assert!(!known && seconds > 0.0);
    }
}
