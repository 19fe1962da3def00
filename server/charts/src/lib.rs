//! Charts: numbers in, accessible SVG out.
//!
//! A chart becomes a scene (shapes in pixels, each with a role), the scene is painted by plotters' SVG backend, and
//! the paint is turned into classes, so that the page's style sheet colours it for light and dark. No inline style, no
//! colour and no script is in the output. This crate may not know where the numbers come from, nor anything of the
//! page around it. Start from [`LineChart`] and [`QuantileChart`].

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
mod table;
mod text;
mod trace;

pub use input::{
    LevelAxis, LineChart, Point, QuantileChart, QuantileSeries, Quantiles, Reading, Series, ValueAxis,
};
pub use rendered::{DataTable, Rendered};
pub use slot::{Marker, Slot};
pub use style::{Theme, arm_properties, standalone, stylesheet};

/// Width of the wide picture, pixels.
pub const WIDE: u32 = 680;
/// Width of the narrow picture, pixels.
pub const NARROW: u32 = 400;
/// Width of the small picture, pixels.
pub const SMALL: u32 = 300;
