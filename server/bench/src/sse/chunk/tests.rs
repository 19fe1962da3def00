use proptest::prelude::*;

use super::*;
use crate::sse::Scanner;

fn delta(delta: &str) -> WireChunk {
    let data = format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#);
    classify(&data).expect("a chunk")
}

#[test]
fn the_foremost_part_names_the_chunk() {
    let cases = [
        (r#"{"role":"assistant","content":null}"#, Part::Role, None),
        (r#"{"role":"assistant","content":""}"#, Part::Role, None),
        (r#"{"role":"assistant","content":"Hé"}"#, Part::Content, Some(2)),
        (r#"{"content":"\n\"x"}"#, Part::Content, Some(3)),
        (r#"{"reasoning_content":"hm"}"#, Part::Reasoning, Some(2)),
        (r#"{"reasoning":"hm"}"#, Part::Reasoning, Some(2)),
        (r#"{"reasoning":"hm","reasoning_content":"hm"}"#, Part::Reasoning, Some(2)),
        (r#"{"reasoning":"hm","content":"yes"}"#, Part::Content, Some(5)),
        (r#"{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}"#, Part::Tool, Some(3)),
        (r#"{"tool_calls":[{"index":0}],"role":"assistant"}"#, Part::Tool, None),
        (r#"{"tool_calls":[],"content":""}"#, Part::Empty, None),
        ("{}", Part::Empty, None),
    ];
    for (wire, part, chars) in cases {
        let chunk = delta(wire);
        assert_eq!((chunk.part, chunk.chars), (part, chars), "{wire}");
    }
}

#[test]
fn usage_alone_is_a_usage_chunk() {
    let data = r#"{"choices":[],"usage":{"prompt_tokens":34,"completion_tokens":12,"prompt_tokens_details":{"cached_tokens":33}}}"#;
    let event = classify(data).expect("a chunk").into_event(4, 9);
    assert_eq!((event.req, event.t, event.part), (4, 9, Part::Usage));
    assert_eq!(
        (event.prompt_tokens, event.completion_tokens, event.cached_tokens),
        (Some(34), Some(12), Some(33))
    );
    assert_eq!(event.usage_completion, None);
}

#[test]
fn usage_beside_content_is_the_count_so_far() {
    let data = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}],"usage":{"completion_tokens":3,"prompt_tokens":5}}"#;
    let event = classify(data).expect("a chunk").into_event(0, 0);
    assert_eq!((event.part, event.finish.as_deref()), (Part::Content, Some("length")));
    assert_eq!(
        (event.usage_completion, event.completion_tokens, event.prompt_tokens),
        (Some(3), Some(3), Some(5))
    );
}

#[test]
fn no_choices_and_no_usage_is_empty() {
    for data in [r#"{"choices":[],"usage":null}"#, r#"{"choices":[]}"#] {
        assert_eq!(classify(data).map(|chunk| chunk.part), Ok(Part::Empty));
    }
}

#[test]
fn errors_inside_a_stream_are_found_and_their_message_is_not_kept() {
    let kind = |kind: &str| Err(ChunkError::Reported { kind: Some(kind.to_owned()) });
    assert_eq!(
        classify(r#"{"error":{"message":"secret prompt","type":"server_error"}}"#),
        kind("server_error")
    );
    assert_eq!(classify(r#"{"error":{"code":500,"message":"x"}}"#), kind("500"));
    assert_eq!(
        classify(r#"{"object":"error","type":"BadRequestError","message":"x"}"#),
        kind("BadRequestError")
    );
    assert_eq!(classify(r#"{"error":"secret prompt"}"#), Err(ChunkError::Reported { kind: None }));
    assert_eq!(classify(r#"{"error":{"type":"secret prompt"}}"#), Err(ChunkError::Reported { kind: None }));
    assert_eq!(classify(r#"{"error":null,"choices":[]}"#).map(|chunk| chunk.part), Ok(Part::Empty));
    for data in ["", "{", "[]", "null", "12", r#"{"choices":7}"#, r#"{"id":"x"}"#] {
        assert_eq!(classify(data), Err(ChunkError::Unreadable), "{data}");
    }
}

#[test]
fn a_recorded_answer_counts_as_many_tokens_as_its_usage_says() {
    let recorded = include_str!("../../../tests/fixtures/sse/llamacpp-b11434-chat_tools_stream.sse");
    let mut events = Vec::new();
    Scanner::new().push(recorded.as_bytes(), &mut events).expect("within the bound");
    let chunks: Vec<_> = events.iter().filter_map(|event| classify(&event.data).ok()).collect();
    let tokens = chunks.iter().filter(|chunk| chunk.part.carries_tokens()).count();
    let usage = chunks.iter().filter_map(|chunk| chunk.usage).next_back().expect("usage");
    assert_eq!(usage.completion, Some(60));
    assert!((55..=60).contains(&tokens), "{tokens}");
    assert_eq!(chunks.iter().filter_map(|chunk| chunk.finish.as_deref()).collect::<Vec<_>>(), ["length"]);
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,40}") {
        let _ = classify(&text);
    }
}
