//! Why a whole run of load could not be made; what befalls one request is an event, not an error.

/// Why the generator could not run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The job cannot be read or makes no sense.
    #[error("the load job is not usable: {0}")]
    Job(String),
    /// The engine's address cannot be used.
    #[error("`{url}` is not an address to send load to: {why}; write it as http://host:port")]
    Url {
        /// As given, without credentials.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The engine's name does not resolve.
    #[error("the host of `{url}` cannot be resolved: {source}")]
    Resolve {
        /// As given.
        url: String,
        /// The resolver's answer.
        source: std::io::Error,
    },
    /// Measuring would only count failures.
    #[error("none of {count} warm-up requests succeeded; the last one failed: {last}")]
    WarmUp {
        /// How many were sent.
        count: usize,
        /// The last one's failure.
        last: String,
    },
    /// Cancelled before the first measured request.
    #[error("cancelled before the first measured request")]
    Cancelled,
    /// Nobody takes the events any more.
    #[error("nobody reads the events any more; the run was stopped")]
    ReaderGone,
    /// A worker ended abnormally.
    #[error("a worker of the load generator ended abnormally: {0}")]
    Worker(#[from] tokio::task::JoinError),
    /// Reading the job or writing a message failed.
    #[error("the load generator cannot {what}: {source}")]
    Io {
        /// What it wanted to do.
        what: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
}
