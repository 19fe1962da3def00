//! Text in pictures: made harmless, measured with a real table, shortened where it does not fit.

mod widths;

/// Size of all text, pixels.
pub(crate) const SIZE: f64 = 12.0;
/// Room that one line of text takes, pixels.
pub(crate) const LINE: f64 = 15.0;

/// The weight a text is set in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// One line of characters that XML allows: no controls, no direction overrides, single spaces.
pub(crate) fn clean(text: &str) -> String {
    let visible: String =
        text.chars().filter(|&c| !is_unseen(c)).map(|c| if is_space(c) { ' ' } else { c }).collect();
    visible.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A name that is always there to be read.
pub(crate) fn name(text: &str) -> String {
    let clean = clean(text);
    if clean.is_empty() { "unnamed".to_owned() } else { clean }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Overrides would reorder the text around them, and non-characters are not XML.
fn is_unseen(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{ffff}')
}

/// For text content and for quoted attributes alike.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// Width in pixels; never less than what a common sans serif takes.
pub(crate) fn width(text: &str, weight: Weight) -> f64 {
    text.chars().map(|c| advance(c, weight)).sum::<f64>() * SIZE / 1000.0
}

fn advance(c: char, weight: Weight) -> f64 {
    let table = match weight {
        Weight::Regular => &widths::REGULAR,
        Weight::Bold => &widths::BOLD,
    };
    let ascii = u32::from(c).checked_sub(32).and_then(|i| table.get(usize::try_from(i).ok()?));
    ascii.map_or_else(|| unlisted(c), |&w| f64::from(w))
}

/// Upper bounds: an em holds a Latin, Greek, Cyrillic or ideographic character; pictures and a few ligatures are wider.
fn unlisted(c: char) -> f64 {
    match c {
        '\u{b7}' | '\u{2009}' => 380.0,
        '\u{d7}' | '\u{2212}' | '\u{2013}' => 840.0,
        '\u{2e3a}' | '\u{2e3b}' => 3_000.0,
        '\u{fdfa}'..='\u{fdfd}' | '\u{12000}'..='\u{1254f}' => 14_000.0,
        c if u32::from(c) >= 0x1_0000 => 1_400.0,
        _ => 1_050.0,
    }
}

/// The text if it fits, else its beginning and `…`.
pub(crate) fn shorten(text: &str, room: f64, weight: Weight) -> String {
    if width(text, weight) <= room {
        return text.to_owned();
    }
    join(&fitting(text.chars(), room - width("…", weight), weight), "")
}

/// Beginning and end with `…` between: names of one family differ at the end.
fn shorten_middle(text: &str, room: f64, weight: Weight) -> String {
    let room = room - width("…", weight);
    let tail: String = fitting(text.chars().rev(), room * 0.6, weight).chars().rev().collect();
    join(&fitting(text.chars(), room - width(&tail, weight), weight), &tail)
}

fn join(head: &str, tail: &str) -> String {
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

fn fitting(chars: impl Iterator<Item = char>, room: f64, weight: Weight) -> String {
    let mut left = room;
    chars
        .take_while(|&c| {
            left -= advance(c, weight) * SIZE / 1000.0;
            left >= 0.0
        })
        .collect()
}

/// Shortens names that stand beside each other so that those which differ still differ where possible.
pub(crate) fn shorten_all(names: &[String], room: f64, weight: Weight) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|n| shorten(n, room, weight)).collect();
    let is_ambiguous = |i: usize| (0..names.len()).any(|j| names[i] != names[j] && short[i] == short[j]);
    (0..names.len())
        .map(|i| if is_ambiguous(i) { shorten_middle(&names[i], room, weight) } else { short[i].clone() })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_text_becomes_one_harmless_line() {
        assert_eq!(clean("a\u{0}b\n\tc \u{202e}d\u{7f}"), "ab c d");
        assert_eq!(name("\u{200b}\u{0}"), "unnamed");
        assert_eq!(escape("<script>\"'&"), "&lt;script&gt;&quot;&#39;&amp;");
    }

    #[test]
    fn names_of_one_family_stay_distinct() {
        let names = ["smollm2-135m-q8_0", "smollm2-135m-q4_0", "f16"].map(str::to_owned);
        let short = shorten_all(&names, 80.0, Weight::Bold);
        assert_ne!(short[0], short[1]);
        assert!(short[0].ends_with("q8_0"), "{short:?}");
        assert_eq!(short[2], "f16");
    }

    proptest! {
        #[test]
        fn shortened_text_fits(text in any::<String>(), room in 20.0..300f64) {
            let names = [clean(&text), format!("{}x", clean(&text))];
            for short in shorten_all(&names, room, Weight::Bold) {
                prop_assert!(width(&short, Weight::Bold) <= room + 1e-6, "{short}");
            }
        }

        #[test]
        fn clean_text_is_xml(text in any::<String>()) {
            let document = format!("<a b=\"{0}\">{0}</a>", escape(&clean(&text)));
            prop_assert!(roxmltree::Document::parse(&document).is_ok(), "{document}");
        }
    }
}
