use super::*;

/// A linear RGB colour.
type Rgb = [f64; 3];

/// Severity 1.0 of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
/// Deficiency" (2009), on linear RGB; the first one is normal sight.
const SIGHTS: [(&str, [[f64; 3]; 3]); 4] = [
    ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protan",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deutan",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritan",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

fn linear(hex: &str) -> Rgb {
    [1, 3, 5].map(|at| {
        let part =
            f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("two hexadecimal digits")) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

fn seen(by: &[[f64; 3]; 3], colour: Rgb) -> Rgb {
    by.map(|row| row.iter().zip(colour).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0))
}

/// Björn Ottosson's `OKLab` (2020): distances in it are close to perceived ones.
fn oklab([red, green, blue]: Rgb) -> [f64; 3] {
    let l = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
    let m = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
    let s = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// WCAG 2.2's contrast ratio.
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |hex| linear(hex).iter().zip([0.2126, 0.7152, 0.0722]).map(|(c, w)| c * w).sum::<f64>();
    let (a, b): (f64, f64) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn value(theme: Theme, name: &str) -> &'static str {
    properties(theme).find(|(n, _)| n == name).map(|(_, value)| value).expect("a property of this name")
}

#[test]
fn arms_differ_for_every_kind_of_sight() {
    for arms in ARMS {
        for (sight, matrix) in &SIGHTS {
            for (i, a) in arms.iter().enumerate() {
                for b in &arms[..i] {
                    let apart = distance(oklab(seen(matrix, linear(a))), oklab(seen(matrix, linear(b))));
                    assert!(apart >= 0.08, "{a} and {b} are {apart:.3} apart for {sight}");
                }
            }
        }
    }
}

#[test]
fn text_and_marks_stand_out_from_the_surface() {
    for theme in [Theme::Light, Theme::Dark] {
        let panel = value(theme, "panel");
        for (name, colour) in properties(theme) {
            let least = match name.as_str() {
                "panel" | "line" | "line-strong" => continue,
                mark if mark.starts_with("arm") && !mark.ends_with("text") => 3.0,
                _ => 4.5,
            };
            let ratio = contrast(colour, panel);
            assert!(ratio >= least, "--{name} {colour} has {ratio:.2}, needs {least}");
        }
    }
}

#[test]
fn every_property_the_rules_use_has_a_value() {
    let known: Vec<String> = properties(Theme::Light).map(|(name, _)| name).collect();
    for used in stylesheet().split("var(--").skip(1).filter_map(|rest| rest.split([')', ',']).next()) {
        let is_own = matches!(used, "arm" | "arm-text" | "font-sans");
        assert!(is_own || known.iter().any(|name| name == used), "--{used}");
    }
}

#[test]
fn other_text_is_given_back() {
    for text in ["", "<svg>", "no picture\n>\n</svg>"] {
        assert_eq!(standalone(text), text);
    }
}
