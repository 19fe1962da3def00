//! The figures of one successful request, by our definitions.

use std::num::NonZeroU64;

use inferex_model::metrics::TokenSource;

use super::in_flight::Range;
use super::ms;
use super::request::{Request, TokenChunk};

/// A gap between two token chunks and the tokens that the later one carried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    pub(super) us: u64,
    pub(super) tokens: u64,
}

impl Gap {
    /// Milliseconds that each of the chunk's tokens stands for.
    pub(super) fn per_token_ms(self) -> f64 {
        ms(self.us) / self.tokens as f64
    }
}

/// One successful request. Times in microseconds; `None` where the figure does not exist.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) sent: Option<u64>,
    pub(super) end: Option<u64>,
    pub(super) ttft: Option<u64>,
    /// First content or tool chunk − sent.
    pub(super) ttft_visible: Option<u64>,
    pub(super) e2e: Option<u64>,
    pub(super) last_token: Option<u64>,
    pub(super) ttft_from_schedule: Option<u64>,
    pub(super) e2e_from_schedule: Option<u64>,
    pub(super) tpot_ms: Option<f64>,
    pub(super) gaps: Vec<Gap>,
    /// When the first token chunk came, and how many tokens it carried.
    first: Option<(u64, u64)>,
    /// Last token − first token.
    pub(super) span: Option<u64>,
    pub(super) tokens: Option<(u64, TokenSource)>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) cached_tokens: Option<u64>,
}

impl Answer {
    /// The figures of a settled request that succeeded.
    pub(super) fn of(request: &Request, streamed: bool, requested: Option<u64>) -> Self {
        let mut answer = Self {
            sent: request.sent,
            tokens: count_tokens(request, streamed, requested),
            prompt_tokens: request.prompt_tokens(),
            cached_tokens: request.cached_tokens(),
            ..Self::default()
        };
        if streamed {
            answer.fill_streamed(request);
        } else {
            answer.end = request.done;
        }
        answer.e2e = since(answer.end, request.sent);
        answer.e2e_from_schedule = since(answer.end, request.scheduled);
        answer
    }

    fn fill_streamed(&mut self, request: &Request) {
        let first = request.tokens.first();
        let last = request.tokens.last().map(|chunk| chunk.t);
        self.end = last.max(request.finish_at);
        self.ttft = since(first.map(|chunk| chunk.t), request.sent);
        self.ttft_from_schedule = since(first.map(|chunk| chunk.t), request.scheduled);
        self.ttft_visible = since(request.first_answer, request.sent);
        self.last_token = since(last, request.sent);
        self.first = first.map(|chunk| (chunk.t, carried_by_first(chunk)));
        if request.tokens.len() > 1 {
            self.span = since(last, first.map(|chunk| chunk.t));
            self.gaps = gaps(&request.tokens);
            self.tpot_ms = self.tpot(first.map_or(1, carried_by_first));
        }
    }

    /// (last token − first token) / (n − n₁).
    fn tpot(&self, first_tokens: u64) -> Option<f64> {
        let after = self.tokens?.0.checked_sub(first_tokens).filter(|after| *after > 0)?;
        Some(ms(self.span?) / after as f64)
    }

    /// The answer's tokens that came inside `window`: its count by the share of its token chunks there. What was
    /// not streamed came at its end.
    ///
    /// Tokens and not answers, because the answers of a closed loop end in waves: with all of them cut off at one
    /// end of the window and none at the other, the rate would be wrong by up to a whole wave.
    pub(super) fn tokens_inside(&self, window: Range) -> Option<f64> {
        let (count, _) = self.tokens?;
        let Some((mut t, carried)) = self.first else {
            return Some(if self.end.is_some_and(|end| window.holds(end)) { count as f64 } else { 0.0 });
        };
        let (mut all, mut inside) = (0.0, 0.0);
        let chunks = std::iter::once(Gap { us: 0, tokens: carried }).chain(self.gaps.iter().copied());
        for chunk in chunks {
            t = t.saturating_add(chunk.us);
            all += chunk.tokens as f64;
            if window.holds(t) {
                inside += chunk.tokens as f64;
            }
        }
        Some(count as f64 * inside / all)
    }

    /// Tokens per second that this one user saw.
    pub(super) fn speed(&self) -> Option<f64> {
        let seconds = self.e2e.filter(|us| *us > 0)? as f64 / 1e6;
        Some(self.tokens?.0 as f64 / seconds)
    }
}

fn since(later: Option<u64>, earlier: Option<u64>) -> Option<u64> {
    later?.checked_sub(earlier?)
}

fn carried_by_first(chunk: &TokenChunk) -> u64 {
    chunk.cumulative.map_or(1, NonZeroU64::get)
}

/// Tokens by the engine's usage, else the requested number if it is known, else one per token chunk.
fn count_tokens(request: &Request, streamed: bool, requested: Option<u64>) -> Option<(u64, TokenSource)> {
    let chunks = || Some(request.tokens.len() as u64).filter(|n| streamed && *n > 0);
    request
        .usage_tokens()
        .map(|n| (n, TokenSource::Usage))
        .or_else(|| requested.map(|n| (n, TokenSource::Requested)))
        .or_else(|| chunks().map(|n| (n, TokenSource::Chunks)))
}

/// The gaps between successive token chunks; a chunk without a cumulative count carries one token.
fn gaps(tokens: &[TokenChunk]) -> Vec<Gap> {
    let mut so_far = tokens.first().map_or(0, carried_by_first);
    tokens
        .windows(2)
        .map(|pair| {
            let reached = pair[1].cumulative.map_or(so_far.saturating_add(1), NonZeroU64::get);
            // A chunk with text holds at least a part of a token: its gap must not vanish.
            let carried = reached.saturating_sub(so_far).max(1);
            so_far = so_far.max(reached);
            Gap { us: pair[1].t.saturating_sub(pair[0].t), tokens: carried }
        })
        .collect()
}
