//! Shared by the tests: a store in a folder of its own, small experiments, and the whole queue as text.

use std::fmt::Write;
use std::path::PathBuf;

use inferex_model::actor::Actor;
use inferex_model::environment::GeneratorReport;
use inferex_model::experiment::{ExperimentSpec, Load, Preset};
use inferex_model::id::ExperimentId;
use inferex_model::metrics::MetricsDocument;
use inferex_model::run::{RequestProgress, RunState, RunSummary};
use inferex_model::time::Timestamp;
use inferex_model::variant::{EngineKind, Provenance, Variant};
use tempfile::TempDir;

use crate::Store;
use crate::queue::ClaimedBlock;
use crate::users::PasswordHash;

/// Noon of the tests.
pub(crate) const NOW: Timestamp = Timestamp(1_000);
/// When leases of the tests run out.
pub(crate) const LEASE: Timestamp = Timestamp(31_000);

pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

pub(crate) async fn fixture() -> Fixture {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("inferex.db");
    let store = Store::open(&path).await.expect("a fresh database opens");
    Fixture { store, path, _folder: folder }
}

pub(crate) fn hash() -> PasswordHash {
    PasswordHash::new("$argon2id$test".to_owned())
}

pub(crate) fn variant(name: &str) -> Variant {
    Variant {
        name: name.to_owned(),
        engine: EngineKind::LlamaCpp,
        model: format!("{name}.gguf"),
        revision: None,
        served_name: None,
        quantisation: Some("Q8_0".to_owned()),
        dtype: None,
        provenance: Provenance::default(),
        max_model_len: None,
        args: vec!["--parallel".to_owned(), "8".to_owned()],
        env: std::collections::BTreeMap::new(),
        image: None,
        start_deadline: None,
        mounts: Vec::new(),
    }
}

pub(crate) fn spec(arms: usize, repeats: u32, concurrency: &[u32]) -> ExperimentSpec {
    let names: Vec<String> = (0..arms).map(|arm| format!("v{arm}")).collect();
    let load = vec![Load { concurrency: concurrency.to_vec(), requests: 4 }];
    ExperimentSpec { repeats, load, ..Preset::Quick.spec("test", &names) }
}

pub(crate) fn summary() -> RunSummary {
    let progress = RequestProgress { total: 4, done: 4, in_flight: 0, failed: 0 };
    RunSummary::new(MetricsDocument::default(), GeneratorReport::default(), progress)
}

impl Fixture {
    pub(crate) async fn experiment(&self, arms: usize, repeats: u32, concurrency: &[u32]) -> ExperimentId {
        let spec = spec(arms, repeats, concurrency);
        let variants: Vec<Variant> = spec.arm.iter().map(|arm| variant(&arm.name)).collect();
        let created = self.store.create_experiment(&Actor::local(), &spec, &variants, "hash", NOW).await;
        created.expect("the experiment is queued")
    }

    pub(crate) async fn claim(&self) -> Option<ClaimedBlock> {
        self.store.claim_block("host", "driver", NOW, LEASE).await.expect("claiming works")
    }

    /// Leads the first run of a claimed block into a state, by the ordinary way.
    pub(crate) async fn lead(&self, block: &ClaimedBlock, index: usize, to: RunState) {
        let (store, run, attempt) = (&self.store, block.runs[index].id, block.attempt);
        for state in &RunState::ALL[1..=5] {
            let moved = match state {
                RunState::Preparing => store.begin_preparing(run, attempt, NOW).await,
                RunState::Warming => store.begin_warming(run, attempt).await,
                RunState::Measuring => store.begin_measuring(run, attempt, NOW).await,
                RunState::Processing => store.begin_processing(run, attempt).await,
                _ => store.finish_run(run, attempt, &summary(), &[], NOW).await,
            };
            assert!(moved.expect("the step works"), "{run} did not become {state}");
            if *state == to {
                return;
            }
        }
        panic!("{to} is not on the ordinary way");
    }

    /// Every block and run of an experiment, one block a line.
    pub(crate) async fn queue_text(&self, experiment: ExperimentId) -> String {
        let blocks = self.store.blocks_of(experiment).await.expect("blocks read");
        let runs = self.store.runs_of(experiment).await.expect("runs read");
        let mut text = String::new();
        for block in blocks {
            let state = format!("{:?}", block.state).to_lowercase();
            write!(text, "{} r{} {} {state} #{}", block.id, block.repeat, block.arm_name, block.attempt).ok();
            for run in runs.iter().filter(|run| run.block == block.id) {
                write!(text, " | {} {} #{}", run.level.label(), run.state, run.attempt).ok();
            }
            text.push('\n');
        }
        text
    }
}
