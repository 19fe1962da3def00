//! Numbers as sentences show them: three significant digits, comma groups, `1.65 ×`, `71.4 %`.

/// `x` with so many significant digits and comma groups, never in exponent form.
pub(super) fn significant(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return "not reported".to_owned();
    }
    // The exponent form rounds first, so that 0.9996 is seen as 1.00.
    let rounded = format!("{:.*e}", digits - 1, x);
    let exponent = rounded.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    let decimals = usize::try_from(i32::try_from(digits).unwrap_or(3) - 1 - exponent).unwrap_or(0);
    let text = format!("{:.decimals$}", rounded.parse().unwrap_or(x));
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
    format!("{sign}{}{rest}", commas(whole))
}

/// Three significant digits.
pub(super) fn three(x: f64) -> String {
    significant(x, 3)
}

/// A share as a percentage.
pub(super) fn percent(share: f64) -> String {
    if share == 0.0 { "0 %".to_owned() } else { format!("{} %", three(share * 100.0)) }
}

/// A p-value: two significant digits.
pub(super) fn p_value(p: f64) -> String {
    if p >= 1.0 { "1".to_owned() } else { significant(p, 2) }
}

/// A ratio as `1.65 ×` from 1 on and as `71.4 % of` below.
pub(super) fn times_or_percent(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{} ×", three(ratio)) } else { format!("{} of", percent(ratio)) }
}

/// A count with comma groups.
pub(super) fn grouped(count: u64) -> String {
    commas(&count.to_string())
}

fn commas(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Two clauses as a sentence.
pub(super) fn sentence(first: &str, second: &str) -> String {
    format!("{}, {second}.", capitalised(first))
}

/// The text with a capital first letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
