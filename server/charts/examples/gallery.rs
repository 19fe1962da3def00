//! Writes a page with charts of many shapes, light and dark, at every width, and one chart as a file of its own
//! (`FILE.svg`): `cargo run --example gallery -- FILE`.

use inferex_charts::{
    LevelAxis, LineChart, NARROW, Point, QuantileChart, QuantileSeries, Quantiles, Reading, Rendered, SMALL,
    Series, Slot, Theme, ValueAxis, WIDE, arm_properties, standalone, stylesheet, swatch,
};

fn main() -> std::io::Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: gallery FILE");
        std::process::exit(2);
    };
    let charts = [
        ("throughput", throughput().render()),
        ("latency", latency().render()),
        ("relative", relative().render()),
        ("eight", many(8).render()),
        ("one", many(1).render()),
        ("edge", edge().render()),
        ("single level", single_level().render()),
        ("empty", LineChart { series: vec![], ..throughput() }.render()),
        ("failed", failed().render()),
    ];
    std::fs::write(format!("{path}.svg"), standalone(&charts[1].1.wide))?;
    std::fs::write(path, page(&charts))
}

fn page(charts: &[(&str, Rendered)]) -> String {
    let theme = |class: &str, surface: &str, theme| {
        let cards: String =
            charts.iter().map(|(name, chart)| row(name, chart)).collect::<String>() + &fitting(&charts[1].1);
        format!(
            "<div class='{class}'><style>.{class}{{{surface}{}}}</style>{cards}</div>",
            arm_properties(theme)
        )
    };
    let light = "--panel:#fff;--line:#e3e2de;--line-strong:#cfcdc7;--ink:#1b1c1e;--ink-2:#4d5055;--ink-3:#686c72;background:#f7f7f5;color:#1b1c1e;";
    let dark = "--panel:#1a1b1d;--line:#2a2c2f;--line-strong:#3a3d41;--ink:#ececea;--ink-2:#b3b6ba;--ink-3:#90949a;background:#121314;color:#ececea;";
    format!(
        "<!doctype html><meta charset=utf-8><style>{} body{{margin:0;font:13px sans-serif}} .r{{display:flex;gap:12px;padding:8px}} \
         .c{{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:16px}} .d svg{{outline:1px dotted var(--line)}}</style>\
         {}{}",
        stylesheet(),
        theme("light", light, Theme::Light),
        theme("dark", dark, Theme::Dark)
    )
}

fn row(name: &str, chart: &Rendered) -> String {
    let cards: String = [&chart.wide, &chart.narrow, &chart.small]
        .iter()
        .map(|svg| ["<div class='c d'>", svg.as_str(), "</div>"].concat())
        .collect();
    format!("<div class=r title='{name}'>{cards}</div>")
}

/// The container shows the widest picture that fits.
fn fitting(chart: &Rendered) -> String {
    let card = |width: u32| format!("<div class='c' style='width:{width}px'>{}</div>", chart.figure());
    let swatches =
        Slot::all().map(|slot| format!("<p>{} arm {}</p>", swatch(slot), slot.index() + 1)).concat();
    format!(
        "<div class=r>{}<div class=c>{swatches}</div></div>",
        [SMALL + 2, NARROW + 40, WIDE + 20].map(card).concat()
    )
}

fn levels() -> LevelAxis {
    LevelAxis { label: "concurrency".into(), levels: ["1", "8", "32"].map(String::from).into() }
}

fn axis(label: &str, unit: &str) -> ValueAxis {
    ValueAxis { label: label.into(), unit: unit.into(), zero_based: true }
}

fn series(name: &str, slot: usize, values: &[f64], spread: f64) -> Series {
    let point = |&y: &f64| Reading::Value(Point::with_interval(y, y * (1.0 - spread), y * (1.0 + spread)));
    Series { name: name.into(), slot: Slot::of(slot), points: values.iter().map(point).collect() }
}

fn throughput() -> LineChart {
    LineChart {
        id: "throughput".into(),
        title: "Output throughput against concurrency".into(),
        description: "Q4_0 is fastest at every level, F16 slowest.".into(),
        x: levels(),
        y: axis("output throughput", "tok/s"),
        series: vec![
            series("F16", 0, &[97.6, 243.0, 262.0], 0.023),
            series("Q8_0", 1, &[131.0, 318.0, 350.0], 0.02),
            series("Q4_0", 2, &[168.0, 402.0, 431.0], 0.03),
        ],
        baseline: None,
    }
}

