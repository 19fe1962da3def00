//! The whole way with real processes: supervisor, engine double, probes, ends.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::routing::get;
use axum::{Json, Router};
use inferex_engines::engine::EnginePaths;
use inferex_engines::launch::{Deployment, LaunchConfig, Launcher, Pace, StartSpec};
use inferex_engines::procfs::ProcFs;
use inferex_model::deployment::{DeploymentState as S, FailureClass};
use inferex_model::time::{Clock, Timestamp};
use inferex_model::variant::Variant;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::support::{double_program, group_is_gone, within};

pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(0))
    }
}

struct House {
    dir: tempfile::TempDir,
    launcher: Launcher,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(dir.path().join("models")).expect("made");
        std::fs::write(dir.path().join("models/m.gguf"), b"GGUF").expect("written");
        let paths = EnginePaths {
            data_dir: dir.path().to_owned(),
            llama_server: Some(double_program()),
            search_path: None,
        };
        let pace = Pace {
            starting: Duration::from_millis(20),
            watching: Duration::from_millis(20),
            grace: Duration::from_millis(300),
        };
        let config = LaunchConfig { self_exe: double_program(), paths, pace, clock: Arc::new(SystemClock) };
        Self { launcher: Launcher::new(config).expect("a launcher"), dir }
    }

    fn spec(&self, script: &str, extra: Value) -> StartSpec {
        let mut table = json!({
            "name": "double", "engine": "llama_cpp", "model": "m.gguf", "start_deadline": "60s",
            "env": {"DOUBLE": script},
        });
        table.as_object_mut().expect("a table").extend(extra.as_object().cloned().unwrap_or_default());
        let variant: Variant = serde_json::from_value(table).expect("a variant");
        StartSpec { variant, log_path: self.log(), port: None }
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("logs/engine.log")
    }

    async fn start(&self, script: &str, extra: Value) -> Deployment {
        self.launcher.start(self.spec(script, extra)).await.expect("started")
    }
}

fn states(deployment: &mut Deployment) -> Vec<S> {
    let mut taken = deployment.take_transitions().expect("first time");
    std::iter::from_fn(|| taken.try_recv().ok()).map(|transition| transition.state).collect()
}

#[tokio::test]
async fn a_slow_load_passes_all_states_and_stops_clean() {
    let house = House::new();
    let mut deployment = house.start("load_ms=400", json!({})).await;
    let ready = deployment.ready().await.expect("ready");
    let capacity = ready.capacity.expect("capacity is known when ready");
    assert_eq!((capacity.slots, capacity.parameters), (Some(2), Some(7)));
    assert_eq!(ready.endpoint, Some(format!("http://127.0.0.1:{}", ready.port)));
    assert!(ready.timings.load_ms >= Some(380) && ready.timings.warm_ms >= ready.timings.load_ms);
    let identity = ready.identity.expect("an identity");
    assert!(ProcFs::default().is_alive(&identity));

    let stopped = deployment.stop().await;
    assert_eq!((stopped.state, stopped.endpoint, stopped.failure), (S::Stopped, None, None));
    assert!(group_is_gone(identity.pid));
    let wanted = [S::Starting, S::Loading, S::Warming, S::Ready, S::Stopping, S::Stopped];
    assert_eq!(states(&mut deployment), wanted);
    let log = deployment.read_log(0, 10_000).expect("a log").text;
    assert!(log.contains("double: loading"), "{log}");
}

#[tokio::test]
async fn an_exit_while_starting_is_told_at_once_with_its_lines_and_no_secret() {
    let house = House::new();
    let env = json!({"env": {"DOUBLE": "exit=3", "DOUBLE_TOKEN": "s3cr3t-value"}});
    let begun = Instant::now();
    let deployment = house.start("", env).await;
    let failure = deployment.ready().await.expect_err("failed");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!((failure.class, failure.exit_code), (FailureClass::Exited, Some(3)));
    assert_eq!(failure.lines.last().map(String::as_str), Some("double: cannot go on; the token is •••"));
    let status = deployment.status();
    assert_eq!(status.state, S::Failed);
    assert!(status.command.contains(&"DOUBLE_TOKEN=•••".to_owned()), "{:?}", status.command);
    assert!(!format!("{status:?}").contains("s3cr3t"), "{status:?}");
}

#[tokio::test]
async fn one_that_never_answers_is_ended_at_its_deadline() {
    let house = House::new();
    let deployment = house.start("no_bind ignore_term", json!({"start_deadline": "500ms"})).await;
    let group = deployment.status().identity.expect("an identity").pid;
    let failure = deployment.ready().await.expect_err("failed");
    assert_eq!(failure.class, FailureClass::Timeout);
    assert!(failure.sentence.contains("500ms"), "{}", failure.sentence);
    assert!(failure.lines.iter().any(|line| line.contains("double: loading")), "{:?}", failure.lines);
    assert!(group_is_gone(group));
}

#[tokio::test]
async fn one_that_ignores_the_gentle_signal_is_killed() {
    let house = House::new();
    let deployment = house.start("ignore_term", json!({})).await;
    let group = deployment.ready().await.expect("ready").identity.expect("an identity").pid;
    assert_eq!(deployment.stop().await.state, S::Stopped);
    assert!(group_is_gone(group));
}

