//! The value axis: at most five grid lines at round numbers, covering everything that is drawn.

use crate::number::{is_whole, tick};

/// Round numbers and the range they span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// From low to high, with their texts.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// Steps that read well, as multiples of a power of ten.
const STEPS: [f64; 8] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0];
/// Gaps between at most five lines.
const GAPS: f64 = 4.0;

impl Scale {
    /// Covers `low..=high`. A `baseline` stands among the ticks: by a round step where one allows it, else in place of
    /// the tick beside it.
    pub(crate) fn covering(low: f64, high: f64, zero_based: bool, baseline: Option<f64>) -> Self {
        let (low, high) = if zero_based { (low.min(0.0), high.max(0.0)) } else { (low, high) };
        let (low, high) = if high > low { (low, high) } else { widened(low, zero_based) };
        let on_baseline = |step: f64| baseline.is_none_or(|b| b == 0.0 || is_whole(b / step));
        let steps = || candidates(high - low).filter(|&step| gaps(low, high, step) <= GAPS);
        let step = best(low, high, steps().filter(|&step| on_baseline(step)))
            .filter(|&step| spare(low, high, step) < 2.0)
            .or_else(|| best(low, high, steps()));
        let step = step.unwrap_or(high - low);
        Self::with_step(low, high, step).marking(baseline, step)
    }

    /// Puts `baseline` among the ticks if it is not there; one that would touch its text makes room.
    fn marking(mut self, baseline: Option<f64>, step: f64) -> Self {
        let Some(value) = baseline.filter(|b| *b > self.low && *b < self.high) else { return self };
        if self.ticks.iter().any(|(tick, _)| (tick - value).abs() < step * 1e-6) {
            return self;
        }
        let (low, high) = (self.low, self.high);
        self.ticks.retain(|(tick, _)| *tick <= low || *tick >= high || (tick - value).abs() > step * 0.6);
        if self.ticks.iter().all(|(tick, _)| (tick - value).abs() > step * 0.5) {
            let at = self.ticks.partition_point(|(tick, _)| *tick < value);
            self.ticks.insert(at, (value, tick(value, step / 10.0)));
        }
        self
    }

    fn with_step(low: f64, high: f64, step: f64) -> Self {
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let mut ticks = Vec::new();
        let mut place = first;
        while place <= last && ticks.len() < 8 {
            ticks.push((place * step, tick(place * step, step)));
            place += 1.0;
        }
        Self { low: first * step, high: last * step, ticks }
    }

    /// Only the axis, for a chart without figures.
    pub(crate) fn bare(mut self) -> Self {
        self.ticks.truncate(1);
        self
    }

    /// Where a value lies: 0 at the bottom, 1 at the top.
    pub(crate) fn place(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// All figures are the same: make room around them.
fn widened(value: f64, zero_based: bool) -> (f64, f64) {
    if value == 0.0 {
        return (0.0, 1.0);
    }
    if zero_based {
        (value.min(0.0), value.max(0.0))
    } else {
        (value - value.abs() / 10.0, value + value.abs() / 10.0)
    }
}

fn candidates(span: f64) -> impl Iterator<Item = f64> {
    // A span is at most 2e15 and at least 1e-10: its logarithm is far inside i32.
    #[allow(clippy::cast_possible_truncation)]
    let exponent = (span / GAPS).log10().floor() as i32;
    (exponent..=exponent + 1).flat_map(|e| STEPS.into_iter().map(move |s| s * 10f64.powi(e)))
}

/// The step that wastes least room; of equals the smaller, which is easier to read a figure from.
fn best(low: f64, high: f64, steps: impl Iterator<Item = f64>) -> Option<f64> {
    steps.reduce(|a, b| if spare(low, high, b) < spare(low, high, a) - 1e-9 { b } else { a })
}

/// Drawn span over needed span.
fn spare(low: f64, high: f64, step: f64) -> f64 {
    gaps(low, high, step) * step / (high - low)
}

/// Between how many lines a range lies; a range that ends on a line does not need the next one.
fn gaps(low: f64, high: f64, step: f64) -> f64 {
    (high / step - 1e-9).ceil() - (low / step + 1e-9).floor()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(&Scale::covering(97.0, 437.0, true, None)), ["0", "150", "300", "450"]);
        assert_eq!(texts(&Scale::covering(40.0, 1560.0, true, None)), ["0", "400", "800", "1,200", "1,600"]);
    }

    #[test]
    fn the_baseline_is_a_tick_where_it_can_be() {
        assert_eq!(texts(&Scale::covering(0.97, 1.76, true, Some(1.0))), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        let far = Scale::covering(0.5, 40.0, true, Some(1.0));
        assert!(far.ticks.len() <= 5, "{far:?}");
    }

    #[test]
    fn equal_figures_still_make_an_axis() {
        assert_eq!(texts(&Scale::covering(0.0, 0.0, true, None)), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
        let flat = Scale::covering(5.0, 5.0, false, None);
        assert!(flat.low < 5.0 && flat.high > 5.0);
    }

    proptest! {
        #[test]
        fn covers_with_at_most_five_lines(a in -1e15..1e15f64, b in -1e15..1e15f64, zero in any::<bool>(), base in prop::option::of(0.1..10f64)) {
            let (low, high) = (a.min(b), a.max(b));
            let scale = Scale::covering(low, high, zero, base);
            let slack = (scale.high - scale.low) * 1e-6;
            prop_assert!(scale.low <= low + slack && scale.high >= high - slack, "{scale:?}");
            prop_assert!((2..=5).contains(&scale.ticks.len()), "{scale:?}");
            prop_assert!(!zero || (scale.low <= slack && scale.high >= -slack));
        }
    }
}
