//! Addresses: what may be redirected to, and what stands in a query.

use std::fmt::Write as _;

/// `next` if it is a path on this site, else `/`. A browser reads `//host`, `/\host` and control characters as
/// ways out, so all of them are refused.
pub(crate) fn local_path(next: &str) -> &str {
    let plain = next.bytes().all(|b| b > b' ' && b < 0x7f && b != b'\\');
    if plain && next.starts_with('/') && !next.starts_with("//") { next } else { "/" }
}

/// Text for a query value or a path segment.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_paths_are_followed() {
        for good in ["/", "/experiments/exp-1", "/experiments?before=exp-3#list"] {
            assert_eq!(local_path(good), good);
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\r\nX: y",
            "/\t/evil.example",
            "experiments",
        ] {
            assert_eq!(local_path(bad), "/", "{bad:?}");
        }
    }

    #[test]
    fn a_query_value_cannot_leave_its_place() {
        assert_eq!(encode("/a b&c=d#e"), "%2Fa%20b%26c%3Dd%23e");
    }
}
