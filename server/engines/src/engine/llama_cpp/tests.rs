use super::*;
use crate::explain::{Exit, explain};

macro_rules! page {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/llama_cpp/", $name))
    };
}

fn variant(extra: Value) -> Variant {
    let mut table = json!({"name": "smol-q8", "engine": "llama_cpp", "model": "smol.gguf"});
    let fields = table.as_object_mut().expect("a table");
    fields.extend(extra.as_object().cloned().unwrap_or_default());
    serde_json::from_value(table).expect("a variant")
}

fn command(extra: Value) -> String {
    let paths = EnginePaths { data_dir: PathBuf::from("/data"), ..EnginePaths::default() };
    let listen = Listen { host: "127.0.0.1".to_owned(), port: 4000 };
    LlamaCpp.command(&variant(extra), Path::new("/bin/llama-server"), &paths, &listen).join(" ")
}

#[test]
fn the_command_line_adds_what_the_variant_does_not_say() {
    let commands = [
        command(json!({})),
        command(json!({"model": "/abs/m.gguf", "served_name": "smol", "args": ["-t", "2"]})),
        command(json!({"args": ["--port", "9000", "--host", "0.0.0.0", "--metrics", "--no-slots"]})),
        command(json!({"max_model_len": 2048})),
        command(json!({"max_model_len": 2048, "args": ["--parallel", "8"]})),
        command(json!({"max_model_len": 2048, "args": ["--parallel", "8", "--kv-unified"]})),
        command(json!({"max_model_len": 2048, "args": ["-c", "16384"]})),
    ];
    insta::assert_snapshot!(commands.join("\n"));
}

#[test]
fn arguments_that_contradict_the_variant_or_show_secrets_are_refused() {
    let paths = EnginePaths::default();
    for args in [
        json!(["-m", "x"]),
        json!(["--model=x"]),
        json!(["--alias", "x"]),
        json!(["--api-key", "x"]),
        json!(["--port", "many"]),
        json!(["--port", "0"]),
        json!(["--port"]),
    ] {
        let refused = LlamaCpp.check(&variant(json!({"args": args})), &paths).expect_err("refused");
        assert_eq!(refused.class, FailureClass::BadArgument, "{args}");
    }
}

#[test]
fn a_missing_model_is_refused_with_its_path() {
    let dir = tempfile::tempdir().expect("a folder");
    let paths = EnginePaths { data_dir: dir.path().to_owned(), ..EnginePaths::default() };
    let missing = LlamaCpp.check(&variant(json!({})), &paths).expect_err("refused");
    assert_eq!(missing.class, FailureClass::ModelNotFound);
    let path = dir.path().join("models/smol.gguf");
    assert!(missing.sentence.contains(&path.display().to_string()), "{}", missing.sentence);
    std::fs::create_dir_all(dir.path().join("models")).expect("made");
    std::fs::write(&path, b"GGUF").expect("written");
    assert_eq!(LlamaCpp.check(&variant(json!({})), &paths), Ok(()));
}

#[test]
fn the_program_is_looked_for_in_order() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = |path: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(&path, b"").expect("written");
        path
    };
    let mut paths = EnginePaths {
        data_dir: dir.path().join("data"),
        llama_server: None,
        search_path: Some(dir.path().join("bin").into_os_string()),
    };
    let none = LlamaCpp.program(&paths).expect_err("none");
    assert_eq!(none.class, FailureClass::ProgramNotFound);
    let on_path = file("bin/llama-server");
    assert_eq!(LlamaCpp.program(&paths), Ok(on_path));
    let installed = file("data/engines/llama.cpp/bin/llama-server");
    assert_eq!(LlamaCpp.program(&paths), Ok(installed));
    let named = file("mine");
    paths.llama_server = Some(named.clone());
    assert_eq!(LlamaCpp.program(&paths), Ok(named));
    paths.llama_server = Some(dir.path().join("absent"));
    assert!(LlamaCpp.program(&paths).is_err(), "a wrong override is told, not passed over");
}

#[test]
fn capacity_is_read_from_real_pages() {
    let read = |info, models, log| {
        LlamaCpp.read_capacity(CapacityPages { info: Some(info), models: Some(models), log })
    };
    let older = read(page!("props_b10434.json"), page!("v1_models_b10434.json"), page!("healthy_b10434.log"));
    let newer = read(page!("props_b11434.json"), page!("v1_models_b11434.json"), "kv_unified = 'true'");
    insta::assert_debug_snapshot!((older, newer));
}

#[test]
fn what_no_page_tells_stays_unknown() {
    assert_eq!(LlamaCpp.read_capacity(CapacityPages::default()), Capacity::default());
    let info = Some(page!("props_b10434.json"));
    let silent = LlamaCpp.read_capacity(CapacityPages { info, models: Some("<html>"), log: "" });
    assert_eq!((silent.slots, silent.kv_tokens, silent.parameters), (Some(8), None, None));
}

#[test]
fn health_is_read_as_the_server_means_it() {
    let page = |status| Answer::Page { status, body: "text".to_owned() };
    assert_eq!(LlamaCpp.read_health(&Answer::Refused), Readiness::Starting);
    assert_eq!(LlamaCpp.read_health(&page(503)), Readiness::Loading);
    assert_eq!(LlamaCpp.read_health(&page(200)), Readiness::Up);
    assert_eq!(LlamaCpp.read_health(&page(404)), Readiness::Unclear("HTTP 404: text".to_owned()));
}

#[test]
fn only_the_served_name_counts_as_ours() {
    let models = page!("v1_models_b11434.json");
    assert!(LlamaCpp.serves(models, "smollm2-135m"));
    for (page, name) in [(models, "smollm2"), ("{}", "smollm2-135m"), ("", ""), ("[1]", "x")] {
        assert!(!LlamaCpp.serves(page, name), "{page} {name}");
    }
}

#[test]
fn a_completion_counts_only_with_a_token() {
    let read = |status, body: &str| LlamaCpp.read_completion(&Answer::Page { status, body: body.to_owned() });
    assert_eq!(read(200, r#"{"choices":[{"text":" "}],"usage":{"completion_tokens":1}}"#), Ok(()));
    assert!(read(200, r#"{"choices":[],"usage":{"completion_tokens":1}}"#).is_err());
    assert!(read(200, r#"{"choices":[{"text":""}],"usage":{"completion_tokens":0}}"#).is_err());
    assert!(read(500, r#"{"error":"x"}"#).expect_err("an error").contains("HTTP 500"));
    assert!(LlamaCpp.read_completion(&Answer::Silent("no answer".to_owned())).is_err());
}

#[test]
fn an_unknown_exit_names_the_engine() {
    let failure = explain(&LlamaCpp, Exit { code: None }, "");
    assert_eq!(failure.sentence, "llama.cpp ended; its exit code is unknown.");
}
