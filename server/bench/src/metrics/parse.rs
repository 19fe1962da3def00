//! Events files: one JSON object a line; unknown keys are tolerated, anything else names its line.

use std::io::BufRead;

use inferex_model::event::Event;
use serde_json::Value;

const KINDS: [&str; 8] = ["meta", "window", "scheduled", "sent", "headers", "chunk", "done", "error"];

/// The first line of an events file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct EventFileError {
    /// From 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads an events file; blank lines are skipped. Stops at the first bad line.
pub fn parse_jsonl(mut reader: impl BufRead) -> Result<Vec<Event>, EventFileError> {
    let mut events = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let fault = |reason| EventFileError { line, reason };
        let read = reader.read_until(b'\n', &mut bytes);
        if read.map_err(|e| fault(format!("cannot be read: {e}")))? == 0 {
            break;
        }
        if !bytes.trim_ascii().is_empty() {
            events.push(parse_line(bytes.trim_ascii()).map_err(fault)?);
        }
    }
    Ok(events)
}

fn parse_line(bytes: &[u8]) -> Result<Event, String> {
    serde_json::from_slice(bytes).map_err(|error| explain(bytes, &error))
}

/// The reason in words; the parser's own message serves only where the shape is right.
fn explain(bytes: &[u8], error: &serde_json::Error) -> String {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return format!("is not JSON ({error})");
    };
    let Some(object) = value.as_object() else {
        return "is no JSON object; each line is one event, for example {\"req\":0,\"t\":120,\"kind\":\"sent\"}"
            .to_owned();
    };
    match object.get("kind").map(Value::as_str) {
        None => format!("has no `kind`; known are {}", KINDS.join(", ")),
        Some(None) => format!("has a `kind` that is no text; known are {}", KINDS.join(", ")),
        Some(Some(kind)) if KINDS.contains(&kind) => format!("is no `{kind}` event: {error}"),
        Some(Some(kind)) => {
            let kind: String = kind.escape_debug().take(40).collect();
            format!("has the unknown kind `{kind}`; known are {}", KINDS.join(", "))
        }
    }
}
