//! `inferex`: the workbench of an inference engineer. This file only says what there is; start from [`cli`].

mod accounts;
mod api;
mod backend;
mod cli;
mod config;
mod control;
mod core;
mod download;
mod edge;
mod estimate;
mod fleet;
mod home;
mod lane;
mod log_lines;
mod logging;
mod ports;
mod queue;
mod results;
mod results_cache;
mod secret;
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
