//! Names that look like ours and are not: a typing error would otherwise be a setting silently not made.

use super::settings::SETTINGS;

/// Settings of the command line, the gateway and others that are read elsewhere or not by this build.
const KNOWN_ELSEWHERE: &[&str] = &[
    "INFEREX_URL",
    "GATEWAY_LISTEN",
    "GATEWAY_API_KEYS",
    "GATEWAY_VLLM_URL",
    "GATEWAY_RATE_LIMIT_REQUESTS",
    "GATEWAY_RATE_LIMIT_WINDOW_SECONDS",
    "GATEWAY_MAX_BODY_BYTES",
    // Of the commands in deploy/.
    "INFEREX_BIN",
    "INFEREX_PROFILE",
    "INFEREX_TEST_ENGINE",
    "INFEREX_TEST_MODEL",
    "INFEREX_THREADS",
];

/// One sentence for each `INFEREX_` or `GATEWAY_` variable that nothing reads.
pub(super) fn warnings<'a>(vars: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    vars.filter(|(name, value)| is_ours(name) && !is_known(name) && !is_service_link(name, value))
        .map(|(name, _)| sentence(name))
        .collect()
}

fn is_ours(name: &str) -> bool {
    name.starts_with("INFEREX_") || name.starts_with("GATEWAY_")
}

fn is_known(name: &str) -> bool {
    let known =
        |name: &str| SETTINGS.iter().any(|setting| setting.name == name) || KNOWN_ELSEWHERE.contains(&name);
    known(name)
        || name.strip_suffix("_FILE").is_some_and(known)
        || (name.starts_with("GATEWAY_") && name.contains("TIMEOUT"))
}

/// Kubernetes gives every pod variables about each service, so a service called `inferex` or `gateway` makes names
/// that begin like ours.
fn is_service_link(name: &str, value: &str) -> bool {
    if let Some((_, tail)) = name.split_once("_SERVICE_") {
        return tail == "HOST" || tail == "PORT" || tail.starts_with("PORT_");
    }
    match name.split_once("_PORT") {
        Some((_, "")) => ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme)),
        Some((_, tail)) => tail.strip_prefix('_').is_some_and(is_port_link),
        None => false,
    }
}

/// `8080_TCP`, `8080_TCP_ADDR`, …
fn is_port_link(tail: &str) -> bool {
    let mut parts = tail.split('_');
    let port = parts.next().is_some_and(|port| port.parse::<u16>().is_ok());
    let protocol = parts.next().is_some_and(|word| matches!(word, "TCP" | "UDP" | "SCTP"));
    let rest = parts.next().is_none_or(|word| matches!(word, "ADDR" | "PORT" | "PROTO"));
    port && protocol && rest && parts.next().is_none()
}

fn sentence(name: &str) -> String {
    let nearest = SETTINGS
        .iter()
        .map(|setting| (distance(name, setting.name), setting.name))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    match nearest {
        Some((_, near)) => format!("{name} is no setting and was ignored; did you mean {near}?"),
        None => format!("{name} is no setting and was ignored; `inferex config` lists them all"),
    }
}

/// Edit distance (Levenshtein), for the suggestion.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<u8> = right.bytes().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(name: &str, value: &str) -> Vec<String> {
        warnings([(name, value)].into_iter())
    }

    #[test]
    fn a_typing_error_is_answered_with_the_nearest_name() {
        assert_eq!(
            warned("INFEREX_LISTN", "x"),
            ["INFEREX_LISTN is no setting and was ignored; did you mean INFEREX_LISTEN?"]
        );
        assert_eq!(warned("GATEWAY_COLOUR", "x").len(), 1);
    }

    #[test]
    fn known_names_files_and_foreign_names_pass_quietly() {
        for name in
            ["INFEREX_LISTEN", "INFEREX_DATA_DIR_FILE", "GATEWAY_API_KEYS", "GATEWAY_CONNECT_TIMEOUT_SECONDS"]
        {
            assert_eq!(warned(name, "x"), Vec::<String>::new(), "{name}");
        }
        assert_eq!(warned("PATH", "x"), Vec::<String>::new());
    }

    #[test]
    fn kubernetes_service_links_are_ignored_and_look_alikes_are_not() {
        let links = [
            ("INFEREX_SERVICE_HOST", "10.0.0.1"),
            ("INFEREX_SERVICE_PORT", "8080"),
            ("INFEREX_SERVICE_PORT_HTTP", "8080"),
            ("INFEREX_PORT", "tcp://10.0.0.1:8080"),
            ("GATEWAY_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
            ("GATEWAY_PORT_8080_TCP_ADDR", "10.0.0.1"),
            ("INFEREX_WEB_PORT_8080_TCP_PROTO", "tcp"),
        ];
        for (name, value) in links {
            assert_eq!(warned(name, value), Vec::<String>::new(), "{name}");
        }
        assert_eq!(warned("INFEREX_PORT", "8080").len(), 1);
        assert_eq!(warned("INFEREX_PORT_NUMBER", "8080").len(), 1);
    }
}
