//! One small parser a setting: text in, value or the reason out. None of them touches the system.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use tracing_subscriber::EnvFilter;

use super::values::Values;
use super::{ConfigError, LogFormat};
use crate::secret::SecretText;

pub(super) fn listen(text: &str) -> Result<SocketAddr, String> {
    let literal = text.replace("localhost:", "127.0.0.1:");
    literal
        .parse()
        .map_err(|_| format!("`{text}` is no address with a port; write for example 127.0.0.1:8080"))
}

pub(super) fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(network).collect()
}

fn network(text: &str) -> Result<IpNet, String> {
    let whole = text.parse().or_else(|_| text.parse().map(|address: std::net::IpAddr| address.into()));
    whole.map_err(|_| format!("`{text}` is no network; write for example 10.0.0.0/8 or 127.0.0.1"))
}

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    if text.contains('\0') {
        return Err("contains a NUL byte; write a path".to_owned());
    }
    Ok(PathBuf::from(text))
}

pub(super) fn data_dir(values: &Values) -> Result<PathBuf, ConfigError> {
    const NAME: &str = "INFEREX_DATA_DIR";
    if let Some(given) = values.parsed(NAME, path)? {
        return Ok(given);
    }
    // The XDG rule: a relative path there is to be ignored.
    if let Some(data) = values.foreign("XDG_DATA_HOME").map(Path::new).filter(|path| path.is_absolute()) {
        return Ok(data.join("inferex"));
    }
    match values.foreign("HOME") {
        Some(home) => Ok(Path::new(home).join(".local/share/inferex")),
        None => Err(ConfigError::new(NAME, "is unset and so is HOME; name a folder for the data")),
    }
}

pub(super) fn log_level(text: &str) -> Result<String, String> {
    let refuse = || {
        format!(
            "`{text}` is no level; write error, warn, info, debug or trace, or a filter like info,inferex=debug"
        )
    };
    // A lone word is read as a target by the filter syntax, so a misspelt level would silence everything.
    let is_level = text.parse::<tracing_subscriber::filter::LevelFilter>().is_ok();
    let is_filter = text.contains(['=', ',']) && EnvFilter::builder().parse(text).is_ok();
    if is_level || is_filter { Ok(text.to_owned()) } else { Err(refuse()) }
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "console" => Ok(LogFormat::Console),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("`{text}` is no format; write console or json")),
    }
}

/// An address that links are built upon, without its final slash.
pub(super) fn web_address(text: &str) -> Result<String, String> {
    let refuse = || format!("`{text}` is no address; write for example http://localhost:3000");
    let uri: http::Uri = text.parse().map_err(|_| refuse())?;
    let web =
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty());
    if !web
        || uri.authority().is_some_and(|authority| authority.as_str().contains('@'))
        || uri.query().is_some()
    {
        return Err(refuse());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

pub(super) fn secret(text: &str) -> Result<SecretText, String> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("contains spaces or control characters; give the bare token".to_owned());
    }
    Ok(SecretText::new(text.to_owned()))
}
