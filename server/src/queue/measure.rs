//! One run: send the load from the child, keep its events, compute its figures.

use std::sync::Arc;
use std::time::Duration;

use inferex_bench::metrics::Collector;
use inferex_bench::prompts;
use inferex_engines::launch::{Deployment, Status};
use inferex_model::deployment::DeploymentState;
use inferex_model::environment::GeneratorReport;
use inferex_model::event::{ErrorClass, Event};
use inferex_model::experiment::ExperimentSpec;
use inferex_model::load::{LoadJob, LoadMessage};
use inferex_model::run::RunSummary;
use inferex_store::StoreError;
use inferex_store::queue::ClaimedBlock;
use inferex_store::runs::RunRow;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::child::{ChildError, LoadChild};
use super::feed::{CHUNK_EVERY, Feed};
use crate::backend::Backend;

/// Requests sent before the measured ones, at least and at most.
const WARMUP: std::ops::RangeInclusive<u32> = 2..=8;
/// After which a request without an end has failed.
const REQUEST_LIMIT: Duration = Duration::from_mins(10);
/// After which a run without any event has stalled.
const STALL_LIMIT: Duration = Duration::from_mins(15);
/// How long an engine's own end is waited for once its connections broke: the load may notice before we do.
const OBITUARY_LIMIT: Duration = Duration::from_secs(3);

/// How a run ended.
pub(super) enum Measured {
    /// Its figures are stored.
    Done,
    /// A person (or the server's end) cancelled it.
    Cancelled,
    /// For this reason; the next level may go on.
    Failed(String),
    /// The engine is gone; no level can go on.
    EngineLost(String),
}

/// Measures one run against a ready engine.
pub(super) async fn run(
    backend: &Arc<Backend>,
    block: &ClaimedBlock,
    run: &RunRow,
    engine: &Deployment,
    cancel: &CancellationToken,
) -> Result<Measured, StoreError> {
    let Some(experiment) = backend.store.experiment(block.experiment).await? else {
        return Ok(Measured::Cancelled);
    };
    let status = engine.status();
    let Some(endpoint) = status.endpoint.clone() else {
        return Ok(Measured::EngineLost(engine_lost(&status)));
    };
    let Some(job) = job(&experiment.spec, block, run, endpoint) else {
        return Ok(Measured::Failed(format!(
            "the prompt set `{}` is unknown",
            experiment.spec.workload.prompts
        )));
    };
    if !backend.store.begin_warming(run.id, run.attempt).await? {
        return Ok(Measured::Cancelled);
    }
    let child = match LoadChild::start(&backend.self_exe, &job).await {
        Ok(child) => child,
        Err(error) => return Ok(Measured::Failed(error.to_string())),
    };
    let now = Instant::now();
    let mut session = Session {
        backend,
        run,
        feed: Feed::new(job.prompts.len() as u64, now),
        collector: Collector::default().with_requested_tokens(u64::from(job.output_tokens)),
        last_event: now,
        lost_connections: false,
    };
    let outcome = session.follow(child, engine, cancel).await?;
    session.flush().await?;
    match outcome {
        Followed::Finished(generator) => session.process(generator).await,
        Followed::Ended(measured) => Ok(measured),
    }
}

fn job(spec: &ExperimentSpec, block: &ClaimedBlock, run: &RunRow, base_url: String) -> Option<LoadJob> {
    let set = prompts::by_name(&spec.workload.prompts)?;
    let warmup = run.level.concurrency.clamp(*WARMUP.start(), *WARMUP.end());
    Some(LoadJob {
        run: run.id.to_string(),
        base_url,
        model: block.variant.served_name().to_owned(),
        prompts: set.measured(spec.seed, run.level, block.repeat, run.level.requests),
        warmup: set.warmup(spec.seed, run.level, block.repeat, warmup),
        concurrency: run.level.concurrency,
        output_tokens: spec.workload.output_tokens,
        ignore_eos: true,
        request_timeout_ms: u64::try_from(REQUEST_LIMIT.as_millis()).unwrap_or(u64::MAX),
    })
}

/// What following the child led to.
enum Followed {
    /// It sent everything.
    Finished(GeneratorReport),
    /// It did not get there.
    Ended(Measured),
}

/// One run while it is measured.
struct Session<'a> {
    backend: &'a Backend,
    run: &'a RunRow,
    feed: Feed,
    collector: Collector,
    last_event: Instant,
    /// Whether a request failed as it does when the engine is gone.
    lost_connections: bool,
}

