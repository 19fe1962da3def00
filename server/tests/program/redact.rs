//! API bodies as snapshots: what differs from run to run and machine to machine is replaced by what it is.

use serde_json::Value;

/// Members whose text or count depends on the measured figures or the machine.
const VARYING: [&str; 11] = [
    "sentence",
    "uncertainty",
    "beware",
    "reason",
    "detail",
    "verdict",
    "ledger",
    "machine",
    "client_bound",
    "seconds",
    "eta_s",
];

/// The document with floats, times and everything that varies named instead of shown.
pub(super) fn redact(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), member(name, value))).collect()
        }
        Value::Array(items) => items.iter().map(redact).collect(),
        Value::Number(number) if number.is_f64() => "[float]".into(),
        other => other.clone(),
    }
}

fn member(name: &str, value: &Value) -> Value {
    if value.is_null() {
        return Value::Null;
    }
    if name.ends_with("_at") || name == "last_sign_in" {
        return "[time]".into();
    }
    if VARYING.contains(&name) {
        return format!("[{name}]").into();
    }
    match value {
        Value::String(text) if text.starts_with("<svg ") && text.trim_end().ends_with("</svg>") => {
            "[picture]".into()
        }
        Value::String(text) if text.starts_with('/') => "[path]".into(),
        Value::Array(rows) if name == "rows" => format!("[{} rows]", rows.len()).into(),
        other => redact(other),
    }
}
