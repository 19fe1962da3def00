//! The whole story over HTTP: set up, import, queue, measure, compare, freeze, share, revoke.

use std::collections::BTreeSet;

use inferex_app::view::{ExperimentView, RunView};
use inferex_model::run::ExperimentState;
use serde_json::Value;

use super::engine::Record;
use super::house::House;
use super::redact::redact;
use super::server::{PASSWORD, Server};

const EXPERIMENT: &str = r#"
name = "the story"
repeats = 2
[workload]
prompts = "inferex-50"
output_tokens = 4
[[load]]
concurrency = [1, 2]
requests = 4
[[arm]]
name = "quick"
variant = "quick"
[[arm]]
name = "calm"
variant = "calm"
"#;

#[tokio::test]
async fn from_the_first_account_to_a_revoked_link() {
    let house = House::new();
    let record = house.path("record");
    let script = |pace: &str| format!("record={} {pace}", record.display());
    let server = doors(&house).await;
    house
        .import(&[("quick", &script("first_ms=10 token_ms=4")), ("calm", &script("first_ms=30 token_ms=8"))])
        .await;
    insta::assert_json_snapshot!("variants", redact(&without_scripts(server.api("/variants").await)));

    let queued = server.submit("/do/experiment-queue", &[("toml", EXPERIMENT)]).await;
    assert_eq!((queued.status, queued.header("location")), (303, "/experiments/exp-1"), "{queued:?}");
    let view = server.finished("exp-1").await;
    assert_eq!(view.row.state, ExperimentState::Done, "{:?}", view.cells);

    let runs = runs(&server, &view).await;
    order(&view, &runs);
    asked(&Record::read(&record));
    runs.iter().for_each(figures);
    answers(&server).await;
    shared(&server).await;
}

/// Nobody gets in before the first account, and the code makes one account only.
async fn doors(house: &House) -> Server {
    let mut server = house.serve().await;
    let led = server.get_as_stranger("/").await;
    assert_eq!((led.status, led.header("location")), (303, "/setup"));
    assert_eq!(server.get_as_stranger("/api/v1/users").await.status, 401);
    let wrong = [("code", "guess"), ("name", "eve"), ("password", PASSWORD), ("again", PASSWORD)];
    let refused = server.submit("/do/set-up", &wrong).await;
    assert_eq!((refused.status, refused.header("location")), (303, "/setup?code=guess"), "back to the form");
    assert_eq!(server.get_as_stranger("/").await.header("location"), "/setup", "no account was made");

    let made = server.set_up().await;
    assert_eq!((made.status, made.header("location")), (303, "/"));
    assert!(made.header("set-cookie").contains("HttpOnly"), "{made:?}");
    assert_eq!(server.get("/").await.status, 200);
    let led = server.get_as_stranger("/experiments").await;
    assert_eq!((led.status, led.header("location")), (303, "/login?next=/experiments"));
    let late = [("code", "guess"), ("name", "eve"), ("password", PASSWORD), ("again", PASSWORD)];
    server.submit("/do/set-up", &late).await;
    let users: Value = server.api("/users").await;
    insta::assert_json_snapshot!("users", redact(&users));
    server
}

/// The script names folders of this test run.
fn without_scripts(mut variants: Value) -> Value {
    for view in variants.as_array_mut().into_iter().flatten() {
        view["variant"]["env"]["SCRIPT"] = "[script]".into();
    }
    variants
}

/// The runs in the order in which they began.
async fn runs(server: &Server, view: &ExperimentView) -> Vec<RunView> {
    let mut runs = Vec::new();
    for cell in &view.cells {
        runs.push(server.run(cell).await);
    }
    runs.sort_by_key(|run| run.started_at);
    runs
}

/// A B B A, each start running all its levels, each start an engine of its own.
fn order(view: &ExperimentView, runs: &[RunView]) {
    let begun: Vec<(&str, u32, u32)> =
        runs.iter().map(|run| (run.arm.as_str(), run.repeat, run.level.concurrency)).collect();
    let block = |arm, repeat| [(arm, repeat, 1), (arm, repeat, 2)];
    let planned = [block("quick", 0), block("calm", 0), block("calm", 1), block("quick", 1)].concat();
    assert_eq!(begun, planned);
    let cells: Vec<_> = view.cells.iter().map(|cell| cell.id).collect();
    assert_eq!(cells, runs.iter().map(|run| run.id).collect::<Vec<_>>(), "shown in the order of measuring");
    for pair in runs.windows(2) {
        assert!(pair[0].ended_at <= pair[1].started_at, "one run at a time");
        let same_block = (&pair[0].arm, pair[0].repeat) == (&pair[1].arm, pair[1].repeat);
        assert_eq!(pair[0].deployment == pair[1].deployment, same_block, "{} {}", pair[0].id, pair[1].id);
    }
}

