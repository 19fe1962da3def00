//! What a run was measured on; every value is `None` where the machine does not tell.

use serde::{Deserialize, Serialize};

/// The machine and its state when a block began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Processor as the kernel names it.
    pub cpu_model: Option<String>,
    /// Logical processors that this process may use.
    pub cpus: Option<u32>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Operating system name and version.
    pub os: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// `native`, `wsl2`, `container` or a hypervisor's name.
    pub platform: Option<String>,
    /// GPUs by name; empty when none was found.
    pub gpus: Vec<String>,
    /// GPU driver.
    pub driver: Option<String>,
    /// Load average over one minute when the block began.
    pub load_average: Option<f64>,
    /// Frequency governor of processor 0.
    pub governor: Option<String>,
    /// Version of Inferex.
    pub inferex_version: Option<String>,
}

/// How the load generator fared in one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GeneratorReport {
    /// p99 of (sent − due), milliseconds; due is the moment a place became free or the schedule said.
    pub lateness_p99_ms: Option<f64>,
    /// Processor seconds the generator used over its wall seconds; 1 is one whole processor.
    pub cpu_share: Option<f64>,
    /// Connections opened.
    pub connections: u64,
    /// Requests sent on a connection that had served one before.
    pub reused: u64,
    /// Idle connections found closed before anything of an answer came, each replaced once by a fresh one.
    pub replaced: u64,
    /// Scheduling priority (nice) of the generator's process.
    pub nice: Option<i32>,
    /// Processors the generator may run on, as the kernel lists them (`0-1`).
    pub affinity: Option<String>,
    /// The verdict drawn from the figures above.
    pub verdict: GeneratorVerdict,
    /// Why, in one sentence.
    pub reason: String,
}

/// Whether the generator could have been the bottleneck.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeneratorVerdict {
    /// It kept up.
    NotClientBound,
    /// It did not: the run gets no verdict.
    ClientBound,
    /// It could not be told.
    #[default]
    Unknown,
}
