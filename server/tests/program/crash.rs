//! The server dies or is told to end: no engine outlives it, nothing measured is lost, and nothing is repeated silently.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use inferex_app::view::{ExperimentView, RunCell};
use inferex_model::run::{ExperimentState, RunState};
use rustix::process::Signal;
use serde_json::json;

use super::engine::Record;
use super::house::{House, text};
use super::processes::{Process, descendants, group_of, is_alive, members};
use super::server::Server;
use super::wait::{PATIENCE, until, within};

/// The first level is quick, those after it are held for as long as the file `hold` is there.
const EXPERIMENT: &str = r#"
name = "cut short"
repeats = 2
[workload]
prompts = "inferex-50"
output_tokens = 3
[[load]]
concurrency = [1, 2, 3]
requests = 4
[[arm]]
name = "only"
variant = "only"
"#;

/// How long after a crash something of an engine may still be there.
const PROMISED: Duration = Duration::from_secs(5);

/// A server whose first run is done and whose second is being measured and held.
struct Caught {
    house: House,
    server: Server,
    done: RunCell,
    running: RunCell,
    kept: Vec<serde_json::Value>,
    group: i32,
    children: BTreeSet<Process>,
}

async fn catch() -> Caught {
    let house = House::new();
    let (hold, record) = (house.path("hold"), house.path("record"));
    // The first level sends four requests; either level is warmed up by two.
    let script = format!("quick_first=8 hold_while={} record={}", hold.display(), record.display());
    std::fs::write(&hold, "").expect("written");
    let server = house.serve_ready(&[("only", &script)]).await;
    let id = server.queue(EXPERIMENT).await;
    let done = server.run_in(&id, RunState::Done).await;
    let running = server.run_with_events(&id).await;
    let kept = server.events(&running).await;
    let engine = *Record::read(&record).pids().last().expect("an engine runs");
    let group = group_of(engine).expect("it has a group");
    let children = descendants(server.pid());
    assert!(children.iter().any(|(pid, _)| *pid == engine), "the engine descends from the server");
    assert_eq!(children.len(), 3, "the supervisor, the engine and the load generator: {children:?}");
    Caught { house, server, done, running, kept, group, children }
}

fn cell<'a>(view: &'a ExperimentView, of: &RunCell) -> &'a RunCell {
    view.cells.iter().find(|cell| cell.id == of.id).expect("the run")
}

