//! Charts: numbers in, accessible SVG out.
//!
//! A chart becomes a scene (shapes in pixels, each with a role), the scene is painted by plotters' SVG backend, and
//! the paint is turned into classes, so that the page's style sheet colours it for light and dark. No inline style, no
//! colour and no script is in the output. This crate may not know where the numbers come from, nor anything of the
//! page around it. Start from [`LineChart`] and [`QuantileChart`].
//!
//! ```
//! use inferex_charts::{LevelAxis, LineChart, Point, Reading, Series, Slot, ValueAxis};
//!
//! let chart = LineChart {
//!     id: "throughput".into(),
//!     title: "Output throughput against concurrency".into(),
//!     description: "F16 reaches 243 tok/s at concurrency 8.".into(),
//!     x: LevelAxis { label: "concurrency".into(), levels: vec!["1".into(), "8".into()] },
//!     y: ValueAxis { label: "output throughput".into(), unit: "tok/s".into(), zero_based: true },
//!     series: vec![Series {
//!         name: "F16".into(),
//!         slot: Slot::of(0),
//!         points: vec![Reading::Missing, Point::with_interval(243.0, 238.0, 248.0).into()],
//!     }],
//!     baseline: None,
//! };
//! let rendered = chart.render();
//! assert!(rendered.narrow.contains("width=\"400\""));
//! assert_eq!(rendered.table.rows[0], ["F16", "not reported", "243 (238 to 248)"]);
//! ```

mod input;
mod labels;
mod layout;
mod number;
mod paint;
mod panel;
mod render;
mod rendered;
mod scale;
mod scene;
mod slot;
mod style;
mod swatch;
mod table;
mod text;
mod trace;

pub use input::{
    LevelAxis, LineChart, Point, QuantileChart, QuantileSeries, Quantiles, Reading, Series, ValueAxis,
};
pub use rendered::{DataTable, Rendered};
pub use slot::{Marker, Slot};
pub use style::{Theme, arm_properties, standalone, stylesheet};
pub use swatch::swatch;

/// Width of the wide picture, pixels.
pub const WIDE: u32 = 680;
/// Width of the narrow picture, pixels.
pub const NARROW: u32 = 400;
/// Width of the small picture, pixels.
pub const SMALL: u32 = 300;
