//! Values as a person reads them: numbers, times, words and addresses. Pure: no view, no clock.

mod number;
mod path;
mod time;
mod words;

pub(crate) use number::{bytes, count, half_width, megabytes, p_value, percent, ratio, three};
pub(crate) use path::{encode, local_path};
pub(crate) use time::{ago, duration, utc};
pub(crate) use words::{mark, metric, ordinal, plural};

/// Text made safe between tags and in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
