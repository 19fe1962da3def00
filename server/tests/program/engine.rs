//! The scripted engine (`examples/scripted_engine.rs`): where it is, and what it recorded.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The program, which cargo builds beside the tests.
pub(super) fn program() -> PathBuf {
    let beside = Path::new(env!("CARGO_BIN_EXE_inferex")).parent().expect("a folder");
    let program = beside.join("examples/scripted_engine");
    assert!(
        program.is_file(),
        "{} is missing; run `cargo build -p inferex --examples` first",
        program.display()
    );
    program
}

/// What engines wrote down.
pub(super) struct Record(Vec<Value>);

impl Record {
    pub(super) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // A line that is being written is no line yet.
        Self(text.split_inclusive('\n').filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Names of the engines in the order of their starts.
    pub(super) fn starts(&self) -> Vec<&str> {
        self.0.iter().filter_map(|line| line["started"].as_str()).collect()
    }

    /// Process ids in the order of their starts.
    pub(super) fn pids(&self) -> Vec<i32> {
        let pids = self.0.iter().filter_map(|line| line["pid"].as_i64());
        pids.map(|pid| i32::try_from(pid).expect("a process id")).collect()
    }

    /// The prompts that an engine was sent.
    pub(super) fn prompts(&self, engine: &str) -> Vec<&str> {
        let asked = self.0.iter().filter(|line| line["asked"] == engine);
        asked.filter_map(|line| line["prompt"].as_str()).collect()
    }
}
