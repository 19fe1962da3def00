//! Made-up sample data. No figure here was measured.

use std::collections::BTreeMap;

use inferex_app::view::*;
use inferex_model::comparison::{Comparison, GatedMetric, LedgerEntry, MetricComparison, Verdict};
use inferex_model::deployment::{Capacity, DeploymentState, Failure, FailureClass};
use inferex_model::environment::{Environment, GeneratorReport, GeneratorVerdict};
use inferex_model::experiment::{ExperimentSpec, Level, Preset};
use inferex_model::id::{DeploymentId, ExperimentId, ReportId, RunId, ShareId, VariantId};
use inferex_model::metrics::{
    Invariant, Metrics, MetricsDocument, RequestCounts, RequestRow, Stat, TokenSource,
};
use inferex_model::run::{ExperimentState, RequestProgress, RunState};
use inferex_model::time::Timestamp;
use inferex_model::variant::{EngineKind, Provenance, ProvenanceKind, RuntimeKind, Variant};

/// 2026-11-30 14:02:11 UTC.
pub(crate) const NOW: Timestamp = Timestamp(1_796_047_331_000);
/// A name that would be a script, were it not escaped.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>";
const ARMS: [(&str, &str, u64, [f64; 3]); 3] = [
    ("smollm2-135m-f16", "F16", 270_900_000, [97.6, 243.0, 262.0]),
    ("smollm2-135m-q8_0", "Q8_0", 144_800_000, [131.0, 318.0, 350.0]),
    ("smollm2-135m-q4_0", "Q4_0", 91_700_000, [168.0, 402.0, 431.0]),
];

fn ago(minutes: i64) -> Timestamp {
    NOW.plus_ms(-minutes * 60_000)
}

pub(crate) fn variant(index: usize) -> Variant {
    let (name, quantisation, ..) = ARMS[index];
    Variant {
        name: name.into(),
        engine: EngineKind::LlamaCpp,
        model: format!("/var/lib/inferex/models/SmolLM2-135M-Instruct.{quantisation}.gguf"),
        revision: None,
        served_name: None,
        quantisation: Some(quantisation.into()),
        dtype: None,
        provenance: Provenance {
            kind: ProvenanceKind::SelfMade,
            from: Some("Q4_1".into()),
            recipe: Some("requantised with numpy".into()),
            calibration: None,
        },
        max_model_len: Some(2048),
        args: ["--parallel", "8", "-c", "16384", "-t", "2"].map(String::from).to_vec(),
        env: BTreeMap::new(),
        image: None,
        start_deadline: None,
        mounts: vec![],
    }
}

pub(crate) fn variants() -> Vec<VariantView> {
    let mut views: Vec<_> = (0..3)
        .map(|i| VariantView {
            id: VariantId(i as i64 + 1),
            variant: variant(i),
            file_bytes: Some(ARMS[i].2),
            blocked: None,
        })
        .collect();
    let mut broken = variant(2);
    broken.name = "my-own-model".into();
    views.push(VariantView {
        id: VariantId(9),
        variant: broken,
        file_bytes: None,
        blocked: Some("the model file does not exist".into()),
    });
    views
}

pub(crate) fn capacity() -> Capacity {
    Capacity {
        slots: Some(8),
        context_per_request: Some(2048),
        kv_tokens: Some(16_384),
        weight_bytes: Some(270_900_000),
        parameters: Some(134_515_008),
        resolved_quantisation: Some("F16".into()),
        engine_version: Some("llama.cpp b10434".into()),
        trained_context: None,
    }
}

