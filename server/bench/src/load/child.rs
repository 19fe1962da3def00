//! The load generator as a process of its own: a job in, messages out, one JSON line each.

use std::time::Duration;

use inferex_model::load::{LoadJob, LoadMessage};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{LoadError, run};

/// Longest job line that is read.
const MAX_JOB_BYTES: u64 = 256 << 20;

/// Lines wait at most this long before they are flushed: a page that shows progress asks once a second.
const FLUSH_EVERY: Duration = Duration::from_millis(200);

/// Bytes after which lines are written without waiting for the next flush.
const WRITE_AT: usize = 64 * 1024;

/// How long the last lines may take once the other side has closed.
const LAST_LINES: Duration = Duration::from_secs(2);

/// Reads one [`LoadJob`] line, runs it, and writes [`LoadMessage`] lines.
///
/// The end of `stdin` means that the server is gone or wants no more: the run is cancelled at once. A job that
/// cannot run is told by a last `failed` line and the error. The caller should leave the process right after
/// this returns, because a read of a terminal's standard input cannot be interrupted.
pub async fn child_main<R, W>(stdin: R, stdout: W) -> Result<(), LoadError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let cancel = CancellationToken::new();
    let (out, messages) = mpsc::channel(1024);
    let writer = tokio::spawn(write_lines(messages, stdout));
    let result = read_and_run(BufReader::new(stdin), out.clone(), &cancel).await;
    if let Err(error) = &result {
        let failed = LoadMessage::Failed { failed: error.to_string() };
        // Nobody may be reading any more; the error is returned as well.
        let _ = tokio::time::timeout(LAST_LINES, out.send(failed)).await;
    }
    drop(out);
    let written = if cancel.is_cancelled() {
        tokio::time::timeout(LAST_LINES, writer).await.unwrap_or_else(|_| Ok(Err(closed())))
    } else {
        writer.await
    };
    result.and(written?)
}

async fn read_and_run<R>(
    mut stdin: BufReader<R>,
    out: mpsc::Sender<LoadMessage>,
    cancel: &CancellationToken,
) -> Result<(), LoadError>
where
    R: AsyncRead + Unpin + Send + 'static,
{
    let job = read_job(&mut stdin).await?;
    let watch = tokio::spawn(watch_end(stdin, cancel.clone()));
    let result = run(job, out, cancel.clone()).await;
    watch.abort();
    result
}

async fn read_job<R: AsyncRead + Unpin>(stdin: &mut BufReader<R>) -> Result<LoadJob, LoadError> {
    let mut line = Vec::new();
    let read = stdin.take(MAX_JOB_BYTES).read_until(b'\n', &mut line).await;
    read.map_err(|source| LoadError::Io { what: "read its job", source })?;
    serde_json::from_slice(&line).map_err(|error| LoadError::Job(format!("its line is no job: {error}")))
}

/// Cancels when standard input ends, whatever may still be written into it.
async fn watch_end<R: AsyncRead + Unpin>(mut stdin: BufReader<R>, cancel: CancellationToken) {
    let mut ignored = [0; 1024];
    while matches!(stdin.read(&mut ignored).await, Ok(count) if count > 0) {}
    cancel.cancel();
}

async fn write_lines<W: AsyncWrite + Unpin>(
    mut messages: mpsc::Receiver<LoadMessage>,
    mut stdout: W,
) -> Result<(), LoadError> {
    let failed = |source| LoadError::Io { what: "write its events", source };
    let mut buffer = Vec::new();
    let mut flush = tokio::time::interval(FLUSH_EVERY);
    flush.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let write = tokio::select! {
            message = messages.recv() => match message {
                Some(message) => {
                    add_line(&mut buffer, &message).map_err(failed)?;
                    buffer.len() >= WRITE_AT
                }
                None => break,
            },
            _ = flush.tick() => !buffer.is_empty(),
        };
        if write {
            write_all(&mut stdout, &mut buffer).await.map_err(failed)?;
        }
    }
    write_all(&mut stdout, &mut buffer).await.map_err(failed)
}

fn add_line(buffer: &mut Vec<u8>, message: &LoadMessage) -> std::io::Result<()> {
    serde_json::to_writer(&mut *buffer, message)?;
    buffer.push(b'\n');
    Ok(())
}

async fn write_all<W: AsyncWrite + Unpin>(stdout: &mut W, buffer: &mut Vec<u8>) -> std::io::Result<()> {
    stdout.write_all(buffer).await?;
    buffer.clear();
    stdout.flush().await
}

fn closed() -> LoadError {
    LoadError::Io { what: "write its events", source: std::io::ErrorKind::TimedOut.into() }
}
