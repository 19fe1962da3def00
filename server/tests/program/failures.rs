//! What goes wrong with engines, requests and lanes, and what a person is told about it.

use std::time::{Duration, Instant};

use inferex_app::view::{DeploymentView, ExperimentView};
use inferex_model::run::ExperimentState;
use inferex_model::run::RunState::{self, Done, Failed};
use serde_json::{Value, json};

use super::house::House;
use super::server::Server;
use super::wait::until;

/// Requests that warm up a level of one or two at once.
const WARMUP: u32 = 2;

/// One repeat of one or two levels over the given arms, variants of the same name.
fn experiment(levels: &[u32], repeats: u32, arms: &[&str]) -> String {
    let arms = arms
        .iter()
        .map(|arm| format!("[[arm]]\nname = \"{arm}\"\nvariant = \"{arm}\"\n"))
        .collect::<Vec<_>>()
        .concat();
    format!(
        "name = \"what goes wrong\"\nrepeats = {repeats}\n[workload]\nprompts = \"inferex-50\"\noutput_tokens = 3\n\
         [[load]]\nconcurrency = {levels:?}\nrequests = 8\n{arms}"
    )
}

fn states(view: &ExperimentView) -> Vec<(usize, u32, RunState)> {
    view.cells.iter().map(|cell| (cell.arm, cell.level.concurrency, cell.state)).collect()
}

/// The reasons of all runs that have one.
fn reasons(view: &ExperimentView) -> Vec<&str> {
    view.cells.iter().filter_map(|cell| cell.reason.as_deref()).collect()
}

#[tokio::test]
async fn an_engine_that_exits_while_starting_fails_its_runs_at_once() {
    let house = House::new();
    let server = house.serve_ready(&[("broken", "exit=3"), ("sound", "")]).await;
    let began = Instant::now();
    let id = server.queue(&experiment(&[1, 2], 1, &["broken", "sound"])).await;
    let view = server.finished(&id).await;
    // The deadline of its start is 60 s.
    assert!(began.elapsed() < Duration::from_secs(40), "told only after {:?}", began.elapsed());
    assert_eq!(states(&view), [(0, 1, Failed), (0, 2, Failed), (1, 1, Done), (1, 2, Done)]);
    let told = reasons(&view);
    assert!(told.len() == 2 && told[0] == told[1], "{told:?}");
    assert!(told[0].contains("exit code 3") || told[0].contains("code 3"), "{told:?}");
    assert!(told[0].contains("dep-1"), "names where the log is: {told:?}");

    let deployment: DeploymentView = server.api("/deployments/dep-1").await;
    let failure = deployment.failure.expect("it failed");
    assert_eq!((failure.class.as_str(), failure.exit_code), ("exited", Some(3)));
    assert_eq!(
        failure.lines.last().map(String::as_str),
        Some("scripted: cannot go on"),
        "{:?}",
        failure.lines
    );
    let page = server.get("/engines/dep-1").await;
    assert!(page.body.contains("scripted: cannot go on"), "the page shows the last lines");
    let result = view.result.expect("the sound arm has figures");
    assert!(result.missing.iter().any(|line| line.starts_with("broken")), "{:?}", result.missing);
    let wait = house.run(&["engine", "start", "broken", "--wait"]).await;
    assert!(wait.code != 0 && wait.err.contains("code 3"), "{wait:?}");
}

#[tokio::test]
async fn an_engine_that_dies_while_it_is_measured_fails_that_block_alone() {
    let house = House::new();
    let (hold, die) = (house.path("hold"), house.path("die"));
    let script = format!("quick_first={WARMUP} hold_while={} die_when={}", hold.display(), die.display());
    std::fs::write(&hold, "").expect("written");
    let server = house.serve_ready(&[("mortal", &script)]).await;
    let id = server.queue(&experiment(&[1, 2], 2, &["mortal"])).await;
    let struck = server.run_with_events(&id).await;
    std::fs::write(&die, "").expect("written");
    let failed = server.run_in(&id, RunState::Failed).await;
    std::fs::remove_file(&hold).expect("it is there");
    assert_eq!(failed.id, struck.id);

    let view = server.finished(&id).await;
    assert_eq!(states(&view), [(0, 1, Failed), (0, 2, Failed), (0, 1, Done), (0, 2, Done)]);
    assert_eq!(view.row.state, ExperimentState::Partial);
    let told = reasons(&view);
    assert!(told.len() == 2 && told[0] == told[1], "{told:?}");
    assert!(told[0].contains("the engine died during the run") && told[0].contains("code 7"), "{told:?}");
    let events = server.events(&struck).await;
    assert!(events.iter().any(|event| event["kind"] == "chunk"), "what was measured is kept");
    assert!(server.run(&struck).await.document.is_none(), "a failed run has no figures");
}

