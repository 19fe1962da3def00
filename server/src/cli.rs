//! The command line: what can be said, and the exit codes others script against.
//!
//! Every stateful command is a client of the JSON API: over the control socket when a server runs, else in-process.

mod args;
mod client;
mod engine;
mod experiment;
mod metrics;
mod output;
mod report;
mod serve;
mod user;
mod variant;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use client::Client;

use crate::config::Config;

/// Why a command ended otherwise than well; the variant decides the exit code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The answer is "no": a failed run, a regression. Exit code 1.
    #[error("{0}")]
    No(String),
    /// Wrong use or bad input. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// A service could not be reached. Exit code 3.
    #[error("{0}")]
    Unreachable(String),
}

impl CliError {
    const fn code(&self) -> u8 {
        match self {
            Self::No(_) => 1,
            Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
        }
    }
}

/// Runs the command that this process was started with to its exit code; the one place that prints an error.
pub(crate) fn main() -> ExitCode {
    // The supervisor reads its own arguments: what follows its `--` is somebody else's command line.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "supervise") {
        return inferex_engines::supervise::run(words);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("inferex: {error}");
            ExitCode::from(error.code())
        }
    }
}

/// Help where it was asked for or where nothing was; a wrong word is told in one line, as every other refusal.
fn misused(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    eprintln!("inferex: {}", one_line(&error.to_string()));
    ExitCode::from(2)
}

/// The first paragraph, which says what is wrong; usage and tips follow it.
fn one_line(text: &str) -> String {
    let cause = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = cause.split_whitespace().skip_while(|word| *word == "error:").collect();
    format!("{}; --help says more", words.join(" "))
}

fn dispatch(cli: Cli) -> Result<ExitCode, CliError> {
    match cli.command {
        // These two are children of a server or pure tools: they read no configuration.
        Command::LoadWorker => return serve::load_worker(),
        Command::Metrics(args) => return metrics::run(&args).map(|()| ExitCode::SUCCESS),
        _ => {}
    }
    let config = load_config()?;
    match cli.command {
        Command::Config { json } => output::settings(&config, json),
        Command::Serve => return runtime()?.block_on(serve::serve(config)).map(|()| ExitCode::SUCCESS),
        command => runtime()?.block_on(stateful(config, command))?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn stateful(config: Config, command: Command) -> Result<(), CliError> {
    let client = Client::connect(config).await?;
    let outcome = match command {
        Command::User(command) => user::run(&client, command).await,
        Command::Variant(command) => variant::run(&client, command).await,
        Command::Engine(command) => engine::run(&client, command).await,
        Command::Experiment(command) => experiment::run(&client, command).await,
        Command::Report(command) => report::run(&client, command).await,
        _ => Ok(()),
    };
    client.close().await;
    outcome
}

fn load_config() -> Result<Config, CliError> {
    let (config, warnings) = Config::from_process().map_err(|e| CliError::Usage(e.to_string()))?;
    for warning in warnings {
        eprintln!("inferex: {warning}");
    }
    Ok(config)
}

fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| CliError::Unreachable(format!("cannot start the async runtime: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_is_told_in_one_line() {
        let told = |words: &[&str]| {
            let error = Cli::try_parse_from(words).expect_err("refused");
            one_line(&error.to_string())
        };
        assert_eq!(
            told(&["inferex", "experiment", "show", "run-1"]),
            "invalid value 'run-1' for '<ID>': `run-1` is not an experiment id; expected something like `exp-12`; \
             --help says more"
        );
        for words in [&["inferex", "metrics"][..], &["inferex", "experiment", "run", "a.toml", "--wiat"]] {
            let told = told(words);
            assert!(!told.contains('\n') && !told.starts_with("error"), "{told}");
        }
    }
}
