use super::*;
use crate::engine::llama_cpp::LlamaCpp;
use proptest::prelude::*;

macro_rules! log {
    ($name:literal) => {
        include_str!(concat!("../../tests/fixtures/llama_cpp/", $name, ".log"))
    };
}

const HEALTHY: [&str; 2] = [log!("healthy_b10434"), log!("healthy_b10068")];

fn told(code: i32, log: &str) -> Failure {
    explain(&LlamaCpp, Exit { code: Some(code) }, log)
}

#[test]
fn real_failures_have_their_class() {
    use FailureClass as C;
    let cases = [
        (1, log!("model_missing"), C::ModelNotFound),
        (1, log!("model_not_gguf"), C::ModelUnreadable),
        (1, log!("model_empty"), C::ModelUnreadable),
        (1, log!("model_truncated"), C::ModelUnreadable),
        (1, log!("model_unreadable"), C::ModelUnreadable),
        (1, log!("argument_unknown"), C::BadArgument),
        (1, log!("argument_not_a_number"), C::BadArgument),
        (1, log!("argument_bad_choice"), C::BadArgument),
        (1, log!("argument_bad_word"), C::BadArgument),
        (1, log!("argument_without_value"), C::BadArgument),
        (1, log!("port_in_use"), C::PortInUse),
        (1, log!("out_of_memory"), C::Oom),
        (139, log!("out_of_memory_then_segfault"), C::Oom),
        (132, log!("illegal_instruction"), C::Exited),
        (137, log!("healthy_b10434"), C::Exited),
    ];
    for (code, log, class) in cases {
        let failure = told(code, log);
        assert_eq!(failure.class, class, "{}\n{log}", failure.sentence);
        assert_eq!(failure.exit_code, Some(code));
        assert!(failure.lines.len() <= MAX_LINES && !failure.lines.is_empty());
        assert!(failure.sentence.ends_with('.') && !failure.hint.is_empty());
    }
}

#[test]
fn the_sentences_are_fit_for_a_person() {
    let logs = [
        (1, log!("model_missing")),
        (1, log!("model_truncated")),
        (1, log!("argument_unknown")),
        (1, log!("argument_bad_choice")),
        (1, log!("port_in_use")),
        (1, log!("out_of_memory")),
        (132, log!("illegal_instruction")),
        (3, ""),
    ];
    let sentences: Vec<String> = logs.map(|(code, log)| told(code, log)).map(|f| f.sentence).to_vec();
    insta::assert_snapshot!(sentences.join("\n"));
}

#[test]
fn words_that_only_look_like_a_failure_are_none() {
    for line in ["zoom", "0.00.000.001 E the room has a loom", "0.00.000.001 I srv out of memory is a song"] {
        assert!(classify(&LlamaCpp, line).is_none(), "{line}");
    }
}

#[test]
fn a_kill_without_the_text_is_no_out_of_memory() {
    assert_eq!(told(137, "loading").class, FailureClass::Exited);
}

#[test]
fn where_the_log_marks_errors_those_are_shown() {
    let lines = told(1, log!("out_of_memory")).lines;
    assert!(lines.iter().all(|line| line.contains(" E ")), "{lines:?}");
}

#[test]
fn the_line_that_told_the_class_is_shown_even_if_it_is_not_marked() {
    let log = "0.00.000.001 E a warning sign\nterminate called: std::bad_alloc\nplain\n";
    let failure = told(134, log);
    assert_eq!(failure.class, FailureClass::Oom);
    assert_eq!(failure.lines, ["0.00.000.001 E a warning sign", "terminate called: std::bad_alloc"]);
}

proptest! {
    #[test]
    fn a_healthy_log_never_explains_a_failure(
        which in 0usize..HEALTHY.len(),
        order in proptest::collection::vec(0usize..40, 0..60),
        cut in 0usize..2_000,
    ) {
        let lines: Vec<&str> = HEALTHY[which].lines().collect();
        let shuffled: Vec<&str> = order.iter().map(|at| lines[at % lines.len()]).collect();
        let shuffled = shuffled.join("\n");
        let end = (0..=cut.min(shuffled.len())).rev().find(|at| shuffled.is_char_boundary(*at)).unwrap_or(0);
        prop_assert!(classify(&LlamaCpp, &shuffled[..end]).is_none());
        prop_assert!(classify(&LlamaCpp, &shuffled[shuffled.len() - end.min(shuffled.len())..]).is_none());
    }

    #[test]
    fn no_log_panics(log in "[\\PC\n]{0,200}", code in proptest::option::of(-300i32..300)) {
        let failure = explain(&LlamaCpp, Exit { code }, &log);
        prop_assert!(failure.lines.len() <= MAX_LINES);
    }
}
