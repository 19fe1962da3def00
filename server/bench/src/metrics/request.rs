//! What the events say about one request, in any order of lines.

use std::num::NonZeroU64;

use inferex_model::event::{Chunk, ErrorClass, Part};

/// One chunk that carried output tokens; 16 bytes, because a long run holds tens of millions.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenChunk {
    pub(super) t: u64,
    /// Output tokens so far, when the engine said so; a count of 0 beside text says nothing.
    pub(super) cumulative: Option<NonZeroU64>,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Success,
    Failed(ErrorClass),
    /// Still in flight, or never sent, when the events end.
    Cut,
}

/// A value of which the latest in time counts.
#[derive(Debug, Clone, Default)]
struct Latest<T>(Option<(u64, T)>);

impl<T> Latest<T> {
    fn set(&mut self, t: u64, value: Option<T>) {
        if let Some(value) = value
            && self.0.as_ref().is_none_or(|(at, _)| t >= *at)
        {
            self.0 = Some((t, value));
        }
    }

    fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }
}

/// Everything known about one request.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    pub(super) scheduled: Option<u64>,
    pub(super) sent: Option<u64>,
    /// By time once [`Request::settle`] was called.
    pub(super) tokens: Vec<TokenChunk>,
    /// First content or tool chunk.
    pub(super) first_answer: Option<u64>,
    /// When the finish signal came; not the usage chunk's time.
    pub(super) finish_at: Option<u64>,
    pub(super) done: Option<u64>,
    /// Last event other than `scheduled`.
    pub(super) last: Option<u64>,
    finish: Latest<String>,
    error: Option<(u64, ErrorClass)>,
    prompt: Latest<u64>,
    completion: Latest<u64>,
    cached: Latest<u64>,
    cumulative: Option<u64>,
}

impl Request {
    pub(super) fn on_scheduled(&mut self, t: u64) {
        self.scheduled = Some(self.scheduled.map_or(t, |at| at.min(t)));
    }

    pub(super) fn on_sent(&mut self, t: u64) {
        self.sent = Some(self.sent.map_or(t, |at| at.min(t)));
        self.touch(t);
    }

    pub(super) fn touch(&mut self, t: u64) {
        self.last = self.last.max(Some(t));
    }

    pub(super) fn on_done(&mut self, t: u64) {
        self.done = self.done.max(Some(t));
        self.touch(t);
    }

    pub(super) fn on_error(&mut self, t: u64, class: ErrorClass) {
        if self.error.is_none_or(|(at, _)| t < at) {
            self.error = Some((t, class));
        }
        self.touch(t);
    }

    pub(super) fn on_chunk(&mut self, chunk: &Chunk) {
        self.touch(chunk.t);
        self.cumulative = self.cumulative.max(chunk.usage_completion);
        self.prompt.set(chunk.t, chunk.prompt_tokens);
        self.completion.set(chunk.t, chunk.completion_tokens);
        self.cached.set(chunk.t, chunk.cached_tokens);
        if chunk.part.carries_tokens() {
            let cumulative = chunk.usage_completion.and_then(NonZeroU64::new);
            self.tokens.push(TokenChunk { t: chunk.t, cumulative });
            if chunk.part != Part::Reasoning {
                self.first_answer = Some(self.first_answer.map_or(chunk.t, |at| at.min(chunk.t)));
            }
        }
        if chunk.finish.is_some() {
            self.finish.set(chunk.t, chunk.finish.clone());
            if chunk.part != Part::Usage {
                self.finish_at = self.finish_at.max(Some(chunk.t));
            }
        }
    }

    /// Puts the chunks in the order of time; lines may lie a little out of it.
    pub(super) fn settle(&mut self) {
        self.tokens.sort_by_key(|chunk| chunk.t);
    }

    pub(super) fn outcome(&self, streamed: bool) -> Outcome {
        match (self.error, self.done) {
            (Some((_, class)), _) => Outcome::Failed(class),
            (None, Some(_)) if self.is_empty(streamed) => Outcome::Failed(ErrorClass::EmptyAnswer),
            (None, Some(_)) => Outcome::Success,
            (None, None) => Outcome::Cut,
        }
    }

    /// Whether a finished answer held no token. One that was not streamed may tell by its usage alone.
    fn is_empty(&self, streamed: bool) -> bool {
        self.tokens.is_empty()
            && match self.usage_tokens() {
                Some(_) => false,
                None => streamed || self.completion.get() == Some(&0),
            }
    }

    /// Output tokens by the engine's usage. A usage of 0 beside text is no count.
    pub(super) fn usage_tokens(&self) -> Option<u64> {
        self.completion.get().copied().filter(|n| *n > 0).or(self.cumulative.filter(|n| *n > 0))
    }

    pub(super) fn prompt_tokens(&self) -> Option<u64> {
        self.prompt.get().copied()
    }

    pub(super) fn cached_tokens(&self) -> Option<u64> {
        self.cached.get().copied()
    }

    pub(super) fn finish_reason(&self) -> Option<&str> {
        self.finish.get().map(String::as_str)
    }

    /// From sending to the end of the connection's use; a cut request lasts to the run's end.
    pub(super) fn in_flight(&self, run_end: u64) -> Option<(u64, u64)> {
        let sent = self.sent?;
        let end = match (self.error, self.done) {
            (Some((at, _)), _) => at,
            (None, Some(_)) => self.last?,
            (None, None) => run_end,
        };
        Some((sent, end.max(sent)))
    }
}
