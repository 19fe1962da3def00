//! `inferex supervise --output FILE [--grace-ms N] -- CMD ARGS…`: the small parent that every local engine runs under.
//!
//! It starts CMD in a process group of its own with its output appended to FILE, prints one JSON [`Report`] line and
//! waits. When its standard input ends (the server died or asked for it), or it is told to end by a signal, the
//! group gets SIGTERM and, after the grace, SIGKILL. Whenever the leader is gone, the rest of its group is killed,
//! so nothing of an engine outlives it. It may not know what it runs. Start from [`run`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use inferex_model::deployment::ProcessIdentity;
use serde::{Deserialize, Serialize};

mod group;

/// Between SIGTERM and SIGKILL when the command line does not say.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);
/// Exit code when the command could not be started, as shells use it.
const NOT_STARTED: u8 = 127;
/// Exit code for wrong use.
const WRONG_USE: u8 = 2;

/// What to supervise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuperviseArgs {
    /// The file that the command's output is appended to.
    pub output: PathBuf,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// The command and its arguments; never empty.
    pub command: Vec<OsString>,
}

/// The one line that the supervisor prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Report {
    /// The command runs.
    Spawned {
        /// Its identity; its process id is also its group's.
        identity: ProcessIdentity,
    },
    /// The command could not be started.
    NotStarted {
        /// Whether the program does not exist, as opposed to any other reason.
        missing: bool,
        /// The reason in the system's words.
        message: String,
    },
}

/// Why the arguments cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("supervise: {0}; use: supervise --output FILE [--grace-ms N] -- CMD ARGS…")]
pub struct ArgsError(String);

impl SuperviseArgs {
    /// Reads what follows the word `supervise`.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self, ArgsError> {
        let mut args = args.into_iter();
        let (mut output, mut grace) = (None, DEFAULT_GRACE);
        loop {
            let word = args.next().ok_or_else(|| ArgsError("`--` and a command are missing".to_owned()))?;
            match word.to_str() {
                Some("--") => break,
                Some("--output") => output = args.next().map(PathBuf::from),
                Some("--grace-ms") => grace = milliseconds(args.next())?,
                _ => return Err(ArgsError(format!("`{}` is not known", word.display()))),
            }
        }
        let output = output.ok_or_else(|| ArgsError("--output FILE is missing".to_owned()))?;
        let command: Vec<OsString> = args.collect();
        if command.is_empty() {
            return Err(ArgsError("the command is missing".to_owned()));
        }
        Ok(Self { output, grace, command })
    }
}

/// The sub-command: everything after the word `supervise` in, the command's exit code out (a signal `n` is `128 + n`).
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    match SuperviseArgs::parse(args) {
        Ok(args) => supervise(&args),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(WRONG_USE)
        }
    }
}

/// Runs the command to its end or to the end of standard input, whichever comes first.
pub fn supervise(args: &SuperviseArgs) -> ExitCode {
    match group::Group::spawn(args) {
        Ok(group) => {
            print_report(&Report::Spawned { identity: group.identity().clone() });
            ExitCode::from(group.wait(args.grace))
        }
        Err(error) => {
            let missing = error.kind() == std::io::ErrorKind::NotFound;
            print_report(&Report::NotStarted { missing, message: error.to_string() });
            ExitCode::from(NOT_STARTED)
        }
    }
}

/// A server that is gone reads nothing; the group must be cleaned all the same, so a failed write is ignored.
fn print_report(report: &Report) {
    use std::io::Write;
    let line = serde_json::to_string(report).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn milliseconds(word: Option<OsString>) -> Result<Duration, ArgsError> {
    let text = word.unwrap_or_default();
    let number = text.to_str().and_then(|text| text.parse().ok());
    number
        .map(Duration::from_millis)
        .ok_or_else(|| ArgsError("--grace-ms wants whole milliseconds".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<SuperviseArgs, ArgsError> {
        SuperviseArgs::parse(words.iter().map(OsString::from))
    }

    #[test]
    fn what_follows_the_dashes_belongs_to_the_command() {
        let args =
            parse(&["--grace-ms", "50", "--output", "o", "--", "cmd", "--output", "x"]).expect("parsed");
        assert_eq!(args.command, ["cmd", "--output", "x"]);
        assert_eq!((args.output, args.grace), (PathBuf::from("o"), Duration::from_millis(50)));
    }

    #[test]
    fn incomplete_arguments_are_refused() {
        let wrong: [&[&str]; 6] = [
            &[],
            &["--output", "o"],
            &["--output", "o", "--"],
            &["--", "cmd"],
            &["--grace-ms", "soon", "--output", "o", "--", "cmd"],
            &["--frob", "--", "cmd"],
        ];
        for words in wrong {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn a_report_is_one_line_and_reads_back() {
        let report = Report::NotStarted { missing: true, message: "no\nsuch file".to_owned() };
        let line = serde_json::to_string(&report).expect("written");
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Report>(&line).expect("read"), report);
    }
}
