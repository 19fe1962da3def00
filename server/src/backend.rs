//! What the ports share: the store, the clock, the fleet, the queue's signals and the cache of results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inferex_engines::engine::{self, EnginePaths};
use inferex_model::time::{Clock, Timestamp};
use inferex_model::variant::{EngineKind, RuntimeKind, Variant};
use inferex_store::Store;

use crate::config::PublicUrl;
use crate::fleet::Fleet;
use crate::home::Home;
use crate::queue::Signals;
use crate::results_cache::ResultCache;

/// The services behind the ports; one per process.
pub(crate) struct Backend {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) home: Home,
    /// Where engines and models are looked for.
    pub(crate) paths: EnginePaths,
    /// Engines that run now.
    pub(crate) fleet: Fleet,
    /// Wakes and cancels the queue's driver.
    pub(crate) signals: Signals,
    pub(crate) results: ResultCache,
    /// The address that share links begin with.
    pub(crate) public_url: PublicUrl,
    /// This program, for its children.
    pub(crate) self_exe: PathBuf,
}

impl Backend {
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The model file of a variant, when its engine reads local files.
    pub(crate) fn model_file(&self, variant: &Variant) -> Option<PathBuf> {
        (variant.engine == EngineKind::LlamaCpp).then(|| self.paths.model(&variant.model))
    }

    /// Why a variant cannot be started now, in one sentence; nothing is spawned to find out.
    pub(crate) fn blocked(&self, variant: &Variant, runtime: RuntimeKind) -> Option<String> {
        if runtime != RuntimeKind::Process {
            return Some(format!("the runtime {runtime} is not available yet; use process"));
        }
        let Some(engine) = engine::of_kind(variant.engine) else {
            return Some(format!("the engine {} is not available yet; use llama_cpp", variant.engine));
        };
        let refused = engine.check(variant, &self.paths).and_then(|()| engine.program(&self.paths).map(drop));
        refused.err().map(|failure| format!("{} {}", failure.sentence, failure.hint))
    }
}

/// Bytes of a file, when it is there.
pub(crate) fn file_bytes(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len())
}

/// The real clock.
#[derive(Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
