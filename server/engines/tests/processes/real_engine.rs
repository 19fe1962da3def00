//! The same way with a real `llama-server` and a real model, where a machine has them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inferex_engines::engine::EnginePaths;
use inferex_engines::launch::{LaunchConfig, Launcher, Pace, StartSpec};
use inferex_model::deployment::{DeploymentState, FailureClass};
use inferex_model::variant::Variant;
use serde_json::{Value, json};

use super::launch::SystemClock;
use super::support::{double_program, group_is_gone};

fn launcher(dir: &Path) -> Launcher {
    let paths = EnginePaths::from_env(dir.to_owned());
    assert!(paths.llama_server.is_some(), "INFEREX_LLAMA_SERVER names no program");
    let pace = Pace::default();
    let config = LaunchConfig { self_exe: double_program(), paths, pace, clock: Arc::new(SystemClock) };
    Launcher::new(config).expect("a launcher")
}

fn spec(dir: &Path, model: &Path, args: Value) -> StartSpec {
    let table = json!({
        "name": "real", "engine": "llama_cpp", "model": model, "args": args, "start_deadline": "5m",
    });
    let variant: Variant = serde_json::from_value(table).expect("a variant");
    StartSpec { variant, log_path: dir.join("logs/real.log"), port: None }
}

fn model() -> PathBuf {
    std::env::var_os("INFEREX_TEST_MODEL").map(PathBuf::from).expect("INFEREX_TEST_MODEL names a GGUF file")
}

#[tokio::test]
#[ignore = "needs a real server and model: INFEREX_LLAMA_SERVER, INFEREX_TEST_MODEL"]
async fn a_real_server_becomes_ready_tells_its_capacity_and_stops() {
    let dir = tempfile::tempdir().expect("a folder");
    let args = json!(["--parallel", "4", "-c", "4096", "-t", "2"]);
    let started = launcher(dir.path()).start(spec(dir.path(), &model(), args)).await.expect("started");
    let ready = started.ready().await.expect("ready");
    println!("{}", serde_json::to_string_pretty(&ready).expect("printable"));
    let capacity = ready.capacity.expect("a capacity");
    assert_eq!((capacity.slots, capacity.context_per_request), (Some(4), Some(1024)));
    assert!(capacity.parameters > Some(0) && capacity.resolved_quantisation.is_some());
    assert_eq!(started.stop().await.state, DeploymentState::Stopped);
    assert!(group_is_gone(ready.identity.expect("an identity").pid));
}

#[tokio::test]
#[ignore = "needs a real server and model: INFEREX_LLAMA_SERVER, INFEREX_TEST_MODEL"]
async fn a_real_server_that_fails_is_explained() {
    let dir = tempfile::tempdir().expect("a folder");
    let broken = dir.path().join("broken.gguf");
    std::fs::write(&broken, b"no model at all").expect("written");
    let cases = [
        (broken, json!([]), FailureClass::ModelUnreadable),
        (model(), json!(["--frobnicate"]), FailureClass::BadArgument),
    ];
    // Both write to one log: the second must not be explained by the first's lines.
    for (model, args, class) in cases {
        let started = launcher(dir.path()).start(spec(dir.path(), &model, args)).await.expect("started");
        let failure = started.ready().await.expect_err("failed");
        println!("{}", serde_json::to_string_pretty(&failure).expect("printable"));
        assert_eq!(failure.class, class, "{}", failure.sentence);
    }
}
