use inferex_model::comparison::Verdict;
use inferex_model::experiment::{ExperimentSpec, Preset};
use inferex_model::metrics::{RequestCounts, Stat};

use super::*;

/// Two arms, one level, five starts each; the second arm is half as fast again.
fn experiment() -> (ExperimentSpec, Vec<Variant>) {
    let names = ["f16".to_owned(), "q4_0".to_owned()];
    let mut spec = Preset::Quick.spec("two arms", &names);
    spec.load.truncate(1);
    let variant = |name: &String| -> Variant {
        let given = serde_json::json!({"name": name, "engine": "llama_cpp", "model": format!("secret-folder/{name}.gguf")});
        serde_json::from_value(given).expect("a variant")
    };
    (spec, names.iter().map(variant).collect())
}

fn stat(value: f64) -> Stat {
    Stat {
        n: 20,
        mean: value,
        min: value,
        max: value,
        std: 0.0,
        p50: value,
        p90: value,
        p95: value,
        p99: value,
        p95_certified: false,
        p99_certified: false,
    }
}

fn done(arm: usize, repeat: u32, level: Level) -> MeasuredRun {
    let speed = if arm == 0 { 20.0 } else { 30.0 } + f64::from(repeat) / 10.0;
    let metrics = Metrics {
        requests: RequestCounts { total: 20, successful: 20, ..RequestCounts::default() },
        output_throughput_tok_s: Some(speed),
        ttft_ms: Some(stat(1_000.0 / speed)),
        tpot_ms: Some(stat(500.0 / speed)),
        prompt_tokens: Some(2_000),
        ..Metrics::default()
    };
    MeasuredRun {
        arm,
        level,
        repeat,
        state: RunState::Done,
        attempt: 1,
        progress: RequestProgress { total: 20, done: 20, ..RequestProgress::default() },
        start: None,
        metrics: Some(metrics),
        generator: None,
    }
}

fn runs(spec: &ExperimentSpec) -> Vec<MeasuredRun> {
    let level = spec.levels()[0];
    spec.blocks().into_iter().map(|block| done(block.arm, block.repeat, level)).collect()
}

fn answer(spec: &ExperimentSpec, variants: &[Variant], runs: &[MeasuredRun]) -> ResultView {
    let input = ResultInput { spec, variants, prompts_hash: "abc", runs, starts: &[] };
    build(&input).expect("runs with figures")
}

#[test]
fn a_planted_difference_is_found_drawn_and_tabled() {
    let (spec, variants) = experiment();
    let result = answer(&spec, &variants, &runs(&spec));
    assert_eq!(result.comparisons[0].verdict, Verdict::Better, "{}", result.comparisons[0].reason);
    assert!(result.finding.sentence.contains("q4_0"), "{}", result.finding.sentence);
    assert_eq!(
        result.charts.iter().map(|chart| chart.id.as_str()).collect::<Vec<_>>(),
        ["output-throughput", "ttft", "relative"]
    );
    assert_eq!(result.arms[1].figures[0].as_ref().map(|f| (f.starts, f.requests)), Some((5, 100)));
}

#[test]
fn an_arm_that_lost_a_run_gets_no_verdict_and_its_failures_are_counted() {
    let (spec, variants) = experiment();
    let mut runs = runs(&spec);
    let lost = runs.iter_mut().find(|run| run.arm == 1 && run.repeat == 2).expect("a run");
    lost.state = RunState::Failed;
    lost.metrics = None;
    lost.progress = RequestProgress { total: 20, done: 3, failed: 9, in_flight: 0 };
    let result = answer(&spec, &variants, &runs);
    assert_eq!(result.comparisons[0].verdict, Verdict::NotComparable, "{}", result.comparisons[0].reason);
    assert_eq!(result.arms[1].figures[0].as_ref().map(|f| (f.starts, f.failed)), Some((4, 9)));
    assert_eq!(result.missing, ["q4_0 c=1 repeat 3: failed"]);
}

#[test]
fn a_repeat_that_was_interrupted_is_remarked_on_and_no_folder_leaves_the_house() {
    let (spec, variants) = experiment();
    let mut runs = runs(&spec);
    runs[3].attempt = 2;
    let result = answer(&spec, &variants, &runs);
    let order =
        result.comparisons[0].ledger.iter().find(|entry| entry.field == "interleaving").expect("the order");
    assert!(!order.remark.is_empty(), "{order:?}");
    let text = serde_json::to_string(&result).expect("JSON");
    assert!(text.contains("f16.gguf") && !text.contains("secret-folder"));
}
