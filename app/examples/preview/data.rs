//! Made-up sample data. No figure here was measured.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::match_same_arms,
    clippy::unnecessary_wraps,
    clippy::wildcard_imports,
    reason = "sample data: small numbers, and read best as tables"
)]

#[path = "data/engines.rs"]
mod engines;
#[path = "data/experiments.rs"]
mod experiments;
#[path = "data/results.rs"]
mod results;

use inferex_model::time::Timestamp;

pub(crate) use engines::*;
pub(crate) use experiments::*;
pub(crate) use results::*;

/// 2026-11-30 14:02:11 UTC.
pub(crate) const NOW: Timestamp = Timestamp(1_796_047_331_000);

/// A name that would be a script, were it not escaped.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>";

const ARMS: [(&str, &str, u64, [f64; 3]); 3] = [
    ("smollm2-135m-f16", "F16", 270_900_000, [97.6, 243.0, 262.0]),
    ("smollm2-135m-q8_0", "Q8_0", 144_800_000, [131.0, 318.0, 350.0]),
    ("smollm2-135m-q4_0", "Q4_0", 91_700_000, [168.0, 402.0, 431.0]),
];

fn ago(minutes: i64) -> Timestamp {
    NOW.plus_ms(-minutes * 60_000)
}