pub(crate) fn deployment(id: i64) -> DeploymentView {
    let state = match id {
        7 => DeploymentState::Ready,
        8 => DeploymentState::Loading,
        9 => DeploymentState::Failed,
        _ => DeploymentState::Stopped,
    };
    let failure = (id == 9).then(|| Failure {
        class: FailureClass::ModelUnreadable, exit_code: Some(1), sentence: "llama-server cannot read my-own-model.gguf: it is not a GGUF file".into(),
        hint: "Check the download: the file begins with `<!DOCTYPE`, so a web page was saved instead of the model.".into(),
        lines: vec!["gguf_init_from_file: invalid magic characters '<!DO'".into(), "error: failed to load model '/models/my-own-model.gguf'".into()],
    });
    let steps = [
        DeploymentState::Pending,
        DeploymentState::Starting,
        DeploymentState::Loading,
        DeploymentState::Warming,
        DeploymentState::Ready,
    ];
    let mut timeline: Vec<_> = steps
        .iter()
        .zip([0, 40, 310, 1_900, 2_450])
        .map(|(state, ms)| TransitionView { state: *state, at: ago(4).plus_ms(ms), reason: None })
        .collect();
    if id == 8 {
        timeline.truncate(3);
    }
    if id == 9 {
        timeline.truncate(2);
        timeline.push(TransitionView { state, at: ago(3), reason: Some("exit code 1".into()) });
    }
    DeploymentView {
        id: DeploymentId(id),
        variant: ARMS[(id % 3) as usize].0.into(),
        engine: EngineKind::LlamaCpp,
        runtime: RuntimeKind::Process,
        owner: if id == 8 { "exp-14".into() } else { "ada".into() },
        person_started: id != 8,
        state,
        reason: (id == 8).then(|| "loading the model, 62 %".into()),
        endpoint: Some("http://127.0.0.1:41907".into()),
        capacity: (id == 7).then(capacity),
        failure,
        timeline,
        command: [
            "llama-server",
            "-m",
            "models/SmolLM2-135M-Instruct.F16.gguf",
            "--host",
            "127.0.0.1",
            "--port",
            "41907",
            "--parallel",
            "8",
            "-c",
            "16384",
            "--metrics",
            "--slots",
            "--props",
            "-t",
            "2",
        ]
        .map(String::from)
        .to_vec(),
        created_at: ago(4),
    }
}

pub(crate) fn log(from: Option<u64>, limit: u32) -> LogPage {
    let total = 412;
    let first = from.unwrap_or(total - u64::from(limit).min(total)).min(total);
    let line = |n: u64| match n % 9 {
        0 => format!("slot launch_slot_: id {} | task {n} | processing task", n % 8),
        3 => format!("warn: the client sent {HOSTILE} as a stop word"),
        5 => format!(
            "srv  log_server_r: request: POST /v1/chat/completions 127.0.0.1 200 in {} ms with a rather long tail that reaches beyond the right edge of any phone",
            n * 7
        ),
        _ => format!("prompt eval time = {n:>8}.12 ms / 118 tokens"),
    };
    LogPage { first, lines: (first..total.min(first + u64::from(limit))).map(line).collect(), total }
}

pub(crate) fn setup(empty: bool) -> EngineSetupView {
    if empty {
        return EngineSetupView::default();
    }
    EngineSetupView {
        installed: true,
        program: Some("llama-server b10434".into()),
        running: false,
        lines: vec!["[12 s] checked SHA-256".into()],
        failed: None,
    }
}

pub(crate) fn spec(full: bool, name: &str) -> ExperimentSpec {
    let names: Vec<String> = ARMS.iter().map(|arm| arm.0.to_owned()).collect();
    (if full { Preset::Full } else { Preset::Quick }).spec(name, &names)
}

fn estimate(median: f64, share: f64) -> Option<Estimate> {
    Some(Estimate { median, low: Some(median * (1.0 - share)), high: Some(median * (1.0 + share)) })
}

