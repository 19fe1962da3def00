//! Numbers as a reader sees them: three significant digits, comma groups, a true minus sign.

/// Beyond this a number is a mistake, not a measurement; it is treated as missing.
const LARGEST: f64 = 1e15;
/// Nearer to nothing than any measured figure: drawn and written as 0.
const SMALLEST: f64 = 1e-9;

/// The number if it can be drawn, with vanishing values as 0.
pub(crate) fn usable(value: f64) -> Option<f64> {
    (value.is_finite() && value.abs() <= LARGEST).then_some(if value.abs() < SMALLEST { 0.0 } else { value })
}

/// A figure with three significant digits: `0.0123`, `1.65`, `97.6`, `1,490`.
pub(crate) fn figure(value: f64) -> String {
    let Some(value) = usable(value) else { return "not reported".to_owned() };
    if value == 0.0 {
        return "0".to_owned();
    }
    let (shown, suffix) = scaled(value);
    // Rounding first keeps 999.7 from becoming `1000` with the decimals of a smaller number.
    let exponent = exponent(shown);
    let unit = 10f64.powi(exponent - 2);
    let rounded = (shown / unit).round() * unit;
    let decimals = usize::try_from(2 - self::exponent(rounded)).unwrap_or(0);
    group(&format!("{rounded:.decimals$}"), suffix)
}

/// A tick's number: as many decimals as its step needs, so that all ticks of an axis agree.
pub(crate) fn tick(value: f64, step: f64) -> String {
    let (factor, suffix) = scale_of(step.abs() * 4.0);
    let decimals = (0..=12).find(|&d| is_whole(step / factor * 10f64.powi(d))).unwrap_or(12);
    let shown = value / factor;
    let shown = if shown == 0.0 { 0.0 } else { shown };
    let suffix = if shown == 0.0 { "" } else { suffix };
    group(&format!("{shown:.*}", usize::try_from(decimals).unwrap_or(0)), suffix)
}

/// Whether this is an integer but for the rounding of binary fractions.
pub(crate) fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 * value.abs().max(1e-3)
}

fn scaled(value: f64) -> (f64, &'static str) {
    let (factor, suffix) = scale_of(value.abs());
    (value / factor, suffix)
}

/// From a million on, digits alone would take the room of the picture.
fn scale_of(size: f64) -> (f64, &'static str) {
    match size {
        s if s >= 1e12 => (1e12, " T"),
        s if s >= 1e9 => (1e9, " G"),
        s if s >= 1e6 => (1e6, " M"),
        _ => (1.0, ""),
    }
}

fn exponent(value: f64) -> i32 {
    // Between 1e-9 and 1e15 the logarithm is far inside i32.
    #[allow(clippy::cast_possible_truncation)]
    let exponent = value.abs().log10().floor() as i32;
    exponent
}

fn group(digits: &str, suffix: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("\u{2212}", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut out = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out + suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_significant_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.0123, "0.0123"),
            (1.0, "1.00"),
            (1.649, "1.65"),
            (97.58, "97.6"),
            (99.96, "100"),
            (999.7, "1,000"),
            (1486.0, "1,490"),
            (-262.4, "\u{2212}262"),
            (12_345_678.0, "12.3 M"),
            (f64::NAN, "not reported"),
            (f64::INFINITY, "not reported"),
            (1e-12, "0"),
        ] {
            assert_eq!(figure(value), text, "{value}");
        }
    }

    #[test]
    fn ticks_of_one_axis_have_the_same_decimals() {
        assert_eq!(tick(1.0, 0.5), "1.0");
        assert_eq!(tick(1200.0, 400.0), "1,200");
        assert_eq!(tick(0.3, 0.1), "0.3");
        assert_eq!(tick(0.25, 0.25), "0.25");
        assert_eq!(tick(-0.0, 1.0), "0");
        assert_eq!(tick(3_000_000.0, 1_500_000.0), "3.0 M");
    }
}