async fn gone(limit: Duration, group: i32, children: &BTreeSet<Process>) {
    within(limit, "every process of the engine and of the server is gone", async || {
        (members(group).is_empty() && !children.iter().copied().any(is_alive)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn after_kill_9_no_engine_is_left_and_what_was_measured_stays() {
    let Caught { house, server, done, running, kept, group, children } = catch().await;
    let cookie = server.cookie.clone();
    server.end(Signal::KILL).await;
    gone(PROMISED, group, &children).await;

    let mut server = house.serve().await;
    assert!(server.said().contains("sign in at"), "{}", server.said());
    server.cookie = cookie;
    let view = server.experiment("exp-1").await;
    assert_eq!(cell(&view, &done).state, RunState::Done);
    let interrupted = cell(&view, &running);
    assert_eq!(interrupted.state, RunState::Interrupted);
    let reason = interrupted.reason.as_deref().unwrap_or_default();
    assert!(reason.contains("the server ended"), "{reason}");
    let stored = server.events(&running).await;
    assert!(stored.starts_with(&kept), "what was stored before the crash is there");

    std::fs::remove_file(house.path("hold")).expect("it is there");
    let view = server.finished("exp-1").await;
    assert_eq!(view.row.state, ExperimentState::Partial, "{:?}", view.cells);
    for other in view.cells.iter().filter(|other| other.id != running.id) {
        assert_eq!(other.state, RunState::Done, "the queue goes on: {other:?}");
    }
    served_apart(&server, &view, &done).await;
    again(&server, &running).await;
}

/// What was measured before the crash keeps its own start, and the result says that the repeat has two.
async fn served_apart(server: &Server, view: &ExperimentView, done: &RunCell) {
    let mut cells = view.cells.iter();
    let later = cells.find(|cell| cell.repeat == done.repeat && cell.level.concurrency == 3).expect("a run");
    let before = server.get(&format!("/api/v1/runs/{}", done.id)).await.json();
    let after = server.get(&format!("/api/v1/runs/{}", later.id)).await.json();
    assert!(before["deployment"].is_string(), "{before}");
    assert_ne!(before["deployment"], after["deployment"]);
    let beware = &view.result.as_ref().expect("figures").finding.beware;
    assert!(beware.iter().any(|line| line.contains("come from 2 starts")), "{beware:?}");
}

/// A person queues the interrupted run again; it is a new attempt with events of its own.
async fn again(server: &Server, running: &RunCell) {
    let answer = server.post("/api/v1/experiments/exp-1/requeue", &json!({})).await;
    assert_eq!((answer.status, &answer.json()["queued"]), (200, &1.into()), "{}", answer.body);
    let view = server.finished("exp-1").await;
    assert_eq!(view.row.state, ExperimentState::Done, "{:?}", view.cells);
    let run = server.run(running).await;
    assert!(run.attempt > 1, "a new attempt, fenced from the first: {}", run.attempt);
    let events = server.events(running).await;
    assert_eq!(events.iter().filter(|event| event["kind"] == "done").count(), run.level.requests as usize);
    let answer = server.post("/api/v1/experiments/exp-1/requeue", &json!({})).await;
    assert_eq!(answer.status, 409, "{}", answer.body);
}

#[tokio::test]
async fn told_to_end_it_interrupts_the_run_and_ends_the_engine() {
    let Caught { house, server, done, running, kept, group, children } = catch().await;
    let cookie = server.cookie.clone();
    let status = server.end(Signal::TERM).await;
    assert_eq!(status.code(), Some(0));
    gone(PROMISED, group, &children).await;
    assert!(!house.data().join("control.sock").exists(), "nobody finds a dead socket");

    let mut server = house.serve().await;
    server.cookie = cookie;
    let view = server.experiment("exp-1").await;
    assert_eq!(
        (cell(&view, &done).state, cell(&view, &running).state),
        (RunState::Done, RunState::Interrupted)
    );
    assert!(server.events(&running).await.starts_with(&kept), "its events are kept");
    std::fs::remove_file(house.path("hold")).expect("it is there");
    let view = server.finished("exp-1").await;
    assert_eq!(view.row.runs.done, view.row.runs.total - 1, "{:?}", view.cells);
}

#[tokio::test]
async fn told_to_end_while_an_engine_loads_it_waits_for_nothing() {
    let house = House::new();
    let (load, record) = (house.path("load"), house.path("record"));
    std::fs::write(&load, "").expect("written");
    let script = format!("load_while={} record={}", load.display(), record.display());
    let server = house.serve_ready(&[("only", &script)]).await;
    let id = server.queue(EXPERIMENT).await;
    until("the engine loads", async || {
        let view = server.get("/api/v1/deployments/dep-1").await;
        (view.status == 200 && view.json()["state"] == "loading").then_some(())
    })
    .await;
    let engine = *Record::read(&record).pids().last().expect("an engine runs");
    let (group, children) = (group_of(engine).expect("it has a group"), descendants(server.pid()));
    let cookie = server.cookie.clone();
    assert_eq!(server.end(Signal::TERM).await.code(), Some(0));
    gone(PROMISED, group, &children).await;

    std::fs::remove_file(load).expect("it is there");
    let mut server = house.serve().await;
    server.cookie = cookie;
    let view = server.finished(&id).await;
    assert_eq!(
        (view.cells[0].state, view.row.runs.interrupted),
        (RunState::Interrupted, 1),
        "{:?}",
        view.cells
    );
    assert_eq!(view.row.runs.done, view.row.runs.total - 1, "{:?}", view.cells);
}

#[tokio::test]
async fn an_engine_that_a_person_started_ends_with_the_server_too() {
    let house = House::new();
    let record = house.path("record");
    let script = format!("record={}", record.display());
    let server = house.serve_ready(&[("only", &script)]).await;
    let said = house.run(&["engine", "start", "only", "--wait"]).await;
    assert!(said.code == 0 && said.out.contains("ready"), "{said:?}");
    let engine = *Record::read(&record).pids().last().expect("an engine runs");
    let (group, children) = (group_of(engine).expect("it has a group"), descendants(server.pid()));
    let cookie = server.cookie.clone();
    server.end(Signal::KILL).await;
    gone(PROMISED, group, &children).await;

    let mut server = house.serve().await;
    server.cookie = cookie;
    let state = within(PATIENCE, "the deployment is over", async || {
        let view: serde_json::Value = server.api("/deployments/dep-1").await;
        view["state"].as_str().filter(|state| *state == "lost").map(str::to_owned)
    })
    .await;
    assert_eq!(state, "lost");
    // The lane is free again.
    until("the engine starts anew", async || {
        let said = house.run(&["engine", "start", "only", "--wait"]).await;
        (said.code == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_command_that_measures_is_the_only_writer_and_leaves_nothing_behind() {
    let house = House::new();
    let (hold, record) = (house.path("hold"), house.path("record"));
    std::fs::write(&hold, "").expect("written");
    let script = format!("hold_while={} record={}", hold.display(), record.display());
    house.import(&[("only", &script)]).await;
    let file = house.path("experiment.toml");
    std::fs::write(&file, EXPERIMENT).expect("written");
    let mut command = house.command();
    command.args(["experiment", "run", text(&file), "--wait"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("started");
    until("the engine is asked", async || (!Record::read(&record).prompts("only").is_empty()).then_some(()))
        .await;
    let said = house.run(&["variant", "list"]).await;
    assert!(said.refusal(2).contains("command line, process"), "{said:?}");

    let engine = *Record::read(&record).pids().last().expect("an engine runs");
    let group = group_of(engine).expect("it has a group");
    let children = descendants(i32::try_from(child.id().expect("it runs")).expect("a process id"));
    child.kill().await.expect("killed");
    gone(PROMISED, group, &children).await;
    let said = house.run(&["experiment", "list", "--json"]).await;
    let list: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(
        (&list[0]["state"], &list[0]["runs"]["interrupted"]),
        (&"running".into(), &1.into()),
        "{list}"
    );
}
