//! Processes of this machine, told apart from later ones of the same number by when they started.

use std::collections::BTreeSet;

use inferex_engines::procfs::ProcFs;

/// A process: its id, and the ticks since boot at which it started.
pub(super) type Process = (i32, u64);

/// The id of its process group; `None` when it is gone.
pub(super) fn group_of(pid: i32) -> Option<i32> {
    stat(pid).map(|stat| stat.group)
}

/// Living processes of a group.
pub(super) fn members(group: i32) -> Vec<i32> {
    ProcFs::default().group_members(group)
}

/// Every living descendant.
pub(super) fn descendants(root: i32) -> BTreeSet<Process> {
    let all: Vec<Stat> = pids().filter_map(stat).collect();
    let mut found = BTreeSet::from([root]);
    loop {
        let before = found.len();
        found.extend(
            all.iter().filter(|stat| found.contains(&stat.parent)).map(|stat| stat.pid).collect::<Vec<_>>(),
        );
        if found.len() == before {
            break;
        }
    }
    all.iter().filter(|s| s.pid != root && found.contains(&s.pid)).map(|s| (s.pid, s.started)).collect()
}

/// Whether it still runs.
pub(super) fn is_alive((pid, started): Process) -> bool {
    stat(pid).is_some_and(|stat| stat.started == started && !stat.dead)
}

struct Stat {
    pid: i32,
    dead: bool,
    parent: i32,
    group: i32,
    started: u64,
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn stat(pid: i32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; the fields after it are numbered from 3.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok();
    Some(Stat {
        pid,
        dead: matches!(*fields.first()?, "Z" | "X"),
        parent: i32::try_from(number(4)?).ok()?,
        group: i32::try_from(number(5)?).ok()?,
        started: u64::try_from(number(22)?).ok()?,
    })
}