fn relative() -> LineChart {
    LineChart {
        id: "relative".into(),
        title: "Relative to F16".into(),
        y: axis("output throughput ÷ F16", ""),
        series: vec![
            series("F16", 0, &[1.0, 1.0, 1.0], 0.0),
            series("Q8_0", 1, &[1.34, 1.31, 1.34], 0.02),
            series("Q4_0", 2, &[1.72, 1.65, 1.65], 0.03),
        ],
        baseline: Some(1.0),
        ..throughput()
    }
}

fn latency() -> QuantileChart {
    let arm = |name: &str, slot: usize, median: [f64; 3]| QuantileSeries {
        name: name.into(),
        slot: Slot::of(slot),
        levels: median
            .iter()
            .map(|&m| {
                let point = |y: f64| Some(Point::with_interval(y, y * 0.95, y * 1.06));
                Quantiles::Values {
                    p50: point(m),
                    p95: point(m * 1.4),
                    p99: point(m * 1.7).map(|p| Point { weak: true, ..p }),
                }
            })
            .collect(),
    };
    QuantileChart {
        id: "latency".into(),
        title: "Time to first token".into(),
        description: "Latency grows with concurrency for every arm.".into(),
        x: levels(),
        y: axis("time to first token", "ms"),
        arms: vec![
            arm("F16", 0, [52.0, 190.0, 1064.0]),
            arm("Q8_0", 1, [44.0, 160.0, 850.0]),
            arm("Q4_0", 2, [40.0, 140.0, 721.0]),
        ],
    }
}

fn many(count: usize) -> LineChart {
    let names = [
        "smollm2-135m-f16",
        "smollm2-135m-q8_0",
        "smollm2-135m-q4_0",
        "vLLM AWQ",
        "SGLang",
        "llama.cpp Q5_0",
        "a",
        "日本語の名前",
    ];
    let line = |i: usize| {
        series(
            names[i % 8],
            i,
            &[90.0 + 12.0 * i as f64, 250.0 + 30.0 * (i % 3) as f64, 300.0 + 4.0 * i as f64],
            0.02,
        )
    };
    LineChart { id: format!("many-{count}"), series: (0..count).map(line).collect(), ..throughput() }
}

fn edge() -> LineChart {
    let mut hostile = series("<script>alert(\"1\")</script> \u{202e}name", 3, &[60.0, f64::NAN, 110.0], 0.1);
    hostile.points[2] = Reading::Value(Point { weak: true, ..Point::bare(110.0) });
    let failed = Reading::Failed("engine exited 137".into());
    LineChart {
        id: "edge".into(),
        x: LevelAxis {
            label: "concurrency".into(),
            levels: ["1", "2", "4", "8", "16", "32"].map(String::from).into(),
        },
        series: vec![
            Series {
                points: vec![
                    Point::bare(20.0).into(),
                    Point::bare(40.0).into(),
                    Reading::Missing,
                    Point::bare(100.0).into(),
                    failed.clone(),
                ],
                ..series("F16", 0, &[], 0.0)
            },
            Series {
                points: vec![
                    failed.clone(),
                    Reading::Missing,
                    Reading::Value(Point::with_interval(70.0, 60.0, 90.0)),
                    Reading::Missing,
                    failed.clone(),
                    failed,
                ],
                ..series("Q8_0", 1, &[], 0.0)
            },
            Series { points: vec![], ..series("never ran", 2, &[], 0.0) },
            hostile,
        ],
        ..throughput()
    }
}

fn single_level() -> LineChart {
    let one = |name: &str, slot: usize, y: f64| series(name, slot, &[y], 0.04);
    LineChart {
        id: "single".into(),
        x: LevelAxis { label: "concurrency".into(), levels: vec!["8".into()] },
        y: ValueAxis { zero_based: false, ..axis("output throughput", "tok/s") },
        series: vec![one("F16", 0, 243.0), one("Q8_0", 1, 250.0), one("Q4_0", 2, 252.0)],
        ..throughput()
    }
}

fn failed() -> QuantileChart {
    let levels = vec![Quantiles::Failed("port in use".into()); 3];
    QuantileChart {
        id: "failed".into(),
        arms: vec![QuantileSeries { levels, ..latency().arms.remove(0) }],
        ..latency()
    }
}
