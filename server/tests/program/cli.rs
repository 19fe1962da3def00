//! Commands: exit codes that a script can trust, and one sentence for each refusal.

use std::path::Path;

use serde_json::Value;

use super::house::{House, text};
use super::server::PASSWORD;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    text(&path).to_owned()
}

/// An experiment file with this text in the house.
fn file(house: &House, toml: &str) -> String {
    let path = house.path("experiment.toml");
    std::fs::write(&path, toml).expect("written");
    text(&path).to_owned()
}

const EXPERIMENT: &str = "name = \"n\"\nrepeats = 1\n[workload]\nprompts = \"inferex-50\"\noutput_tokens = 2\n\
                          [[load]]\nconcurrency = [1]\nrequests = 4\n[[arm]]\nname = \"a\"\nvariant = \"a\"\n";

#[tokio::test]
async fn a_malformed_experiment_is_refused_with_its_field() {
    let house = House::new();
    let cases = [
        (EXPERIMENT.to_owned(), "arm[0].variant: `a` is not stored"),
        (EXPERIMENT.replace("repeats = 1", "repeats = 0"), "repeats: is 0"),
        (EXPERIMENT.replace("inferex-50", "other"), "workload.prompts: `other` is unknown"),
        (EXPERIMENT.replace("[1]", "[1, 1]"), "load[0].concurrency"),
        (EXPERIMENT.replace("requests = 4", "requests = many"), "line 8"),
        (EXPERIMENT.replace("output_tokens", "output_token"), "output_token"),
        (String::new(), "name"),
    ];
    for (toml, wanted) in cases {
        let path = file(&house, &toml);
        let said = house.run(&["experiment", "run", &path]).await;
        assert!(said.refusal(2).contains(wanted), "{wanted}: {said:?}");
    }
    let said = house.run(&["experiment", "run", "nowhere.toml"]).await;
    assert!(said.refusal(2).contains("nowhere.toml"), "{said:?}");
    let said = house.run(&["experiment", "list", "--json"]).await;
    assert_eq!(said.out.trim(), "[]", "nothing half-made");
}

#[tokio::test]
async fn a_missing_model_file_is_named_before_anything_starts() {
    let house = House::new();
    house.import(&[("a", "")]).await;
    std::fs::remove_file(house.path("model.gguf")).expect("it was there");
    let path = file(&house, EXPERIMENT);
    let said = house.run(&["experiment", "run", &path, "--wait"]).await;
    let told = said.refusal(2);
    assert!(told.starts_with("arm[0].variant") && told.contains("model.gguf does not exist"), "{told}");
    let said = house.run(&["experiment", "list", "--json"]).await;
    assert_eq!(said.out.trim(), "[]", "nothing half-made");
}

#[tokio::test]
async fn what_does_not_exist_is_named() {
    let house = House::new();
    for (args, wanted) in [
        (&["experiment", "show", "exp-7"][..], "exp-7"),
        (&["experiment", "cancel", "exp-7"], "exp-7"),
        (&["engine", "status", "dep-3"], "dep-3"),
        (&["report", "revoke", "share-9"], "share-9"),
        (&["report", "create", "--experiment", "exp-7"], "exp-7"),
        (&["variant", "remove", "nothing"], "nothing"),
        (&["user", "disable", "nobody"], "nobody"),
        (&["variant", "import", "nowhere.toml"], "nowhere.toml"),
    ] {
        let said = house.run(args).await;
        assert!(said.refusal(2).contains(wanted), "{args:?}: {said:?}");
    }
    let said = house.run(&["engine", "start", "nothing"]).await;
    assert!(said.refusal(3).contains("inferex serve"), "{said:?}");
    for args in [&["experiment", "show", "seven"][..], &["unheard-of"], &["user", "create", "ann"]] {
        assert_eq!(house.run(args).await.code, 2, "{args:?}");
    }
}

