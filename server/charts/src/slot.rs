//! An arm's look: one of eight fixed triples of colour, marker and dash, the same on every chart of a page.

/// One of the eight looks. The colour is a style sheet's matter; marker and dash are geometry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u8);

/// The shape that stands at a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// Slot 0.
    Circle,
    /// Slot 1.
    Square,
    /// Slot 2, pointing up.
    Triangle,
    /// Slot 3.
    Diamond,
    /// Slot 4, pointing down.
    Wedge,
    /// Slot 5.
    Plus,
    /// Slot 6.
    Hexagon,
    /// Slot 7, with five points.
    Star,
}

impl Slot {
    /// How many looks there are.
    pub const COUNT: usize = 8;

    /// All looks in order.
    #[must_use]
    pub fn all() -> [Self; Self::COUNT] {
        std::array::from_fn(Self::of)
    }

    /// The look of the arm at this place in its experiment; the ninth looks like the first.
    #[must_use]
    pub fn of(index: usize) -> Self {
        Self(u8::try_from(index % Self::COUNT).unwrap_or(0))
    }

    /// From 0.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The class that carries the colour: `arm-1` to `arm-8`.
    #[must_use]
    pub fn class(self) -> &'static str {
        ["arm-1", "arm-2", "arm-3", "arm-4", "arm-5", "arm-6", "arm-7", "arm-8"][self.index()]
    }

    /// `stroke-dasharray` of the line; `None` for a solid one.
    #[must_use]
    pub fn dash(self) -> Option<&'static str> {
        [
            None,
            Some("6 3"),
            Some("2 3"),
            Some("8 3 2 3"),
            Some("12 4"),
            Some("4 2"),
            Some("10 3 2 3 2 3"),
            Some("1 4"),
        ][self.index()]
    }

    /// The shape at each figure.
    #[must_use]
    pub fn marker(self) -> Marker {
        use Marker::{Circle, Diamond, Hexagon, Plus, Square, Star, Triangle, Wedge};
        [Circle, Square, Triangle, Diamond, Wedge, Plus, Hexagon, Star][self.index()]
    }
}