fn figures(arm: usize, level: usize) -> ArmFigures {
    let (c, speed) = ([1.0, 8.0, 32.0][level], ARMS[arm].3[level]);
    let ttft = [52.0, 260.0, 1490.0][level] * [1.0, 0.84, 0.7][arm];
    ArmFigures {
        starts: 5,
        output_throughput_tok_s: estimate(speed, 0.022),
        per_request_tok_s: estimate(speed / c * 0.93, 0.03),
        request_throughput_rps: estimate(speed / 64.0, 0.02),
        ttft_p50_ms: estimate(ttft * 0.8, 0.04),
        ttft_p95_ms: estimate(ttft, 0.06),
        ttft_p99_ms: estimate(ttft * 1.1, 0.09),
        tpot_p50_ms: estimate(c * 1000.0 / speed, 0.02),
        tpot_p95_ms: estimate(c * 1080.0 / speed, 0.03),
        e2e_p50_ms: estimate(64_000.0 * c / speed, 0.02),
        e2e_p95_ms: estimate(70_000.0 * c / speed, 0.02),
        e2e_p99_ms: estimate(72_000.0 * c / speed, 0.03),
        samples: [250, 250, 640][level],
        p95_firm: true,
        p99_firm: level == 2,
        requests: [250, 250, 640][level],
        failed: if arm == 1 && level == 2 { 3 } else { 0 },
        mean_in_flight: Some(c * 0.96),
        cached_share: Some(0.0),
        prompt_tokens: Some(5_120),
        client_bound: 0,
        ramp_dominated: false,
    }
}

fn arm(index: usize) -> ArmView {
    let (name, quantisation, bytes, _) = ARMS[index];
    ArmView {
        name: name.into(),
        slot: index,
        engine: "llama_cpp".into(),
        engine_version: Some("llama.cpp b10434".into()),
        model: format!("SmolLM2-135M-Instruct.{quantisation}.gguf"),
        quantisation: Some(quantisation.into()),
        resolved_quantisation: Some(quantisation.into()),
        provenance: "made here from Q4_1, requantised with numpy".into(),
        weight_bytes: Some(bytes),
        kv_tokens: Some(16_384),
        slots: Some(8),
        context_per_request: Some(2048),
        arguments: ["--parallel", "8", "-c", "16384", "-t", "2"].map(String::from).to_vec(),
        figures: (0..3).map(|level| Some(figures(index, level))).collect(),
    }
}

fn comparison(index: usize) -> Comparison {
    let metric = |level: usize, name: GatedMetric| {
        let pick = |f: ArmFigures| match name {
            GatedMetric::OutputThroughput => f.output_throughput_tok_s,
            GatedMetric::TtftP95 => f.ttft_p95_ms,
            GatedMetric::TpotP95 => f.tpot_p95_ms,
        };
        let (b, c) =
            (pick(figures(0, level)).map(|e| e.median), pick(figures(index, level)).map(|e| e.median));
        let ratio = b.zip(c).map(|(b, c)| c / b);
        let weak = index == 1 && level == 0 && name == GatedMetric::TtftP95;
        MetricComparison {
            level: format!("c={}", [1, 8, 32][level]),
            name,
            baseline: b,
            candidate: c,
            ratio,
            ci: ratio.map(|r| [r * 0.97, r * 1.025]),
            p: Some(if weak { 0.15 } else { 0.0238 }),
            reachable_p: Some(0.0079),
            blocks: [5, 5],
            verdict: if weak { Verdict::NoDifferenceShown } else { Verdict::Better },
        }
    };
    let entry = |field: &str, b: &str, c: &str, remark: &str| LedgerEntry {
        field: field.into(),
        baseline: b.into(),
        candidate: c.into(),
        differs: b != c,
        forbids_verdict: false,
        remark: remark.into(),
    };
    Comparison {
        baseline: ARMS[0].0.into(),
        candidate: ARMS[index].0.into(),
        verdict: Verdict::Better,
        reason: "better on output throughput at every level, p = 0.024 after adjustment".into(),
        metrics: (0..3).flat_map(|level| GatedMetric::ALL.map(|name| metric(level, name))).collect(),
        ledger: vec![
            entry(
                "weights_hash",
                "9f2c…71",
                if index == 1 { "b01d…44" } else { "77aa…0e" },
                "That is the subject; both descend from Q4_1, so neither equals the published weights.",
            ),
            entry("prompt_tokens", "5,120", "5,120", ""),
            entry("prefix_cache", "cold, 0.0 % hits", "cold, 0.0 % hits", ""),
            entry("engine_version", "llama.cpp b10434", "llama.cpp b10434", ""),
        ],
    }
}

