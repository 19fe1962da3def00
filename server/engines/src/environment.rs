//! What this machine is, for a run's record: processor, memory, system, platform, load, GPUs.
//!
//! A value that the machine does not tell is `None`, never a guess. Start from [`read`]; [`Sources`] says where to look.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use inferex_model::environment::Environment;

mod gpu;

/// Where to look; elsewhere in tests.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The root that holds `proc`, `sys` and `etc`.
    pub root: PathBuf,
    /// Logical processors this process may use, as the standard library counts them (affinity and quota included).
    pub cpus: Option<u32>,
    /// The program to ask for GPUs, looked for on PATH.
    pub nvidia_smi: OsString,
    /// How long that program may take.
    pub gpu_timeout: Duration,
    /// Version of Inferex to record.
    pub inferex_version: Option<String>,
}

impl Sources {
    /// This machine.
    #[must_use]
    pub fn machine(inferex_version: &str) -> Self {
        let cpus =
            std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok());
        Self {
            root: PathBuf::from("/"),
            cpus,
            nvidia_smi: OsString::from("nvidia-smi"),
            gpu_timeout: Duration::from_secs(5),
            inferex_version: Some(inferex_version.to_owned()),
        }
    }
}

/// Reads the environment as it is now.
pub async fn read(sources: &Sources) -> Environment {
    let gpus = gpu::read(&sources.nvidia_smi, sources.gpu_timeout).await;
    let file = |path: &str| text(&sources.root, path);
    let cpuinfo = file("proc/cpuinfo").unwrap_or_default();
    let kernel = file("proc/sys/kernel/osrelease");
    Environment {
        cpu_model: cpu_model(&cpuinfo),
        cpus: sources.cpus,
        memory_bytes: memory(file("proc/meminfo").as_deref(), file("sys/fs/cgroup/memory.max").as_deref()),
        os: file("etc/os-release").and_then(|text| os_name(&text)),
        platform: Some(platform(&sources.root, kernel.as_deref().unwrap_or_default(), &cpuinfo)),
        kernel,
        gpus: gpus.names,
        driver: gpus.driver,
        load_average: file("proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
        governor: file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        inferex_version: sources.inferex_version.clone(),
    }
}

fn text(root: &Path, path: &str) -> Option<String> {
    let text = std::fs::read_to_string(root.join(path)).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// `model name` on x86; ARM kernels name no model there.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let value = |line: &str| line.split_once(':').map(|(_, value)| value.trim().to_owned());
    let names = ["model name", "Model", "cpu model"];
    let line = names.iter().find_map(|name| cpuinfo.lines().find(|line| line.starts_with(name)))?;
    value(line).filter(|name| !name.is_empty())
}

/// The smaller of what the machine has and what a control group allows.
fn memory(meminfo: Option<&str>, limit: Option<&str>) -> Option<u64> {
    let line = meminfo?.lines().find(|line| line.starts_with("MemTotal:"))?;
    let total = line.split_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(1024)?;
    let limit = limit.and_then(|text| text.parse::<u64>().ok()).unwrap_or(u64::MAX);
    Some(total.min(limit))
}

fn os_name(release: &str) -> Option<String> {
    let field = |name: &str| {
        let value = release.lines().find_map(|line| line.strip_prefix(name))?;
        Some(value.trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
    };
    field("PRETTY_NAME=").or_else(|| field("NAME="))
}

/// `wsl2`, `container`, a hypervisor's name, or `native`; the most telling first.
fn platform(root: &Path, kernel: &str, cpuinfo: &str) -> String {
    if kernel.to_ascii_lowercase().contains("microsoft") {
        return "wsl2".to_owned();
    }
    let marked = [".dockerenv", "run/.containerenv"].iter().any(|mark| root.join(mark).exists());
    let groups = text(root, "proc/1/cgroup").unwrap_or_default();
    if marked || ["docker", "kubepods", "lxc", "containerd"].iter().any(|name| groups.contains(name)) {
        return "container".to_owned();
    }
    let virtual_machine = cpuinfo
        .lines()
        .any(|line| line.starts_with("flags") && line.split_whitespace().any(|flag| flag == "hypervisor"));
    if !virtual_machine {
        return "native".to_owned();
    }
    let vendor = text(root, "sys/class/dmi/id/sys_vendor");
    vendor.map_or_else(|| "virtual machine".to_owned(), |vendor| format!("virtual machine ({vendor})"))
}

#[cfg(test)]
mod tests;
