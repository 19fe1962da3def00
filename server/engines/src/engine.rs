//! What one kind of server software needs to be started, probed, understood and emptied.
//!
//! Everything here is pure except the look-up of the program and the model file: pages and logs in, values out. An
//! engine does not know where it runs and sends no request itself. Start from [`Engine`]; [`of_kind`] finds one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use inferex_model::deployment::{Capacity, Failure};
use inferex_model::variant::{EngineKind, Variant};
use serde_json::{Map, Value};

use crate::explain::Signature;

pub mod llama_cpp;

/// Where programs and models are looked for; injected so that tests and an unusual installation can say otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnginePaths {
    /// The data folder: `engines/` and `models/` lie in it.
    pub data_dir: PathBuf,
    /// Overrides the llama.cpp server (`INFEREX_LLAMA_SERVER`).
    pub llama_server: Option<PathBuf>,
    /// The search path for programs (`PATH`).
    pub search_path: Option<OsString>,
}

impl EnginePaths {
    /// The paths that this process's environment names.
    #[must_use]
    pub fn from_env(data_dir: PathBuf) -> Self {
        let llama_server = std::env::var_os("INFEREX_LLAMA_SERVER").filter(|value| !value.is_empty());
        Self {
            data_dir,
            llama_server: llama_server.map(PathBuf::from),
            search_path: std::env::var_os("PATH"),
        }
    }

    /// Where a model named by a variant lies: absolute, or below the data folder's `models/`.
    #[must_use]
    pub fn model(&self, model: &str) -> PathBuf {
        self.data_dir.join("models").join(model)
    }

    /// The first file called `name` on the search path.
    #[must_use]
    pub fn on_search_path(&self, name: &str) -> Option<PathBuf> {
        let path = self.search_path.as_ref()?;
        std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| file.is_file())
    }
}

/// Where a started engine shall listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// The address it binds.
    pub host: String,
    /// The port it binds.
    pub port: u16,
}

/// What became of one HTTP request to an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nobody listens.
    Refused,
    /// Connected or sent, but no whole answer within the probe's time; the text says what happened.
    Silent(String),
    /// A whole answer.
    Page {
        /// The HTTP status.
        status: u16,
        /// The body as text, cut at the probe's limit.
        body: String,
    },
}

/// What a health probe means for the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// Nothing listens yet.
    Starting,
    /// It answers and says that it loads its model.
    Loading,
    /// It says that it is healthy; one real completion decides.
    Up,
    /// Neither; the text says what came back.
    Unclear(String),
}

/// One request that a probe sends, relative to the engine's endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeRequest {
    /// The path, for example `/health`.
    pub path: &'static str,
    /// The JSON to post; a GET when absent.
    pub body: Option<Value>,
    /// How long this one request may take.
    pub timeout: Duration,
}

/// The pages that tell what an engine can hold; `None` where a page could not be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct CapacityPages<'a> {
    /// The information page (`/props`).
    pub info: Option<&'a str>,
    /// The list of models (`/v1/models`).
    pub models: Option<&'a str>,
    /// The beginning of the log, where engines print what they resolved.
    pub log: &'a str,
}

/// How an engine's prefix cache is emptied between measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheReset {
    /// Each request can forbid the reuse by setting this boolean field to `false`.
    PerRequest(&'static str),
    /// A POST to this path empties it.
    Post(&'static str),
    /// Only a restart empties it.
    Restart,
}

/// One kind of inference server software.
pub trait Engine: Send + Sync {
    /// Which kind.
    fn kind(&self) -> EngineKind;

    /// Its name as a person writes it, for example `llama.cpp`.
    fn label(&self) -> &'static str;

    /// The program to run, or why there is none.
    fn program(&self, paths: &EnginePaths) -> Result<PathBuf, Failure>;

    /// Refuses a variant that cannot start: a missing model file, arguments that we must set ourselves.
    fn check(&self, variant: &Variant, paths: &EnginePaths) -> Result<(), Failure>;

    /// Where the variant's own arguments want it to listen: a host, a port, or neither.
    fn wanted_listen(&self, variant: &Variant) -> Result<(Option<String>, Option<u16>), Failure>;

    /// The whole command line, program first.
    fn command(&self, variant: &Variant, program: &Path, paths: &EnginePaths, listen: &Listen)
    -> Vec<String>;

    /// Prefixes of environment names that would silently change the engine if they leaked in from our own environment.
    fn foreign_env(&self) -> &'static [&'static str];

    /// The health probe.
    fn health(&self) -> ProbeRequest;

    /// What the health probe's answer means.
    fn read_health(&self, answer: &Answer) -> Readiness;

    /// The page that lists served models.
    fn models(&self) -> ProbeRequest;

    /// Whether that page lists `served`.
    fn serves(&self, models_page: &str, served: &str) -> bool;

    /// The page that tells slots, context and version.
    fn info(&self) -> ProbeRequest;

    /// One real completion of one token.
    fn completion(&self, served: &str) -> ProbeRequest;

    /// Whether that completion produced a token; otherwise what came back instead.
    fn read_completion(&self, answer: &Answer) -> Result<(), String>;

    /// What the engine says it can hold.
    fn read_capacity(&self, pages: CapacityPages<'_>) -> Capacity;

    /// What its failures look like, the most decisive first.
    fn signatures(&self) -> &'static [Signature];

    /// Asks for exactly `tokens` output tokens in an `OpenAI` request body.
    fn fix_output(&self, body: &mut Map<String, Value>, tokens: u32);

    /// How its prefix cache is emptied.
    fn cache_reset(&self) -> CacheReset;
}

/// The engine of that kind, if this build knows how to start it.
#[must_use]
pub fn of_kind(kind: EngineKind) -> Option<&'static dyn Engine> {
    match kind {
        EngineKind::LlamaCpp => Some(&llama_cpp::LlamaCpp),
        EngineKind::Vllm
        | EngineKind::Sglang
        | EngineKind::Trtllm
        | EngineKind::Tgi
        | EngineKind::Simulated => None,
    }
}