fn svg(width: u32, scale: f64) -> String {
    let mut lines = String::new();
    for arm in ARMS {
        let points: Vec<String> = arm
            .3
            .iter()
            .enumerate()
            .map(|(i, v)| {
                format!("{:.0},{:.0}", 44.0 + i as f64 * f64::from(width - 150) / 2.0, 200.0 - v * scale)
            })
            .collect();
        lines += &format!(
            "<polyline class=\"sample-{}\" points=\"{}\"/>",
            ARMS.iter().position(|a| a.0 == arm.0).unwrap_or(0) + 1,
            points.join(" ")
        );
    }
    format!(
        "<svg viewBox=\"0 0 {width} 240\" width=\"{width}\" height=\"240\" role=\"img\" aria-label=\"A sample picture\"><line class=\"sample-axis\" x1=\"40\" x2=\"{}\" y1=\"200\" y2=\"200\"/>{lines}</svg>",
        width - 10
    )
}

pub(crate) fn chart_css() -> &'static str {
    "@layer charts { .sample-axis { stroke: var(--line-strong); } polyline { fill: none; stroke-width: 2; } .sample-1 { stroke: var(--arm-1); } .sample-2 { stroke: var(--arm-2); stroke-dasharray: 6 3; } .sample-3 { stroke: var(--arm-3); stroke-dasharray: 2 3; } }"
}

fn chart(id: &str, title: &str, note: &str, scale: f64) -> ChartView {
    let row = |arm: &(&str, &str, u64, [f64; 3])| {
        std::iter::once(arm.0.to_owned()).chain(arm.3.iter().map(|v| v.to_string())).collect()
    };
    ChartView {
        id: id.into(),
        title: title.into(),
        note: note.into(),
        wide: svg(680, scale),
        narrow: svg(400, scale),
        small: svg(300, scale),
        table: DataTable {
            head: ["Arm", "c=1 tok/s", "c=8 tok/s", "c=32 tok/s"].map(String::from).to_vec(),
            rows: ARMS.iter().map(row).collect(),
        },
    }
}

pub(crate) fn result() -> ResultView {
    ResultView {
        definitions_version: 1,
        finding: FindingView {
            sentence: "Q4_0 serves 1.65 × the tokens of F16 at concurrency 32".into(),
            uncertainty: "95 % interval 1.60–1.69, p = 0.024, n = 5 against 5".into(),
            beware: vec![
                "Queueing starts at 8: the engine has 8 slots, so 32 mostly waits.".into(),
                "All three descend from Q4_1: look at quality before choosing one.".into(),
            ],
        },
        arms: (0..3).map(arm).collect(),
        levels: [1, 8, 32].map(|c| Level::closed(c, 50)).to_vec(),
        comparisons: vec![comparison(1), comparison(2)],
        charts: vec![
            chart(
                "throughput",
                "Output throughput",
                "tok/s, all requests together · band: 95 % over 5 starts",
                0.4,
            ),
            chart("latency", "Time to first token, p95", "ms · lower is better · same bands", 0.3),
            chart("relative", "Relative to F16", "output throughput ÷ F16 · above 1 is faster", 0.35),
        ],
        machine: MachineView {
            cpu_model: Some("Invented CPU 2.4 GHz".into()),
            cpus: Some(2),
            memory_bytes: Some(25_800_000_000),
            os: Some("Debian 12".into()),
            platform: Some("native".into()),
            gpus: vec![],
        },
        workload: "inferex-50, 64 tokens out, 5 starts each".into(),
        prompts_hash: "5d41402abc4b2a76b9719d911017c592aa".into(),
        missing: vec!["smollm2-135m-q8_0, c=32, start 2: failed: engine exited 137".into()],
    }
}

