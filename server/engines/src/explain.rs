//! Why an engine ended: exit code and log in, one class, one sentence, one hint and the decisive lines out.
//!
//! Pure: no file, no process. An engine contributes [`Signature`]s; the order of the table decides where several
//! match. Start from [`explain`].

use inferex_model::deployment::{Failure, FailureClass};

use crate::engine::Engine;

/// At most this many log lines go into a [`Failure`].
pub const MAX_LINES: usize = 12;
/// A longer log line is cut.
const MAX_LINE_CHARS: usize = 400;

/// One recognisable failure in an engine's log.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// The class it means.
    pub class: FailureClass,
    /// All of these stand in one line; compared without regard to case.
    pub needles: &'static [&'static str],
    /// What happened, to what, as a sentence without its end.
    pub sentence: &'static str,
    /// What to do next.
    pub hint: &'static str,
}

/// A signature found in a log.
#[derive(Debug, Clone, Copy)]
pub struct Match<'a> {
    /// Which one.
    pub signature: &'static Signature,
    /// The first line that shows it.
    pub line: &'a str,
}

/// How a process ended, in the shell's convention: a signal `n` is `128 + n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The exit code; `None` when it could not be learnt.
    pub code: Option<i32>,
}

/// The first signature, in the table's order, that a line of the log shows.
#[must_use]
pub fn classify<'a>(engine: &dyn Engine, log: &'a str) -> Option<Match<'a>> {
    engine.signatures().iter().find_map(|signature| {
        let line = log.lines().find(|line| !is_informational(line) && shows(line, signature.needles))?;
        Some(Match { signature, line })
    })
}

/// The failure that an ended engine's exit code and log tell.
#[must_use]
pub fn explain(engine: &dyn Engine, exit: Exit, log: &str) -> Failure {
    let found = classify(engine, log);
    let lines = chosen_lines(log, found.map(|found| found.line));
    let (class, sentence, hint) = match found {
        Some(found) => {
            let sentence =
                format!("{} {}: {}", engine.label(), found.signature.sentence, message(found.line));
            (found.signature.class, sentence, found.signature.hint.to_owned())
        }
        None => (FailureClass::Exited, ended(engine.label(), exit), hint_for(exit).to_owned()),
    };
    Failure { class, exit_code: exit.code, sentence: full_stop(sentence), hint, lines }
}

/// A failure that did not come out of a log.
#[must_use]
pub fn refusal(class: FailureClass, sentence: impl Into<String>, hint: impl Into<String>) -> Failure {
    Failure {
        class,
        exit_code: None,
        sentence: full_stop(sentence.into()),
        hint: hint.into(),
        lines: Vec::new(),
    }
}

/// The lines a person should see: errors where the log marks them, otherwise the last lines.
#[must_use]
pub fn decisive_lines(log: &str) -> Vec<String> {
    chosen_lines(log, None)
}

/// The same with the line that told the class, which need not be marked.
fn chosen_lines(log: &str, told: Option<&str>) -> Vec<String> {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let decisive = |line: &&str| level(line) == Some('E') || told == Some(line);
    let marked = lines.iter().any(|line| level(line) == Some('E'));
    let errors: Vec<&str> = lines.iter().copied().filter(|line| marked && decisive(line)).collect();
    let chosen = if errors.is_empty() { &lines } else { &errors };
    let from = chosen.len().saturating_sub(MAX_LINES);
    chosen[from..].iter().map(|line| line.chars().take(MAX_LINE_CHARS).collect()).collect()
}

fn shows(line: &str, needles: &[&str]) -> bool {
    let line = line.to_ascii_lowercase();
    needles.iter().all(|needle| line.contains(&needle.to_ascii_lowercase()))
}

/// The severity letter of a line like `0.00.005.043 E text`; `None` where a line carries none.
fn level(line: &str) -> Option<char> {
    let (stamp, rest) = line.split_once(' ')?;
    let stamped = stamp.contains('.') && stamp.chars().all(|c| c.is_ascii_digit() || c == '.');
    let mut letters = rest.chars();
    let letter = letters.next().filter(|c| matches!(c, 'D' | 'I' | 'W' | 'E'))?;
    (stamped && letters.next() == Some(' ')).then_some(letter)
}

/// A line that the engine itself marks as harmless never explains a failure.
fn is_informational(line: &str) -> bool {
    level(line).is_some_and(|letter| letter != 'E')
}

/// The line without its time stamp, severity and the function that wrote it, cut to a sentence's length.
fn message(line: &str) -> String {
    let text = if level(line).is_some() { line.splitn(3, ' ').nth(2).unwrap_or(line) } else { line };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_start_matches("error: ");
    let function = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ' '));
    let told = text.split_once(": ").filter(|(before, _)| function(before)).map_or(text, |(_, after)| after);
    told.chars().take(200).collect()
}

fn ended(label: &str, exit: Exit) -> String {
    match exit.code {
        None => format!("{label} ended; its exit code is unknown"),
        Some(code) => match signal_name(code) {
            Some(signal) => format!("{label} was ended by signal {signal} (exit code {code})"),
            None => format!("{label} ended with exit code {code}"),
        },
    }
}

fn signal_name(code: i32) -> Option<&'static str> {
    Some(match code {
        129 => "SIGHUP",
        130 => "SIGINT",
        131 => "SIGQUIT",
        132 => "SIGILL",
        134 => "SIGABRT",
        135 => "SIGBUS",
        136 => "SIGFPE",
        137 => "SIGKILL",
        139 => "SIGSEGV",
        143 => "SIGTERM",
        _ => return None,
    })
}

fn hint_for(exit: Exit) -> &'static str {
    match exit.code {
        Some(132) => {
            "This build of the engine uses processor instructions that this machine lacks; install a build made for \
             this processor."
        }
        Some(137) => {
            "Something outside killed it; if memory was short, the kernel's log (`dmesg`) names the process."
        }
        Some(130 | 143) => "Somebody or something outside asked it to end; start it again.",
        _ => "Read the last lines of its log; the whole log is kept with the deployment.",
    }
}

fn full_stop(mut sentence: String) -> String {
    if !sentence.ends_with(['.', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests;
