//! The figures behind a picture as a table: a row an arm, a column a level.

use crate::input::{LevelAxis, ValueAxis};
use crate::rendered::DataTable;
use crate::text::clean;
use crate::trace::Trace;

pub(crate) fn of_lines(x: &LevelAxis, y: &ValueAxis, traces: &[Trace]) -> DataTable {
    let head = std::iter::once("Arm".to_owned()).chain(level_heads(x, y)).collect();
    let row = |trace: &Trace| std::iter::once(trace.name.clone()).chain(cells(trace)).collect();
    DataTable { head, rows: traces.iter().map(row).collect() }
}

/// All percentiles of one arm stand beneath each other.
pub(crate) fn of_quantiles(
    x: &LevelAxis,
    y: &ValueAxis,
    panels: &[(Option<&'static str>, Vec<Trace>)],
) -> DataTable {
    let head = ["Arm", "Percentile"].map(str::to_owned).into_iter().chain(level_heads(x, y)).collect();
    let arms = panels.first().map_or(0, |(_, traces)| traces.len());
    let row = |arm: usize, (heading, traces): &(Option<&'static str>, Vec<Trace>)| {
        let names = [traces[arm].name.clone(), heading.unwrap_or_default().to_owned()];
        names.into_iter().chain(cells(&traces[arm])).collect()
    };
    let rows = (0..arms).flat_map(|arm| panels.iter().map(move |panel| row(arm, panel))).collect();
    DataTable { head, rows }
}

fn cells(trace: &Trace) -> impl Iterator<Item = String> {
    trace.marks.iter().map(|mark| mark.words(""))
}

fn level_heads(x: &LevelAxis, y: &ValueAxis) -> impl Iterator<Item = String> {
    let unit = clean(&y.unit);
    let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
    x.levels.iter().map(move |level| format!("{}{unit}", clean(&format!("{} {level}", x.label))))
}
