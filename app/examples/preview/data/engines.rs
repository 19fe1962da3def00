//! Variants, deployments and logs.

use inferex_app::view::*;
use inferex_model::deployment::{Capacity, DeploymentState, Failure, FailureClass};
use inferex_model::id::{DeploymentId, VariantId};
use inferex_model::variant::{EngineKind, Provenance, ProvenanceKind, RuntimeKind, Variant};
use std::collections::BTreeMap;

use super::*;

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
