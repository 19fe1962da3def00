//! What Linux tells about processes under `/proc`: identity, members of a group, who listens on a port.
//!
//! Reading only, apart from [`kill_group_if_same`], which signals a group after its identity was proved. Start from
//! [`ProcFs`].

use std::path::{Path, PathBuf};

use inferex_model::deployment::ProcessIdentity;
use rustix::process::{Pid, Signal};

/// A `/proc`; elsewhere in tests.
#[derive(Debug, Clone)]
pub struct ProcFs {
    root: PathBuf,
}

/// The process behind a listening socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub pid: i32,
    /// Its process group.
    pub group: i32,
    /// Its name as the kernel keeps it, at most 15 characters.
    pub name: String,
}

/// The fields of `/proc/PID/stat` that are used here.
struct Stat {
    name: String,
    state: char,
    group: i32,
    start_ticks: u64,
}

impl Default for ProcFs {
    fn default() -> Self {
        Self::new("/proc")
    }
}

impl ProcFs {
    /// The `/proc` at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The identity of a live (or not yet reaped) process.
    #[must_use]
    pub fn identity(&self, pid: i32) -> Option<ProcessIdentity> {
        let start_ticks = self.stat(pid)?.start_ticks;
        let boot_id = std::fs::read_to_string(self.root.join("sys/kernel/random/boot_id")).ok()?;
        Some(ProcessIdentity { pid, start_ticks, boot_id: boot_id.trim().to_owned() })
    }

    /// Whether the process with that identity still runs; a zombie does not.
    #[must_use]
    pub fn is_alive(&self, identity: &ProcessIdentity) -> bool {
        let running = self.stat(identity.pid).is_some_and(|stat| stat.state != 'Z');
        running && self.identity(identity.pid).as_ref() == Some(identity)
    }

    /// The living members of a process group.
    #[must_use]
    pub fn group_members(&self, group: i32) -> Vec<i32> {
        let living = |pid: &i32| self.stat(*pid).is_some_and(|stat| stat.group == group && stat.state != 'Z');
        self.pids().filter(living).collect()
    }

    /// Who listens on a TCP port of this host; `None` when nobody does or `/proc` does not tell.
    #[must_use]
    pub fn listener(&self, port: u16) -> Option<Holder> {
        let inodes: Vec<u64> = ["net/tcp", "net/tcp6"]
            .iter()
            .filter_map(|table| std::fs::read_to_string(self.root.join(table)).ok())
            .flat_map(|table| listening_inodes(&table, port))
            .collect();
        if inodes.is_empty() {
            return None;
        }
        let sockets: Vec<String> = inodes.iter().map(|inode| format!("socket:[{inode}]")).collect();
        let pid = self.pids().find(|pid| holds(&self.root.join(pid.to_string()).join("fd"), &sockets))?;
        let stat = self.stat(pid)?;
        Some(Holder { pid, group: stat.group, name: stat.name })
    }

    fn pids(&self) -> impl Iterator<Item = i32> {
        let entries = std::fs::read_dir(&self.root).ok().into_iter().flatten();
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
    }

    fn stat(&self, pid: i32) -> Option<Stat> {
        parse_stat(&std::fs::read_to_string(self.root.join(pid.to_string()).join("stat")).ok()?)
    }
}

/// Kills a whole group, but only if its leader is provably the process that was started: a process id that was given
/// to somebody else meanwhile is never signalled. Returns whether a signal was sent.
#[must_use]
pub fn kill_group_if_same(procfs: &ProcFs, identity: &ProcessIdentity) -> bool {
    let same = procfs.identity(identity.pid).as_ref() == Some(identity);
    let Some(group) = Pid::from_raw(identity.pid).filter(|_| same) else { return false };
    rustix::process::kill_process_group(group, Signal::KILL).is_ok()
}

/// Field 2 may hold spaces and brackets, so the fields are counted from the last bracket.
fn parse_stat(text: &str) -> Option<Stat> {
    let (head, tail) = text.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = tail.split_whitespace().collect();
    Some(Stat {
        name,
        state: fields.first()?.chars().next()?,
        group: fields.get(2)?.parse().ok()?,
        start_ticks: fields.get(19)?.parse().ok()?,
    })
}

/// Inodes of sockets in state LISTEN (`0A`) on `port`.
fn listening_inodes(table: &str, port: u16) -> Vec<u64> {
    let inode = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let local = fields.get(1)?.rsplit_once(':')?.1;
        let listens = *fields.get(3)? == "0A" && u16::from_str_radix(local, 16).ok()? == port;
        fields.get(9)?.parse().ok().filter(|inode| listens && *inode != 0)
    };
    table.lines().skip(1).filter_map(inode).collect()
}

fn holds(fds: &Path, sockets: &[String]) -> bool {
    let entries = std::fs::read_dir(fds).ok().into_iter().flatten().flatten();
    entries
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .any(|target| target.to_str().is_some_and(|target| sockets.iter().any(|socket| socket == target)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let text = "77 (a) b (c) S 1 70 70 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
        let stat = parse_stat(text).expect("parsed");
        assert_eq!(
            (stat.name.as_str(), stat.state, stat.group, stat.start_ticks),
            ("a) b (c", 'S', 70, 987_654)
        );
    }

    #[test]
    fn only_listening_sockets_of_the_port_count() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0\n\
            1: 0100007F:1F90 0100007F:A000 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0\n\
            2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 13 1 0\n";
        assert_eq!(listening_inodes(table, 8080), [11]);
    }

    #[test]
    fn this_process_finds_itself() {
        let procfs = ProcFs::default();
        let pid = i32::try_from(std::process::id()).expect("a pid");
        let identity = procfs.identity(pid).expect("an identity");
        assert!(procfs.is_alive(&identity));
        let earlier = ProcessIdentity { start_ticks: identity.start_ticks + 1, ..identity };
        assert!(!procfs.is_alive(&earlier));
        assert!(!kill_group_if_same(&procfs, &earlier), "a reused process id is never signalled");

        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
        let port = socket.local_addr().expect("an address").port();
        assert_eq!(procfs.listener(port).map(|holder| holder.pid), Some(pid));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = parse_stat(&text);
            let _ = listening_inodes(&text, 80);
        }
    }
}
