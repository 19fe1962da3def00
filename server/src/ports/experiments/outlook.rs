//! What is still to come: seconds left, and what an experiment would take.

use std::collections::HashMap;

use inferex_app::ports::Answer;
use inferex_app::view::EstimateView;
use inferex_bench::metrics::DEFINITION;
use inferex_bench::stats;
use inferex_model::experiment::ExperimentSpec;
use inferex_model::id::ExperimentId;
use inferex_model::run::RunState;
use inferex_model::variant::Variant;
use inferex_store::experiments::ExperimentRow;
use inferex_store::runs::RunRow;

use super::super::from_store;
use super::ExperimentsPort;
use crate::estimate::{History, PastRun, whole};

/// Experiments of the past that an estimate looks at.
const LOOK_BACK: u32 = 8;

/// What is left of an experiment.
pub(super) struct Outlook {
    pub(super) seconds: u64,
}

impl ExperimentsPort {
    /// Seconds left of an experiment, from its own finished runs first.
    pub(super) async fn outlook(&self, row: &ExperimentRow) -> Answer<Outlook> {
        let runs = self.0.store.runs_of(row.id).await.map_err(from_store("read runs"))?;
        Ok(Outlook { seconds: whole(self.seconds_left(row, &runs, &self.history().await?)) })
    }

    pub(super) fn seconds_left(&self, row: &ExperimentRow, runs: &[RunRow], history: &History) -> f64 {
        let own = own_durations(runs);
        let tokens = row.spec.workload.output_tokens;
        let now = self.0.now();
        let left = runs.iter().filter(|run| !run.state.is_over()).map(|run| {
            let name = row.variants.get(run.arm as usize).map_or("", |variant| variant.name.as_str());
            let key = (run.arm, run.level.concurrency);
            let whole =
                own.get(&key).copied().unwrap_or_else(|| history.run_seconds(name, run.level, tokens).0);
            let spent = match (run.state, run.started_at) {
                (RunState::Queued, _) | (_, None) => 0.0,
                (_, Some(at)) => now.since_ms(at).max(0) as f64 / 1_000.0,
            };
            (whole - spent).max(1.0)
        });
        left.sum()
    }

    /// Seconds of everything that is queued or runs, except `but`.
    pub(super) async fn queue_seconds(&self, but: Option<ExperimentId>) -> Answer<f64> {
        let history = self.history().await?;
        let mut sum = 0.0;
        for id in self.queued_experiments().await? {
            if Some(id) == but {
                break;
            }
            let row = self.stored(id).await?;
            let runs = self.0.store.runs_of(id).await.map_err(from_store("read runs"))?;
            sum += self.seconds_left(&row, &runs, &history);
        }
        Ok(sum)
    }

    /// Experiments with blocks that run or wait, in the order in which they will be worked off.
    pub(super) async fn queued_experiments(&self) -> Answer<Vec<ExperimentId>> {
        let blocks = self.0.store.queued_blocks().await.map_err(from_store("read the queue"))?;
        let mut ids = Vec::new();
        for block in blocks {
            if !ids.contains(&block.experiment) {
                ids.push(block.experiment);
            }
        }
        Ok(ids)
    }

    pub(super) async fn estimate_of(
        &self,
        spec: &ExperimentSpec,
        variants: &[Variant],
    ) -> Answer<EstimateView> {
        let history = self.history().await?;
        let levels = spec.levels();
        let blocks =
            variants.iter().map(|v| history.block_seconds(&v.name, &levels, spec.workload.output_tokens));
        let (seconds, known) =
            blocks.fold((0.0, true), |(sum, all), (seconds, known)| (sum + seconds, all && known));
        let basis = match (known, history.is_empty()) {
            (true, _) => "from earlier runs of these variants at these levels",
            (false, false) => "partly from earlier runs, partly a guess; it sharpens as runs finish",
            (false, true) => "a guess for a small model on this machine; it sharpens as runs finish",
        };
        let per_block: u64 = levels.iter().map(|level| u64::from(level.requests)).sum();
        let starts = u64::from(spec.repeats) * spec.arm.len() as u64;
        Ok(EstimateView {
            runs: spec.run_count() as u64,
            starts,
            requests: per_block * starts,
            seconds: whole(seconds * f64::from(spec.repeats)),
            queue_seconds: whole(self.queue_seconds(None).await?),
            basis: basis.to_owned(),
        })
    }

    /// What the newest experiments teach.
    pub(super) async fn history(&self) -> Answer<History> {
        let store = &self.0.store;
        let mut past = Vec::new();
        for row in store.experiments(None, LOOK_BACK).await.map_err(from_store("read the past"))? {
            for run in store.runs_of(row.id).await.map_err(from_store("read the past"))? {
                let name = row.variants.get(run.arm as usize).map(|variant| variant.name.clone());
                let metrics =
                    run.summary.as_ref().and_then(|summary| summary.metrics.definitions.get(DEFINITION));
                if let (Some(variant), Some(tok_s)) = (name, metrics.and_then(|m| m.output_throughput_tok_s))
                {
                    past.push(PastRun { variant, concurrency: run.level.concurrency, tok_s });
                }
            }
        }
        Ok(History::of(&past))
    }
}

/// Median seconds by arm and concurrency of an experiment's own finished runs, starts included.
fn own_durations(runs: &[RunRow]) -> HashMap<(u32, u32), f64> {
    let mut groups: HashMap<(u32, u32), Vec<f64>> = HashMap::new();
    for run in runs.iter().filter(|run| run.state == RunState::Done) {
        if let (Some(start), Some(end)) = (run.started_at, run.ended_at) {
            let seconds = end.since_ms(start).max(0) as f64 / 1_000.0;
            groups.entry((run.arm, run.level.concurrency)).or_default().push(seconds);
        }
    }
    groups.into_iter().filter_map(|(key, values)| Some((key, stats::median(&values)?))).collect()
}
