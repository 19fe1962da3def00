//! Answers already computed: thousands of bootstrap draws are made once per state of an experiment, not per page view.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use inferex_app::view::ResultView;
use inferex_model::id::ExperimentId;

/// Experiments whose answers are kept.
const KEPT: usize = 64;

/// Answers by experiment; each is valid for as many runs that are over as it was made from.
#[derive(Debug, Default)]
pub(crate) struct ResultCache {
    entries: Mutex<HashMap<ExperimentId, Entry>>,
}

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    result: Option<ResultView>,
}

/// The answer has to be computed.
#[derive(Debug)]
pub(crate) struct NotKept;

/// What an answer depends on: which runs are over, and in which attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp(pub(crate) Vec<(i64, u32)>);

impl ResultCache {
    /// The answer made from the same runs; `Err` when none was kept.
    pub(crate) fn get(&self, id: ExperimentId, stamp: &Stamp) -> Result<Option<ResultView>, NotKept> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        match entries.get(&id) {
            Some(entry) if entry.stamp == *stamp => Ok(entry.result.clone()),
            _ => Err(NotKept),
        }
    }

    /// Keeps an answer.
    pub(crate) fn put(&self, id: ExperimentId, stamp: Stamp, result: Option<ResultView>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= KEPT && !entries.contains_key(&id) {
            entries.clear();
        }
        entries.insert(id, Entry { stamp, result });
    }
}
