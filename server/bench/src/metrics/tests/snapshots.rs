use insta::assert_json_snapshot;

use super::computed;

#[test]
fn worked_case() {
    assert_json_snapshot!(computed(super::WORKED));
}

#[test]
fn closed_loop_with_failures() {
    assert_json_snapshot!(computed(super::CLOSED));
}

#[test]
fn one_request_one_token() {
    let text = r#"{"kind":"meta","version":1,"clock":"monotonic_us","streamed":true,"load":"closed"}
{"req":0,"t":100,"kind":"sent"}
{"req":0,"t":30100,"kind":"chunk","part":"content","chars":2,"finish":"length"}
{"req":0,"t":30200,"kind":"chunk","part":"usage","prompt_tokens":9,"completion_tokens":1}
{"req":0,"t":30300,"kind":"done"}"#;
    assert_json_snapshot!(computed(text));
}

#[test]
fn not_streamed() {
    let text = r#"{"kind":"meta","version":1,"clock":"monotonic_us","streamed":false,"load":"closed"}
{"req":0,"t":0,"kind":"sent"}
{"req":0,"t":799000,"kind":"headers"}
{"req":0,"t":800000,"kind":"chunk","part":"content","chars":90,"finish":"stop","prompt_tokens":9,"completion_tokens":20}
{"req":0,"t":800000,"kind":"done"}"#;
    assert_json_snapshot!(computed(text));
}

#[test]
fn empty_file() {
    assert_json_snapshot!(computed(""));
}
