use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::*;
use crate::input::Point;
use crate::slot::Slot;
use crate::text::{LINE, width};
use crate::{NARROW, SMALL, WIDE, standalone};

fn levels(texts: &[&str]) -> LevelAxis {
    LevelAxis { label: "concurrency".into(), levels: texts.iter().map(|&t| t.into()).collect() }
}

fn series(name: &str, slot: usize, points: Vec<Reading>) -> Series {
    Series { name: name.into(), slot: Slot::of(slot), points }
}

fn chart(series: Vec<Series>) -> LineChart {
    LineChart {
        id: "throughput".into(),
        title: "Output throughput".into(),
        description: "More is faster.".into(),
        x: levels(&["1", "8"]),
        y: ValueAxis { label: "output throughput".into(), unit: "tok/s".into(), zero_based: true },
        series,
        baseline: None,
    }
}

fn interval(y: f64, low: f64, high: f64) -> Reading {
    Point::with_interval(y, low, high).into()
}

fn quantiles() -> QuantileChart {
    let LineChart { id, title, description, x, y, .. } = chart(vec![]);
    let values = |y: f64| Quantiles::Values {
        p50: Some(Point::bare(y)),
        p95: Some(Point::with_interval(2.0 * y, y, 3.0 * y)),
        p99: Some(Point { weak: true, ..Point::bare(3.0 * y) }),
    };
    let arm = |name: &str, slot, y| QuantileSeries {
        name: name.into(),
        slot: Slot::of(slot),
        levels: vec![values(y), Quantiles::Failed("out of memory".into())],
    };
    QuantileChart { id, title, description, x, y, arms: vec![arm("F16", 0, 50.0), arm("Q8_0", 1, 40.0)] }
}

#[test]
fn lines_with_bands() {
    let f16 = series("F16", 0, vec![interval(97.6, 96.0, 99.0), interval(243.0, 238.0, 248.0)]);
    let q8 = series("Q8_0", 1, vec![interval(131.0, 129.0, 133.0), interval(318.0, 312.0, 324.0)]);
    let rendered = chart(vec![f16, q8]).render();
    insta::assert_snapshot!(rendered.small);
    insta::assert_snapshot!(format!("{:#?}", rendered.table));
}

#[test]
fn gaps_failures_and_a_baseline() {
    let f16 = series("F16", 0, vec![Point::bare(1.0).into(), Reading::Missing]);
    let q8 = series("Q8_0", 1, vec![Reading::Failed("engine exited 137".into()), interval(1.4, 1.2, 1.6)]);
    let rendered = LineChart { baseline: Some(1.0), ..chart(vec![f16, q8]) }.render();
    insta::assert_snapshot!(rendered.small);
    insta::assert_snapshot!(format!("{:#?}", rendered.table));
}

#[test]
fn percentiles() {
    let rendered = quantiles().render();
    insta::assert_snapshot!(rendered.narrow);
    insta::assert_snapshot!(format!("{:#?}", rendered.table));
}

#[test]
fn a_file_of_its_own() {
    let svg = standalone(&chart(vec![series("F16", 0, vec![Point::bare(2.0).into()])]).render().small);
    let document = Document::parse(&svg).expect("well-formed");
    assert!(svg.contains("#0072b2") && !svg.contains("var(--arm-1"), "{svg}");
    let headline = document.descendants().find(|n| n.attribute("class") == Some("headline"));
    assert_eq!(headline.and_then(|n| n.text()), Some("Output throughput"));
    let ids: Vec<_> = document.descendants().filter_map(|n| n.attribute("id")).collect();
    assert_eq!(ids.len(), 2, "{svg}");
}

#[test]
fn a_chart_without_figures_says_so() {
    let nan = series("F16", 0, vec![Point::bare(f64::NAN).into(), Point::bare(f64::INFINITY).into()]);
    for chart in [chart(vec![]), chart(vec![nan]), LineChart { x: levels(&[]), ..chart(vec![]) }] {
        let svg = chart.svg(NARROW);
        assert!(svg.contains(">no figures yet</text>"), "{svg}");
        check(&svg);
    }
}

