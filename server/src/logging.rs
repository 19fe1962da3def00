//! Log lines on standard error, for people or as JSON.

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Starts logging; a second call in one process changes nothing.
pub(crate) fn start(config: &Config) {
    // A stale cookie is an ordinary thing, and that crate warns of each.
    let directives = format!("tower_sessions=error,tower_sessions_core=error,{}", config.log_level);
    let filter = EnvFilter::try_new(directives).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let _ = match config.log_format {
        LogFormat::Console => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
}
