use super::*;

fn spec(arms: usize, repeats: u32) -> ExperimentSpec {
    let names: Vec<String> = (0..arms).map(|i| format!("v{i}")).collect();
    ExperimentSpec { repeats, ..Preset::Quick.spec("test", &names) }
}

#[test]
fn every_second_repeat_runs_backwards() {
    let order: Vec<usize> = spec(3, 3).blocks().iter().map(|b| b.arm).collect();
    assert_eq!(order, [0, 1, 2, 2, 1, 0, 0, 1, 2]);
}

#[test]
fn a_level_sends_at_least_four_requests_per_place() {
    assert_eq!(Level::closed(32, 50).requests, 128);
    assert_eq!(Level::closed(8, 50).requests, 50);
    assert!(Level { concurrency: 8, requests: 31 }.is_ramp_dominated());
}

#[test]
fn the_presets_are_what_the_builder_promises() {
    let quick = Preset::Quick.spec("q", &["a".into(), "b".into(), "c".into()]);
    assert_eq!(quick.run_count(), 30);
    assert!(quick.check().is_ok());
    let full = Preset::Full.spec("f", &["a".into()]);
    assert_eq!(full.levels().iter().map(|l| l.concurrency).collect::<Vec<_>>(), [1, 8, 32]);
}

#[test]
fn a_bad_file_names_its_field() {
    type Spoil = fn(&mut ExperimentSpec);
    let cases: [(&str, Spoil); 9] = [
        ("name", |s| s.name.clear()),
        ("repeats", |s| s.repeats = 0),
        ("workload.output_tokens", |s| s.workload.output_tokens = 0),
        ("load", |s| s.load.clear()),
        ("load[0].concurrency", |s| s.load[0].concurrency = vec![1, 1]),
        ("load[0].requests", |s| s.load[0].requests = 0),
        ("arm", |s| s.arm.clear()),
        ("arm[1].name", |s| s.arm[1].name = "v0".into()),
        ("arm[0].runtime", |s| s.arm[0].runtime = RuntimeKind::Docker),
    ];
    for (field, spoil) in cases {
        let mut bad = spec(2, 1);
        spoil(&mut bad);
        assert_eq!(bad.check().err().map(|e| e.field), Some(field.to_owned()));
    }
}

#[test]
fn the_documented_file_reads() {
    let text = r#"
name = "quantisation on this machine"
repeats = 5
[workload]
prompts = "inferex-50"
output_tokens = 64
[[load]]
concurrency = [1, 8, 32]
requests = 50
[[arm]]
name = "f16"
variant = "smollm2-135m-f16"
runtime = "process"
via = "direct"
[[arm]]
name = "q8_0"
[arm.variant]
name = "inline"
engine = "llama_cpp"
model = "x.gguf"
[slo]
ttft_p95 = "500ms"
"#;
    let spec: ExperimentSpec = toml::from_str(text).expect("the documented form");
    assert_eq!(spec.run_count(), 30);
    assert_eq!(spec.slo.ttft_p95, Some(Span(500)));
    let again: ExperimentSpec = toml::from_str(&toml::to_string(&spec).expect("writes")).expect("reads");
    assert_eq!(again, spec);
}

#[test]
fn arms_are_named_by_what_differs() {
    let short = |names: &[&str]| short_names(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
    assert_eq!(short(&["smollm2-135m-f16", "smollm2-135m-q8_0"]), ["f16", "q8_0"]);
    assert_eq!(short(&["one"]), ["one"]);
    assert_eq!(short(&["a-x", "b-x"]), ["a-x", "b-x"]);
    assert_eq!(short(&["m-", "m-x"]), ["m-", "m-x"]);
}
