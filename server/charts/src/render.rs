//! From a chart to its pictures: what the two kinds of chart have in common.

use std::fmt::Write;

use crate::input::{
    LevelAxis, LineChart, QuantileChart, QuantileSeries, Quantiles, Reading, Series, ValueAxis,
};
use crate::layout::{Layout, Needs, widest};
use crate::number::usable;
use crate::paint::paint;
use crate::panel::Panel;
use crate::rendered::{DataTable, Rendered};
use crate::scale::Scale;
use crate::scene::{Anchor, Item, Role, Scene, Shape};
use crate::table;
use crate::text::{Weight, clean, escape, shorten, shorten_all};
use crate::trace::{Mark, Trace};

impl LineChart {
    /// Draws all widths and the table. The same chart gives the same bytes.
    #[must_use]
    pub fn render(&self) -> Rendered {
        let traces = self.sheet().panels.into_iter().next().map(|(_, traces)| traces).unwrap_or_default();
        let table = table::of_lines(&self.x, &self.y, &traces);
        rendered(|width| self.svg(width), table)
    }

    /// Draws one width, in pixels (at least 260).
    #[must_use]
    pub fn svg(&self, width: u32) -> String {
        self.sheet().svg(width)
    }

    fn sheet(&self) -> Sheet {
        let traces = self
            .series
            .iter()
            .enumerate()
            .map(|(place, series)| Trace::new(place, series, self.x.levels.len()))
            .collect();
        Sheet::new(
            [&self.id, &self.title, &self.description],
            &self.x,
            &self.y,
            self.baseline,
            vec![(None, traces)],
        )
    }
}

impl QuantileChart {
    /// Draws all widths and the table. The same chart gives the same bytes.
    #[must_use]
    pub fn render(&self) -> Rendered {
        let table = table::of_quantiles(&self.x, &self.y, &self.sheet().panels);
        rendered(|width| self.svg(width), table)
    }

    /// Draws one width, in pixels (at least 260).
    #[must_use]
    pub fn svg(&self, width: u32) -> String {
        self.sheet().svg(width)
    }

    fn sheet(&self) -> Sheet {
        let panel = |heading, which| {
            let series = self.arms.iter().map(|arm| quantile(arm, which));
            (
                Some(heading),
                series.enumerate().map(|(place, s)| Trace::new(place, &s, self.x.levels.len())).collect(),
            )
        };
        let panels = vec![panel("p50", 0), panel("p95", 1), panel("p99", 2)];
        Sheet::new([&self.id, &self.title, &self.description], &self.x, &self.y, None, panels)
    }
}

/// One percentile of an arm as a line.
fn quantile(arm: &QuantileSeries, which: usize) -> Series {
    let reading = |level: &Quantiles| match level {
        Quantiles::Missing => Reading::Missing,
        Quantiles::Failed(reason) => Reading::Failed(reason.clone()),
        Quantiles::Values { p50, p95, p99 } => Reading::from([*p50, *p95, *p99][which]),
    };
    Series { name: arm.name.clone(), slot: arm.slot, points: arm.levels.iter().map(reading).collect() }
}

fn rendered(svg: impl Fn(u32) -> String, table: DataTable) -> Rendered {
    Rendered { wide: svg(crate::WIDE), narrow: svg(crate::NARROW), small: svg(crate::SMALL), table }
}

