//! One plot: grid, levels, bands, lines, markers and the names at the lines' ends.

mod axes;
mod names;

use crate::layout::Frame;
use crate::number::{figure, usable};
use crate::scale::Scale;
use crate::scene::{Item, Role, Shape, Spot, marker};
use crate::trace::{Figure, Mark, Trace};

/// What a panel is drawn from.
pub(crate) struct Panel<'a> {
    pub(crate) frame: Frame,
    pub(crate) scale: &'a Scale,
    pub(crate) traces: &'a [Trace],
    /// Names as they fit, by trace.
    pub(crate) labels: &'a [String],
    pub(crate) levels: &'a [String],
    /// `concurrency`, for hover texts.
    pub(crate) level_label: &'a str,
    /// `tok/s`, for hover texts.
    pub(crate) unit: &'a str,
    pub(crate) heading: Option<&'a str>,
    pub(crate) baseline: Option<f64>,
    /// Whether the value axis's texts stand here or only at the panel to the left.
    pub(crate) has_ticks: bool,
}

impl Panel<'_> {
    /// From back to front.
    pub(crate) fn items(&self) -> Vec<Item> {
        let mut items = self.axes();
        items.extend(self.traces.iter().flat_map(|trace| self.intervals(trace)));
        items.extend(self.baseline_item());
        // The first arm is usually the baseline: it lies on top where lines coincide.
        items.extend(self.traces.iter().rev().flat_map(|trace| self.lines(trace)));
        items.extend(self.traces.iter().rev().flat_map(|trace| self.marks(trace)));
        items.extend(self.crosses());
        items.extend(self.names());
        items
    }

    fn spot(&self, trace: &Trace, level: usize, value: f64) -> Spot {
        let x = self.frame.level(level, self.levels.len()) + self.aside(trace);
        (x, self.frame.height_of(self.scale.place(value)))
    }

    /// With a single level there are no lines to tell figures apart: they stand beside each other.
    fn aside(&self, trace: &Trace) -> f64 {
        if self.levels.len() != 1 {
            return 0.0;
        }
        let apart = f64::min(32.0, (self.frame.right - self.frame.left - 20.0) / self.traces.len() as f64);
        (trace.place as f64 - (self.traces.len() - 1) as f64 / 2.0) * apart
    }

    fn baseline_item(&self) -> Option<Item> {
        let value = self.baseline.and_then(usable)?;
        let y = self.frame.height_of(self.scale.place(value));
        let line = Shape::Path(vec![(self.frame.left, y), (self.frame.right, y)]);
        Some(Item::new(Role::Baseline, line).hover(format!("baseline: {}", figure(value))))
    }

    /// A band along a stretch, a whisker where a figure stands alone.
    fn intervals(&self, trace: &Trace) -> Vec<Item> {
        let mut items = Vec::new();
        for stretch in trace.stretches() {
            let bounded =
                stretch.split(|(_, figure)| figure.interval.is_none()).filter(|part| !part.is_empty());
            for part in bounded {
                items.push(
                    if part.len() > 1 { self.band(trace, part) } else { self.whisker(trace, part[0]) }
                        .of(trace.slot),
                );
            }
        }
        items
    }

    fn band(&self, trace: &Trace, part: &[(usize, Figure)]) -> Item {
        let bounds = || part.iter().filter_map(|&(level, figure)| Some((level, figure.interval?)));
        let upper = bounds().map(|(level, (_, high))| self.spot(trace, level, high));
        let lower = bounds().rev().map(|(level, (low, _))| self.spot(trace, level, low));
        Item::new(Role::Band, Shape::Polygon(upper.chain(lower).collect()))
    }

    fn whisker(&self, trace: &Trace, (level, figure): (usize, Figure)) -> Item {
        let (low, high) = figure.interval.unwrap_or((figure.y, figure.y));
        let ((x, bottom), (_, top)) = (self.spot(trace, level, low), self.spot(trace, level, high));
        let cap = |y: f64| [(x - 3.5, y), (x + 3.5, y), (x, y)];
        Item::new(
            Role::Whisker,
            Shape::Path(cap(top).into_iter().chain(cap(bottom).into_iter().rev()).collect()),
        )
    }

    fn lines(&self, trace: &Trace) -> Vec<Item> {
        let stretches = trace.stretches().into_iter().filter(|stretch| stretch.len() > 1);
        let spots =
            |stretch: Vec<(usize, Figure)>| stretch.iter().map(|&(l, f)| self.spot(trace, l, f.y)).collect();
        stretches.map(|stretch| Item::new(Role::Line, Shape::Path(spots(stretch))).of(trace.slot)).collect()
    }

    fn marks(&self, trace: &Trace) -> Vec<Item> {
        let mark = |(level, figure): (usize, Figure)| {
            let role = if figure.weak { Role::OpenMark } else { Role::Mark };
            let shape = marker(trace.slot.marker(), self.spot(trace, level, figure.y));
            Item::new(role, shape).of(trace.slot).hover(self.hover(trace, level))
        };
        trace.figures().map(mark).collect()
    }

    /// A cross on the axis for each failure; those of one level stand beside each other.
    fn crosses(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for level in 0..self.levels.len() {
            let failed: Vec<_> =
                self.traces.iter().filter(|t| matches!(t.marks[level], Mark::Failed(_))).collect();
            let middle = failed.len().saturating_sub(1) as f64 / 2.0;
            for (place, trace) in failed.iter().enumerate() {
                let x = self.frame.level(level, self.levels.len()) + (place as f64 - middle) * 10.0;
                items.push(self.cross(x).of(trace.slot).hover(self.hover(trace, level)));
            }
        }
        items
    }

    fn cross(&self, x: f64) -> Item {
        let (x, y, r) = (x.clamp(4.0, self.frame.right), self.frame.bottom, 3.6);
        let ends = [(x - r, y - r), (x + r, y + r), (x, y), (x - r, y + r), (x + r, y - r)];
        Item::new(Role::Cross, Shape::Path(ends.to_vec()))
    }

    fn hover(&self, trace: &Trace, level: usize) -> String {
        let heading = self.heading.map_or(String::new(), |heading| format!(" {heading}"));
        let at = format!("{} {}", self.level_label, self.levels[level]);
        format!("{}{heading}, {}: {}", trace.name, at.trim(), trace.marks[level].words(self.unit))
    }
}
