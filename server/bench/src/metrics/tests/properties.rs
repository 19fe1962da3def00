use inferex_model::event::{Chunk, ErrorClass, LoadShape, Part};
use inferex_model::metrics::Stat;
use proptest::prelude::*;

use super::*;

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..2_000_000_u64, 1 => any::<u64>(), 1 => Just(u64::MAX), 1 => Just(0)]
}

fn count() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![3 => Just(None), 3 => (0..200_u64).prop_map(Some), 1 => any::<u64>().prop_map(Some)]
}

fn part() -> impl Strategy<Value = Part> {
    use Part::{Content, Empty, Reasoning, Role, Tool, Usage};
    prop::sample::select(vec![Role, Reasoning, Content, Content, Tool, Empty, Usage])
}

fn chunk(req: u64) -> impl Strategy<Value = Event> {
    let finish = prop::option::of(Just("stop".to_owned()));
    (time(), part(), finish, count(), count(), count(), count()).prop_map(
        move |(t, part, finish, usage_completion, prompt_tokens, completion_tokens, cached_tokens)| {
            let chars = None;
            Event::Chunk(Chunk {
                req,
                t,
                part,
                chars,
                usage_completion,
                finish,
                prompt_tokens,
                completion_tokens,
                cached_tokens,
            })
        },
    )
}

fn of_request(req: u64) -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => time().prop_map(move |t| Event::Scheduled { req, t }),
        2 => time().prop_map(move |t| Event::Sent { req, t }),
        1 => time().prop_map(move |t| Event::Headers { req, t, worker: None }),
        6 => chunk(req),
        2 => time().prop_map(move |t| Event::Done { req, t }),
        1 => time().prop_map(move |t| {
            Event::Error { req, t, class: ErrorClass::Timeout, message: None, status: None }
        }),
    ]
}

fn of_run() -> impl Strategy<Value = Event> {
    let load = prop::option::of(prop::sample::select(vec![LoadShape::Closed, LoadShape::Open]));
    prop_oneof![
        (time(), time()).prop_map(|(from, to)| Event::Window { from, to }),
        (any::<bool>(), load).prop_map(|(streamed, load)| {
            Event::Meta { run: None, version: 1, clock: "monotonic_us".to_owned(), streamed, load }
        }),
    ]
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![10 => (0..4_u64).prop_flat_map(of_request), 1 => of_run()]
}

fn of_stat(stat: Stat) -> Vec<f64> {
    vec![stat.mean, stat.min, stat.max, stat.std, stat.p50, stat.p90, stat.p95, stat.p99]
}

fn numbers(computed: &Computed) -> Vec<f64> {
    let m = ours(computed);
    let schedule = &m.from_schedule;
    let stats = [m.ttft_ms, m.ttft_answer_ms, m.tpot_ms, m.itl_ms, m.e2e_ms, m.per_request_tok_s];
    let stats = stats.into_iter().chain([schedule.ttft_ms, schedule.e2e_ms]).flatten().flat_map(of_stat);
    let single = [m.output_throughput_tok_s, m.request_throughput_rps, m.mean_in_flight, m.duration_s];
    let rows = computed.rows.iter().flat_map(|r| [r.sent_ms, r.ttft_ms, r.tpot_ms, r.e2e_ms]);
    stats.chain(single.into_iter().chain(rows).flatten()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_events_give_finite_figures(events in prop::collection::vec(any_event(), 0..60)) {
        let computed = compute(&events);
        for number in numbers(&computed) {
            prop_assert!(number.is_finite() && number >= 0.0, "{number}");
        }
        for invariant in &computed.document.invariants {
            prop_assert!(invariant.holds != Some(false), "{invariant:?}");
        }
        let counts = &ours(&computed).requests;
        prop_assert_eq!(counts.total, counts.successful + counts.failed + counts.cut);
        prop_assert_eq!(counts.failed, counts.by_class.values().sum::<u64>());
    }

    #[test]
    fn the_order_of_different_requests_lines_does_not_matter(
        groups in prop::collection::vec(prop::collection::vec(of_request(0), 0..12), 1..5),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 60),
    ) {
        let groups: Vec<Vec<Event>> = groups
            .into_iter()
            .enumerate()
            .map(|(req, group)| group.into_iter().map(|event| renumbered(event, req as u64)).collect())
            .collect();
        let one_after_another: Vec<Event> = groups.concat();
        let mut waiting: Vec<_> = groups.into_iter().map(std::collections::VecDeque::from).collect();
        let mut mixed = Vec::new();
        for pick in &picks {
            waiting.retain(|group| !group.is_empty());
            if waiting.is_empty() {
                break;
            }
            let place = pick.index(waiting.len());
            mixed.extend(waiting[place].pop_front());
        }
        prop_assert_eq!(mixed.len(), one_after_another.len());
        prop_assert_eq!(compute(&mixed), compute(&one_after_another));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(fault) = parse_jsonl(&bytes[..]) {
            prop_assert!(fault.line >= 1 && !fault.reason.is_empty());
        }
    }

    #[test]
    fn what_is_written_is_read(events in prop::collection::vec(any_event(), 0..20)) {
        let text: String =
            events.iter().map(|e| serde_json::to_string(e).expect("writes") + "\n").collect();
        prop_assert_eq!(read(&text), events);
    }
}

fn renumbered(event: Event, req: u64) -> Event {
    match event {
        Event::Scheduled { t, .. } => Event::Scheduled { req, t },
        Event::Sent { t, .. } => Event::Sent { req, t },
        Event::Headers { t, worker, .. } => Event::Headers { req, t, worker },
        Event::Chunk(chunk) => Event::Chunk(Chunk { req, ..chunk }),
        Event::Done { t, .. } => Event::Done { req, t },
        Event::Error { t, class, message, status, .. } => Event::Error { req, t, class, message, status },
        run @ (Event::Meta { .. } | Event::Window { .. }) => run,
    }
}
