use std::io::{IsTerminal, Read, Write};

use serde::Serialize;

use super::CliError;
use crate::config::Config;

/// Prints one JSON document on standard output.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(|e| CliError::Usage(e.to_string()))?;
    line(&text);
    Ok(())
}

/// Prints one line on standard output; a reader that has gone away is no error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints a table with columns as wide as their widest cell.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let print = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        line(padded.collect::<Vec<_>>().join("  ").trim_end());
    };
    print(head.to_vec());
    for row in rows {
        print(row.iter().map(String::as_str).collect());
    }
}

/// Progress on standard error: one rewritten line on a terminal, plain lines elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    last: String,
    step: String,
}

impl Progress {
    /// Shows `text` if it says something new; where lines cannot be rewritten, only once for each `step`.
    pub(crate) fn show(&mut self, step: &str, text: &str) {
        let mut out = std::io::stderr();
        let is_terminal = out.is_terminal();
        if text == self.last || (!is_terminal && step == self.step) {
            return;
        }
        text.clone_into(&mut self.last);
        step.clone_into(&mut self.step);
        // A reader that has gone away must not end the command that it watched.
        let _ = if is_terminal { write!(out, "\r\x1b[K{text}") } else { writeln!(out, "{text}") };
        let _ = out.flush();
    }

    /// Leaves the last line standing.
    pub(crate) fn end(&self) {
        if !self.last.is_empty() && std::io::stderr().is_terminal() {
            eprintln!();
        }
    }
}

/// The first line of standard input, without its line end.
pub(crate) fn read_secret() -> Result<String, CliError> {
    let mut text = String::new();
    std::io::stdin()
        .take(4_096)
        .read_to_string(&mut text)
        .map_err(|e| CliError::Usage(format!("cannot read the password from standard input: {e}")))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// `1 h 5 min`, `3 min 20 s`, `45 s`.
pub(crate) fn duration(seconds: u64) -> String {
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// Prints every setting.
pub(crate) fn settings(config: &Config, as_json: bool) {
    let settings = config.settings();
    if as_json {
        if let Err(error) = json(settings) {
            eprintln!("inferex: {error}");
        }
        return;
    }
    let rows: Vec<Vec<String>> = settings
        .iter()
        .map(|s| {
            vec![s.name.to_string(), s.value.clone(), s.source.as_str().to_owned(), s.meaning.to_string()]
        })
        .collect();
    table(&["name", "value", "from", "meaning"], &rows);
}
