//! What the kernel says about this process: processor time, priority, affinity.

use std::time::Instant;

/// A reading of the processor time used, to be compared with a later one.
pub(crate) struct CpuMeter {
    began: Instant,
    used: Option<f64>,
}

impl CpuMeter {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), used: cpu_seconds() }
    }

    /// Processor seconds over wall seconds since the start; `None` where the kernel does not tell.
    pub(crate) fn share(&self) -> Option<f64> {
        let wall = self.began.elapsed().as_secs_f64();
        let used = cpu_seconds()? - self.used?;
        (wall > 0.0).then(|| used.max(0.0) / wall)
    }
}

fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    ticks(&stat).map(|ticks| ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// User and system ticks: fields 14 and 15, counted behind the name, which may hold spaces and brackets.
fn ticks(stat: &str) -> Option<u64> {
    let behind_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = behind_name.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// The scheduling priority (nice).
pub(crate) fn nice() -> Option<i32> {
    rustix::process::getpriority_process(None).ok()
}

/// The processors this process may run on, as the kernel lists them.
pub(crate) fn affinity() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_behind_a_name_with_brackets() {
        let stat = "42 (a) (b c) S 1 2 3 4 5 6 7 8 9 10 120 30 0 0 20 0 1 0 99";
        assert_eq!(ticks(stat), Some(150));
        assert_eq!(ticks("42 (a"), None);
        assert_eq!(ticks("42 (a) S 1"), None);
    }
}
