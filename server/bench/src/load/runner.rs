//! A whole run: warm-up, the closed loop, and the lines that frame its events.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use inferex_model::event::{Event, LoadShape};
use inferex_model::load::{LoadJob, LoadMessage};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::api::Template;
use super::clock::{Recorder, RunClock};
use super::process::CpuMeter;
use super::tally::Tally;
use super::target::Target;
use super::worker::{Shared, Worker};
use super::{LoadError, report, window};

/// Runs one job and sends what happens to `out`: `Started`, the meta line, the events of all requests in the
/// order in which they were noted, the window, `Finished`.
///
/// Time 0 is the start of the closed loop, when every place is free and its connection open; the first request
/// is sent at once. Cancelling ends requests in flight with class `cancelled`, sends no further ones, and still
/// ends with the window and `Finished`. Nothing is sent to `out` after an error.
pub async fn run(
    job: LoadJob,
    out: mpsc::Sender<LoadMessage>,
    cancel: CancellationToken,
) -> Result<(), LoadError> {
    check(&job)?;
    let stop = cancel.child_token();
    let (events, queued) = mpsc::unbounded_channel();
    let (result, forwarded) = tokio::join!(measure(job, events, stop.clone()), forward(queued, out, stop));
    result.and(forwarded)
}

fn check(job: &LoadJob) -> Result<(), LoadError> {
    let refuse = |why: &str| Err(LoadError::Job(why.to_owned()));
    match job {
        LoadJob { prompts, .. } if prompts.is_empty() => refuse("`prompts` is empty"),
        LoadJob { concurrency: 0, .. } => refuse("`concurrency` is 0"),
        LoadJob { output_tokens: 0, .. } => refuse("`output_tokens` is 0"),
        LoadJob { request_timeout_ms: 0, .. } => refuse("`request_timeout_ms` is 0"),
        _ => Ok(()),
    }
}

/// Passes events on at the reader's pace; what waits here waits in memory, not in a measured request.
async fn forward(
    mut queued: UnboundedReceiver<LoadMessage>,
    out: mpsc::Sender<LoadMessage>,
    stop: CancellationToken,
) -> Result<(), LoadError> {
    while let Some(message) = queued.recv().await {
        if out.send(message).await.is_err() {
            stop.cancel();
            return Err(LoadError::ReaderGone);
        }
    }
    Ok(())
}

async fn measure(
    job: LoadJob,
    out: UnboundedSender<LoadMessage>,
    cancel: CancellationToken,
) -> Result<(), LoadError> {
    let target = Target::resolve(&job.base_url).await?;
    let template = Template::new(&job, &target.authority)?;
    let request_limit = Duration::from_millis(job.request_timeout_ms);
    let shared = Arc::new(Shared { target, template, request_limit, cancel });
    let warmed = warm_up(&shared, &job.warmup).await?;
    let workers = open_places(&shared, &job).await?;
    if shared.cancel.is_cancelled() {
        return Err(LoadError::Cancelled);
    }
    // A closed channel shows itself as a cancelled run; sending into it is harmless.
    let say = |message| drop(out.send(message));
    say(LoadMessage::Started { warmed });
    say(LoadMessage::Event(meta(&job.run)));
    let meter = CpuMeter::start();
    let recorder = Recorder { clock: RunClock::start(), out: Some(out.clone()) };
    let tallies = closed_loop(workers, job.prompts.into(), &recorder).await?;
    let cpu_share = meter.share();
    let (from, to) = window::of(&tallies).unwrap_or_else(|| (0, recorder.clock.now()));
    say(LoadMessage::Event(Event::Window { from, to }));
    say(LoadMessage::Finished { generator: report::of(&tallies, cpu_share) });
    Ok(())
}

fn meta(run: &str) -> Event {
    Event::Meta {
        run: Some(run.to_owned()),
        version: 1,
        clock: "monotonic_us".to_owned(),
        streamed: true,
        load: Some(LoadShape::Closed),
    }
}

/// Sends the warm-up prompts one after another; how many succeeded.
async fn warm_up(shared: &Arc<Shared>, prompts: &[String]) -> Result<u32, LoadError> {
    let (out, mut noted) = mpsc::unbounded_channel();
    let recorder = Recorder { clock: RunClock::start(), out: Some(out) };
    let mut worker = Worker::new(Arc::clone(shared));
    let (mut warmed, mut last) = (0, String::new());
    for (index, prompt) in prompts.iter().enumerate() {
        let sample = worker.request(index as u64, 0, prompt, &recorder).await;
        if shared.cancel.is_cancelled() {
            return Err(LoadError::Cancelled);
        }
        warmed += u32::from(sample.ok);
        while let Ok(message) = noted.try_recv() {
            if let LoadMessage::Event(Event::Error { class, message, .. }) = message {
                last = format!("{class}: {}", message.unwrap_or_default());
            }
        }
    }
    if warmed == 0 && !prompts.is_empty() {
        return Err(LoadError::WarmUp { count: prompts.len(), last });
    }
    Ok(warmed)
}

/// One worker per place, each with an open connection. There are never more places than requests.
async fn open_places(shared: &Arc<Shared>, job: &LoadJob) -> Result<Vec<Worker>, LoadError> {
    let places = usize::try_from(job.concurrency).unwrap_or(usize::MAX).min(job.prompts.len());
    let mut opening = JoinSet::new();
    for _ in 0..places {
        let mut worker = Worker::new(Arc::clone(shared));
        opening.spawn(async move {
            worker.connect_ahead().await;
            worker
        });
    }
    join(opening).await
}

async fn closed_loop(
    workers: Vec<Worker>,
    prompts: Arc<[String]>,
    recorder: &Recorder,
) -> Result<Vec<Tally>, LoadError> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut running = JoinSet::new();
    for worker in workers {
        running.spawn(worker.run(Arc::clone(&prompts), Arc::clone(&next), recorder.clone()));
    }
    join(running).await
}

async fn join<T: 'static>(mut tasks: JoinSet<T>) -> Result<Vec<T>, LoadError> {
    let mut all = Vec::with_capacity(tasks.len());
    while let Some(ended) = tasks.join_next().await {
        all.push(ended?);
    }
    Ok(all)
}