#[tokio::test]
async fn the_command_line_measures_without_a_server_and_says_how_it_ended() {
    let house = House::new();
    house.import(&[("a", ""), ("b", "refuse_every=1")]).await;
    let path = file(&house, EXPERIMENT);
    let said = house.run(&["experiment", "run", &path, "--wait", "--json"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    let view: Value = serde_json::from_str(&said.out).expect("one JSON document");
    assert_eq!((&view["state"], &view["runs"]["done"]), (&"done".into(), &1.into()), "{view}");

    let path = file(&house, &EXPERIMENT.replace("variant = \"a\"", "variant = \"b\""));
    let said = house.run(&["experiment", "run", &path, "--wait"]).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.lines().last().is_some_and(|line| line.contains("exp-2 ended failed")), "{said:?}");
    let said = house.run(&["experiment", "export", "exp-1"]).await;
    let path = file(&house, &said.out);
    assert_eq!(house.run(&["experiment", "run", &path]).await.out.trim(), "exp-3");
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_told_of_the_first() {
    let house = House::new();
    let first = house.serve().await;
    let said = house.run(&["serve"]).await;
    let told = said.refusal(2);
    assert!(told.contains(&first.origin) && told.contains("INFEREX_DATA_DIR"), "{told}");
    assert_eq!(first.get_as_stranger("/healthz").await.status, 200, "the first goes on");
}

#[tokio::test]
async fn a_port_in_use_leaves_nothing_half_made() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = taken.local_addr().expect("an address").to_string();
    let house = House::new().with("INFEREX_LISTEN", &address);
    let said = house.run(&["serve"]).await;
    let told = said.refusal(3);
    assert!(told.contains(&address) && told.contains("INFEREX_LISTEN"), "{told}");
    assert!(!house.data().join("inferex.db").exists(), "no database");
    assert!(!house.data().join("control.sock").exists(), "no socket");
}

#[tokio::test]
async fn the_worked_case_gives_the_defined_figures() {
    let house = House::new();
    let said = house.run(&["metrics", &fixture("worked_case.jsonl")]).await;
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let document: Value = serde_json::from_str(&said.out).expect("one JSON document");
    let ours = &document["definitions"]["inferex"];
    let p50 = |name: &str| ours[name]["p50"].as_f64().expect("a figure");
    for (name, wanted) in
        [("ttft_ms", 300.0), ("ttft_answer_ms", 420.0), ("tpot_ms", 140.0 / 6.0), ("e2e_ms", 460.0)]
    {
        assert!((p50(name) - wanted).abs() < 1e-6, "{name}: {} instead of {wanted}", p50(name));
    }
    let events = std::fs::read_to_string(fixture("worked_case.jsonl")).expect("a file");
    assert_eq!(house.run_with_input(&["metrics", "-"], &events).await.out, said.out);
    assert!(!house.data().exists(), "a pure tool makes no data folder");
}

#[tokio::test]
async fn a_broken_events_file_is_refused_with_its_line() {
    let house = House::new();
    let worked = std::fs::read_to_string(fixture("worked_case.jsonl")).expect("a file");
    for broken in
        ["{\"req\":0,", "{\"req\":0,\"t\":-1,\"kind\":\"sent\"}", "{\"req\":0,\"t\":1,\"kind\":\"sung\"}"]
    {
        let mut lines: Vec<&str> = worked.lines().collect();
        lines[4] = broken;
        let path = house.path("broken.jsonl");
        std::fs::write(&path, lines.join("\n")).expect("written");
        let said = house.run(&["metrics", text(&path)]).await;
        let told = said.refusal(2);
        assert!(told.contains("broken.jsonl") && told.contains("line 5"), "{told}");
    }
    let said = house.run(&["metrics", "nowhere.jsonl"]).await;
    assert!(said.refusal(2).contains("nowhere.jsonl"), "{said:?}");
    let said = house.run(&["metrics", "--definitions", "vllm", &fixture("worked_case.jsonl")]).await;
    assert!(said.refusal(2).contains("vllm"), "{said:?}");
}

#[tokio::test]
async fn settings_are_listed_with_secrets_masked() {
    let house = House::new().with("HF_TOKEN", "hf_canary_canary").with("INFEREX_LISTE", "x");
    for args in [&["config"][..], &["config", "--json"]] {
        let said = house.run(args).await;
        assert_eq!(said.code, 0, "{said:?}");
        assert!(!said.out.contains("hf_canary") && said.out.contains("********"), "{}", said.out);
        assert!(said.out.contains("HF_TOKEN") && said.out.contains("INFEREX_DATA_DIR"), "{}", said.out);
        assert!(said.err.contains("INFEREX_LISTE") && said.err.lines().count() == 1, "{}", said.err);
    }
    let house = House::new().with("INFEREX_LISTEN", "nowhere");
    let said = house.run(&["config"]).await;
    assert!(said.refusal(2).contains("INFEREX_LISTEN"), "{said:?}");
}

#[tokio::test]
async fn accounts_can_be_made_and_a_lost_password_set_without_a_server() {
    let house = House::new();
    let create = ["user", "create", "bea", "--role", "admin", "--password-stdin"];
    let said = house.run_with_input(&create, "short\n").await;
    assert!(said.refusal(2).contains("password"), "{said:?}");
    let said = house.run_with_input(&create, &format!("{PASSWORD}\n")).await;
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    let said = house.run_with_input(&create, &format!("{PASSWORD}\n")).await;
    assert!(said.refusal(2).contains("bea"), "{said:?}");
    let said =
        house.run_with_input(&["user", "password", "bea", "--password-stdin"], "another long one\n").await;
    assert_eq!(said.code, 0, "{said:?}");

    let mut server = house.serve().await;
    assert!(server.said().contains("sign in at"), "no set-up is offered: {}", server.said());
    let refused = server.sign_in("bea", PASSWORD).await;
    assert_eq!(refused.header("location"), "/login", "{refused:?}");
    let led = server.sign_in("bea", "another long one").await;
    assert_eq!((led.status, led.header("location")), (303, "/"));
    assert_eq!(server.get("/settings").await.status, 200);

    // The same over the socket: the session that the old password opened ends.
    let said =
        house.run_with_input(&["user", "password", "bea", "--password-stdin"], "a third long one\n").await;
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(server.get("/settings").await.status, 303);
    assert_eq!(server.sign_in("bea", "a third long one").await.header("location"), "/");
}
