//! Log lines on standard error, for people or as JSON.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Starts logging; a second call in one process changes nothing.
pub(crate) fn start(config: &Config) {
    // A stale cookie is an ordinary thing, and that crate warns of each.
    let directives = format!("tower_sessions=error,tower_sessions_core=error,{}", config.log_level);
    let filter = EnvFilter::try_new(directives).unwrap_or_else(|_| EnvFilter::new("info"));
    // In a file or a journal, colours would stand between a field's name and its value and defeat every search.
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr);
    let _ = match config.log_format {
        LogFormat::Console => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
}