#[tokio::test]
async fn refused_requests_are_counted_beside_and_in_no_latency() {
    let house = House::new();
    // Two warm-up requests come first, so the measured numbers 3 and 8 are refused.
    let server = house.serve_ready(&[("moody", "refuse_every=5 first_ms=20"), ("sound", "")]).await;
    let id = server.queue(&experiment(&[1], 1, &["sound", "moody"])).await;
    let view = server.finished(&id).await;
    assert_eq!(view.row.state, ExperimentState::Done, "{:?}", view.cells);
    let moody = view.cells.iter().find(|cell| cell.arm == 1).expect("the second arm");
    let run = server.run(moody).await;
    let metrics = &run.document.as_ref().expect("figures").definitions["inferex"];
    assert_eq!((metrics.requests.total, metrics.requests.successful, metrics.requests.failed), (8, 6, 2));
    assert_eq!(metrics.requests.by_class.get("http_status"), Some(&2), "{:?}", metrics.requests);
    assert_eq!(metrics.output_tokens, Some(6 * 3));
    for stat in [metrics.ttft_ms, metrics.tpot_ms, metrics.e2e_ms, metrics.per_request_tok_s] {
        assert_eq!(stat.map(|stat| stat.n), Some(6));
    }
    // A refusal is answered at once; as a latency it would show as the smallest.
    assert!(metrics.e2e_ms.is_some_and(|stat| stat.min >= 20.0), "{metrics:?}");
    assert_eq!((run.progress.done, run.progress.failed), (6, 2));
    let figures = view.result.expect("figures").arms[1].figures[0].clone().expect("of its level");
    assert_eq!((figures.requests, figures.failed, figures.samples), (8, 2, 6));
}

#[tokio::test]
async fn a_run_whose_every_request_fails_has_no_figures() {
    let house = House::new();
    let server = house.serve_ready(&[("shut", "refuse_every=1")]).await;
    let id = server.queue(&experiment(&[1], 1, &["shut"])).await;
    let view = server.finished(&id).await;
    assert_eq!(view.row.state, ExperimentState::Failed, "{:?}", view.cells);
    assert!(view.result.is_none());
    let told = reasons(&view);
    assert!(told[0].contains("http_status"), "{told:?}");
    let answer = server.get(&format!("/api/v1/experiments/{id}/result.json")).await;
    assert_eq!(answer.status, 409, "{}", answer.body);
    let answer = server.post("/api/v1/reports", &json!({ "experiment": id })).await;
    assert_eq!(answer.status, 409, "{}", answer.body);
}

#[tokio::test]
async fn cancelling_while_measuring_ends_the_engine_and_keeps_the_events() {
    let house = House::new();
    let hold = house.path("hold");
    std::fs::write(&hold, "").expect("written");
    let script = format!("quick_first={WARMUP} hold_while={}", hold.display());
    let server = house.serve_ready(&[("held", &script)]).await;
    let id = server.queue(&experiment(&[1, 2], 2, &["held"])).await;
    let struck = server.run_with_events(&id).await;
    let answer = server.submit("/do/experiment-cancel", &[("experiment", &id)]).await;
    assert_eq!(answer.status, 303);
    let view = server.finished(&id).await;
    assert_eq!(view.row.state, ExperimentState::Cancelled);
    assert!(view.cells.iter().all(|cell| cell.state == RunState::Cancelled), "{:?}", view.cells);
    assert!(!server.events(&struck).await.is_empty());
    over(&server, "dep-1").await;
    let answer = server.post(&format!("/api/v1/experiments/{id}/cancel"), &Value::Null).await;
    assert_eq!(answer.status, 409, "{}", answer.body);
}