/// Engines were started once a block; both arms were asked the same, and no prompt twice within one start.
fn asked(record: &Record) {
    assert_eq!(record.starts(), ["quick", "calm", "calm", "quick"]);
    let (quick, calm) = (record.prompts("quick"), record.prompts("calm"));
    // Two repeats of 4 and 8 requests, each level warmed by two more.
    assert_eq!(quick.len(), 2 * (4 + 8 + 2 + 2));
    let set = |prompts: &[&str]| prompts.iter().map(|prompt| (*prompt).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(set(&quick), set(&calm), "the same prompts for both arms");
    assert_eq!(set(&quick).len(), quick.len(), "salted anew for each level and repeat");
}

/// What the script paces is what the figures say, from below.
fn figures(run: &RunView) {
    let document = run.document.as_ref().expect("a done run has figures");
    assert!(document.invariants.iter().all(|invariant| invariant.holds != Some(false)), "{document:?}");
    let metrics = &document.definitions["inferex"];
    let requests = u64::from(run.level.requests);
    assert_eq!(
        (metrics.requests.total, metrics.requests.successful, metrics.requests.failed),
        (requests, requests, 0)
    );
    assert_eq!(metrics.output_tokens, Some(requests * 4));
    assert_eq!((run.progress.total, run.progress.done, run.progress.in_flight), (requests, requests, 0));
    let (first, token) = if run.arm == "quick" { (10.0, 4.0) } else { (30.0, 8.0) };
    let least = |stat: Option<inferex_model::metrics::Stat>| stat.expect("a spread").p50;
    assert!(least(metrics.ttft_ms) >= first, "{metrics:?}");
    // A client on a busy machine may read late and then two tokens at once, so only the sum has a firm bound.
    assert!(least(metrics.e2e_ms) >= first + 3.0 * token, "{metrics:?}");
    assert!(least(metrics.tpot_ms) <= least(metrics.e2e_ms), "{metrics:?}");
    assert!(metrics.peak_in_flight.expect("counted") <= u64::from(run.level.concurrency), "{metrics:?}");
    assert!(metrics.output_throughput_tok_s.expect("measured") > 0.0);
    assert!(metrics.from_schedule.ttft_ms.is_none(), "a closed loop has no schedule");
}

/// The result as JSON and CSV, and a run's requests.
async fn answers(server: &Server) {
    let result = server.get("/api/v1/experiments/exp-1/result.json").await;
    assert!(result.header("content-disposition").contains("exp-1-result.json"), "{:?}", result.headers);
    let result = result.json();
    assert_eq!(result["comparisons"].as_array().map(Vec::len), Some(1));
    insta::assert_json_snapshot!("result", redact(&result));

    let csv = server.get("/api/v1/experiments/exp-1/results.csv").await.body;
    let rows: Vec<Vec<&str>> = csv.split_terminator("\r\n").map(|line| line.split(',').collect()).collect();
    let keys: Vec<(&str, &str)> = rows.iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(keys, [("arm", "concurrency"), ("quick", "1"), ("quick", "2"), ("calm", "1"), ("calm", "2")]);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");

    let requests = server.get("/api/v1/runs/run-1/requests?format=csv").await.body;
    assert_eq!(requests.lines().count(), 1 + 4, "{requests}");
    let export = server.get("/api/v1/experiments/exp-1/export.toml").await.body;
    let again = format!("{export}\n").replace("the story", "the story again");
    assert_eq!(server.queue(&again).await, "exp-2", "what is exported can be queued");
    let cancelled = server.post("/api/v1/experiments/exp-2/cancel", &Value::Null).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    for page in ["/", "/experiments", "/experiments/exp-1", "/runs/run-1", "/engines", "/experiments/new"] {
        let answer = server.get(page).await;
        assert_eq!(answer.status, 200, "{page}");
        assert!(answer.body.trim_end().ends_with("</html>"), "{page} is a whole document");
    }
}

/// A frozen report opens for whoever has the link, and for nobody once it is revoked.
async fn shared(server: &Server) {
    let report = server.post("/api/v1/reports", &serde_json::json!({ "experiment": "exp-1" })).await;
    assert_eq!((report.status, &report.json()["id"]), (201, &"rep-1".into()), "{}", report.body);
    let share = server.post("/api/v1/reports/rep-1/shares", &serde_json::json!({ "expires": "7d" })).await;
    assert_eq!(share.status, 201, "{}", share.body);
    let share = share.json();
    let url = share["url"].as_str().expect("an address");
    let path = url.strip_prefix(&server.origin).expect("the public address").to_owned();

    let page = server.get_as_stranger(&path).await;
    assert_eq!((page.status, page.header("x-robots-tag")), (200, "noindex, nofollow"));
    assert_eq!(page.header("cache-control"), "no-store");
    assert!(
        page.body.contains("the story") && page.body.contains("class=\"chart-svg\" role=\"img\""),
        "{}",
        page.body
    );
    let data = server.get_as_stranger(&format!("{path}/data.json")).await;
    let frozen = data.json();
    assert_eq!(frozen["result"]["arms"][0]["name"], "quick");
    let folder = std::env::temp_dir().display().to_string();
    for secret in ["SCRIPT", "record=", &folder, "/var/log", "127.0.0.1"] {
        assert!(!data.body.contains(secret) && !page.body.contains(secret), "{secret} left the house");
    }
    assert_eq!(server.get_as_stranger(&format!("{path}/data.csv")).await.body.lines().count(), 5);
    let chart = frozen["result"]["charts"][0]["id"].as_str().expect("a chart").to_owned();
    let chart = server.get_as_stranger(&format!("{path}/charts/{chart}.svg")).await;
    assert_eq!((chart.status, chart.header("content-type")), (200, "image/svg+xml"));
    assert!(chart.body.starts_with("<svg") && chart.body.contains("calm"), "{}", chart.body);
    let id = share["id"].as_str().expect("an id");
    assert_eq!(server.delete(&format!("/api/v1/shares/{id}")).await.status, 204);
    for suffix in ["", "/data.json", "/data.csv"] {
        assert_eq!(server.get_as_stranger(&format!("{path}{suffix}")).await.status, 404, "{suffix}");
    }
    let log = server.log();
    assert!(!log.contains(path.trim_start_matches("/r/")), "the token stays out of the log");
    assert!(log.contains(" status_code=404"), "fields can be searched for: {log}");
}
