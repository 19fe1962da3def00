//! What a chart is drawn from: numbers, names and axes. Nothing here knows how it will look.

use crate::slot::Slot;

/// The horizontal axis: levels in their order, equally spaced whatever their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LevelAxis {
    /// What the levels are, for example `concurrency`.
    pub label: String,
    /// One text a level, for example `1`, `8`, `32`.
    pub levels: Vec<String>,
}

/// The vertical axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueAxis {
    /// What is drawn, for example `output throughput`.
    pub label: String,
    /// Its unit, for example `tok/s`; empty for a ratio.
    pub unit: String,
    /// Whether the axis starts at 0. If not, the axis says so in its caption.
    pub zero_based: bool,
}

/// One figure with its interval, in the axis's unit.
///
/// A figure that is not finite, or beyond ±10¹⁵, is treated as missing; such a bound as not given.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Point {
    /// The figure.
    pub y: f64,
    /// Lower bound of its interval.
    pub low: Option<f64>,
    /// Upper bound of its interval.
    pub high: Option<f64>,
    /// Rests on too few samples to be relied on: drawn hollow and said so.
    pub weak: bool,
}

impl Point {
    /// A figure without an interval.
    #[must_use]
    pub const fn bare(y: f64) -> Self {
        Self { y, low: None, high: None, weak: false }
    }

    /// A figure with its interval.
    #[must_use]
    pub const fn with_interval(y: f64, low: f64, high: f64) -> Self {
        Self { y, low: Some(low), high: Some(high), weak: false }
    }
}

/// What there is of one series at one level.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Reading {
    /// Nothing (yet): a gap in the line.
    #[default]
    Missing,
    /// It was tried and failed, for this reason: a cross at the axis.
    Failed(String),
    /// A figure.
    Value(Point),
}

impl From<Option<Point>> for Reading {
    fn from(point: Option<Point>) -> Self {
        point.map_or(Self::Missing, Self::Value)
    }
}

/// One arm's line: a reading a level, in the axis's order. Levels beyond the readings are missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The arm's name, as the person wrote it.
    pub name: String,
    /// Its colour, marker and dash.
    pub slot: Slot,
    /// By level.
    pub points: Vec<Reading>,
}

/// Lines over levels: throughput against concurrency, or a ratio with its 1.0 line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// Unique on the page; the ids of the picture's title and description are made from it.
    pub id: String,
    /// The title.
    pub title: String,
    /// One sentence for those who cannot see the picture.
    pub description: String,
    /// Levels.
    pub x: LevelAxis,
    /// Values.
    pub y: ValueAxis,
    /// One line each.
    pub series: Vec<Series>,
    /// A value drawn as a line across the chart, such as 1.0.
    pub baseline: Option<f64>,
}

/// The percentiles of one arm at one level.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Quantiles {
    /// Nothing (yet).
    #[default]
    Missing,
    /// It was tried and failed, for this reason.
    Failed(String),
    /// What is known of it.
    Values {
        /// Median.
        p50: Option<Point>,
        /// 95th percentile.
        p95: Option<Point>,
        /// 99th percentile.
        p99: Option<Point>,
    },
}

/// The percentiles of one arm over the levels.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantileSeries {
    /// The arm's name.
    pub name: String,
    /// Its colour, marker and dash.
    pub slot: Slot,
    /// By level.
    pub levels: Vec<Quantiles>,
}

/// Latency percentiles over levels: one panel a percentile, all on the same scale.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantileChart {
    /// Unique on the page; the ids of the picture's title and description are made from it.
    pub id: String,
    /// The title.
    pub title: String,
    /// One sentence for those who cannot see the picture.
    pub description: String,
    /// Levels.
    pub x: LevelAxis,
    /// Values.
    pub y: ValueAxis,
    /// One line each in every panel.
    pub arms: Vec<QuantileSeries>,
}

impl From<Point> for Reading {
    fn from(point: Point) -> Self {
        Self::Value(point)
    }
}
