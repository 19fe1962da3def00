use serde::Serialize;

use super::values::Values;
use super::{Config, LogFormat};

/// One setting, described once for the parser, `inferex config` and the documentation.
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    /// What holds when nothing is given; empty when nothing does.
    pub(super) default: &'static str,
    pub(super) secret: bool,
}

const fn plain(name: &'static str, default: &'static str, meaning: &'static str) -> Setting {
    Setting { name, meaning, default, secret: false }
}

/// Every setting; each may also be given as `NAME_FILE`, a file that holds the value.
pub(super) const SETTINGS: &[Setting] = &[
    plain("INFEREX_LISTEN", "127.0.0.1:8080", "address and port of the dashboard and the API"),
    plain(
        "INFEREX_PUBLIC_URL",
        "",
        "the address people use, for absolute links, cookies and the origin check; derived from INFEREX_LISTEN when unset",
    ),
    plain(
        "INFEREX_TRUSTED_PROXIES",
        "",
        "networks (CIDR, comma-separated) whose X-Forwarded-For is believed; nobody's when unset",
    ),
    plain(
        "INFEREX_DATA_DIR",
        "",
        "folder of the database, logs, models and control socket; $XDG_DATA_HOME/inferex or ~/.local/share/inferex when unset",
    ),
    plain("INFEREX_DATABASE", "", "the SQLite file; inferex.db in the data folder when unset"),
    plain(
        "INFEREX_LLAMA_SERVER",
        "",
        "a llama-server program to use; the installed one, else the one on PATH, when unset",
    ),
    plain("LOG_LEVEL", "info", "error, warn, info, debug or trace, or a filter such as `info,inferex=debug`"),
    plain("LOG_FORMAT", "console", "console (lines for people) or json (one object a line)"),
    plain("GRAFANA_URL", "", "the Grafana that links point to; links are off when unset"),
    plain("PROMETHEUS_URL", "", "the Prometheus that links point to; links are off when unset"),
    Setting {
        name: "HF_TOKEN",
        meaning: "token for models that need a signed licence",
        default: "",
        secret: true,
    },
];

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    /// Nothing was given.
    Default,
    /// The variable.
    Environment,
    /// The file that `NAME_FILE` names.
    File,
}

impl Source {
    /// The word for it in a table.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Environment => "environment",
            Self::File => "file",
        }
    }
}

/// One line of `inferex config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SettingRow {
    /// The environment variable.
    pub(crate) name: &'static str,
    /// What it decides.
    pub(crate) meaning: &'static str,
    /// What holds when nothing is given; empty when nothing does.
    pub(crate) default: &'static str,
    /// What holds now; `********` for a secret that is set, empty when nothing holds.
    pub(crate) value: String,
    /// Where the value came from.
    pub(crate) source: Source,
}

pub(super) fn rows(values: &Values, config: &Config) -> Vec<SettingRow> {
    let row = |setting: &Setting| SettingRow {
        name: setting.name,
        meaning: setting.meaning,
        default: setting.default,
        value: shown(setting, values, config),
        source: values.source(setting.name),
    };
    SETTINGS.iter().map(row).collect()
}

fn shown(setting: &Setting, values: &Values, config: &Config) -> String {
    if setting.secret {
        let set = values.source(setting.name) != Source::Default;
        return if set { "********".to_owned() } else { String::new() };
    }
    let path = |path: &std::path::Path| path.display().to_string();
    match setting.name {
        "INFEREX_LISTEN" => config.listen.to_string(),
        "INFEREX_PUBLIC_URL" => config.public_url_for(config.listen).origin().to_owned(),
        "INFEREX_TRUSTED_PROXIES" => {
            config.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        }
        "INFEREX_DATA_DIR" => path(&config.data_dir),
        "INFEREX_DATABASE" => path(&config.database_path()),
        "INFEREX_LLAMA_SERVER" => config.llama_server.as_deref().map(path).unwrap_or_default(),
        "LOG_LEVEL" => config.log_level.clone(),
        "LOG_FORMAT" => match config.log_format {
            LogFormat::Console => "console".to_owned(),
            LogFormat::Json => "json".to_owned(),
        },
        "GRAFANA_URL" => config.grafana_url.clone().unwrap_or_default(),
        "PROMETHEUS_URL" => config.prometheus_url.clone().unwrap_or_default(),
        _ => String::new(),
    }
}
