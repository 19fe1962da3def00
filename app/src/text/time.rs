//! Times: relative to now, absolute in UTC, and lengths.

use inferex_model::time::Timestamp;
use time::OffsetDateTime;
use time::macros::format_description;

/// `2026-11-30 14:02:11 UTC`.
pub(crate) fn utc(at: Timestamp) -> String {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second] UTC");
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at.0) * 1_000_000)
        .ok()
        .and_then(|at| at.format(&format).ok())
        .unwrap_or_else(|| "unknown time".to_owned())
}

/// `now`, `3 min ago`, `in 2 h`, `5 days ago`.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    let ms = now.since_ms(at);
    let seconds = ms.unsigned_abs() / 1_000;
    let length = match seconds {
        0..5 => return "now".to_owned(),
        5..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", (seconds + 43_200) / 86_400),
    };
    if ms >= 0 { format!("{length} ago") } else { format!("in {length}") }
}

/// A length of whole seconds: `8 s`, `2 min 5 s`, `31 min`, `2 h 5 min`.
pub(crate) fn duration(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest} s"),
        (0, 1..10) if rest > 0 => format!("{minutes} min {rest} s"),
        (0, _) => format!("{} min", minutes + u64::from(rest >= 30)),
        (_, 0) => format!("{hours} h"),
        _ => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_epoch_and_beyond() {
        assert_eq!(utc(Timestamp(0)), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(Timestamp(i64::MAX)), "unknown time");
    }

    #[test]
    fn relative_times() {
        let now = Timestamp(10_000_000_000);
        let shown: Vec<String> = [0_i64, 4_000, 59_000, 61_000, 7_300_000, 400_000_000, -61_000]
            .iter()
            .map(|ms| ago(now.plus_ms(-ms), now))
            .collect();
        insta::assert_snapshot!(shown.join(" | "), @"now | now | 59 s ago | 1 min ago | 2 h ago | 5 days ago | in 1 min");
    }

    #[test]
    fn lengths() {
        let shown: Vec<String> =
            [0, 8, 60, 125, 599, 1_859, 3_600, 7_500].iter().map(|s| duration(*s)).collect();
        insta::assert_snapshot!(shown.join(" | "), @"0 s | 8 s | 1 min | 2 min 5 s | 9 min 59 s | 31 min | 1 h | 2 h 5 min");
    }
}
