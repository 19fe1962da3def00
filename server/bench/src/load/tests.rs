//! The generator against a scripted upstream: real sockets, no real engine.

mod closed_loop;
mod failures;
mod lines;
mod random;
mod upstream;

use std::collections::BTreeMap;

use inferex_model::environment::GeneratorReport;
use inferex_model::event::{Chunk, ErrorClass, Event, Part};
use inferex_model::load::{LoadJob, LoadMessage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::upstream::Upstream;
use super::{LoadError, run};

/// Prompts `p0`, `p1`, …
fn prompts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("p{n}")).collect()
}

fn job(upstream: &Upstream, requests: usize, concurrency: u32) -> LoadJob {
    LoadJob {
        run: "r".to_owned(),
        base_url: upstream.url(),
        model: "m".to_owned(),
        prompts: prompts(requests),
        warmup: Vec::new(),
        concurrency,
        output_tokens: 4,
        ignore_eos: true,
        request_timeout_ms: 20_000,
    }
}

/// What a finished run said.
struct Observed {
    messages: Vec<LoadMessage>,
}

async fn observe(job: LoadJob) -> Observed {
    let (result, observed) = observe_with(job, CancellationToken::new()).await;
    result.expect("the run ends well");
    observed
}

async fn observe_with(job: LoadJob, cancel: CancellationToken) -> (Result<(), LoadError>, Observed) {
    // One place in the channel: the reader is as slow as it can be.
    let (out, mut messages) = mpsc::channel(1);
    let collect = async {
        let mut all = Vec::new();
        while let Some(message) = messages.recv().await {
            all.push(message);
        }
        all
    };
    let (result, messages) = tokio::join!(run(job, out, cancel), collect);
    (result, Observed { messages })
}

impl Observed {
    fn events(&self) -> impl Iterator<Item = &Event> {
        self.messages.iter().filter_map(|message| match message {
            LoadMessage::Event(event) => Some(event),
            _ => None,
        })
    }

    fn report(&self) -> &GeneratorReport {
        match self.messages.last() {
            Some(LoadMessage::Finished { generator }) => generator,
            other => panic!("the last message is {other:?}"),
        }
    }

    fn window(&self) -> (u64, u64) {
        let window = |event: &Event| match event {
            Event::Window { from, to } => Some((*from, *to)),
            _ => None,
        };
        self.events().find_map(window).expect("a window")
    }

    /// The events of each request.
    fn by_request(&self) -> BTreeMap<u64, Vec<&Event>> {
        let mut all: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
        for event in self.events() {
            if let Some((req, _)) = stamp(event) {
                all.entry(req).or_default().push(event);
            }
        }
        all
    }

    /// How each request ended: `None` is well.
    fn outcomes(&self) -> BTreeMap<u64, Option<ErrorClass>> {
        self.events()
            .filter_map(|event| match event {
                Event::Done { req, .. } => Some((*req, None)),
                Event::Error { req, class, .. } => Some((*req, Some(*class))),
                _ => None,
            })
            .collect()
    }

    fn parts(&self, req: u64) -> Vec<Part> {
        let part = |event: &&Event| match event {
            Event::Chunk(Chunk { part, .. }) => Some(*part),
            _ => None,
        };
        self.by_request()[&req].iter().filter_map(part).collect()
    }

    /// What must hold of every run, whatever the upstream does.
    fn check(&self, requests: usize) {
        assert!(matches!(self.messages[0], LoadMessage::Started { .. }), "{:?}", self.messages[0]);
        assert!(matches!(self.messages[1], LoadMessage::Event(Event::Meta { streamed: true, .. })));
        let before_last = &self.messages[self.messages.len() - 2];
        assert!(matches!(before_last, LoadMessage::Event(Event::Window { .. })), "{before_last:?}");
        let (from, to) = self.window();
        assert!(from < to, "{from}..{to}");
        self.report();
        assert_eq!(self.by_request().len(), requests);
        for (req, events) in self.by_request() {
            check_order(req, &events);
        }
    }
}

/// scheduled, sent, headers, chunks, one end; the clock never goes back.
fn check_order(req: u64, events: &[&Event]) {
    let ranks: Vec<u32> = events
        .iter()
        .map(|event| match event {
            Event::Scheduled { .. } => 0,
            Event::Sent { .. } => 1,
            Event::Headers { .. } => 2,
            Event::Chunk(_) => 3,
            _ => 4,
        })
        .collect();
    assert!(ranks.is_sorted(), "request {req}: {events:?}");
    assert_eq!(ranks.first(), Some(&0), "request {req}");
    for single in [0, 1, 2, 4] {
        let count = ranks.iter().filter(|rank| **rank == single).count();
        assert!(count <= 1 && (single != 4 || count == 1), "request {req}: {events:?}");
    }
    let times: Vec<u64> = events.iter().filter_map(|event| stamp(event)).map(|(_, t)| t).collect();
    assert!(times.is_sorted(), "request {req}: {times:?}");
}

/// Request and time of an event that concerns a request.
fn stamp(event: &Event) -> Option<(u64, u64)> {
    match event {
        Event::Meta { .. } | Event::Window { .. } => None,
        Event::Scheduled { req, t }
        | Event::Sent { req, t }
        | Event::Headers { req, t, .. }
        | Event::Chunk(Chunk { req, t, .. })
        | Event::Done { req, t }
        | Event::Error { req, t, .. } => Some((*req, *t)),
    }
}
