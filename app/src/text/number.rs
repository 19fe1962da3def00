//! Numbers: three significant digits, thin spaces between groups, no unit (units stand in the head).

/// Between groups of three digits.
const THIN: char = '\u{202f}';

/// Three significant digits: `97.6`, `1 490`, `0.00794`.
pub(crate) fn three(value: f64) -> String {
    significant(value, 3)
}

/// `digits` significant digits, never in exponent form.
fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return "not reported".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let mut places = digits - 1 - magnitude(value);
    let factor = 10_f64.powi(places);
    let rounded = (value * factor).round() / factor;
    places = digits - 1 - magnitude(rounded);
    grouped(&format!("{rounded:.*}", usize::try_from(places.max(0)).unwrap_or(0)))
}

/// The power of ten of the first digit.
#[allow(clippy::cast_possible_truncation)]
fn magnitude(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

/// A whole number with groups: `12 345`.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// Groups the digits before the point, from five digits on (four stay together, as in `1490`).
fn grouped(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("−", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(w, f)| (w, Some(f)));
    let mut out = String::from(sign);
    for (index, c) in whole.chars().enumerate() {
        if index > 0 && whole.len() > 4 && (whole.len() - index).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(c);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Half of the interval's width with two digits: `6.1`; `None` without an interval.
pub(crate) fn half_width(low: Option<f64>, high: Option<f64>) -> Option<String> {
    let half = (high? - low?).abs() / 2.0;
    Some(significant(half, 2))
}

/// A ratio: `1.65`.
pub(crate) fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "not reported".to_owned() }
}

/// A p value: `0.0079`, or `< 0.001`.
pub(crate) fn p_value(value: f64) -> String {
    if value < 0.001 { "< 0.001".to_owned() } else { significant(value, 2) }
}

/// A share of 1 as a percentage: `71 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 2))
}

/// Megabytes (10⁶ bytes) without the unit: `270.9`.
pub(crate) fn megabytes(bytes: u64) -> String {
    grouped(&format!("{:.1}", bytes as f64 / 1e6))
}

/// Bytes with a unit: `270.9 MB`, `25.8 GB`.
pub(crate) fn bytes(bytes: u64) -> String {
    if bytes >= 1_000_000_000 {
        format!("{:.1} GB", bytes as f64 / 1e9)
    } else {
        format!("{} MB", megabytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_at_every_size() {
        let values =
            [97.64, 1.0, 262.4, 1490.3, 12_345.0, 1_234_567.0, 0.007_94, 0.123_4, 99.96, 9.996, 0.0, -3.456];
        let shown: Vec<String> = values.iter().map(|v| three(*v)).collect();
        insta::assert_snapshot!(shown.join(" | "), @"97.6 | 1.00 | 262 | 1490 | 12 300 | 1 230 000 | 0.00794 | 0.123 | 100 | 10.0 | 0 | −3.46");
    }

    #[test]
    fn what_is_not_finite_is_not_reported() {
        assert_eq!(three(f64::NAN), "not reported");
        assert_eq!(ratio(f64::INFINITY), "not reported");
    }

    #[test]
    fn the_rest() {
        let shown = [
            count(640),
            count(5_120),
            count(1_234_567),
            half_width(Some(255.9), Some(268.1)).unwrap_or_default(),
            ratio(1.648),
            p_value(2.0 / 252.0),
            p_value(0.0001),
            percent(0.7123),
            megabytes(270_900_000),
            bytes(25_800_000_000),
        ];
        insta::assert_snapshot!(shown.join(" | "), @"640 | 5120 | 1 234 567 | 6.1 | 1.65 | 0.0079 | < 0.001 | 71 % | 270.9 | 25.8 GB");
        assert_eq!(half_width(Some(1.0), None), None);
    }
}
