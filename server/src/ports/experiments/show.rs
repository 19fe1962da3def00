//! One experiment as a page shows it.

use std::collections::BTreeMap;

use inferex_app::ports::Answer;
use inferex_app::view::{CommandView, ExperimentProgress, ExperimentView, ResultView, RunCell};
use inferex_bench::metrics::DEFINITION;
use inferex_bench::stats;
use inferex_model::experiment::VariantRef;
use inferex_model::id::{DeploymentId, ExperimentId};
use inferex_model::run::{RequestProgress, RunState};
use inferex_store::experiments::ExperimentRow;
use inferex_store::runs::RunRow;

use super::super::variants::masked;
use super::super::{from_store, internal};
use super::ExperimentsPort;
use crate::estimate::whole;
use crate::results::{self, ArmStart, MeasuredRun, ResultInput};
use crate::results_cache::Stamp;

impl ExperimentsPort {
    /// The experiment without a look at who asks.
    pub(in crate::ports) async fn view(&self, id: ExperimentId) -> Answer<ExperimentView> {
        let stored = self.stored(id).await?;
        let runs = self.0.store.runs_of(id).await.map_err(from_store("read runs"))?;
        let is_over = stored.state().is_over();
        let eta_s = if is_over {
            None
        } else {
            Some(whole(self.seconds_left(&stored, &runs, &self.history().await?)))
        };
        let progress = self.progress(&stored, &runs, eta_s).await?;
        let result = self.result(&stored, &runs).await?;
        Ok(ExperimentView {
            started_at: runs.iter().filter_map(|run| run.started_at).min(),
            ended_at: if is_over { runs.iter().filter_map(|run| run.ended_at).max() } else { None },
            toml: toml(&stored)?,
            cells: runs.iter().map(cell).collect(),
            commands: commands(id),
            spec: stored.spec.clone(),
            row: super::row(stored, eta_s),
            progress,
            result,
        })
    }

    async fn progress(
        &self,
        stored: &ExperimentRow,
        runs: &[RunRow],
        eta_s: Option<u64>,
    ) -> Answer<ExperimentProgress> {
        let queued = self.queued_experiments().await?;
        let position = queued.iter().position(|id| *id == stored.id).map(|index| index as u64);
        let active = runs.iter().find(|run| run.state.is_active());
        let ahead = if active.is_none() && eta_s.is_some() {
            self.queue_seconds(Some(stored.id)).await?
        } else {
            0.0
        };
        let is_over = stored.state().is_over();
        Ok(ExperimentProgress {
            requests: requests(runs),
            tok_s: active.and_then(|run| run.tok_s),
            eta_s: eta_s.map(|seconds| seconds.saturating_add(whole(ahead))),
            now: now(stored, active, position),
            position: position.filter(|_| !is_over && active.is_none() && position != Some(0)),
        })
    }

    async fn result(&self, stored: &ExperimentRow, runs: &[RunRow]) -> Answer<Option<ResultView>> {
        let over = runs.iter().filter(|run| run.state.is_over());
        let stamp = Stamp(over.map(|run| (run.id.0, run.attempt)).collect());
        if let Ok(known) = self.0.results.get(stored.id, &stamp) {
            return Ok(known);
        }
        let starts = self.starts(stored, runs).await?;
        let (stored_copy, measured) = (stored.clone(), measured(runs));
        let built = tokio::task::spawn_blocking(move || {
            results::build(&ResultInput {
                spec: &stored_copy.spec,
                variants: &stored_copy.variants,
                prompts_hash: &stored_copy.prompts_hash,
                runs: &measured,
                starts: &starts,
            })
        });
        let built = built.await.map_err(|e| internal("compute a result", &e))?;
        self.0.results.put(stored.id, stamp, built.clone());
        Ok(built)
    }

