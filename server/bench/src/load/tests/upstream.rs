//! A scripted server over raw TCP: for each request a list of steps, chosen by its prompt.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinHandle;

/// What the server does next for one request.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Writes and flushes these bytes.
    Write(Vec<u8>),
    /// Waits for a permit and consumes it.
    Wait(Arc<Semaphore>),
    /// Gives a permit to whoever waits.
    Give(Arc<Semaphore>),
    /// Waits until as many requests as the barrier holds are in flight.
    Meet(Arc<Barrier>),
    /// Lets time pass.
    Pause(Duration),
    /// Ends the connection in an orderly way.
    Close,
    /// Tears the connection down.
    Reset,
    /// Does nothing any more.
    Hang,
}

/// A request as the script sees it.
pub(super) struct Asked {
    pub(super) prompt: String,
    /// How many the connection had served before.
    pub(super) earlier: usize,
    pub(super) body: Value,
}

type Script = dyn Fn(&Asked) -> Vec<Step> + Send + Sync;

/// The running server; dropping it ends it.
pub(super) struct Upstream {
    address: SocketAddr,
    pub(super) counts: Arc<Counts>,
    accepting: JoinHandle<()>,
}

/// What the server saw.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) connections: AtomicUsize,
    pub(super) requests: AtomicUsize,
    in_flight: AtomicUsize,
    pub(super) peak: AtomicUsize,
}

impl Upstream {
    pub(super) async fn start(script: impl Fn(&Asked) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::new(Counts::default());
        let accepting = tokio::spawn(accept(listener, Arc::new(script), Arc::clone(&counts)));
        Self { address, counts, accepting }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, script: Arc<Script>, counts: Arc<Counts>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        counts.connections.fetch_add(1, Ordering::SeqCst);
        // A connection that the client drops ends its task with an error; that is no concern of the script.
        tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&counts)));
    }
}

async fn serve(stream: TcpStream, script: Arc<Script>, counts: Arc<Counts>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    for earlier in 0.. {
        let body = read_request(&mut stream).await?;
        counts.requests.fetch_add(1, Ordering::SeqCst);
        let now = counts.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        counts.peak.fetch_max(now, Ordering::SeqCst);
        let prompt = body["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
        let steps = script(&Asked { prompt, earlier, body });
        let mut in_flight = InFlight(Some(Arc::clone(&counts)));
        let last = steps.len().saturating_sub(1);
        for (index, step) in steps.into_iter().enumerate() {
            if index == last {
                // The client may send the next request as soon as it has the last bytes.
                in_flight.end();
            }
            if !act(step, &mut stream).await? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Counts a request out once, also when its connection is torn down.
struct InFlight(Option<Arc<Counts>>);

impl InFlight {
    fn end(&mut self) {
        if let Some(counts) = self.0.take() {
            counts.in_flight.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether the connection goes on.
async fn act(step: Step, stream: &mut BufReader<TcpStream>) -> std::io::Result<bool> {
    match step {
        Step::Write(bytes) => {
            stream.write_all(&bytes).await?;
            stream.flush().await?;
        }
        Step::Wait(permits) => permits.acquire().await.unwrap().forget(),
        Step::Give(permits) => permits.add_permits(1),
        Step::Meet(barrier) => {
            barrier.wait().await;
        }
        Step::Pause(time) => tokio::time::sleep(time).await,
        Step::Close => return Ok(false),
        Step::Reset => {
            stream.get_ref().set_zero_linger()?;
            return Ok(false);
        }
        Step::Hang => std::future::pending().await,
    }
    Ok(true)
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> std::io::Result<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() && length > 0 {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    serde_json::from_slice(&body).map_err(std::io::Error::other)
}

/// The head of a streamed answer.
pub(super) fn head() -> Step {
    Step::Write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(),
    )
}

/// A whole plain answer.
pub(super) fn plain(status: &str, body: &str) -> Step {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    Step::Write([head.as_bytes(), body.as_bytes()].concat())
}

/// Bytes of the body, as one piece of the chunked coding.
pub(super) fn piece(bytes: impl AsRef<[u8]>) -> Step {
    let bytes = bytes.as_ref();
    Step::Write([format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat())
}

/// One event.
pub(super) fn event(data: &str) -> Step {
    piece(format!("data: {data}\n\n"))
}

/// A chunk with this delta.
pub(super) fn delta(delta: &str) -> Step {
    event(&format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#))
}

/// A chunk with one token of content.
pub(super) fn token() -> Step {
    delta(r#"{"content":"tok"}"#)
}

/// The chunk with the finish reason.
pub(super) fn finish() -> Step {
    event(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#)
}

/// The chunk with usage figures.
pub(super) fn usage() -> Step {
    event(r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#)
}

/// `[DONE]`.
pub(super) fn done() -> Step {
    event("[DONE]")
}

/// The end of the body.
pub(super) fn end() -> Step {
    Step::Write(b"0\r\n\r\n".to_vec())
}

/// A whole good answer with two tokens.
pub(super) fn good() -> Vec<Step> {
    vec![head(), delta(r#"{"role":"assistant"}"#), token(), token(), finish(), usage(), done(), end()]
}
