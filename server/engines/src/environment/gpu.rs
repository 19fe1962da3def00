//! GPUs by name, as `nvidia-smi` lists them; none where it is missing, fails or hangs.

use std::ffi::OsStr;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Gpus {
    pub(super) names: Vec<String>,
    pub(super) driver: Option<String>,
}

/// Asks the program; it is killed when it takes longer than `limit`.
pub(super) async fn read(program: &OsStr, limit: Duration) -> Gpus {
    let output = Command::new(program)
        .args(["--query-gpu=name,driver_version", "--format=csv,noheader"])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    match tokio::time::timeout(limit, output).await {
        Ok(Ok(output)) if output.status.success() => parse(&String::from_utf8_lossy(&output.stdout)),
        _ => Gpus::default(),
    }
}

/// One `name, driver` a line. A field in brackets such as `[N/A]` tells nothing.
fn parse(text: &str) -> Gpus {
    let known = |field: &str| Some(field.trim().to_owned()).filter(|f| !f.is_empty() && !f.starts_with('['));
    let rows: Vec<(&str, &str)> = text.lines().filter_map(|line| line.rsplit_once(',')).collect();
    Gpus {
        names: rows.iter().filter_map(|(name, _)| known(name)).collect(),
        driver: rows.iter().find_map(|(_, driver)| known(driver)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_driver_are_read_and_brackets_tell_nothing() {
        let gpus = parse("NVIDIA H200, 570.1\nNVIDIA H200, 570.1\n[Unknown Error], [N/A]\n");
        assert_eq!(gpus.names, ["NVIDIA H200", "NVIDIA H200"]);
        assert_eq!(gpus.driver.as_deref(), Some("570.1"));
        assert_eq!(parse("No devices were found"), Gpus::default());
    }
}
