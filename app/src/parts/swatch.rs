//! An arm's look beside its name: the colour, marker and dash it has on every chart.
//!
//! The charts draw these looks from the same eight slots; only the small picture is repeated here, so that a page
//! needs no drawing library.

use leptos::prelude::*;

/// `stroke-dasharray` of the line by slot; empty for a solid one.
const DASHES: [&str; 8] = ["", "6 3", "2 3", "8 3 2 3", "12 4", "4 2", "10 3 2 3 2 3", "1 4"];

/// Circle, square, triangle, diamond, wedge, plus, hexagon, star around (12, 6).
const MARKS: [&str; 8] = [
    "M8.2 6a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z",
    "M8.6 2.6h6.8v6.8h-6.8z",
    "M12 1.2l4.5 8.2h-9z",
    "M12 1.1l4.9 4.9l-4.9 4.9l-4.9-4.9z",
    "M12 10.8l4.5-8.2h-9z",
    "M10.4 1.2h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z",
    "M12 1.7l3.7 2.15v4.3l-3.7 2.15l-3.7-2.15v-4.3z",
    "M12 .6l1.5 3.4l3.6.3l-2.7 2.5l.8 3.6l-3.2-1.9l-3.2 1.9l.8-3.6l-2.7-2.5l3.6-.3z",
];

/// A short piece of the arm's line with its marker. The name beside it says who it is.
pub(crate) fn swatch(slot: usize) -> AnyView {
    let index = slot % MARKS.len();
    let dash = (!DASHES[index].is_empty()).then_some(DASHES[index]);
    view! {
        <svg class=format!("swatch arm-{}", index + 1) viewBox="0 0 24 12" width="24" height="12" aria-hidden="true">
            <path class="line" d="M0 6H24" stroke-dasharray=dash></path>
            <path class="mark" d=MARKS[index]></path>
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_arms_look_alike_without_colour() {
        for table in [DASHES, MARKS] {
            for (index, look) in table.iter().enumerate() {
                assert!(!table[..index].contains(look), "{look}");
            }
        }
    }

    #[test]
    fn the_ninth_arm_wears_the_first_look_again() {
        assert!(swatch(8).to_html().contains("arm-1"));
        assert!(swatch(1).to_html().contains("stroke-dasharray=\"6 3\""));
        assert!(!swatch(0).to_html().contains("stroke-dasharray"));
    }
}
