//! How many requests were in flight, by sweeping over their beginnings and ends.

/// A span of time in microseconds: start inclusive, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Range {
    /// Its length in microseconds; `None` when it is empty.
    pub(super) fn length(self) -> Option<f64> {
        self.to.checked_sub(self.from).filter(|us| *us > 0).map(|us| us as f64)
    }

    pub(super) fn holds(self, t: u64) -> bool {
        (self.from..self.to).contains(&t)
    }
}

/// The depth of a set of intervals within a range.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Depth {
    pub(super) peak: Option<u64>,
    pub(super) mean: Option<f64>,
}

/// Sweeps over `intervals` (start, end), clipped to `range`. A place freed and filled in the same microsecond
/// counts once.
pub(super) fn depth(intervals: &[(u64, u64)], range: Range) -> Depth {
    let Some(length) = range.length() else { return Depth::default() };
    let mut turns: Vec<(u64, i8)> = intervals
        .iter()
        .map(|(start, end)| ((*start).max(range.from), (*end).min(range.to)))
        .filter(|(start, end)| start < end)
        .flat_map(|(start, end)| [(start, 1), (end, -1)])
        .collect();
    turns.sort_unstable();
    let (mut now, mut peak, mut at, mut area) = (0_u64, 0_u64, range.from, 0.0_f64);
    for (t, turn) in turns {
        area += now as f64 * (t - at) as f64;
        at = t;
        now = now.saturating_add_signed(i64::from(turn));
        peak = peak.max(now);
    }
    // A request without any length was there, too.
    let touched = intervals.iter().any(|(start, _)| range.holds(*start));
    Depth { peak: Some(peak.max(u64::from(touched))), mean: Some(area / length) }
}
