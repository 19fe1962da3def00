//! What one worker keeps in mind for the window and the generator's own report.

/// One request as the generator saw it, in microseconds from the run's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) req: u64,
    /// When its place became free.
    pub(crate) due: u64,
    /// When it was sent; `None` when no connection was to be had.
    pub(crate) sent: Option<u64>,
    pub(crate) ended: u64,
    pub(crate) ok: bool,
}

/// One worker's account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) samples: Vec<Sample>,
    pub(crate) connections: u64,
    pub(crate) reused: u64,
    pub(crate) replaced: u64,
    /// When its place stayed empty because no request was left.
    pub(crate) emptied: u64,
}
