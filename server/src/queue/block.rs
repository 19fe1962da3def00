//! One block: take the lane, start the arm's engine once, run all its levels, stop it.

use std::sync::Arc;
use std::time::Duration;

use inferex_engines::environment::{self, Sources};
use inferex_engines::launch::Deployment;
use inferex_model::environment::Environment;
use inferex_store::StoreError;
use inferex_store::queue::ClaimedBlock;
use inferex_store::runs::RunRow;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::measure::{self, Measured};
use super::{HEARTBEAT, LEASE_MS};
use crate::backend::Backend;
use crate::fleet::Started;
use crate::lane::LaneGuard;

/// How long a block waits for its lane before its runs fail.
const LANE_LIMIT: Duration = Duration::from_mins(30);

/// How a block came to an end before its last run.
enum Ended {
    /// A person cancelled the experiment.
    Cancelled,
    /// The server is stopping; what ran is interrupted at the next start.
    Stopping,
    /// For this reason, which every run that is left gets.
    Failed(String),
}

/// Works off one claimed block. Only faults of the store are errors; everything else ends in a run's state.
pub(super) async fn work(
    backend: &Arc<Backend>,
    block: ClaimedBlock,
    cancel: &CancellationToken,
    stop: &CancellationToken,
) -> Result<(), StoreError> {
    let heartbeat = CancellationToken::new();
    let beating = tokio::spawn(beat(Arc::clone(backend), block.block, block.attempt, heartbeat.clone()));
    let outcome = run_block(backend, &block, cancel, stop).await;
    heartbeat.cancel();
    // The task only ends or is told to end; a panic in it would already be in the log.
    let _ = beating.await;
    match outcome? {
        None => {}
        Some(Ended::Stopping) => return interrupt(backend).await,
        Some(Ended::Cancelled) => end_rest(backend, &block, None).await?,
        Some(Ended::Failed(reason)) => end_rest(backend, &block, Some(&reason)).await?,
    }
    backend.store.finish_block(block.block, block.attempt, backend.now()).await.map(drop)
}

async fn beat(
    backend: Arc<Backend>,
    block: inferex_model::id::BlockId,
    attempt: u32,
    stop: CancellationToken,
) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
        let until = backend.now().plus_ms(LEASE_MS);
        if let Err(error) = backend.store.heartbeat_block(block, attempt, until).await {
            tracing::error!(%block, %error, "heartbeat_failed");
        }
    }
}

async fn run_block(
    backend: &Arc<Backend>,
    block: &ClaimedBlock,
    cancel: &CancellationToken,
    stop: &CancellationToken,
) -> Result<Option<Ended>, StoreError> {
    let Some(first) = block.runs.first() else { return Ok(None) };
    if !backend.store.begin_preparing(first.id, first.attempt, backend.now()).await? {
        return Ok(Some(ended_by(Ended::Cancelled, stop)));
    }
    let _lane = match lane(backend, block, first, cancel).await? {
        Ok(guard) => guard,
        Err(ended) => return Ok(Some(ended_by(ended, stop))),
    };
    let environment = environment::read(&Sources::machine(env!("CARGO_PKG_VERSION"))).await;
    let started = backend.fleet.start_for_block(block.variant.clone(), block.block).await?;
    let outcome = serve(backend, block, &started, &environment, cancel).await;
    // Whatever happened, also to the store: the lane is not given on while the engine runs.
    if let Ok(engine) = &started.outcome {
        engine.stop().await;
    }
    Ok(outcome?.map(|ended| ended_by(ended, stop)))
}

/// What happens between the start of the engine and its end.
async fn serve(
    backend: &Arc<Backend>,
    block: &ClaimedBlock,
    started: &Started,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Result<Option<Ended>, StoreError> {
    let store = &backend.store;
    store.set_block_environment(block.block, block.attempt, environment, Some(started.id)).await?;
    match ready(started, cancel).await {
        Ok(engine) => run_levels(backend, block, &engine, cancel).await,
        Err(ended) => Ok(Some(ended)),
    }
}

async fn lane(
    backend: &Arc<Backend>,
    block: &ClaimedBlock,
    run: &RunRow,
    cancel: &CancellationToken,
) -> Result<Result<LaneGuard, Ended>, StoreError> {
    let tenant = format!("{} ({}, repeat {})", block.experiment, block.arm_name, block.repeat + 1);
    let (waiting, mut holders) = mpsc::unbounded_channel();
    let mut taking = std::pin::pin!(backend.fleet.lane().take(&tenant, LANE_LIMIT, &waiting));
    let taken = loop {
        tokio::select! {
            taken = &mut taking => break taken,
            Some(holder) = holders.recv() => {
                let reason = format!("waits for the lane of this machine, held by {holder}");
                backend.store.set_run_reason(run.id, run.attempt, &reason).await?;
            }
            () = cancel.cancelled() => return Ok(Err(Ended::Cancelled)),
        }
    };
    Ok(taken.map_err(|holder| {
        let minutes = LANE_LIMIT.as_secs() / 60;
        Ended::Failed(format!(
            "the lane of this machine was held by {holder} for {minutes} min; stop that and queue again"
        ))
    }))
}

async fn ready(started: &Started, cancel: &CancellationToken) -> Result<Arc<Deployment>, Ended> {
    let explain = |failure: &inferex_model::deployment::Failure| {
        Ended::Failed(format!("{} {} ({})", failure.sentence, failure.hint, started.id))
    };
    let deployment = started.outcome.as_ref().map_err(explain)?;
    tokio::select! {
        ready = deployment.ready() => ready.map_err(|failure| explain(&failure))?,
        () = cancel.cancelled() => return Err(Ended::Cancelled),
    };
    Ok(Arc::clone(deployment))
}

async fn run_levels(
    backend: &Arc<Backend>,
    block: &ClaimedBlock,
    engine: &Deployment,
    cancel: &CancellationToken,
) -> Result<Option<Ended>, StoreError> {
    for (index, run) in block.runs.iter().enumerate() {
        if index > 0 && !backend.store.begin_preparing(run.id, run.attempt, backend.now()).await? {
            // Somebody cancelled it while the one before was measured.
            continue;
        }
        match measure::run(backend, block, run, engine, cancel).await? {
            Measured::Done => {}
            Measured::Cancelled => return Ok(Some(Ended::Cancelled)),
            Measured::Failed(reason) => {
                backend.store.fail_run(run.id, run.attempt, &reason, backend.now()).await?;
            }
            Measured::EngineLost(reason) => return Ok(Some(Ended::Failed(reason))),
        }
    }
    Ok(None)
}

/// A cancellation that came from the server's own end is not a person's.
fn ended_by(ended: Ended, stop: &CancellationToken) -> Ended {
    if matches!(ended, Ended::Cancelled) && stop.is_cancelled() { Ended::Stopping } else { ended }
}

/// Ends every run of the block that is not over: failed with `reason`, or cancelled.
async fn end_rest(
    backend: &Arc<Backend>,
    block: &ClaimedBlock,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    for run in &block.runs {
        let now = backend.now();
        match reason {
            Some(reason) => backend.store.fail_run(run.id, run.attempt, reason, now).await?,
            None => {
                backend.store.cancel_run(run.id, run.attempt, "the experiment was cancelled", now).await?
            }
        };
    }
    Ok(())
}

async fn interrupt(backend: &Arc<Backend>) -> Result<(), StoreError> {
    backend.store.interrupt_active(backend.now(), "the server was stopped while it ran").await.map(drop)
}