impl Session<'_> {
    async fn follow(
        &mut self,
        mut child: LoadChild,
        engine: &Deployment,
        cancel: &CancellationToken,
    ) -> Result<Followed, StoreError> {
        let mut tick = tokio::time::interval(CHUNK_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let ended = loop {
            tokio::select! {
                message = child.next() => match self.take(message).await? {
                    None => {}
                    Some(followed) => break followed,
                },
                status = engine.over() => break Followed::Ended(Measured::EngineLost(engine_lost(&status))),
                () = cancel.cancelled() => break Followed::Ended(Measured::Cancelled),
                _ = tick.tick() => {
                    self.flush().await?;
                    if self.last_event.elapsed() > STALL_LIMIT {
                        let reason = format!("nothing happened for {} s; the run has stalled", STALL_LIMIT.as_secs());
                        break Followed::Ended(Measured::Failed(reason));
                    }
                }
            }
        };
        child.end().await;
        Ok(self.with_cause(ended, engine).await)
    }

    /// The engine's end where that explains how the load fared; it counts even if all requests before it went well.
    async fn with_cause(&self, ended: Followed, engine: &Deployment) -> Followed {
        let is_suspect = match &ended {
            Followed::Finished(_) => self.lost_connections,
            Followed::Ended(measured) => matches!(measured, Measured::Failed(_)),
        };
        if !is_suspect {
            return ended;
        }
        match tokio::time::timeout(OBITUARY_LIMIT, engine.over()).await {
            Ok(status) => Followed::Ended(Measured::EngineLost(engine_lost(&status))),
            Err(_) => ended,
        }
    }

    async fn take(
        &mut self,
        message: Result<LoadMessage, ChildError>,
    ) -> Result<Option<Followed>, StoreError> {
        self.last_event = Instant::now();
        let fail = |reason: String| Ok(Some(Followed::Ended(Measured::Failed(reason))));
        match message {
            Err(error) => return fail(error.to_string()),
            Ok(LoadMessage::Failed { failed }) => return fail(failed),
            Ok(LoadMessage::Finished { generator }) => return Ok(Some(Followed::Finished(generator))),
            Ok(LoadMessage::Started { .. }) => {
                let (store, now) = (&self.backend.store, self.backend.now());
                if !store.begin_measuring(self.run.id, self.run.attempt, now).await? {
                    return Ok(Some(Followed::Ended(Measured::Cancelled)));
                }
            }
            Ok(LoadMessage::Event(event)) => {
                self.lost_connections |= is_lost_connection(&event);
                self.collector.push(&event);
                if let Err(error) = self.feed.push(&event) {
                    return fail(format!("an event could not be kept: {error}"));
                }
                if self.feed.is_due(Instant::now()) {
                    self.flush().await?;
                }
            }
        }
        Ok(None)
    }

    /// Appends what has gathered and notes the progress.
    async fn flush(&mut self) -> Result<(), StoreError> {
        let Some(piece) = self.feed.take(Instant::now()) else { return Ok(()) };
        let (store, run) = (&self.backend.store, self.run);
        store.append_events(run.id, run.attempt, piece.seq, &piece.bytes).await?;
        store.set_run_progress(run.id, run.attempt, piece.progress, Some(piece.tok_s)).await.map(drop)
    }

    async fn process(self, generator: GeneratorReport) -> Result<Measured, StoreError> {
        let (store, run) = (&self.backend.store, self.run);
        if !store.begin_processing(run.id, run.attempt).await? {
            return Ok(Measured::Cancelled);
        }
        let progress = self.feed.progress();
        let computed = self.collector.finish();
        let requests =
            computed.document.definitions.get(inferex_bench::metrics::DEFINITION).map(|m| &m.requests);
        if requests.is_none_or(|requests| requests.successful == 0) {
            let classes = requests.map(|r| classes(&r.by_class)).unwrap_or_default();
            return Ok(Measured::Failed(format!("no request succeeded: {classes}")));
        }
        let summary = RunSummary::new(computed.document, generator, progress);
        let finished =
            store.finish_run(run.id, run.attempt, &summary, &computed.rows, self.backend.now()).await?;
        Ok(if finished { Measured::Done } else { Measured::Cancelled })
    }
}

const fn is_lost_connection(event: &Event) -> bool {
    matches!(event, Event::Error { class: ErrorClass::Connect | ErrorClass::Truncated, .. })
}

fn engine_lost(status: &Status) -> String {
    match (&status.failure, status.state) {
        (Some(failure), _) => format!("the engine died during the run: {}", failure.sentence),
        (None, DeploymentState::Stopped) => "the engine was stopped during the run".to_owned(),
        (None, state) => format!("the engine is {state} during the run: {}", status.reason),
    }
}

/// `40 × connect, 2 × timeout`.
fn classes(by_class: &std::collections::BTreeMap<String, u64>) -> String {
    by_class.iter().map(|(class, count)| format!("{count} × {class}")).collect::<Vec<_>>().join(", ")
}
