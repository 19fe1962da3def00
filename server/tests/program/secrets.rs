//! What must stay secret is planted, everything is used once, and then looked for wherever it could have been written.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use inferex_app::view::DeploymentView;
use serde_json::json;

use super::house::House;
use super::processes::descendants;
use super::server::{PASSWORD, Server};

const TOKEN: &str = "hf_canary_0123456789";

const EXPERIMENT: &str = "name = \"secrets\"\nrepeats = 1\n[workload]\nprompts = \"inferex-50\"\noutput_tokens = 2\n\
                          [[load]]\nconcurrency = [1]\nrequests = 4\n[[arm]]\nname = \"a\"\nvariant = \"a\"\n";

#[tokio::test]
async fn no_secret_is_written_down_or_shown() {
    let house = House::new().with("HF_TOKEN", TOKEN);
    let mut server = house.serve_ready(&[("a", "")]).await;
    let said = server.said();
    let code = said.split("/setup?code=").nth(1).and_then(|rest| rest.split_whitespace().next());
    let code = code.expect("a code").to_owned();
    server.sign_in("ann", "a wrong password").await;
    server.sign_in("ann", PASSWORD).await;
    let session = server.cookie.clone().expect("signed in");
    let session = session.split_once('=').expect("name and value").1.to_owned();
    let id = server.queue(EXPERIMENT).await;
    server.finished(&id).await;
    let share = share(&house, &server, &id).await;
    let said = house.run(&["engine", "start", "a", "--wait"]).await;
    assert_eq!(said.code, 0, "{said:?}");

    let secrets = [TOKEN, PASSWORD, "a wrong password", &code, &session, &share];
    in_processes(&server, &secrets);
    in_pages(&server, &secrets).await;
    let view: DeploymentView = server.api("/deployments/dep-2").await;
    assert!(view.command.iter().any(|word| word.starts_with("HF_TOKEN=•")), "{:?}", view.command);
    none_in("the log", server.log().as_bytes(), &secrets);
    server.end(rustix::process::Signal::TERM).await;
    let files = files(&house.data());
    assert!(files.iter().any(|file| file.ends_with("inferex.db")), "{files:?}");
    for file in files {
        none_in(&file.display().to_string(), &std::fs::read(&file).expect("a file"), &secrets);
    }
}

/// The secret of a link to a report that was opened once.
async fn share(house: &House, server: &Server, experiment: &str) -> String {
    server.post("/api/v1/reports", &json!({ "experiment": experiment })).await;
    let said = house.run(&["report", "share", "rep-1"]).await;
    let path = said.out.trim().strip_prefix(&server.origin).expect("an address of this server").to_owned();
    assert_eq!(server.get_as_stranger(&path).await.status, 200);
    path.strip_prefix("/r/").expect("a shared report").to_owned()
}

fn in_processes(server: &Server, secrets: &[&str]) {
    let children = descendants(server.pid());
    assert!(children.len() >= 2, "a supervisor and an engine run");
    for pid in children.iter().map(|(pid, _)| *pid).chain([server.pid()]) {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        none_in(&format!("the command line of {pid}"), &words, secrets);
    }
}

async fn in_pages(server: &Server, secrets: &[&str]) {
    let pages = [
        "/",
        "/settings",
        "/engines",
        "/engines/dep-2",
        "/experiments/exp-1",
        "/experiments/new",
        "/runs/run-1",
        "/reports",
        "/reports/rep-1",
        "/api/v1/variants",
        "/api/v1/deployments",
        "/api/v1/runs/run-1",
        "/api/v1/reports/rep-1",
        "/api/v1/audit",
        "/api/v1/deployments/dep-2/logs",
    ];
    for page in pages {
        let answer = server.get(page).await;
        assert_eq!(answer.status, 200, "{page}");
        none_in(page, answer.body.as_bytes(), secrets);
    }
}

fn none_in(place: &str, bytes: &[u8], secrets: &[&str]) {
    for secret in secrets {
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "{place} holds `{secret}`");
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let (folders, others): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let files = others.into_iter().filter(|path| path.is_file());
    files.chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

#[tokio::test]
async fn the_data_folder_and_its_socket_are_their_owners_alone() {
    let house = House::new();
    let _server = house.serve().await;
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&house.data()), mode(&house.data().join("control.sock"))), (0o700, 0o600));
}
