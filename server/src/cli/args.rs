use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use inferex_model::duration::Span;
use inferex_model::id::{DeploymentId, ExperimentId, ReportId, ShareId};

/// The workbench of an inference engineer.
#[derive(Debug, Parser)]
#[command(name = "inferex", version, about, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be said.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the dashboard and the API.
    Serve,
    /// Show every setting: name, meaning, default, value (secrets masked).
    Config {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Manage accounts.
    #[command(subcommand)]
    User(UserCommand),
    /// Import, export and list variants.
    #[command(subcommand)]
    Variant(VariantCommand),
    /// Start, stop and look at engines.
    #[command(subcommand)]
    Engine(EngineCommand),
    /// Queue, watch and cancel experiments.
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Freeze and share reports.
    #[command(subcommand)]
    Report(ReportCommand),
    /// Compute figures from an events file (no network, no database).
    Metrics(MetricsArgs),
    /// Send the load that standard input describes.
    #[command(hide = true)]
    LoadWorker,
}

/// Accounts.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Make an account.
    Create {
        /// Its name.
        name: String,
        /// admin, engineer or viewer.
        #[arg(long)]
        role: String,
        /// Read the password from standard input.
        #[arg(long, required = true)]
        password_stdin: bool,
    },
    /// List the accounts.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Forbid an account to sign in.
    Disable {
        /// Its name.
        name: String,
    },
    /// Allow a disabled account to sign in again.
    Enable {
        /// Its name.
        name: String,
    },
    /// Set an account's password.
    Password {
        /// Its name.
        name: String,
        /// Read the password from standard input.
        #[arg(long, required = true)]
        password_stdin: bool,
    },
}

/// Variants.
#[derive(Debug, Subcommand)]
pub(crate) enum VariantCommand {
    /// Store the variants of a TOML file; one of the same name is replaced.
    Import {
        /// The file.
        file: PathBuf,
    },
    /// Print all stored variants as TOML.
    Export,
    /// List the stored variants.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Remove a stored variant.
    Remove {
        /// Its name.
        name: String,
    },
}

/// Engines.
#[derive(Debug, Subcommand)]
pub(crate) enum EngineCommand {
    /// Start a stored variant.
    Start {
        /// The variant's name.
        variant: String,
        /// Where it runs.
        #[arg(long, default_value = "process")]
        runtime: String,
        /// Wait until it is ready or has failed.
        #[arg(long)]
        wait: bool,
    },
    /// Stop a deployment.
    Stop {
        /// For example dep-7.
        id: DeploymentId,
    },
    /// List the deployments.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print the last lines of a deployment's log.
    Logs {
        /// For example dep-7.
        id: DeploymentId,
        /// How many lines.
        #[arg(long, default_value_t = 200)]
        lines: u32,
    },
    /// Print how a deployment stands.
    Status {
        /// For example dep-7.
        id: DeploymentId,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Experiments.
#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    /// Queue the experiment of a TOML file.
    Run {
        /// The file.
        file: PathBuf,
        /// Wait to the end with progress on standard error; exit code 1 when a run failed.
        #[arg(long)]
        wait: bool,
        /// Print one JSON document at the end.
        #[arg(long)]
        json: bool,
    },
    /// List the experiments.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print an experiment's result.
    Show {
        /// For example exp-12.
        id: ExperimentId,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Cancel what is not over.
    Cancel {
        /// For example exp-12.
        id: ExperimentId,
    },
    /// Queue interrupted runs again.
    Requeue {
        /// For example exp-12.
        id: ExperimentId,
    },
    /// Print the TOML that reproduces it.
    Export {
        /// For example exp-12.
        id: ExperimentId,
    },
}

/// Reports.
#[derive(Debug, Subcommand)]
pub(crate) enum ReportCommand {
    /// Freeze a report from an experiment.
    Create {
        /// For example exp-12.
        #[arg(long)]
        experiment: ExperimentId,
        /// Its title; the experiment's name when absent.
        #[arg(long)]
        title: Option<String>,
    },
    /// List the reports.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Make a share link; it is printed once.
    Share {
        /// For example rep-4.
        id: ReportId,
        /// For example 7d; never when absent.
        #[arg(long)]
        expires: Option<Span>,
    },
    /// Revoke a share link.
    Revoke {
        /// For example share-9.
        share: ShareId,
    },
}

/// Figures from an events file.
#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {
    /// The events file, one JSON object a line; `-` reads standard input.
    pub(crate) events: PathBuf,
    /// Definitions by name, comma-separated.
    #[arg(long, value_delimiter = ',', default_value = "inferex")]
    pub(crate) definitions: Vec<String>,
}
