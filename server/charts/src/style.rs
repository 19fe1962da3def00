//! Colours: the page's style sheet, the values of its custom properties, and the form for a file that leaves the page.

use std::fmt::Write;

use crate::text::{Weight, escape, shorten};

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark ink on a light surface.
    Light,
    /// Light ink on a dark surface.
    Dark,
}

/// Marks by slot; every pair keeps apart under each kind of colour-blindness.
const ARMS: [[&str; 8]; 2] = [
    ["#0072b2", "#d55e00", "#009e73", "#b02387", "#79530b", "#452871", "#7c051d", "#525355"],
    ["#56b4e9", "#f0813c", "#4aeca2", "#c07aab", "#facb4d", "#8e7afe", "#f5426e", "#e5ebf3"],
];
/// Text by slot: darker siblings where a mark's colour is too pale to be read.
const ARM_TEXTS: [[&str; 8]; 2] =
    [["#0072b2", "#b34700", "#00775a", "#b02387", "#79530b", "#452871", "#7c051d", "#525355"], ARMS[1]];
/// What the charts use of the page's own tokens.
const PAGE: [[(&str, &str); 6]; 2] = [
    [
        ("panel", "#ffffff"),
        ("line", "#e3e2de"),
        ("line-strong", "#cfcdc7"),
        ("ink", "#1b1c1e"),
        ("ink-2", "#4d5055"),
        ("ink-3", "#686c72"),
    ],
    [
        ("panel", "#1a1b1d"),
        ("line", "#2a2c2f"),
        ("line-strong", "#3a3d41"),
        ("ink", "#ececea"),
        ("ink-2", "#b3b6ba"),
        ("ink-3", "#90949a"),
    ],
];

/// The rules of a chart, in the page's custom properties: `--panel`, `--line`, `--line-strong`, `--ink`, `--ink-2`,
/// `--ink-3`, and [`arm_properties`].
#[must_use]
pub fn stylesheet() -> &'static str {
    include_str!("../style/charts.css")
}

/// Declarations of `--arm-1` … `--arm-8` (marks) and `--arm-1-text` … `--arm-8-text` for a page's root.
#[must_use]
pub fn arm_properties(theme: Theme) -> String {
    let mut out = String::new();
    for (name, value) in properties(theme).filter(|(name, _)| name.starts_with("arm")) {
        let _ = writeln!(out, "--{name}: {value};");
    }
    out
}

/// The values of all custom properties that charts use, without the leading dashes.
fn properties(theme: Theme) -> impl Iterator<Item = (String, &'static str)> {
    let set = usize::from(theme == Theme::Dark);
    let page = PAGE[set].iter().map(|&(name, value)| (name.to_owned(), value));
    let arms = ARMS[set].iter().enumerate().map(|(i, &value)| (format!("arm-{}", i + 1), value));
    let texts = ARM_TEXTS[set].iter().enumerate().map(|(i, &value)| (format!("arm-{}-text", i + 1), value));
    page.chain(arms).chain(texts)
}

/// Height of the headline that a file gets, since no card surrounds it.
const HEADLINE: u32 = 36;
/// Empty room around the picture of a file.
const MARGIN: u32 = 16;

/// The picture as a file of its own: light colours embedded, its title as a headline, on a surface. Text that is not
/// one of this crate's pictures is given back as it is.
#[must_use]
pub fn standalone(svg: &str) -> String {
    embed(svg).unwrap_or_else(|| svg.to_owned())
}

fn embed(svg: &str) -> Option<String> {
    let (root, content) = svg.split_once(">\n")?;
    let inner = content.trim_end().strip_suffix("</svg>")?;
    let (width, height) = (attribute(root, "width")?, attribute(root, "height")?);
    let title = content.split_once("</title>")?.0.split_once('>')?.1;
    let (outer_width, outer_height) = (width + 2 * MARGIN, height + HEADLINE + MARGIN);
    let labelled = root.split_once("aria-labelledby=\"")?.1.split_once('"')?.0;
    let (names, drawing) = inner.split_once("</desc>\n")?;
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart-svg\" role=\"img\" aria-labelledby=\"{labelled}\" \
         viewBox=\"0 0 {outer_width} {outer_height}\" width=\"{outer_width}\" height=\"{outer_height}\">\n{names}</desc>\n\
         <style>\n{}</style>\n<rect class=\"page\" width=\"{outer_width}\" height=\"{outer_height}\"/>\n\
         <text class=\"headline\" x=\"{MARGIN}\" y=\"22\">{}</text>\n<g transform=\"translate({MARGIN} {HEADLINE})\">\n{drawing}</g>\n</svg>\n",
        resolved(),
        headline(title, width),
    ))
}

fn attribute(root: &str, name: &str) -> Option<u32> {
    root.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.parse().ok()
}

/// The title as far as it fits; it comes escaped and goes escaped.
fn headline(title: &str, width: u32) -> String {
    let plain =
        ["&lt;<", "&gt;>", "&quot;\"", "&#39;'", "&amp;&"].iter().fold(title.to_owned(), |text, pair| {
            let (entity, character) = pair.split_at(pair.len() - 1);
            text.replace(entity, character)
        });
    // The headline's letters are a twelfth larger than those the table measures.
    escape(&shorten(&plain, f64::from(width) * 12.0 / 13.0, Weight::Bold))
}

/// The style sheet with the light values in place of the properties.
fn resolved() -> String {
    let mut css = stylesheet().to_owned();
    for (name, value) in properties(Theme::Light) {
        css = css.replace(&format!("var(--{name})"), value);
    }
    css
}

#[cfg(test)]
mod tests;