#[tokio::test]
async fn an_exit_while_ready_is_noticed() {
    let house = House::new();
    let deployment = house.start("exit_after_ready=9", json!({})).await;
    let over = deployment.over().await;
    assert_eq!(over.state, S::Failed);
    assert_eq!((over.reason.as_str(), over.endpoint), ("it ended while ready", None));
    assert_eq!(over.failure.and_then(|failure| failure.exit_code), Some(9));
}

#[tokio::test]
async fn a_ready_one_that_stops_answering_becomes_unhealthy_and_heals() {
    let house = House::new();
    let mark = house.dir.path().join("unhealthy");
    let deployment = house.start(&format!("unhealthy_file={}", mark.display()), json!({})).await;
    deployment.ready().await.expect("ready");
    let mut watch = deployment.watch();
    std::fs::write(&mark, b"").expect("written");
    let ill = watch.wait_for(|status| status.unhealthy_since.is_some()).await.expect("told").clone();
    assert_eq!(ill.state, S::Ready);
    std::fs::remove_file(&mark).expect("removed");
    watch.wait_for(|status| status.unhealthy_since.is_none()).await.expect("told");
}

#[tokio::test]
async fn dropping_the_handle_ends_the_engine() {
    let house = House::new();
    let deployment = house.start("ignore_term", json!({})).await;
    let ready = deployment.ready().await.expect("ready");
    let mut watch = deployment.watch();
    drop(deployment);
    watch.wait_for(|status| status.state.is_over()).await.expect("told");
    assert!(group_is_gone(ready.identity.expect("an identity").pid));
}

#[tokio::test]
async fn a_killed_supervisor_does_not_leave_its_engine_behind() {
    let house = House::new();
    let deployment = house.start("ignore_term", json!({})).await;
    let group = deployment.ready().await.expect("ready").identity.expect("an identity").pid;
    let stat = std::fs::read_to_string(format!("/proc/{group}/stat")).expect("a living engine");
    let parent =
        stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)).expect("a parent");
    let supervisor = parent.parse().ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(supervisor, Signal::KILL).expect("killed");
    assert_eq!(deployment.over().await.state, S::Failed);
    assert!(within(Duration::from_secs(5), || group_is_gone(group)));
}

#[tokio::test]
async fn health_without_a_token_is_not_ready() {
    let house = House::new();
    let deployment = house.start("no_token", json!({"start_deadline": "600ms"})).await;
    let failure = deployment.ready().await.expect_err("failed");
    assert_eq!(failure.class, FailureClass::Timeout);
    assert!(failure.sentence.contains("without a token"), "{}", failure.sentence);
}

#[tokio::test]
async fn a_server_that_serves_another_name_is_not_ours() {
    let house = House::new();
    let deployment = house.start("name=other", json!({"start_deadline": "600ms"})).await;
    let failure = deployment.ready().await.expect_err("failed");
    assert!(failure.sentence.contains("does not serve `double`"), "{}", failure.sentence);
}

#[tokio::test]
async fn another_program_on_the_port_is_not_taken_for_ours_even_with_the_same_name() {
    let house = House::new();
    let deployment = house.start("no_bind", json!({"start_deadline": "800ms"})).await;
    let port = deployment.status().port;
    let socket = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("bound");
    let models = || async { Json(json!({"data": [{"id": "double"}]})) };
    let app = Router::new().route("/health", get(|| async { "ok" })).route("/v1/models", get(models));
    let stranger = tokio::spawn(async move { axum::serve(socket, app).await });
    let failure = deployment.ready().await.expect_err("failed");
    assert!(failure.sentence.contains("another program answers"), "{}", failure.sentence);
    stranger.abort();
}

#[tokio::test]
async fn what_cannot_start_is_refused_before_anything_is_spawned() {
    let house = House::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = taken.local_addr().expect("an address").port();
    let cases = [
        (json!({"args": ["--port", port.to_string()]}), FailureClass::PortInUse, port.to_string()),
        (json!({"model": "absent.gguf"}), FailureClass::ModelNotFound, "models/absent.gguf".to_owned()),
        (json!({"args": ["--alias", "x"]}), FailureClass::BadArgument, "--alias".to_owned()),
        (json!({"engine": "vllm"}), FailureClass::ProgramNotFound, "vllm".to_owned()),
    ];
    for (extra, class, named) in cases {
        let spec = house.spec("", extra);
        let checked = house.launcher.check(&spec.variant).expect_err("refused");
        let refused = house.launcher.start(spec).await.expect_err("refused");
        assert_eq!(checked, refused);
        assert_eq!(refused.class, class, "{}", refused.sentence);
        assert!(refused.sentence.contains(&named), "{}", refused.sentence);
    }
    assert!(!house.log().exists(), "no process ever wrote");
}

#[tokio::test]
async fn a_port_that_the_variant_names_is_used() {
    let house = House::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let deployment = house.start("", json!({"args": ["--port", port.to_string()]})).await;
    assert_eq!(deployment.ready().await.expect("ready").port, port);
}
