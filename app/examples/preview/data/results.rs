//! A result with its charts.

use inferex_app::view::*;
use inferex_model::comparison::{Comparison, GatedMetric, LedgerEntry, MetricComparison, Verdict};
use inferex_model::experiment::Level;
use std::fmt::Write as _;

use super::*;

pub(super) fn estimate(median: f64, share: f64) -> Option<Estimate> {
    Some(Estimate { median, low: Some(median * (1.0 - share)), high: Some(median * (1.0 + share)) })
}

pub(super) fn figures(arm: usize, level: usize) -> ArmFigures {
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

pub(super) fn arm(index: usize) -> ArmView {
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

pub(super) fn comparison(index: usize) -> Comparison {
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

pub(super) fn svg(width: u32, scale: f64) -> String {
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
        let _ = write!(
            lines,
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

pub(super) fn chart(id: &str, title: &str, note: &str, scale: f64) -> ChartView {
    let row = |arm: &(&str, &str, u64, [f64; 3])| {
        std::iter::once(arm.0.to_owned()).chain(arm.3.iter().map(ToString::to_string)).collect()
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
