//! Where the parts of a picture stand: panels side by side or beneath each other, and what surrounds them.

use crate::text::{LINE, Weight, width};

/// Plots smaller than this could not be read.
const NARROWEST: u32 = 260;
/// Wider ones would only spread the same figures thinner.
const WIDEST: u32 = 1600;
/// From here on panels stand side by side.
const SIDE_BY_SIDE: u32 = 600;
/// Room for the caption above the first panel.
const CAPTION: f64 = 26.0;
/// Room for a panel's heading.
const HEADING: f64 = 18.0;
/// Room for the texts of the levels.
const LEVELS: f64 = 24.0;
/// Between a plot's edge and its labels: a leader line bends here.
pub(crate) const LEADER: f64 = 14.0;

/// A plot's edges, pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// What decides a layout.
pub(crate) struct Needs {
    pub(crate) width: u32,
    pub(crate) panels: usize,
    pub(crate) headed: bool,
    /// Widest text of the value axis.
    pub(crate) tick: f64,
    /// Widest name.
    pub(crate) name: f64,
    /// Names beside each plot.
    pub(crate) names: usize,
    pub(crate) notes: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) frames: Vec<Frame>,
    /// Panels stand in one row and share the first one's value axis.
    pub(crate) in_a_row: bool,
    /// Room for a name.
    pub(crate) label_room: f64,
    /// Base line of the level axis's title.
    pub(crate) title: f64,
    /// Base line of the notes.
    pub(crate) notes: f64,
}

impl Layout {
    pub(crate) fn new(needs: &Needs) -> Self {
        let width = needs.width.clamp(NARROWEST, WIDEST);
        let in_a_row = needs.panels > 1 && width >= SIDE_BY_SIDE;
        let left = needs.tick + 10.0;
        let columns = if in_a_row { needs.panels.max(1) } else { 1 };
        let column = (f64::from(width) - left) / columns as f64;
        let most = if in_a_row { 0.38 } else { 0.3 };
        let label_room = needs.name.min(column * most).max(20.0);
        let height = plot_height(width, needs);
        let head = if needs.headed { HEADING } else { 0.0 };
        let frame = |index: usize| {
            let (across, down) = if in_a_row { (index as f64, 0.0) } else { (0.0, index as f64) };
            let top = CAPTION + head + down * (height + LEVELS + head + 8.0);
            let start = left + across * column;
            Frame {
                left: start,
                top,
                right: start + column - LEADER - label_room - 2.0 - 8.0 * f64::from(u8::from(in_a_row)),
                bottom: top + height,
            }
        };
        let frames: Vec<Frame> = (0..needs.panels).map(frame).collect();
        let last = frames.last().map_or(CAPTION, |f| f.bottom);
        let title = last + LEVELS + 13.0;
        let notes = title + if needs.notes { LINE + 3.0 } else { 0.0 };
        Self { width, height: whole(notes + 6.0), frames, in_a_row, label_room, title, notes }
    }
}

/// Tall enough for all names beneath each other.
fn plot_height(width: u32, needs: &Needs) -> f64 {
    let calm = match (needs.panels > 1, width) {
        (true, w) if w >= SIDE_BY_SIDE => 200.0,
        (true, _) => 116.0,
        (false, w) if w >= SIDE_BY_SIDE => 230.0,
        (false, _) => 180.0,
    };
    f64::max(calm, needs.names.saturating_sub(1) as f64 * LINE)
}

/// At least one pixel, at most what plotters can count in tenths.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(pixels: f64) -> u32 {
    pixels.ceil().clamp(1.0, 1e6) as u32
}

impl Frame {
    /// The middle of each level, pixels from the left.
    pub(crate) fn level(&self, index: usize, levels: usize) -> f64 {
        if levels < 2 {
            return f64::midpoint(self.left, self.right);
        }
        let (first, last) = (self.left + 14.0, self.right - 6.0);
        first + (last - first) * index as f64 / (levels - 1) as f64
    }

    /// A place between 0 (bottom) and 1 (top), pixels from the top.
    pub(crate) fn height_of(&self, place: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * place
    }
}

/// The widest of some texts.
pub(crate) fn widest<'a>(texts: impl Iterator<Item = &'a str>, weight: Weight) -> f64 {
    texts.map(|text| width(text, weight)).fold(0.0, f64::max)
}
