//! Known answers, snapshots and properties of the figures.

mod known;
mod properties;
mod snapshots;

use inferex_model::event::Event;
use inferex_model::metrics::Metrics;

use super::{Computed, DEFINITION, compute, parse_jsonl};

const WORKED: &str = include_str!("../../tests/fixtures/events/worked_case.jsonl");
const WORKED_PLAIN: &str = include_str!("../../tests/fixtures/events/worked_case_plain.jsonl");
const CLOSED: &str = include_str!("../../tests/fixtures/events/closed_failures.jsonl");

fn read(text: &str) -> Vec<Event> {
    parse_jsonl(text.as_bytes()).expect("the test's lines are events")
}

fn computed(text: &str) -> Computed {
    compute(&read(text))
}

fn ours(computed: &Computed) -> &Metrics {
    &computed.document.definitions[DEFINITION]
}
