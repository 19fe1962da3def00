//! Paints a scene with plotters and turns its paint into classes.
//!
//! plotters knows colours and whole pixels only. So the scene is painted ten times as large, and the colour of each
//! shape is its number in the scene; afterwards sizes are divided again and each number is replaced by the classes,
//! the dash and the hover text of its shape.

use std::fmt::Write;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, IntoDrawingArea, PathElement, Polygon, RGBColor, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, ShapeStyle, TextStyle};

use crate::scene::{Anchor, Item, Role, Scene, Shape, Spot};
use crate::slot::Slot;
use crate::text::{SIZE, escape};

/// Steps a pixel.
const FINE: f64 = 10.0;

/// The shapes as SVG elements, without the root.
pub(crate) fn paint(scene: &Scene) -> String {
    let mut painted = String::new();
    {
        let size = (scene.width * 10, scene.height * 10);
        let area = SVGBackend::with_string(&mut painted, size).into_drawing_area();
        for (number, item) in scene.items.iter().enumerate() {
            draw(&area, number, &item.shape);
        }
        area.present().expect("a picture in memory has no output that could fail");
    }
    classify(&painted, &scene.items)
}

fn draw(area: &DrawingArea<SVGBackend<'_>, Shift>, number: usize, shape: &Shape) {
    let colour = sentinel(number);
    let style = |filled| ShapeStyle { color: colour.to_rgba(), filled, stroke_width: 1 };
    let drawn = match shape {
        Shape::Path(spots) => area.draw(&PathElement::new(all_fine(spots), style(false))),
        Shape::Polygon(spots) => area.draw(&Polygon::new(all_fine(spots), style(true))),
        Shape::Circle(at, radius) => area.draw(&Circle::new(fine(*at), whole(*radius), style(true))),
        Shape::Text(at, anchor, text) => {
            let at_anchor = Pos::new(
                match anchor {
                    Anchor::Start => HPos::Left,
                    Anchor::Middle => HPos::Center,
                    Anchor::End => HPos::Right,
                },
                VPos::Bottom,
            );
            let text_style = TextStyle::from(("sans-serif", SIZE).into_font()).color(&colour).pos(at_anchor);
            area.draw(&Text::new(text.as_str(), fine(*at), text_style))
        }
    };
    drawn.expect("a picture in memory has no output that could fail");
}

fn sentinel(number: usize) -> RGBColor {
    let byte = |shift: usize| u8::try_from((number >> shift) & 0xff).unwrap_or(0);
    RGBColor(byte(16), byte(8), byte(0))
}

fn all_fine(spots: &[Spot]) -> Vec<(i32, i32)> {
    spots.iter().map(|&spot| fine(spot)).collect()
}

fn fine((x, y): Spot) -> (i32, i32) {
    (whole(x), whole(y))
}

/// Layout keeps everything inside the picture, which is at most some thousand pixels.
#[allow(clippy::cast_possible_truncation)]
fn whole(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
}

/// plotters writes one element a line; a text's content has a line between its tags.
fn classify(painted: &str, items: &[Item]) -> String {
    let mut out = String::new();
    let mut lines = painted.lines();
    while let Some(line) = lines.next() {
        let Some((tag, attributes)) = element(line) else { continue };
        let Some(item) = number(&attributes).and_then(|n| items.get(n)) else { continue };
        let content = if tag == "text" { lines.next().unwrap_or_default() } else { "" };
        push(&mut out, tag, &attributes, item, content);
    }
    out
}

/// `<tag a="1" b="2"/>` in parts; attribute values hold no quotation mark because plotters escapes them.
fn element(line: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let inner = line.strip_prefix('<')?.trim_end_matches(['>', '/']);
    let (tag, rest) = inner.split_once(' ')?;
    let mut quoted = rest.split('"');
    let mut attributes = Vec::new();
    while let (Some(name), Some(value)) = (quoted.next(), quoted.next()) {
        attributes.push((name.trim().trim_end_matches('='), value));
    }
    Some((tag, attributes))
}

fn number(attributes: &[(&str, &str)]) -> Option<usize> {
    let mut colours = attributes.iter().filter(|(name, _)| matches!(*name, "fill" | "stroke"));
    colours.find_map(|(_, value)| usize::from_str_radix(value.strip_prefix('#')?, 16).ok())
}

fn push(out: &mut String, tag: &str, attributes: &[(&str, &str)], item: &Item, content: &str) {
    let arm = item.slot.map_or("", |slot| slot.class());
    let space = if arm.is_empty() { "" } else { " " };
    let _ = write!(out, "<{tag} class=\"{}{space}{arm}\"", item.role.class());
    for &(name, value) in attributes {
        match name {
            "points" | "cx" | "cy" | "r" | "x" | "y" => {
                let _ = write!(out, " {name}=\"{}\"", coarse(value));
            }
            "text-anchor" if value != "start" => {
                let _ = write!(out, " {name}=\"{value}\"");
            }
            _ => {}
        }
    }
    if let Some(dash) = dash(item) {
        let _ = write!(out, " stroke-dasharray=\"{dash}\"");
    }
    let hover = item.hover.as_ref().map_or(String::new(), |text| format!("<title>{}</title>", escape(text)));
    if hover.is_empty() && content.is_empty() {
        out.push_str("/>\n");
    } else {
        let _ = writeln!(out, ">{hover}{content}</{tag}>");
    }
}

/// A leader is dotted so that nobody reads it as a line of figures.
fn dash(item: &Item) -> Option<&'static str> {
    match item.role {
        Role::Line => item.slot.and_then(Slot::dash),
        Role::Leader => Some("1 2"),
        _ => None,
    }
}

/// Back to pixels: `1234,560 ` becomes `123.4,56`.
fn coarse(value: &str) -> String {
    let pair = |pair: &str| pair.split(',').map(tenth).collect::<Vec<_>>().join(",");
    value.split_whitespace().map(pair).collect::<Vec<_>>().join(" ")
}

fn tenth(steps: &str) -> String {
    steps.parse::<f64>().map_or_else(|_| "0".to_owned(), |steps| (steps / FINE).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paint_becomes_classes_and_pixels() {
        let items = vec![
            Item::new(Role::Grid, Shape::Path(vec![(0.0, 1.25), (10.0, 1.25)])),
            Item::new(Role::Mark, Shape::Circle((5.0, 6.0), 3.8)).of(Slot::of(1)).hover("a < b"),
            Item::new(Role::Label, Shape::Text((7.5, 8.0), Anchor::End, "<q> \"8\"".to_owned()))
                .of(Slot::of(2)),
            Item::new(Role::Line, Shape::Path(vec![(0.0, 0.0), (9.0, 9.0)])).of(Slot::of(1)),
        ];
        let painted = paint(&Scene { width: 20, height: 10, items });
        insta::assert_snapshot!(painted, @r##"
        <polyline class="grid" points="0,1.3 10,1.3"/>
        <circle class="mark arm-2" cx="5" cy="6" r="3.8"><title>a &lt; b</title></circle>
        <text class="label arm-3" x="7.5" y="8" text-anchor="end">&lt;q&gt; &quot;8&quot;</text>
        <polyline class="line arm-2" points="0,0 9,9" stroke-dasharray="6 3"/>
        "##);
    }
}
