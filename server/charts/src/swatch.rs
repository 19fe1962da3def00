//! An arm's look in miniature, for table rows and chips: the same colour, marker and dash as in the charts.

use crate::paint::paint;
use crate::scene::{Item, Role, Scene, Shape, marker};
use crate::slot::Slot;

/// A short piece of the arm's line with its marker, 30 × 12 pixels. It says nothing that the name beside it does not
/// say, so it is hidden from screen readers.
#[must_use]
pub fn swatch(slot: Slot) -> String {
    let line = Item::new(Role::Line, Shape::Path(vec![(0.0, 6.0), (30.0, 6.0)])).of(slot);
    let mark = Item::new(Role::Mark, marker(slot.marker(), (15.0, 6.0))).of(slot);
    let scene = Scene { width: 30, height: 12, items: vec![line, mark] };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart-svg swatch\" aria-hidden=\"true\" viewBox=\"0 0 30 12\" \
         width=\"30\" height=\"12\">\n{}</svg>",
        paint(&scene)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swatch_has_its_arms_class_and_dash() {
        for (index, slot) in Slot::all().into_iter().enumerate() {
            let svg = swatch(slot);
            assert!(svg.contains(&format!("class=\"line arm-{}\"", index + 1)), "{svg}");
            assert_eq!(svg.contains("stroke-dasharray"), slot.dash().is_some());
            assert!(roxmltree::Document::parse(&svg).is_ok(), "{svg}");
        }
    }

    #[test]
    fn no_two_arms_share_a_dash_or_a_marker() {
        let slots = Slot::all();
        for (index, a) in slots.iter().enumerate() {
            for b in &slots[..index] {
                assert_ne!(a.dash(), b.dash());
                assert_ne!(a.marker(), b.marker());
            }
        }
    }
}
