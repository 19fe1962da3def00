//! Wall-clock time as it is stored and sent; the clock itself is injected.

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The time `ms` milliseconds later (earlier when negative), saturating.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this time; negative when it lies before.
    #[must_use]
    pub const fn since_ms(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Where the present comes from, so that tests can say what time it is.
pub trait Clock: Send + Sync {
    /// The present.
    fn now(&self) -> Timestamp;
}