#[test]
fn a_gap_breaks_the_line() {
    let svg = |points: Vec<Reading>| {
        LineChart { x: levels(&["1", "2", "4", "8"]), ..chart(vec![series("a", 0, points)]) }.svg(WIDE)
    };
    let full = Reading::from(Point::bare(1.0));
    let lines = |svg: &str| svg.matches("class=\"line").count();
    assert_eq!(lines(&svg(vec![full.clone(), full.clone(), full.clone(), full.clone()])), 1);
    assert_eq!(lines(&svg(vec![full.clone(), full.clone(), Reading::Missing, full.clone()])), 1);
    assert_eq!(lines(&svg(vec![full.clone(), Reading::Missing, full.clone(), Reading::Missing])), 0);
    let alone = svg(vec![full]);
    assert_eq!((lines(&alone), alone.matches("class=\"mark ").count()), (0, 1), "one figure is a marker");
}

#[test]
fn a_failure_is_a_cross_with_its_reason() {
    let svg = chart(vec![series("a", 0, vec![Reading::Failed("port <in> use".into())])]).svg(WIDE);
    assert!(svg.contains("<title>a, concurrency 1: failed: port &lt;in&gt; use</title>"), "{svg}");
    assert!(svg.contains("class=\"cross arm-1\"") && svg.contains("× failed"), "{svg}");
}

#[test]
fn hostile_names_are_text() {
    let name = "\"><script>alert(1)</script>\u{0}\u{202e}' & more";
    let mut hostile = chart(vec![series(name, 0, vec![Point::bare(1.0).into()])]);
    hostile.id = name.into();
    hostile.title = name.into();
    hostile.x.label = name.into();
    let rendered = hostile.render();
    for svg in [&rendered.wide, &rendered.narrow, &rendered.small] {
        check(svg);
        assert!(!svg.contains("<script"), "{svg}");
        check(&standalone(svg).replace("<style>", "<metadata>").replace("</style>", "</metadata>"));
    }
}

#[test]
fn shortened_names_keep_the_whole_one() {
    let name = "a very long name that cannot fit beside a small chart";
    let svg = chart(vec![series(name, 0, vec![Point::bare(1.0).into()])]).svg(SMALL);
    assert!(svg.contains(&format!("<title>{name}</title>")) && svg.contains("…</text>"), "{svg}");
}

#[test]
fn an_axis_that_does_not_start_at_zero_says_so() {
    let mut cut = chart(vec![series("a", 0, vec![interval(250.0, 240.0, 260.0)])]);
    assert!(!cut.svg(WIDE).contains("axis starts"));
    cut.y.zero_based = false;
    assert!(cut.svg(WIDE).contains("output throughput, tok/s · axis starts at 240"), "{}", cut.svg(WIDE));
}

/// What holds for every picture, whatever is in it.
fn check(svg: &str) {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let names = root.attribute("aria-labelledby").unwrap_or_default();
    for id in names.split(' ') {
        assert!(document.descendants().any(|n| n.attribute("id") == Some(id)), "{id} in {svg}");
    }
    let allowed = ["svg", "title", "desc", "g", "rect", "metadata", "polyline", "polygon", "circle", "text"];
    for node in document.descendants().filter(Node::is_element) {
        assert!(allowed.contains(&node.tag_name().name()), "{svg}");
        for attribute in ["style", "fill", "stroke", "opacity", "font-family"] {
            assert!(!node.has_attribute(attribute), "{attribute} in {svg}");
        }
    }
}

/// Left, right, top and bottom of a text.
type Extent = [f64; 4];

fn extents(svg: &str, class: impl Fn(&str) -> bool) -> Vec<Extent> {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let texts =
        document.descendants().filter(|n| n.has_tag_name("text") && n.attribute("class").is_some_and(&class));
    texts.map(extent).collect()
}

fn extent(node: Node<'_, '_>) -> Extent {
    let number = |name| node.attribute(name).and_then(|v| v.parse::<f64>().ok()).expect("a number");
    let content: String = node.children().filter(Node::is_text).filter_map(|n| n.text()).collect();
    let class = node.attribute("class").unwrap_or_default();
    let is_bold = class.starts_with("label") || class.starts_with("heading");
    let wide = width(&content, if is_bold { Weight::Bold } else { Weight::Regular });
    let left = match node.attribute("text-anchor") {
        Some("end") => number("x") - wide,
        Some("middle") => number("x") - wide / 2.0,
        _ => number("x"),
    };
    [left, left + wide, number("y") - LINE + 3.2, number("y") + 3.2]
}

