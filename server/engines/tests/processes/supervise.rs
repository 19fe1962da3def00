//! The supervisor alone: nothing of a group outlives the server, whatever the engine and its children do.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use inferex_engines::procfs::ProcFs;
use inferex_engines::supervise::Report;
use rustix::process::{Pid, Signal, kill_process};

use super::support::{double_program, group_is_gone, within};

/// An engine that ignores SIGTERM, with a child and a grandchild that ignore it too; it prints once all three run.
const STUBBORN: &str = "trap '' TERM; sh -c 'sleep 600 & echo both; wait' & wait; sleep 600";

fn supervise(output: &Path, command: &[&str]) -> (Child, Report, ChildStdin) {
    let mut child = Command::new(double_program())
        .args(["supervise", "--grace-ms", "300", "--output"])
        .arg(output)
        .arg("--")
        .args(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("spawned");
    let report = serde_json::from_str(&first_line(&mut child)).expect("a report");
    // Waiting for a child closes its input, which is the order to end; the test decides when.
    let input = child.stdin.take().expect("piped");
    (child, report, input)
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    line
}

fn group_of(report: &Report) -> i32 {
    match report {
        Report::Spawned { identity } => identity.pid,
        Report::NotStarted { message, .. } => panic!("not started: {message}"),
    }
}

fn whole_family_runs(log: &Path, group: i32) -> bool {
    let printed = std::fs::read_to_string(log).is_ok_and(|text| text.contains("both"));
    printed && ProcFs::default().group_members(group).len() >= 3
}

#[test]
fn killing_the_server_leaves_nothing_of_a_stubborn_group() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("engine.log");
    let mut server = Command::new(double_program())
        .arg("hold")
        .arg(&log)
        .args(["--", "sh", "-c", STUBBORN])
        .stdout(Stdio::piped())
        .spawn()
        .expect("spawned");
    let group: i32 = first_line(&mut server).trim().parse().expect("a process id");
    assert!(within(Duration::from_secs(10), || whole_family_runs(&log, group)));
    server.kill().expect("killed with SIGKILL");
    server.wait().expect("reaped");
    assert!(within(Duration::from_secs(5), || group_is_gone(group)), "five seconds are the promise");
}

#[test]
fn the_end_ofinput_ends_the_group_and_tells_the_code() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("engine.log");
    let (mut supervisor, report, input) = supervise(&log, &["sh", "-c", STUBBORN]);
    let group = group_of(&report);
    assert!(within(Duration::from_secs(10), || whole_family_runs(&log, group)));
    drop(input);
    assert_eq!(supervisor.wait().expect("reaped").code(), Some(137));
    assert!(within(Duration::from_secs(1), || group_is_gone(group)));
}

#[test]
fn a_leader_that_ends_takes_its_group_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("engine.log");
    let (mut supervisor, report, _input) =
        supervise(&log, &["sh", "-c", "sleep 600 & echo out; echo err >&2; exit 7"]);
    assert_eq!(supervisor.wait().expect("reaped").code(), Some(7));
    assert!(within(Duration::from_secs(1), || group_is_gone(group_of(&report))));
    assert_eq!(std::fs::read_to_string(&log).expect("a log"), "out\nerr\n");
}

#[test]
fn signals_to_the_supervisor_end_the_engine_first() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let dir = tempfile::tempdir().expect("a folder");
        let log = dir.path().join("engine.log");
        let (mut supervisor, report, _input) = supervise(&log, &["sh", "-c", "sleep 600"]);
        let pid = i32::try_from(supervisor.id()).ok().and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, signal).expect("signalled");
        assert_eq!(supervisor.wait().expect("reaped").code(), Some(143), "{signal:?}");
        assert!(within(Duration::from_secs(1), || group_is_gone(group_of(&report))), "{signal:?}");
    }
}

#[test]
fn a_program_that_does_not_exist_is_told_in_one_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut supervisor, report, _input) =
        supervise(&dir.path().join("engine.log"), &["/nonexistent/llama-server"]);
    assert!(matches!(report, Report::NotStarted { missing: true, .. }), "{report:?}");
    assert_eq!(supervisor.wait().expect("reaped").code(), Some(127));
}

#[test]
fn an_output_file_that_cannot_be_opened_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("file"), b"").expect("written");
    let (_, report, _input) = supervise(&dir.path().join("file/engine.log"), &["true"]);
    let Report::NotStarted { missing, message } = report else { panic!("{report:?}") };
    assert!(!missing && message.contains("engine.log"), "{message}");
}

#[test]
fn an_engine_inherits_neither_our_settings_nor_those_that_would_change_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("engine.log");
    let mut server = Command::new(double_program())
        .arg("hold")
        .arg(&log)
        .args(["--", "sh", "-c", "env; echo both; sleep 600"])
        .envs([
            ("INFEREX_SECRET", "s1"),
            ("GATEWAY_API_KEYS", "s2"),
            ("LLAMA_ARG_CTX_SIZE", "s3"),
            ("KEPT", "yes"),
        ])
        .stdout(Stdio::piped())
        .spawn()
        .expect("spawned");
    first_line(&mut server);
    let printed = || std::fs::read_to_string(&log).unwrap_or_default();
    assert!(within(Duration::from_secs(10), || printed().contains("both")));
    server.kill().expect("killed");
    server.wait().expect("reaped");
    let env = printed();
    assert!(env.contains("KEPT=yes"), "{env}");
    for name in ["INFEREX_SECRET", "GATEWAY_API_KEYS", "LLAMA_ARG_CTX_SIZE"] {
        assert!(!env.contains(name), "{name}");
    }
}