#[tokio::test]
async fn an_engine_that_still_loads_can_be_cancelled() {
    let house = House::new();
    let load = house.path("load");
    std::fs::write(&load, "").expect("written");
    let server = house.serve_ready(&[("heavy", &format!("load_while={}", load.display()))]).await;
    let id = server.queue(&experiment(&[1, 2], 1, &["heavy"])).await;
    until("the engine loads", async || {
        let view = server.get("/api/v1/deployments/dep-1").await;
        (view.status == 200 && view.json()["state"] == "loading").then_some(())
    })
    .await;
    let answer = server.post(&format!("/api/v1/experiments/{id}/cancel"), &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let view = server.finished(&id).await;
    assert!(view.cells.iter().all(|cell| cell.state == RunState::Cancelled), "{:?}", view.cells);
    over(&server, "dep-1").await;
}

#[tokio::test]
async fn an_engine_that_is_never_ready_fails_at_its_deadline() {
    let house = House::new();
    let load = house.path("load");
    std::fs::write(&load, "").expect("written");
    let script = format!("load_while={}", load.display());
    let server = house.serve_ready(&[("heavy", &script)]).await;
    let toml = experiment(&[1], 1, &["heavy"]);
    let stored = "variant = \"heavy\"\n";
    let inline = format!(
        "[arm.variant]\nname = \"heavy\"\nengine = \"llama_cpp\"\nmodel = {:?}\nstart_deadline = \"1s\"\n\
         env = {{ SCRIPT = {script:?} }}\n",
        house.path("model.gguf").display().to_string()
    );
    let id = server.queue(&toml.replace(stored, &inline)).await;
    let view = server.finished(&id).await;
    assert_eq!(view.cells[0].state, RunState::Failed, "{:?}", view.cells);
    let deployment: DeploymentView = server.api("/deployments/dep-1").await;
    assert_eq!(deployment.failure.map(|failure| failure.class.as_str()), Some("timeout"));
    assert!(reasons(&view)[0].contains("deadline of 1s"), "{:?}", reasons(&view));
}

/// Waits until nothing of a deployment runs.
async fn over(server: &Server, id: &str) {
    until("the deployment is over", async || {
        let view: DeploymentView = server.api(&format!("/deployments/{id}")).await;
        view.state.is_over().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_run_waits_for_the_lane_and_names_who_holds_it() {
    let house = House::new();
    let server = house.serve_ready(&[("held", ""), ("waiting", "")]).await;
    let said = house.run(&["engine", "start", "held", "--wait"]).await;
    assert!(said.code == 0 && said.out.contains("ready"), "{said:?}");
    let id = server.queue(&experiment(&[1], 1, &["waiting"])).await;
    let reason = until("the run says what it waits for", async || {
        let cell = server.experiment(&id).await.cells.remove(0);
        cell.reason.filter(|_| cell.state == RunState::Preparing)
    })
    .await;
    assert!(reason.contains("dep-1 (held, started by local"), "{reason}");

    let second = house.run(&["engine", "start", "waiting"]).await;
    assert!(second.refusal(2).contains("dep-1"), "{second:?}");
    let stopped = house.run(&["engine", "stop", "dep-1"]).await;
    assert_eq!(stopped.code, 0, "{stopped:?}");
    let view = server.finished(&id).await;
    assert_eq!(view.row.state, ExperimentState::Done, "{:?}", view.cells);
    assert_eq!(reasons(&view), Vec::<&str>::new(), "what it waited for is over");
}

#[tokio::test]
async fn a_block_that_waits_for_the_lane_can_be_cancelled() {
    let house = House::new();
    let server = house.serve_ready(&[("held", ""), ("waiting", "")]).await;
    let said = house.run(&["engine", "start", "held", "--wait"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    let id = server.queue(&experiment(&[1], 1, &["waiting"])).await;
    server.run_in(&id, RunState::Preparing).await;
    let said = house.run(&["experiment", "cancel", &id]).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(server.finished(&id).await.row.state, ExperimentState::Cancelled);
    let held: DeploymentView = server.api("/deployments/dep-1").await;
    assert_eq!(held.state.as_str(), "ready", "somebody else's engine goes on");
}
