//! What kinds of paths there are. Denied by default: what is not listed here needs an account.

/// Liveness, for probes that know no host name.
pub(super) const HEALTH: &str = "/healthz";

/// Open to anyone, in whatever state the installation is; none of them reads a session.
pub(super) fn is_public(path: &str) -> bool {
    is_share(path)
        || is_asset(path)
        || matches!(path, HEALTH | "/robots.txt" | "/favicon.ico" | "/favicon.svg")
}

/// A shared report: the path is a secret.
pub(super) fn is_share(path: &str) -> bool {
    path == "/r" || path.starts_with("/r/")
}

/// A static file with its hash in its name.
pub(super) fn is_asset(path: &str) -> bool {
    path.starts_with("/assets/")
}

/// The way in: pages and forms for people who are not signed in.
pub(super) fn is_entrance(path: &str) -> bool {
    is_setup(path) || matches!(path, "/login" | "/do/sign-in" | "/do/sign-out")
}

/// The way in while no account exists.
pub(super) fn is_setup(path: &str) -> bool {
    matches!(path, "/setup" | "/do/set-up")
}

/// Answered with problem details instead of redirects.
pub(super) fn is_api(path: &str) -> bool {
    path.starts_with("/api/")
}

/// The path as the log may show it: segments that could be an id or a secret become `{…}`.
pub(super) fn masked(path: &str) -> String {
    if is_share(path) {
        return "/r/{token}".to_owned();
    }
    let word =
        |segment: &str| segment.len() <= 20 && segment.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let segments: Vec<&str> =
        path.split('/').take(8).map(|segment| if word(segment) { segment } else { "{…}" }).collect();
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_shows_words_and_nothing_that_could_be_a_secret() {
        assert_eq!(masked("/"), "/");
        assert_eq!(masked("/experiments/exp-12"), "/experiments/{…}");
        assert_eq!(masked("/experiments/new"), "/experiments/new");
        assert_eq!(masked("/r/canary-token"), "/r/{token}");
        assert_eq!(masked("/R/k9Jd83kd93kdk3kdm3kd93kd"), "/{…}/{…}");
        assert_eq!(masked(&"/a".repeat(100)), "/a/a/a/a/a/a/a");
    }

    #[test]
    fn nothing_is_public_by_resemblance() {
        for path in
            ["/", "/runs", "/report", "/assetsx", "/healthz/", "/rx", "/api/v1/users", "/do/user-create"]
        {
            assert!(!is_public(path) && !is_entrance(path), "{path}");
        }
    }
}