/// All texts inside the picture, and none upon another.
fn check_texts(svg: &str, size: u32) {
    let height: f64 =
        svg.split("height=\"").nth(1).and_then(|h| h.split('"').next()?.parse().ok()).expect("a height");
    let texts = extents(svg, |_| true);
    // Positions are tenths of a pixel.
    let slack = 0.2;
    for (i, [left, right, top, bottom]) in texts.iter().enumerate() {
        assert!(*left >= -slack && *right <= f64::from(size) + slack, "{left} to {right} of {size}: {svg}");
        assert!(*top >= -slack && *bottom <= height + slack, "{top} to {bottom} of {height}: {svg}");
        for [l, r, t, b] in &texts[..i] {
            let apart =
                *left >= r - slack || *l >= right - slack || *top >= b - slack || *t >= bottom - slack;
            assert!(apart, "texts overlap at {left},{top} and {l},{t}: {svg}");
        }
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.0..2000f64, 1 => any::<f64>(), 1 => -10.0..10f64]
}

fn any_point() -> impl Strategy<Value = Point> {
    (any_number(), prop::option::of(any_number()), prop::option::of(any_number()), any::<bool>())
        .prop_map(|(y, low, high, weak)| Point { y, low, high, weak })
}

fn any_reading() -> impl Strategy<Value = Reading> {
    prop_oneof![
        6 => any_point().prop_map(Reading::Value),
        1 => Just(Reading::Missing),
        1 => any::<String>().prop_map(Reading::Failed),
    ]
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-zA-Z0-9_. -]{0,40}"]
}

prop_compose! {
    fn any_chart()(
        texts in prop::array::uniform5(any_name()),
        levels in prop::collection::vec(prop_oneof![any_name(), "[0-9]{1,3}"], 0..9),
        lines in prop::collection::vec((any_name(), 0..9usize, prop::collection::vec(any_reading(), 0..9)), 0..9),
        zero_based in any::<bool>(),
        baseline in prop::option::of(any_number()),
    ) -> LineChart {
        let [id, title, description, label, unit] = texts;
        let series = lines.into_iter().map(|(name, slot, points)| Series { name, slot: Slot::of(slot), points }).collect();
        let x = LevelAxis { label: label.clone(), levels };
        LineChart { id, title, description, x, y: ValueAxis { label, unit, zero_based }, series, baseline }
    }
}

fn as_quantiles(chart: &LineChart) -> QuantileChart {
    let level = |reading: &Reading| match reading {
        Reading::Missing => Quantiles::Missing,
        Reading::Failed(reason) => Quantiles::Failed(reason.clone()),
        Reading::Value(point) => Quantiles::Values {
            p50: Some(*point),
            p95: None,
            p99: Some(Point { y: point.y * 2.0, ..*point }),
        },
    };
    let arm = |s: &Series| QuantileSeries {
        name: s.name.clone(),
        slot: s.slot,
        levels: s.points.iter().map(level).collect(),
    };
    let LineChart { id, title, description, x, y, series, .. } = chart.clone();
    QuantileChart { id, title, description, x, y, arms: series.iter().map(arm).collect() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_chart_is_a_sound_picture(chart in any_chart()) {
        for size in [WIDE, NARROW, SMALL] {
            for svg in [chart.svg(size), as_quantiles(&chart).svg(size)] {
                check(&svg);
                check_texts(&svg, size);
            }
        }
    }

    #[test]
    fn the_same_chart_gives_the_same_bytes(chart in any_chart()) {
        prop_assert_eq!(chart.clone().render(), chart.render());
    }

    #[test]
    fn tables_have_a_cell_for_each_head(chart in any_chart()) {
        for table in [chart.render().table, as_quantiles(&chart).render().table] {
            prop_assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
        }
    }

    #[test]
    fn any_width_is_safe(chart in any_chart(), size in any::<u32>()) {
        check(&chart.svg(size));
    }
}