/// `exp-12` is done, `exp-13` is hostile and failed, `exp-14` runs.
pub(crate) fn experiment(id: i64) -> ExperimentView {
    let name = if id == 13 { HOSTILE } else { "Quantisation on this machine" };
    let spec = spec(true, name);
    let levels = spec.levels();
    let mut cells = Vec::new();
    for block in spec.blocks() {
        for level in &levels {
            let n = cells.len();
            let state = match (id, n) {
                (13, _) => RunState::Failed,
                (_, 17) => RunState::Failed,
                (14, 30) => RunState::Measuring,
                (14, 28) => RunState::Interrupted,
                (14, 31..) => RunState::Queued,
                _ => RunState::Done,
            };
            cells.push(RunCell {
                id: RunId(100 + n as i64),
                arm: block.arm,
                level: *level,
                repeat: block.repeat,
                state,
                reason: (state == RunState::Failed).then(|| format!("engine exited 137 {HOSTILE}")),
                progress: RequestProgress { total: 50, done: 29, in_flight: 8, failed: 0 },
            });
        }
    }
    let of = |state| cells.iter().filter(|c| c.state == state).count() as u64;
    let runs = RunCounts {
        total: cells.len() as u64,
        done: of(RunState::Done),
        failed: of(RunState::Failed),
        cancelled: 0,
        interrupted: of(RunState::Interrupted),
        active: of(RunState::Measuring),
    };
    let state = match id {
        14 => ExperimentState::Running,
        13 => ExperimentState::Failed,
        _ => ExperimentState::Partial,
    };
    let eta_s = (id == 14).then_some(412);
    ExperimentView {
        row: ExperimentRow {
            id: ExperimentId(id),
            name: name.into(),
            state,
            arms: ARMS.iter().map(|a| a.1.to_owned()).collect(),
            runs,
            created_at: ago(40),
            created_by: "ada".into(),
            eta_s,
        },
        started_at: Some(ago(36)),
        ended_at: (id != 14).then(|| ago(5)),
        toml: "name = \"quantisation on this machine\"\nrepeats = 5\n".into(),
        spec,
        cells,
        progress: ExperimentProgress {
            requests: RequestProgress { total: 2_460, done: 1_489, in_flight: 8, failed: 1 },
            tok_s: Some(318.4),
            eta_s,
            now: "Measuring smollm2-135m-q8_0 at 8 requests in flight, start 4 of 5".into(),
            position: None,
        },
        result: (id != 13).then(result),
        commands: vec![CommandView {
            label: "The same experiment".into(),
            text: "inferex experiment run quantisation.toml --wait".into(),
        }],
    }
}

fn stat(p50: f64, n: u64) -> Option<Stat> {
    Some(Stat {
        n,
        mean: p50 * 1.02,
        min: p50 * 0.7,
        max: p50 * 1.9,
        std: p50 * 0.2,
        p50,
        p90: p50 * 1.3,
        p95: p50 * 1.42,
        p99: p50 * 1.8,
        p95_certified: n >= 130,
        p99_certified: n >= 662,
    })
}

