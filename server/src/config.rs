//! Configuration: environment variables, parsed once into types.
//!
//! Pure but for [`Config::from_process`]: variables and a file reader come in, values or a sentence naming the
//! variable come out. It may not know what a setting is used for. Start from [`Config`]; every setting is described
//! once, in [`settings`].

mod parse;
mod public_url;
mod settings;
mod unknown;
mod values;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ipnet::IpNet;

pub(crate) use public_url::{HostName, PublicUrl};
pub(crate) use settings::SettingRow;
use values::Values;

use crate::secret::SecretText;

/// Everything that can be set from outside.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// Where the dashboard and the API listen.
    pub(crate) listen: SocketAddr,
    /// The address people use, when it was given; see [`Config::public_url_for`].
    pub(crate) public_url: Option<PublicUrl>,
    /// Whose `X-Forwarded-For` is believed.
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// The folder of this installation.
    pub(crate) data_dir: PathBuf,
    /// The database file, when it does not lie in the data folder.
    pub(crate) database: Option<PathBuf>,
    /// A `llama-server` program to use instead of the installed one.
    pub(crate) llama_server: Option<PathBuf>,
    /// What is logged, in `tracing` filter syntax.
    pub(crate) log_level: String,
    /// How log lines look.
    pub(crate) log_format: LogFormat,
    /// The Grafana that links point to.
    pub(crate) grafana_url: Option<String>,
    /// The Prometheus that links point to.
    pub(crate) prometheus_url: Option<String>,
    /// The token for models behind a licence.
    pub(crate) hf_token: Option<SecretText>,
    rows: Vec<SettingRow>,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Console,
    /// One JSON object a line.
    Json,
}

/// A setting that cannot be accepted; the program ends with exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub(crate) struct ConfigError {
    /// The environment variable.
    pub(crate) name: String,
    /// What is wrong and what would be right; never the value of a secret.
    pub(crate) reason: String,
}

impl ConfigError {
    fn new(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.into(), reason: reason.into() }
    }
}

impl Config {
    /// Reads this process's environment; also says which names it did not know.
    pub(crate) fn from_process() -> Result<(Self, Vec<String>), ConfigError> {
        // A name or value that is no UTF-8 cannot be one of ours; `vars()` would panic on it.
        let vars = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::from_env(vars, |path| std::fs::read_to_string(path).map_err(|error| error.to_string()))
    }

    /// Parses `vars`; `read_file` gives the content of the file that a `NAME_FILE` variable names.
    pub(crate) fn from_env(
        vars: impl IntoIterator<Item = (String, String)>,
        read_file: impl Fn(&Path) -> Result<String, String>,
    ) -> Result<(Self, Vec<String>), ConfigError> {
        let values = Values::gather(vars, read_file)?;
        let warnings = unknown::warnings(values.names());
        Ok((Self::parse(&values)?, warnings))
    }

    fn parse(values: &Values) -> Result<Self, ConfigError> {
        let config = Self {
            listen: values.parsed_or("INFEREX_LISTEN", parse::listen)?,
            public_url: values.parsed("INFEREX_PUBLIC_URL", PublicUrl::parse)?,
            trusted_proxies: values.parsed("INFEREX_TRUSTED_PROXIES", parse::networks)?.unwrap_or_default(),
            data_dir: parse::data_dir(values)?,
            database: values.parsed("INFEREX_DATABASE", parse::path)?,
            llama_server: values.parsed("INFEREX_LLAMA_SERVER", parse::path)?,
            log_level: values.parsed_or("LOG_LEVEL", parse::log_level)?,
            log_format: values.parsed_or("LOG_FORMAT", parse::log_format)?,
            grafana_url: values.parsed("GRAFANA_URL", parse::web_address)?,
            prometheus_url: values.parsed("PROMETHEUS_URL", parse::web_address)?,
            hf_token: values.parsed("HF_TOKEN", parse::secret)?,
            rows: Vec::new(),
        };
        let rows = settings::rows(values, &config);
        Ok(Self { rows, ..config })
    }

    /// The same with the address that was really bound, which differs where port 0 was asked for.
    pub(crate) fn bound_to(self, listen: SocketAddr) -> Self {
        Self { listen, ..self }
    }

    /// Every setting as `inferex config` prints it, secrets masked.
    pub(crate) fn settings(&self) -> &[SettingRow] {
        &self.rows
    }

    /// The address people use: the one given, else the one that `bound` stands for.
    pub(crate) fn public_url_for(&self, bound: SocketAddr) -> PublicUrl {
        self.public_url.clone().unwrap_or_else(|| PublicUrl::from_listen(bound))
    }

    /// The database file.
    pub(crate) fn database_path(&self) -> PathBuf {
        self.database.clone().unwrap_or_else(|| self.data_dir.join("inferex.db"))
    }
}

#[cfg(test)]
mod tests;
