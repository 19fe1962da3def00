use inferex_model::metrics::TokenSource;

use super::super::{Collector, EventFileError};
use super::*;

fn mean(stat: Option<inferex_model::metrics::Stat>) -> Option<f64> {
    stat.map(|s| (s.mean * 1e6).round() / 1e6)
}

fn holds(computed: &Computed, name: &str) -> Option<bool> {
    computed.document.invariants.iter().find(|i| i.name == name).expect("is printed").holds
}

#[test]
fn the_worked_case_comes_out_exactly() {
    for (text, gaps, itl) in [(WORKED, 6, 140.0_f64 / 6.0), (WORKED_PLAIN, 3, 140.0 / 3.0)] {
        let computed = computed(text);
        let metrics = ours(&computed);
        let sixth = (140.0_f64 / 6.0 * 1e6).round() / 1e6;
        assert_eq!(mean(metrics.ttft_ms), Some(300.0));
        assert_eq!(mean(metrics.ttft_answer_ms), Some(420.0));
        assert_eq!(mean(metrics.tpot_ms), Some(sixth));
        assert_eq!(mean(metrics.e2e_ms), Some(460.0));
        assert_eq!(metrics.itl_ms.map(|s| s.n), Some(gaps));
        assert_eq!(mean(metrics.itl_ms), Some((itl * 1e6).round() / 1e6));
        assert_eq!(metrics.output_tokens, Some(7));
        assert_eq!(metrics.output_tokens_source, Some(TokenSource::Usage));
        assert_eq!(holds(&computed, "itl_sums_to_span"), Some(true));
        assert_eq!(holds(&computed, "client_tokens_match_engine"), None);
    }
}

#[test]
fn a_first_chunk_of_several_tokens_is_taken_off_the_divisor() {
    let text = r#"{"req":0,"t":0,"kind":"sent"}
{"req":0,"t":1000,"kind":"chunk","part":"content","usage_completion":3}
{"req":0,"t":5000,"kind":"chunk","part":"content","usage_completion":5}
{"req":0,"t":5000,"kind":"done"}"#;
    let computed = computed(text);
    assert_eq!(mean(ours(&computed).tpot_ms), Some(2.0));
    assert_eq!(ours(&computed).itl_ms.map(|s| (s.n, s.min, s.max)), Some((2, 2.0, 2.0)));
    assert_eq!(ours(&computed).output_tokens, Some(5));
}

#[test]
fn failures_and_cut_requests_enter_no_latency() {
    let computed = computed(CLOSED);
    let metrics = ours(&computed);
    let counts = &metrics.requests;
    assert_eq!((counts.total, counts.successful, counts.failed, counts.cut), (7, 2, 4, 1));
    let classes: Vec<(&str, u64)> = counts.by_class.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(classes, [("empty_answer", 1), ("http_status", 1), ("other", 1), ("truncated", 1)]);
    assert_eq!(metrics.ttft_ms.map(|s| (s.n, s.min, s.max)), Some((2, 100.0, 100.0)));
    assert_eq!(metrics.output_tokens_source, Some(TokenSource::Mixed));
    assert_eq!(
        (metrics.output_tokens, metrics.prompt_tokens, metrics.cached_tokens),
        (Some(5), Some(20), Some(4))
    );
    assert_eq!(metrics.from_schedule.ttft_ms, None, "a closed loop has no schedule");
    assert_eq!(metrics.peak_in_flight, Some(2));
    assert_eq!(holds(&computed, "littles_law"), Some(true));
    let failed = &computed.rows[1];
    assert_eq!((failed.e2e_ms, failed.error.as_deref()), (None, Some("http_status")));
}

#[test]
fn an_open_loop_is_also_measured_from_its_schedule() {
    let text = r#"{"kind":"meta","version":1,"clock":"monotonic_us","streamed":true,"load":"open"}
{"req":0,"t":1000,"kind":"scheduled"}
{"req":0,"t":4000,"kind":"sent"}
{"req":0,"t":9000,"kind":"chunk","part":"content","finish":"stop"}
{"req":0,"t":9500,"kind":"done"}"#;
    let schedule = ours(&computed(text)).from_schedule.clone();
    assert_eq!((mean(schedule.ttft_ms), mean(schedule.e2e_ms)), (Some(8.0), Some(8.0)));
    assert_eq!(mean(ours(&computed(text)).ttft_ms), Some(5.0));
}

#[test]
fn the_chapters_queue_of_eight_comes_out() {
    // 10 requests/s constant, 8 requests, 500 ms service, one place: request k is sent at 500 k.
    let lines = |k: u64| {
        let (due, sent) = (k * 100_000, k * 500_000);
        let end = sent + 500_000;
        format!(
            "{{\"req\":{k},\"t\":{due},\"kind\":\"scheduled\"}}\n{{\"req\":{k},\"t\":{sent},\"kind\":\"sent\"}}\n\
             {{\"req\":{k},\"t\":{end},\"kind\":\"chunk\",\"part\":\"content\",\"finish\":\"stop\"}}\n\
             {{\"req\":{k},\"t\":{end},\"kind\":\"done\"}}\n"
        )
    };
    let text: String = (0..8).map(lines).collect();
    let computed = computed(&text);
    let e2e = ours(&computed).from_schedule.e2e_ms.expect("a schedule");
    assert_eq!((e2e.mean, e2e.p99), (1_900.0, 3_272.0));
    assert_eq!(mean(ours(&computed).e2e_ms), Some(500.0));
    assert_eq!(ours(&computed).mean_in_flight, Some(1.0));
}

