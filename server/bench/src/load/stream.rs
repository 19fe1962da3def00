//! Reading a streamed answer: frames in, chunk events out, and at the end whether it was a whole answer.

use inferex_model::event::{ErrorClass, Event};

use super::clock::Recorder;
use super::failure::Failure;
use crate::sse::{DONE, Scanner, SseEvent, classify};

/// What has come of one answer so far.
pub(crate) struct Answer<'a> {
    req: u64,
    recorder: &'a Recorder,
    scanner: Scanner,
    events: Vec<SseEvent>,
    tokens_seen: bool,
    finish_seen: bool,
    done_at: Option<u64>,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(req: u64, recorder: &'a Recorder) -> Self {
        Self {
            req,
            recorder,
            scanner: Scanner::new(),
            events: Vec::new(),
            tokens_seen: false,
            finish_seen: false,
            done_at: None,
        }
    }

    /// Takes bytes that were read at `t`.
    pub(crate) fn take(&mut self, bytes: &[u8], t: u64) -> Result<(), Failure> {
        let mut events = std::mem::take(&mut self.events);
        let scanned = self.scanner.push(bytes, &mut events);
        for event in events.drain(..) {
            self.event(&event, t)?;
        }
        self.events = events;
        scanned.map_err(|error| Failure::new(ErrorClass::ErrorEvent, error.to_string()))
    }

    /// Whether the stream has said that nothing more will come.
    pub(crate) const fn is_done(&self) -> bool {
        self.done_at.is_some()
    }

    /// The stream ended at `t`, with a fault or without: when the answer was whole, and why it was not.
    /// A connection lost after the finish signal took nothing from the answer.
    pub(crate) fn end(mut self, t: u64, fault: Option<&str>) -> Result<u64, Failure> {
        if let Some(event) = std::mem::take(&mut self.scanner).finish() {
            self.event(&event, t)?;
        }
        if self.done_at.is_none() && !self.finish_seen {
            let message = match fault {
                Some(fault) => format!("the stream broke off before its finish signal: {fault}"),
                None => "the stream ended without a finish signal and without [DONE]".to_owned(),
            };
            return Err(Failure::new(ErrorClass::Truncated, message));
        }
        if !self.tokens_seen {
            return Err(Failure::new(ErrorClass::EmptyAnswer, "the answer carried no token"));
        }
        Ok(self.done_at.unwrap_or(t))
    }

    fn event(&mut self, event: &SseEvent, t: u64) -> Result<(), Failure> {
        if self.is_done() {
            return Ok(());
        }
        if event.data == DONE {
            self.done_at = Some(t);
            return Ok(());
        }
        let chunk =
            classify(&event.data).map_err(|error| Failure::new(ErrorClass::ErrorEvent, error.to_string()))?;
        self.tokens_seen |= chunk.part.carries_tokens();
        self.finish_seen |= chunk.finish.is_some();
        self.recorder.record(Event::Chunk(chunk.into_event(self.req, t)));
        Ok(())
    }
}