type Panels = Vec<(Option<&'static str>, Vec<Trace>)>;

/// A chart whose texts and numbers have been made safe.
pub(crate) struct Sheet {
    id: String,
    title: String,
    description: String,
    level_label: String,
    levels: Vec<String>,
    caption: String,
    unit: String,
    baseline: Option<f64>,
    /// `None` if there is no figure at all.
    scale: Option<Scale>,
    panels: Panels,
}

impl Sheet {
    fn new(
        [id, title, description]: [&str; 3],
        x: &LevelAxis,
        y: &ValueAxis,
        baseline: Option<f64>,
        panels: Panels,
    ) -> Self {
        let (label, unit) = (clean(&y.label), clean(&y.unit));
        let scale = scale(&panels, y.zero_based, baseline);
        let parts = [label, unit.clone()].into_iter().filter(|part| !part.is_empty());
        let mut caption = parts.collect::<Vec<_>>().join(", ");
        if let Some((_, text)) = scale.as_ref().and_then(|s| s.ticks.first()).filter(|_| !y.zero_based) {
            let _ = write!(caption, " · axis starts at {text}");
        }
        Self {
            id: safe_id(id),
            title: clean(title),
            description: clean(description),
            level_label: clean(&x.label),
            levels: x.levels.iter().map(|level| clean(level)).collect(),
            caption,
            unit,
            baseline: baseline.and_then(usable),
            scale,
            panels,
        }
    }

    fn svg(&self, width: u32) -> String {
        let scene = self.scene(width);
        let (id, width, height) = (format!("{}-{}", self.id, scene.width), scene.width, scene.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart-svg\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" \
             viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n<title id=\"{id}-title\">{}</title>\n\
             <desc id=\"{id}-desc\">{}</desc>\n{}</svg>\n",
            escape(&self.title),
            escape(&self.description),
            paint(&scene)
        )
    }

    /// All shapes of one width.
    pub(crate) fn scene(&self, width: u32) -> Scene {
        let nothing = Scale::covering(0.0, 0.0, true, None).bare();
        let scale = self.scale.as_ref().unwrap_or(&nothing);
        let notes = self.notes();
        let layout = self.layout(width, scale, !notes.is_empty());
        let mut items = vec![caption(&self.caption, &layout)];
        for (index, ((heading, traces), frame)) in self.panels.iter().zip(&layout.frames).enumerate() {
            let names: Vec<String> = traces.iter().map(|trace| trace.name.clone()).collect();
            let panel = Panel {
                frame: *frame,
                scale,
                traces,
                labels: &shorten_all(&names, layout.label_room, Weight::Bold),
                levels: &self.levels,
                level_label: &self.level_label,
                unit: &self.unit,
                heading: *heading,
                baseline: self.baseline,
                has_ticks: self.scale.is_some() && (index == 0 || !layout.in_a_row),
            };
            items.extend(panel.items());
        }
        items.extend(self.surroundings(&layout, &notes));
        items.retain(|item| !matches!(&item.shape, Shape::Text(_, _, text) if text.is_empty()));
        Scene { width: layout.width, height: layout.height, items }
    }

    fn layout(&self, width: u32, scale: &Scale, notes: bool) -> Layout {
        let traces = || self.panels.iter().flat_map(|(_, traces)| traces);
        Layout::new(&Needs {
            width,
            panels: self.panels.len(),
            headed: self.panels.iter().any(|(heading, _)| heading.is_some()),
            tick: widest(scale.ticks.iter().map(|(_, text)| text.as_str()), Weight::Regular),
            name: widest(traces().map(|trace| trace.name.as_str()), Weight::Bold),
            names: self.panels.iter().map(|(_, traces)| traces.len()).max().unwrap_or(0),
            notes,
        })
    }

    /// The level axis's title, the notes, and the words of an empty chart.
    fn surroundings(&self, layout: &Layout, notes: &str) -> Vec<Item> {
        let mut items = Vec::new();
        let titled =
            if layout.in_a_row { &layout.frames[..] } else { &layout.frames[layout.frames.len() - 1..] };
        for frame in titled {
            let middle = f64::midpoint(
                frame.level(0, self.levels.len()),
                frame.level(self.levels.len().max(1) - 1, self.levels.len()),
            );
            let text = shorten(&self.level_label, frame.right - frame.left, Weight::Regular);
            items.push(Item::new(Role::Caption, Shape::Text((middle, layout.title), Anchor::Middle, text)));
        }
        let room = f64::from(layout.width) - layout.frames[0].left;
        let text = shorten(notes, room, Weight::Regular);
        items.push(
            Item::new(Role::Note, Shape::Text((layout.frames[0].left, layout.notes), Anchor::Start, text))
                .hover(notes),
        );
        if self.scale.is_none() {
            items.extend(layout.frames.iter().map(|frame| {
                let at = (f64::midpoint(frame.left, frame.right), f64::midpoint(frame.top, frame.bottom));
                Item::new(Role::Note, Shape::Text(at, Anchor::Middle, "no figures yet".to_owned()))
            }));
        }
        items
    }

    /// What the drawn signs mean, if they occur.
    fn notes(&self) -> String {
        let marks = || self.panels.iter().flat_map(|(_, traces)| traces).flat_map(|trace| &trace.marks);
        let failed = marks().any(|mark| matches!(mark, Mark::Failed(_))).then_some("× failed");
        let weak = marks()
            .any(|mark| matches!(mark, Mark::At(figure) if figure.weak))
            .then_some("hollow: few samples");
        failed.into_iter().chain(weak).collect::<Vec<_>>().join(" · ")
    }
}

fn caption(caption: &str, layout: &Layout) -> Item {
    let text = shorten(caption, f64::from(layout.width), Weight::Regular);
    Item::new(Role::Caption, Shape::Text((0.0, 12.0), Anchor::Start, text))
}

/// Covers every figure, interval and the baseline; `None` without a figure.
fn scale(panels: &Panels, zero_based: bool, baseline: Option<f64>) -> Option<Scale> {
    let figures =
        panels.iter().flat_map(|(_, traces)| traces).flat_map(Trace::figures).map(|(_, figure)| figure);
    let mut all: Vec<f64> = figures
        .flat_map(|f| [Some(f.y), f.interval.map(|i| i.0), f.interval.map(|i| i.1)])
        .flatten()
        .collect();
    if all.is_empty() {
        return None;
    }
    all.extend(baseline.and_then(usable));
    let (low, high) = all.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    Some(Scale::covering(low, high, zero_based, baseline.and_then(usable)))
}

/// An id that needs no quoting anywhere.
fn safe_id(id: &str) -> String {
    let safe: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    if safe.starts_with(|c: char| c.is_ascii_alphabetic()) { safe } else { format!("chart-{safe}") }
}

#[cfg(test)]
mod tests;
