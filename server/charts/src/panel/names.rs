//! Names at the lines' ends.

use super::Panel;
use super::axes::HALF;
use crate::labels::spread;
use crate::layout::LEADER;
use crate::scene::{Anchor, Item, Role, Shape, Spot};
use crate::text::LINE;
use crate::trace::Trace;

impl Panel<'_> {
    /// A series without any figure is named too, at the axis.
    pub(super) fn names(&self) -> Vec<Item> {
        let ends: Vec<Option<Spot>> = self.traces.iter().map(|trace| self.end(trace)).collect();
        let wanted: Vec<f64> = ends.iter().map(|end| end.map_or(self.frame.bottom, |(_, y)| y)).collect();
        let placed = spread(&wanted, self.frame.top, self.frame.bottom, LINE);
        let mut items = Vec::new();
        for (index, trace) in self.traces.iter().enumerate() {
            let at = (self.frame.right + LEADER, placed[index]);
            items.extend(ends[index].and_then(|end| self.leader(end, at)).map(|item| item.of(trace.slot)));
            items.push(self.name(index, at));
        }
        items
    }

    fn end(&self, trace: &Trace) -> Option<Spot> {
        trace.figures().next_back().map(|(level, figure)| self.spot(trace, level, figure.y))
    }

    fn name(&self, index: usize, (x, y): Spot) -> Item {
        let (trace, label) = (&self.traces[index], &self.labels[index]);
        let item =
            Item::new(Role::Label, Shape::Text((x, y + HALF), Anchor::Start, label.clone())).of(trace.slot);
        let is_bare = trace.figures().next().is_none();
        match (is_bare, *label == trace.name) {
            (true, _) => item.hover(format!("{}: no figures", trace.name)),
            (false, false) => item.hover(&trace.name),
            (false, true) => item,
        }
    }

    /// Only where the eye would not find the way: the name was moved, or the line ends early.
    fn leader(&self, end: Spot, at: Spot) -> Option<Item> {
        let is_near = (end.1 - at.1).abs() < 3.0 && self.frame.right - end.0 < 20.0;
        let bends = vec![(end.0 + 6.0, end.1), (self.frame.right + 1.0, end.1), (at.0 - 3.0, at.1)];
        (!is_near).then(|| Item::new(Role::Leader, Shape::Path(bends)))
    }
}
