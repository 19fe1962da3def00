//! One place of the closed loop: takes the next request as soon as its last one has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use hyper::body::Incoming;
use inferex_model::event::{ErrorClass, Event};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::api::Template;
use super::clock::Recorder;
use super::connection::Connection;
use super::exchange::{Exchanged, read_answer};
use super::failure::Failure;
use super::tally::{Sample, Tally};
use super::target::Target;

/// No connection takes longer than this, however long a request may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// What all workers of a run share.
pub(crate) struct Shared {
    pub(crate) target: Target,
    pub(crate) template: Template,
    pub(crate) request_limit: Duration,
    pub(crate) cancel: CancellationToken,
}

impl Shared {
    fn connect_limit(&self) -> Duration {
        CONNECT_LIMIT.min(self.request_limit)
    }
}

/// A worker and its connection.
pub(crate) struct Worker {
    pub(crate) shared: Arc<Shared>,
    connection: Option<Connection>,
    pub(crate) tally: Tally,
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, connection: None, tally: Tally::default() }
    }

    /// Opens the connection ahead of the first request, so that the ramp is the engine's and not the network's.
    /// A failure is left to the first request, which then reports it.
    pub(crate) async fn connect_ahead(&mut self) {
        let shared = Arc::clone(&self.shared);
        let opening = Connection::open(&shared.target, shared.connect_limit());
        if let Some(Ok(connection)) = shared.cancel.run_until_cancelled(opening).await {
            self.tally.connections += 1;
            self.connection = Some(connection);
        }
    }

    /// Sends the prompts that the common counter gives it until none is left or the run is cancelled.
    pub(crate) async fn run(
        mut self,
        prompts: Arc<[String]>,
        next: Arc<AtomicUsize>,
        recorder: Recorder,
    ) -> Tally {
        // All places are free from the start.
        let mut due = 0;
        while !self.shared.cancel.is_cancelled() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(prompt) = prompts.get(index) else { break };
            let sample = self.request(index as u64, due, prompt, &recorder).await;
            due = recorder.clock.now();
            self.tally.samples.push(sample);
        }
        self.tally.emptied = due;
        self.tally
    }

    /// One request with its first and its last event.
    pub(crate) async fn request(&mut self, req: u64, due: u64, prompt: &str, recorder: &Recorder) -> Sample {
        recorder.record(Event::Scheduled { req, t: due });
        let mut sent = None;
        let result = self.within_limits(req, prompt, recorder, &mut sent).await;
        let ok = result.is_ok();
        let ended = match result {
            Ok(t) => {
                recorder.record(Event::Done { req, t });
                t
            }
            Err(failure) => {
                let t = recorder.clock.now();
                let Failure { class, message, status } = failure;
                recorder.record(Event::Error { req, t, class, message: Some(message), status });
                t
            }
        };
        Sample { req, due, sent, ended, ok }
    }

    async fn within_limits(
        &mut self,
        req: u64,
        prompt: &str,
        recorder: &Recorder,
        sent: &mut Option<u64>,
    ) -> Result<u64, Failure> {
        let shared = Arc::clone(&self.shared);
        let deadline = Instant::now() + shared.request_limit;
        let failure = tokio::select! {
            biased;
            () = shared.cancel.cancelled() => Failure::new(ErrorClass::Cancelled, "the run was cancelled"),
            exchanged = self.exchange(req, prompt, recorder, sent) => return exchanged,
            () = tokio::time::sleep_until(deadline) => {
                let limit = shared.request_limit.as_millis();
                Failure::new(ErrorClass::Timeout, format!("no end of the answer within {limit} ms"))
            }
        };
        // An answer may still be under way on it.
        self.connection = None;
        Err(failure)
    }

    async fn exchange(
        &mut self,
        req: u64,
        prompt: &str,
        recorder: &Recorder,
        sent: &mut Option<u64>,
    ) -> Result<u64, Failure> {
        let body = self.shared.template.body(prompt);
        let mut connection = self.take_connection().await?;
        let response = match self.send(&mut connection, req, &body, recorder, sent).await {
            Ok(response) => response,
            Err(Lost::Idle) => {
                self.tally.replaced += 1;
                connection = self.open().await?;
                let again = self.send(&mut connection, req, &body, recorder, sent).await;
                again.map_err(Lost::into_failure)?
            }
            Err(lost) => return Err(lost.into_failure()),
        };
        let Exchanged { result, reusable } = read_answer(&mut connection, response, req, recorder).await;
        connection.served += 1;
        self.connection = reusable.then_some(connection);
        result
    }

    /// The kept connection if it is still open, else a fresh one.
    async fn take_connection(&mut self) -> Result<Connection, Failure> {
        if let Some(mut kept) = self.connection.take() {
            // Some servers close after each streamed answer without saying so. One turn of the reactor shows
            // that before the request is sent and its clock starts.
            tokio::task::yield_now().await;
            if kept.ready().await.is_ok() {
                return Ok(kept);
            }
            self.tally.replaced += 1;
        }
        self.open().await
    }

    async fn open(&mut self) -> Result<Connection, Failure> {
        let opened = Connection::open(&self.shared.target, self.shared.connect_limit()).await;
        let mut connection = opened.map_err(|message| Failure::new(ErrorClass::Connect, message))?;
        self.tally.connections += 1;
        // A fresh connection is ready at once; if it is not, sending says why.
        let _ = connection.ready().await;
        Ok(connection)
    }

    async fn send(
        &mut self,
        connection: &mut Connection,
        req: u64,
        body: &Bytes,
        recorder: &Recorder,
        sent: &mut Option<u64>,
    ) -> Result<Response<Incoming>, Lost> {
        let request = self.shared.template.request(body.clone());
        let received = connection.received();
        // The first attempt counts: replacing a connection must not make an answer look faster.
        if sent.is_none() {
            let t = recorder.clock.now();
            *sent = Some(t);
            recorder.record(Event::Sent { req, t });
        }
        let was_used = connection.served > 0;
        match connection.send(request).await {
            Ok(response) => {
                self.tally.reused += u64::from(was_used);
                Ok(response)
            }
            Err(_) if was_used && connection.received() == received => Err(Lost::Idle),
            Err(error) => Err(Lost::Broken(error.to_string())),
        }
    }
}

/// How a connection was lost before the answer's head.
enum Lost {
    /// It had served before, and nothing came back: the server had closed it while it was idle.
    Idle,
    /// Anything else.
    Broken(String),
}

impl Lost {
    fn into_failure(self) -> Failure {
        let why = match self {
            Self::Idle => "it was closed".to_owned(),
            Self::Broken(why) => why,
        };
        Failure::new(ErrorClass::Connect, format!("the connection was lost before the answer began: {why}"))
    }
}
