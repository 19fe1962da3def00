//! A picture before it is painted: shapes in pixels, each with its role and, where it belongs to an arm, its slot.

use crate::slot::{Marker, Slot};

/// x to the right, y downwards, pixels.
pub(crate) type Spot = (f64, f64);

/// What a shape is for; becomes its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Grid,
    Axis,
    Baseline,
    Band,
    Whisker,
    Line,
    Mark,
    OpenMark,
    Cross,
    Leader,
    Label,
    Tick,
    Caption,
    Heading,
    Note,
}

impl Role {
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Axis => "axis",
            Self::Baseline => "baseline",
            Self::Band => "band",
            Self::Whisker => "whisker",
            Self::Line => "line",
            Self::Mark => "mark",
            Self::OpenMark => "mark open",
            Self::Cross => "cross",
            Self::Leader => "leader",
            Self::Label => "label",
            Self::Tick => "tick",
            Self::Caption => "caption",
            Self::Heading => "heading",
            Self::Note => "note",
        }
    }
}

/// Which part of a text lies at its spot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Path(Vec<Spot>),
    Polygon(Vec<Spot>),
    Circle(Spot, f64),
    /// The spot is on the base line of the letters.
    Text(Spot, Anchor, String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) role: Role,
    pub(crate) slot: Option<Slot>,
    pub(crate) shape: Shape,
    /// Shown by the browser while the pointer rests on the shape.
    pub(crate) hover: Option<String>,
}

impl Item {
    pub(crate) const fn new(role: Role, shape: Shape) -> Self {
        Self { role, slot: None, shape, hover: None }
    }

    pub(crate) fn of(mut self, slot: Slot) -> Self {
        self.slot = Some(slot);
        self
    }

    pub(crate) fn hover(mut self, text: impl Into<String>) -> Self {
        self.hover = Some(text.into());
        self
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// From back to front.
    pub(crate) items: Vec<Item>,
}

/// A marker around a spot. Sizes differ so that all shapes look equally heavy.
pub(crate) fn marker(marker: Marker, at: Spot) -> Shape {
    let polygon =
        |corners: &[Spot]| Shape::Polygon(corners.iter().map(|&(x, y)| (at.0 + x, at.1 + y)).collect());
    match marker {
        Marker::Circle => Shape::Circle(at, 3.8),
        Marker::Square => polygon(&[(-3.4, -3.4), (3.4, -3.4), (3.4, 3.4), (-3.4, 3.4)]),
        Marker::Triangle => polygon(&[(0.0, -4.8), (4.5, 3.4), (-4.5, 3.4)]),
        Marker::Diamond => polygon(&[(0.0, -4.9), (4.9, 0.0), (0.0, 4.9), (-4.9, 0.0)]),
        Marker::Wedge => polygon(&[(0.0, 4.8), (4.5, -3.4), (-4.5, -3.4)]),
        Marker::Plus => polygon(&plus(1.6, 4.8)),
        Marker::Hexagon => polygon(&ring(6, &[4.3])),
        Marker::Star => polygon(&ring(10, &[5.4, 2.5])),
    }
}

fn plus(arm: f64, reach: f64) -> [Spot; 12] {
    let (a, r) = (arm, reach);
    [
        (-a, -r),
        (a, -r),
        (a, -a),
        (r, -a),
        (r, a),
        (a, a),
        (a, r),
        (-a, r),
        (-a, a),
        (-r, a),
        (-r, -a),
        (-a, -a),
    ]
}

fn ring(corners: u8, radii: &[f64]) -> Vec<Spot> {
    let angle = |i: u8| f64::from(i) / f64::from(corners) * std::f64::consts::TAU;
    (0..corners)
        .zip(radii.iter().cycle())
        .map(|(i, radius)| (radius * angle(i).sin(), -radius * angle(i).cos()))
        .collect()
}
