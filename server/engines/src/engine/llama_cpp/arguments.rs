//! The command line of `llama-server` out of a variant, and which arguments a variant may not set itself.

use std::path::Path;

use inferex_model::deployment::{Failure, FailureClass};
use inferex_model::variant::Variant;

use crate::engine::Listen;
use crate::explain::refusal;

const HOST: &[&str] = &["--host"];
const PORT: &[&str] = &["--port"];
const CONTEXT: &[&str] = &["-c", "--ctx-size"];
const PARALLEL: &[&str] = &["-np", "--parallel"];
const UNIFIED: &[&str] = &["-kvu", "--kv-unified"];
const METRICS: &[&str] = &["--metrics"];
const SLOTS: &[&str] = &["--slots", "--no-slots"];

/// Arguments that would contradict a field of the variant or show a secret in the process list.
const REFUSED: &[(&[&str], &str)] = &[
    (&["-m", "--model"], "Name the model file in the variant's `model`."),
    (&["-a", "--alias"], "Name the served model in the variant's `served_name`."),
    (
        &["--api-key", "--hf-token", "-hft"],
        "Arguments are visible in the process list; leave the secret out.",
    ),
    (
        &["--api-key-file"],
        "The engine listens on this machine only and is probed without a key; leave it out.",
    ),
];

/// Refuses arguments that Inferex has to set itself.
pub(super) fn check(args: &[String]) -> Result<(), Failure> {
    for (names, hint) in REFUSED {
        let found =
            args.iter().map(|arg| arg.split('=').next().unwrap_or(arg)).find(|arg| names.contains(arg));
        if let Some(arg) = found {
            return Err(bad_argument(format!("`{arg}` is not accepted among a variant's arguments"), hint));
        }
    }
    wanted_listen(args).map(drop)
}

/// The host and port that the arguments carry.
pub(super) fn wanted_listen(args: &[String]) -> Result<(Option<String>, Option<u16>), Failure> {
    let host = value_of(args, HOST).map(str::to_owned);
    let port = match value_of(args, PORT) {
        None if args.iter().any(|arg| PORT.contains(&arg.as_str())) => return Err(bad_port("nothing")),
        None => None,
        Some(text) => match text.parse::<u16>() {
            Ok(port) if port > 0 => Some(port),
            _ => return Err(bad_port(&format!("`{text}`"))),
        },
    };
    Ok((host, port))
}

/// The whole command line; what the variant sets itself is not set again.
pub(super) fn command(variant: &Variant, program: &Path, model: &Path, listen: &Listen) -> Vec<String> {
    let args = &variant.args;
    let mut command = vec![program.display().to_string()];
    let mut add = |names: &[&str], words: &[&str]| {
        if !args.iter().any(|arg| names.contains(&arg.as_str())) {
            command.extend(words.iter().map(|word| (*word).to_owned()));
        }
    };
    add(&[], &["-m", &model.display().to_string()]);
    add(HOST, &["--host", &listen.host]);
    add(PORT, &["--port", &listen.port.to_string()]);
    add(&[], &["--alias", variant.served_name()]);
    add(METRICS, &["--metrics"]);
    add(SLOTS, &["--slots"]);
    if let Some(length) = variant.max_model_len {
        add(CONTEXT, &["-c", &whole_context(args, length).to_string()]);
    }
    command.extend(args.iter().cloned());
    command
}

/// `-c` is shared among the slots unless the cache is unified, so a length per request is multiplied.
fn whole_context(args: &[String], per_request: u32) -> u64 {
    let unified = args.iter().any(|arg| UNIFIED.contains(&arg.as_str()));
    let slots = value_of(args, PARALLEL).and_then(|text| text.parse::<u32>().ok()).filter(|_| !unified);
    u64::from(per_request) * u64::from(slots.unwrap_or(1).max(1))
}

/// The word after the last of these names; the last one counts, as it does for the engine.
fn value_of<'a>(args: &'a [String], names: &[&str]) -> Option<&'a str> {
    let at = args.iter().rposition(|arg| names.contains(&arg.as_str()))?;
    args.get(at + 1).map(String::as_str)
}

fn bad_port(what: &str) -> Failure {
    bad_argument(
        format!("`--port` is followed by {what}, not by a port"),
        "Give a number from 1 to 65535, or leave `--port` out and a free one is chosen.",
    )
}

fn bad_argument(sentence: String, hint: &str) -> Failure {
    refusal(FailureClass::BadArgument, sentence, hint)
}
