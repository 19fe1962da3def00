//! A series after its numbers and texts have been made safe.

use crate::input::{Point, Reading, Series};
use crate::number::{figure, usable};
use crate::slot::Slot;
use crate::text;

/// What stands at one level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    Gap,
    Failed(String),
    At(Figure),
}

/// A figure that can be drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figure {
    pub(crate) y: f64,
    /// Low ≤ high.
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) weak: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trace {
    pub(crate) name: String,
    pub(crate) slot: Slot,
    /// From 0, in the chart's order.
    pub(crate) place: usize,
    /// Exactly one a level.
    pub(crate) marks: Vec<Mark>,
}

impl Trace {
    pub(crate) fn new(place: usize, series: &Series, levels: usize) -> Self {
        let mark = |level| series.points.get(level).map_or(Mark::Gap, Mark::new);
        Self {
            name: text::name(&series.name),
            slot: series.slot,
            place,
            marks: (0..levels).map(mark).collect(),
        }
    }

    pub(crate) fn figures(&self) -> impl DoubleEndedIterator<Item = (usize, Figure)> {
        self.marks.iter().enumerate().filter_map(|(level, mark)| match mark {
            Mark::At(figure) => Some((level, *figure)),
            _ => None,
        })
    }

    /// Unbroken stretches of figures, with the levels they stand at.
    pub(crate) fn stretches(&self) -> Vec<Vec<(usize, Figure)>> {
        let mut stretches: Vec<Vec<(usize, Figure)>> = Vec::new();
        for (level, figure) in self.figures() {
            match stretches.last_mut() {
                Some(open) if open.last().is_some_and(|(last, _)| last + 1 == level) => {
                    open.push((level, figure));
                }
                _ => stretches.push(vec![(level, figure)]),
            }
        }
        stretches
    }
}

impl Mark {
    pub(crate) fn new(reading: &Reading) -> Self {
        match reading {
            Reading::Missing => Self::Gap,
            Reading::Failed(reason) => Self::Failed(text::clean(reason)),
            Reading::Value(point) => Figure::new(point).map_or(Self::Gap, Self::At),
        }
    }

    /// The words of a table's cell (without a unit) and of the hover text.
    pub(crate) fn words(&self, unit: &str) -> String {
        match self {
            Self::Gap => "not reported".to_owned(),
            Self::Failed(reason) if reason.is_empty() => "failed".to_owned(),
            Self::Failed(reason) => format!("failed: {reason}"),
            Self::At(at) => at.words(unit),
        }
    }
}

impl Figure {
    fn new(point: &Point) -> Option<Self> {
        let interval = point.low.and_then(usable).zip(point.high.and_then(usable));
        let interval = interval.map(|(a, b)| (a.min(b), a.max(b)));
        Some(Self { y: usable(point.y)?, interval, weak: point.weak })
    }

    fn words(self, unit: &str) -> String {
        let interval = self.interval.map(|(low, high)| format!(" ({} to {})", figure(low), figure(high)));
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let weak = if self.weak { ", few samples" } else { "" };
        format!("{}{}{unit}{weak}", figure(self.y), interval.unwrap_or_default())
    }
}
