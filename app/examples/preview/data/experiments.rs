//! Experiments, runs and reports.

use inferex_app::view::*;
use inferex_model::environment::{Environment, GeneratorReport, GeneratorVerdict};
use inferex_model::experiment::{ExperimentSpec, Preset};
use inferex_model::id::{DeploymentId, ExperimentId, ReportId, RunId, ShareId};
use inferex_model::metrics::{
    Invariant, Metrics, MetricsDocument, RequestCounts, RequestRow, Stat, TokenSource,
};
use inferex_model::run::{ExperimentState, RequestProgress, RunState};
use std::collections::BTreeMap;

use super::*;

pub(crate) fn spec(full: bool, name: &str) -> ExperimentSpec {
    let names: Vec<String> = ARMS.iter().map(|arm| arm.0.to_owned()).collect();
    (if full { Preset::Full } else { Preset::Quick }).spec(name, &names)
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

pub(super) fn stat(p50: f64, n: u64) -> Option<Stat> {
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
