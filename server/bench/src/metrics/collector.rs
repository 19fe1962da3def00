//! Takes events one by one and computes everything at the end.

use std::collections::BTreeMap;

use inferex_model::event::{Event, LoadShape};
use inferex_model::metrics::{MetricsDocument, RequestRow};

use super::answer::Answer;
use super::definition::metrics;
use super::in_flight::Range;
use super::invariants::invariants;
use super::request::{Outcome, Request};
use super::{Computed, DEFINITION, ms};

/// Collects the events of one run, in any order.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    meta: Option<Meta>,
    window: Option<Range>,
    requests: BTreeMap<u64, Request>,
    requested_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Meta {
    streamed: bool,
    load: Option<LoadShape>,
}

/// One request with its outcome and, when it succeeded, its figures.
#[derive(Debug, Clone)]
pub(super) struct Settled {
    pub(super) req: u64,
    pub(super) request: Request,
    pub(super) outcome: Outcome,
    pub(super) answer: Option<Answer>,
}

/// A run whose events are all there.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) requests: Vec<Settled>,
    /// From the first sending to the last event.
    pub(super) whole: Range,
    pub(super) window: Option<Range>,
    pub(super) streamed: bool,
    pub(super) has_schedule: bool,
}

impl Run {
    /// The measured window, or the whole run.
    pub(super) fn measured(&self) -> Range {
        self.window.unwrap_or(self.whole)
    }

    pub(super) fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.requests.iter().filter_map(|settled| settled.answer.as_ref())
    }

    pub(super) fn intervals(&self) -> Vec<(u64, u64)> {
        self.requests.iter().filter_map(|settled| settled.request.in_flight(self.whole.to)).collect()
    }
}

impl Collector {
    /// Says how many tokens each answer was asked for: counts where the engine reports no usage.
    #[must_use]
    pub fn with_requested_tokens(mut self, tokens: u64) -> Self {
        self.requested_tokens = Some(tokens);
        self
    }

    /// Takes one event. The first `meta` and the last `window` count.
    pub fn push(&mut self, event: &Event) {
        match event {
            Event::Meta { streamed, load, .. } => {
                self.meta.get_or_insert(Meta { streamed: *streamed, load: *load });
            }
            Event::Window { from, to } => self.window = Some(Range { from: *from, to: *to }),
            Event::Scheduled { req, t } => self.request(*req).on_scheduled(*t),
            Event::Sent { req, t } => self.request(*req).on_sent(*t),
            Event::Headers { req, t, .. } => self.request(*req).touch(*t),
            Event::Chunk(chunk) => self.request(chunk.req).on_chunk(chunk),
            Event::Done { req, t } => self.request(*req).on_done(*t),
            Event::Error { req, t, class, .. } => self.request(*req).on_error(*t, *class),
        }
    }

    fn request(&mut self, req: u64) -> &mut Request {
        self.requests.entry(req).or_default()
    }

    /// Computes figures, invariants and rows.
    #[must_use]
    pub fn finish(self) -> Computed {
        let run = self.settle();
        let metrics = metrics(&run);
        let invariants = invariants(&run, &metrics);
        let definitions = BTreeMap::from([(DEFINITION.to_owned(), metrics)]);
        let rows = run.requests.iter().map(row).collect();
        Computed { document: MetricsDocument { definitions, invariants }, rows }
    }

    fn settle(self) -> Run {
        let streamed = self.meta.is_none_or(|meta| meta.streamed);
        let load = self.meta.and_then(|meta| meta.load);
        let whole = whole(&self.requests);
        let requested = self.requested_tokens;
        let settle = |(req, mut request): (u64, Request)| {
            request.settle();
            let outcome = request.outcome(streamed);
            let answer = (outcome == Outcome::Success).then(|| Answer::of(&request, streamed, requested));
            // The figures are drawn; a million requests would not fit with their chunks twice.
            request.tokens = Vec::new();
            Settled { req, request, outcome, answer }
        };
        Run {
            requests: self.requests.into_iter().map(settle).collect(),
            whole,
            window: self.window,
            streamed,
            has_schedule: load != Some(LoadShape::Closed),
        }
    }
}

fn whole(requests: &BTreeMap<u64, Request>) -> Range {
    let to = requests.values().filter_map(|request| request.last).max().unwrap_or(0);
    let first_sent = requests.values().filter_map(|request| request.sent).min();
    Range { from: first_sent.unwrap_or(to), to }
}

fn row(settled: &Settled) -> RequestRow {
    let (request, answer) = (&settled.request, settled.answer.as_ref());
    RequestRow {
        req: settled.req,
        sent_ms: request.sent.map(ms),
        ttft_ms: answer.and_then(|a| a.ttft).map(ms),
        tpot_ms: answer.and_then(|a| a.tpot_ms),
        e2e_ms: answer.and_then(|a| a.e2e).map(ms),
        prompt_tokens: answer.and_then(|a| a.prompt_tokens),
        output_tokens: answer.and_then(|a| a.tokens).map(|(n, _)| n),
        cached_tokens: answer.and_then(|a| a.cached_tokens),
        finish: request.finish_reason().map(str::to_owned),
        error: match settled.outcome {
            Outcome::Failed(class) => Some(class.as_str().to_owned()),
            Outcome::Success | Outcome::Cut => None,
        },
    }
}