#[test]
fn one_token_has_no_time_per_token() {
    let text = r#"{"req":0,"t":0,"kind":"sent"}
{"req":0,"t":7000,"kind":"chunk","part":"content","finish":"stop"}
{"req":0,"t":8000,"kind":"chunk","part":"usage","completion_tokens":1}
{"req":0,"t":8000,"kind":"done"}"#;
    let computed = computed(text);
    let metrics = ours(&computed);
    assert_eq!((metrics.tpot_ms, metrics.itl_ms), (None, None));
    assert_eq!(mean(metrics.ttft_ms), Some(7.0));
}

#[test]
fn an_answer_in_one_piece_of_many_tokens_has_no_time_per_token() {
    let text = r#"{"req":0,"t":0,"kind":"sent"}
{"req":0,"t":7000,"kind":"chunk","part":"content","finish":"stop"}
{"req":0,"t":8000,"kind":"chunk","part":"usage","completion_tokens":9}
{"req":0,"t":8000,"kind":"done"}"#;
    assert_eq!(ours(&computed(text)).tpot_ms, None);
}

#[test]
fn a_window_takes_latencies_by_sending_and_throughput_by_ending() {
    let line = |req: u64, sent: u64, end: u64| {
        format!(
            "{{\"req\":{req},\"t\":{sent},\"kind\":\"sent\"}}\n\
             {{\"req\":{req},\"t\":{end},\"kind\":\"chunk\",\"part\":\"content\",\"finish\":\"stop\"}}\n\
             {{\"req\":{req},\"t\":{end},\"kind\":\"done\"}}\n"
        )
    };
    let text = "{\"kind\":\"window\",\"from\":1000000,\"to\":3000000}\n".to_owned()
        + &line(0, 0, 1_500_000)
        + &line(1, 1_000_000, 2_000_000)
        + &line(2, 2_500_000, 3_000_000);
    let computed = computed(&text);
    let metrics = ours(&computed);
    assert_eq!(metrics.duration_s, Some(2.0));
    assert_eq!(metrics.request_throughput_rps, Some(1.0), "ended at 1.5 and 2.0 s, not at 3.0 s");
    assert_eq!(metrics.e2e_ms.map(|s| (s.n, s.min, s.max)), Some((2, 500.0, 1_000.0)));
    assert_eq!((metrics.peak_in_flight, metrics.mean_in_flight), (Some(2), Some(1.0)));
    assert_eq!(metrics.requests.successful, 3);
}

#[test]
fn a_window_without_length_gives_no_rate() {
    let text = "{\"kind\":\"window\",\"from\":5,\"to\":5}\n".to_owned() + WORKED;
    let computed = computed(&text);
    let metrics = ours(&computed);
    assert_eq!((metrics.duration_s, metrics.output_throughput_tok_s), (None, None));
    assert_eq!((metrics.peak_in_flight, metrics.mean_in_flight), (None, None));
    assert_eq!(holds(&computed, "peak_not_below_mean"), None);
}

#[test]
fn lines_a_little_out_of_order_and_repeated_usage_change_nothing() {
    let mut events = read(WORKED);
    events.swap(6, 7);
    events.swap(9, 11);
    assert_eq!(compute(&events), computed(WORKED));
    let twice = WORKED.to_owned()
        + "{\"req\":0,\"t\":500500,\"kind\":\"chunk\",\"part\":\"usage\",\"completion_tokens\":8}\n";
    assert_eq!(ours(&computed(&twice)).output_tokens, Some(8), "the last value, never the sum");
}

#[test]
fn the_requested_number_counts_only_where_usage_is_missing() {
    let told = |text: &str| {
        let mut collector = Collector::default().with_requested_tokens(64);
        for event in &read(text) {
            collector.push(event);
        }
        let metrics = ours(&collector.finish()).clone();
        (metrics.output_tokens, metrics.output_tokens_source)
    };
    assert_eq!(told(WORKED), (Some(7), Some(TokenSource::Usage)));
    let silent = r#"{"req":0,"t":0,"kind":"sent"}
{"req":0,"t":7,"kind":"chunk","part":"content"}
{"req":0,"t":9,"kind":"done"}"#;
    assert_eq!(told(silent), (Some(64), Some(TokenSource::Requested)));
    assert_eq!(ours(&computed(silent)).output_tokens_source, Some(TokenSource::Chunks));
}

#[test]
fn a_bad_line_is_named() {
    let fault = |text: &str| parse_jsonl(text.as_bytes()).expect_err("is bad");
    let good = "{\"req\":0,\"t\":1,\"kind\":\"sent\"}\n\n";
    let unknown = fault(&format!("{good}{{\"req\":0,\"kind\":\"paused\"}}\n"));
    assert_eq!(unknown.line, 3);
    assert!(unknown.to_string().contains("unknown kind `paused`"), "{unknown}");
    let cases = [
        ("{\"req\":0", "is not JSON"),
        ("[1]", "no JSON object"),
        ("{\"req\":0,\"t\":1}", "has no `kind`"),
        ("{\"kind\":7}", "no text"),
        ("{\"req\":0,\"kind\":\"sent\"}", "is no `sent` event: missing field `t`"),
        ("{\"req\":0,\"t\":-1,\"kind\":\"sent\"}", "is no `sent` event"),
    ];
    for (line, wanted) in cases {
        let EventFileError { line: number, reason } = fault(line);
        assert!(number == 1 && reason.contains(wanted), "{line}: {reason}");
    }
    assert!(parse_jsonl(&b"\xff\xfe"[..]).is_err());
}

#[test]
fn unknown_keys_are_tolerated() {
    let text = r#"{"req":0,"t":1,"kind":"sent","colour":"blue"}"#;
    assert_eq!(read(text), read(r#"{"req":0,"t":1,"kind":"sent"}"#));
}
