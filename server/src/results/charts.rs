//! The three charts of a result.

use inferex_app::view::{ArmFigures, ArmView, ChartView, DataTable, Estimate};
use inferex_charts::{
    LevelAxis, LineChart, Point, QuantileChart, QuantileSeries, Quantiles, Reading, Rendered, Series, Slot,
    ValueAxis,
};
use inferex_model::comparison::{Comparison, GatedMetric};
use inferex_model::experiment::Level;

use super::{ResultInput, figures};

/// Output throughput, latency percentiles, and (with two arms or more) the ratio to the baseline.
pub(super) fn all(
    input: &ResultInput<'_>,
    arms: &[ArmView],
    levels: &[Level],
    comparisons: &[Comparison],
) -> Vec<ChartView> {
    let axis = LevelAxis {
        label: "concurrency".to_owned(),
        levels: levels.iter().map(|level| level.concurrency.to_string()).collect(),
    };
    let starts = input.spec.repeats;
    let mut charts =
        vec![throughput(input, arms, levels, &axis, starts), latency(input, arms, levels, &axis)];
    if arms.len() > 1 {
        charts.push(relative(arms, levels, comparisons, &axis));
    }
    charts
}

fn throughput(
    input: &ResultInput<'_>,
    arms: &[ArmView],
    levels: &[Level],
    axis: &LevelAxis,
    starts: u32,
) -> ChartView {
    let chart = LineChart {
        id: "output-throughput".to_owned(),
        title: "Output throughput".to_owned(),
        description: format!(
            "Output tokens per second of all requests together, against concurrency, for {}.",
            names(arms)
        ),
        x: axis.clone(),
        y: axis_of("output throughput", "tok/s"),
        series: series(input, arms, levels, |f| f.output_throughput_tok_s),
        baseline: None,
    };
    let band =
        if starts > 1 { format!(" · band: 95 % over {starts} starts") } else { " · one start".to_owned() };
    let note = format!("tok/s, all requests together · higher is better{band}");
    view(&chart.id, &chart.title, note, chart.render())
}

fn latency(input: &ResultInput<'_>, arms: &[ArmView], levels: &[Level], axis: &LevelAxis) -> ChartView {
    let chart = QuantileChart {
        id: "ttft".to_owned(),
        title: "Time to first token".to_owned(),
        description: format!(
            "Median, 95th and 99th percentile of the time to first token in milliseconds, against concurrency, for {}.",
            names(arms)
        ),
        x: axis.clone(),
        y: axis_of("time to first token", "ms"),
        arms: arms.iter().map(|arm| quantiles(input, arm, levels)).collect(),
    };
    let note = "ms · lower is better · hollow: too few samples per start to rely on".to_owned();
    view(&chart.id, &chart.title, note, chart.render())
}

fn quantiles(input: &ResultInput<'_>, arm: &ArmView, levels: &[Level]) -> QuantileSeries {
    let of = |(level, figures): (&Level, &Option<ArmFigures>)| match figures {
        None => failure(input, arm.slot, *level).map_or(Quantiles::Missing, Quantiles::Failed),
        Some(f) => Quantiles::Values {
            p50: f.ttft_p50_ms.map(|e| point(e, false)),
            p95: f.ttft_p95_ms.map(|e| point(e, !f.p95_firm)),
            p99: f.ttft_p99_ms.map(|e| point(e, !f.p99_firm)),
        },
    };
    QuantileSeries {
        name: arm.name.clone(),
        slot: Slot::of(arm.slot),
        levels: levels.iter().zip(&arm.figures).map(of).collect(),
    }
}

fn relative(arms: &[ArmView], levels: &[Level], comparisons: &[Comparison], axis: &LevelAxis) -> ChartView {
    let baseline = &arms[0].name;
    let chart = LineChart {
        id: "relative".to_owned(),
        title: format!("Relative to {baseline}"),
        description: format!(
            "Output throughput divided by that of {baseline}, against concurrency; above 1 is faster. Shown for {}.",
            names(&arms[1..])
        ),
        x: axis.clone(),
        y: axis_of("output throughput ÷ baseline", ""),
        series: arms.iter().skip(1).zip(comparisons).map(|(arm, c)| ratio_series(arm, levels, c)).collect(),
        baseline: Some(1.0),
    };
    let note = format!("output throughput ÷ {baseline} · above 1 is faster · band: 95 % interval");
    view(&chart.id, &chart.title, note, chart.render())
}

fn ratio_series(arm: &ArmView, levels: &[Level], comparison: &Comparison) -> Series {
    let reading = |level: &Level| {
        let metric = comparison
            .metrics
            .iter()
            .find(|metric| metric.name == GatedMetric::OutputThroughput && metric.level == level.label());
        let ratio = metric.and_then(|metric| {
            let [low, high] = metric.ci.map_or([None, None], |ci| ci.map(Some));
            Some(Point { y: metric.ratio?, low, high, weak: false })
        });
        Reading::from(ratio)
    };
    Series { name: arm.name.clone(), slot: Slot::of(arm.slot), points: levels.iter().map(reading).collect() }
}

fn series(
    input: &ResultInput<'_>,
    arms: &[ArmView],
    levels: &[Level],
    figure: fn(&ArmFigures) -> Option<Estimate>,
) -> Vec<Series> {
    let reading = |arm: &ArmView, level: &Level, figures: &Option<ArmFigures>| match figures {
        Some(f) => Reading::from(figure(f).map(|estimate| point(estimate, false))),
        None => failure(input, arm.slot, *level).map_or(Reading::Missing, Reading::Failed),
    };
    arms.iter()
        .map(|arm| Series {
            name: arm.name.clone(),
            slot: Slot::of(arm.slot),
            points: levels.iter().zip(&arm.figures).map(|(level, f)| reading(arm, level, f)).collect(),
        })
        .collect()
}

/// What became of it, when it was tried; the reason stays on the page of the run.
fn failure(input: &ResultInput<'_>, arm: usize, level: Level) -> Option<String> {
    if !figures::runs_of(input, arm, level).is_empty() {
        return None;
    }
    let over = input.runs.iter().find(|run| run.arm == arm && run.level == level && run.state.is_over())?;
    Some(over.state.to_string())
}

fn point(estimate: Estimate, weak: bool) -> Point {
    Point { y: estimate.median, low: estimate.low, high: estimate.high, weak }
}

fn axis_of(label: &str, unit: &str) -> ValueAxis {
    ValueAxis { label: label.to_owned(), unit: unit.to_owned(), zero_based: true }
}

fn names(arms: &[ArmView]) -> String {
    arms.iter().map(|arm| arm.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn view(id: &str, title: &str, note: String, rendered: Rendered) -> ChartView {
    ChartView {
        id: id.to_owned(),
        title: title.to_owned(),
        note,
        wide: rendered.wide,
        narrow: rendered.narrow,
        small: rendered.small,
        table: DataTable { head: rendered.table.head, rows: rendered.table.rows },
    }
}