    /// By arm: what its newest start reported.
    async fn starts(&self, stored: &ExperimentRow, runs: &[RunRow]) -> Answer<Vec<ArmStart>> {
        let mut starts = vec![ArmStart::default(); stored.spec.arm.len()];
        for (arm, start) in starts.iter_mut().enumerate() {
            let newest = runs.iter().filter(|run| run.arm as usize == arm && run.deployment.is_some());
            let Some(newest) = newest.max_by_key(|run| run.deployment) else { continue };
            start.environment.clone_from(&newest.environment);
            if let Some(environment) = &mut start.environment {
                environment.load_average = median_load(runs, arm);
            }
            start.capacity = self.capacity(newest.deployment).await?;
        }
        Ok(starts)
    }

    async fn capacity(
        &self,
        id: Option<DeploymentId>,
    ) -> Answer<Option<inferex_model::deployment::Capacity>> {
        let Some(id) = id else { return Ok(None) };
        let row = self.0.store.deployment(id).await.map_err(from_store("read a deployment"))?;
        Ok(row.and_then(|row| row.capacity))
    }
}

/// Load of the machine when the starts of an arm began: the median over them.
fn median_load(runs: &[RunRow], arm: usize) -> Option<f64> {
    let mut by_start = BTreeMap::new();
    for run in runs.iter().filter(|run| run.arm as usize == arm) {
        let load = run.environment.as_ref().and_then(|environment| environment.load_average);
        by_start.extend(run.deployment.zip(load));
    }
    stats::median(&by_start.into_values().collect::<Vec<_>>())
}

fn measured(runs: &[RunRow]) -> Vec<MeasuredRun> {
    let one = |run: &RunRow| MeasuredRun {
        arm: run.arm as usize,
        level: run.level,
        repeat: run.repeat,
        state: run.state,
        attempt: run.attempt,
        progress: run.progress.unwrap_or_default(),
        start: run.deployment,
        metrics: run
            .summary
            .as_ref()
            .and_then(|summary| summary.metrics.definitions.get(DEFINITION).cloned()),
        generator: run.summary.as_ref().map(|summary| summary.generator.clone()),
    };
    runs.iter().map(one).collect()
}

fn cell(run: &RunRow) -> RunCell {
    RunCell {
        id: run.id,
        arm: run.arm as usize,
        level: run.level,
        repeat: run.repeat,
        state: run.state,
        reason: run.reason.clone(),
        progress: run
            .progress
            .unwrap_or(RequestProgress { total: u64::from(run.level.requests), ..Default::default() }),
    }
}

fn requests(runs: &[RunRow]) -> RequestProgress {
    let mut sum = RequestProgress::default();
    for run in runs {
        let progress = run.progress.unwrap_or_default();
        sum.total += u64::from(run.level.requests);
        sum.done += progress.done;
        sum.failed += progress.failed;
        sum.in_flight += if run.state.is_active() { progress.in_flight } else { 0 };
    }
    sum
}

fn now(stored: &ExperimentRow, active: Option<&RunRow>, position: Option<u64>) -> String {
    match (active, position) {
        (Some(run), _) => {
            let place = format!(
                "{} at {}, repeat {} of {}",
                run.arm_name,
                run.level.label(),
                run.repeat + 1,
                stored.spec.repeats
            );
            match (&run.reason, run.state) {
                (Some(reason), RunState::Preparing) => format!("preparing {place}: {reason}"),
                (_, state) => format!("{state} {place}"),
            }
        }
        (None, Some(0)) => "next in the queue".to_owned(),
        (None, Some(ahead)) => format!("{ahead} before it in the queue"),
        (None, None) => String::new(),
    }
}

/// The file with the variants as they were frozen, so that it repeats this very experiment.
fn toml(stored: &ExperimentRow) -> Answer<String> {
    let mut spec = stored.spec.clone();
    for (arm, variant) in spec.arm.iter_mut().zip(&stored.variants) {
        arm.variant = VariantRef::Inline(Box::new(masked(variant.clone())));
    }
    toml::to_string_pretty(&spec).map_err(|e| internal("write an experiment as TOML", &e))
}

fn commands(id: ExperimentId) -> Vec<CommandView> {
    vec![
        CommandView {
            label: "Export the file".to_owned(),
            text: format!("inferex experiment export {id} > {id}.toml"),
        },
        CommandView {
            label: "Run it again".to_owned(),
            text: format!("inferex experiment run {id}.toml --wait"),
        },
    ]
}