pub(crate) fn run(id: i64) -> RunView {
    let view = experiment(12);
    let cell = view.cells.iter().find(|c| c.id.0 == id).unwrap_or(&view.cells[0]).clone();
    let done = cell.state == RunState::Done;
    let metrics = Metrics {
        requests: RequestCounts {
            total: 50,
            successful: 49,
            failed: 1,
            cut: 0,
            by_class: BTreeMap::from([("timeout".into(), 1)]),
        },
        ttft_ms: stat(213.0, 49),
        ttft_answer_ms: stat(213.0, 49),
        tpot_ms: stat(24.1, 49),
        itl_ms: stat(23.8, 3_087),
        e2e_ms: stat(1_730.0, 49),
        output_tokens: Some(3_136),
        output_tokens_source: Some(TokenSource::Usage),
        prompt_tokens: Some(5_120),
        cached_tokens: Some(0),
        output_throughput_tok_s: Some(318.2),
        request_throughput_rps: Some(4.97),
        per_request_tok_s: stat(37.0, 49),
        peak_in_flight: Some(8),
        mean_in_flight: Some(7.7),
        duration_s: Some(9.86),
        ..Metrics::default()
    };
    let document = MetricsDocument {
        definitions: BTreeMap::from([("inferex".into(), metrics)]),
        invariants: vec![
            Invariant {
                name: "itl_sums_to_span".into(),
                holds: Some(true),
                detail: "last token − first token = Σ itl for 49 of 49".into(),
            },
            Invariant {
                name: "littles_law".into(),
                holds: Some(false),
                detail: "7.7 in flight against 8.6 = rate × mean latency".into(),
            },
            Invariant {
                name: "client_tokens_equal_engine_tokens".into(),
                holds: None,
                detail: "the engine's counters were not scraped".into(),
            },
        ],
    };
    RunView {
        id: RunId(id), experiment: ExperimentId(12), experiment_name: view.row.name, arm: ARMS[cell.arm].0.into(), arm_index: cell.arm, level: cell.level, repeat: cell.repeat, state: cell.state, reason: cell.reason, attempt: 1,
        started_at: Some(ago(21)), ended_at: Some(ago(20)), progress: RequestProgress { total: 50, done: 49, in_flight: 0, failed: 1 }, document: done.then_some(document),
        generator: done.then(|| GeneratorReport { replaced: 0, lateness_p99_ms: Some(0.42), cpu_share: Some(0.06), connections: 8, reused: 42, nice: Some(0), affinity: Some("0-1".into()), verdict: GeneratorVerdict::NotClientBound, reason: "lateness p99 is 0.42 ms and it used 6 % of a processor".into() }),
        workload: view.spec.workload, prompts_hash: "5d41402abc4b2a76b9719d911017c592aa0f5d41402abc4b2a76b9719d911017".into(), variant: variant(cell.arm), capacity: Some(capacity()),
        environment: Some(Environment { cpu_model: Some("Invented CPU 2.4 GHz".into()), cpus: Some(2), memory_bytes: Some(25_800_000_000), os: Some("Debian 12".into()), kernel: Some("6.1.0".into()), platform: Some("native".into()), load_average: Some(0.31), governor: None, inferex_version: Some("0.1.0".into()), ..Environment::default() }),
        deployment: Some(DeploymentId(7)), commands: vec![CommandView { label: "This run alone".into(), text: "inferex bench --url http://127.0.0.1:41907 --model smollm2-135m-f16 --prompts inferex-50 --concurrency 8 --requests 50".into() }],
    }
}

pub(crate) fn requests(offset: u64, limit: u32) -> Vec<RequestRow> {
    (offset..(offset + u64::from(limit)).min(50))
        .map(|req| RequestRow {
            req,
            sent_ms: Some(req as f64 * 190.3),
            ttft_ms: (req != 7).then_some(190.0 + req as f64),
            tpot_ms: (req != 7).then_some(24.2),
            e2e_ms: (req != 7).then_some(1_700.0 + req as f64 * 3.0),
            prompt_tokens: Some(102),
            output_tokens: Some(64),
            cached_tokens: Some(0),
            finish: (req != 7).then(|| "length".into()),
            error: (req == 7).then(|| "timeout".into()),
        })
        .collect()
}

pub(crate) fn snapshot() -> ReportSnapshot {
    ReportSnapshot {
        version: 1,
        title: "F16, Q8_0 and Q4_0 on a laptop".into(),
        frozen_at: ago(2),
        started_at: Some(ago(36)),
        ended_at: Some(ago(5)),
        result: result(),
    }
}

pub(crate) fn report() -> ReportView {
    let shares = vec![
        ShareView {
            id: ShareId(3),
            created_at: ago(1),
            expires_at: Some(NOW.plus_ms(600_000_000)),
            revoked_at: None,
            live: true,
        },
        ShareView {
            id: ShareId(2),
            created_at: ago(90),
            expires_at: None,
            revoked_at: Some(ago(30)),
            live: false,
        },
    ];
    let snapshot = snapshot();
    ReportView {
        row: ReportRow {
            id: ReportId(4),
            title: snapshot.title.clone(),
            experiment: Some(ExperimentId(12)),
            sentence: snapshot.result.finding.sentence.clone(),
            created_at: ago(2),
            created_by: "ada".into(),
            live_shares: 1,
        },
        snapshot,
        shares,
    }
}
