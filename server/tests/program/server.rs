//! A running server as a browser and a program see it: over HTTP, with a cookie kept by hand.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use inferex_app::view::{ExperimentView, RunCell, RunView};
use inferex_model::run::RunState;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use rustix::process::{Pid, Signal};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::process::Child;

use super::house::House;
use super::wait::until;

pub(super) const PASSWORD: &str = "correct horse battery";

/// One `inferex serve`; dropping it kills it.
pub(super) struct Server {
    child: Child,
    said: PathBuf,
    log: PathBuf,
    pub(super) origin: String,
    pub(super) cookie: Option<String>,
    client: Client,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: reqwest::header::HeaderMap,
    pub(super) body: String,
}

impl Server {
    pub(super) async fn start(house: &House) -> Self {
        let number = std::fs::read_dir(house.path("")).expect("the house").count();
        let (said, log) = (house.path(&format!("said-{number}")), house.path(&format!("log-{number}")));
        let file = |path: &PathBuf| Stdio::from(std::fs::File::create(path).expect("a file"));
        let mut command = house.command();
        command.arg("serve").stdin(Stdio::null()).stdout(file(&said)).stderr(file(&log));
        let child = command.spawn().expect("started");
        // Each test talks to its own loopback servers only, whatever proxy this machine names.
        let client = Client::builder().no_proxy().redirect(Policy::none()).build().expect("a client");
        let mut server = Self { child, said, log, origin: String::new(), cookie: None, client };
        server.origin = until("the server says where it serves", async || {
            assert!(matches!(server.child.try_wait(), Ok(None)), "the server ended: {}", server.log());
            let said = server.said();
            // The last line is out, so everything before it is.
            let whole = said.contains("sign in at") || said.contains("make the first admin");
            said.split_whitespace()
                .find(|word| word.starts_with("http://"))
                .filter(|_| whole)
                .map(str::to_owned)
        })
        .await;
        server
    }

    /// What it printed on standard output.
    pub(super) fn said(&self) -> String {
        std::fs::read_to_string(&self.said).unwrap_or_default()
    }

    /// What it logged.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub(super) fn pid(&self) -> i32 {
        i32::try_from(self.child.id().expect("it runs")).expect("a process id")
    }

    /// Ends it with a signal and waits for its end.
    pub(super) async fn end(mut self, signal: Signal) -> ExitStatus {
        let pid = Pid::from_raw(self.pid()).expect("a process id");
        rustix::process::kill_process(pid, signal).expect("signalled");
        tokio::time::timeout(super::wait::PATIENCE, self.child.wait())
            .await
            .expect("it ends")
            .expect("waited for")
    }

    /// Makes the first admin through the page's form and stays signed in.
    pub(super) async fn set_up(&mut self) -> Answer {
        let said = self.said();
        let code = said.split("/setup?code=").nth(1).expect("a set-up address").split_whitespace().next();
        let code = code.expect("a code");
        let fields = [("code", code), ("name", "ann"), ("password", PASSWORD), ("again", PASSWORD)];
        let answer = self.submit("/do/set-up", &fields).await;
        self.cookie = answer.cookie();
        answer
    }

    /// Signs in through the form; whether it led on is in the answer.
    pub(super) async fn sign_in(&mut self, name: &str, password: &str) -> Answer {
        let answer =
            self.submit("/do/sign-in", &[("name", name), ("password", password), ("next", "/")]).await;
        self.cookie = answer.cookie();
        answer
    }

    /// A request as the signed-in person, if anyone is, from a page of this site.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.origin));
        let request = request.header("sec-fetch-site", "same-origin");
        match &self.cookie {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        }
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        Answer::read(self.request(Method::GET, path)).await
    }

    /// As somebody who has only the address.
    pub(super) async fn get_as_stranger(&self, path: &str) -> Answer {
        Answer::read(self.client.get(format!("{}{path}", self.origin))).await
    }

    /// A form of a page.
    pub(super) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let request = self.request(Method::POST, path).header("accept", "text/html");
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        Answer::read(request.body(body.join("&"))).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::read(self.request(Method::POST, path).json(body)).await
    }

    pub(super) async fn delete(&self, path: &str) -> Answer {
        Answer::read(self.request(Method::DELETE, path)).await
    }

    /// `GET /api/v1…`, which must succeed.
    pub(super) async fn api<T: DeserializeOwned>(&self, path: &str) -> T {
        let answer = self.get(&format!("/api/v1{path}")).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON of this form")
    }

    /// Queues the experiment of a TOML text; its id.
    pub(super) async fn queue(&self, toml: &str) -> String {
        let request =
            self.request(Method::POST, "/api/v1/experiments").header("content-type", "application/toml");
        let answer = Answer::read(request.body(toml.to_owned())).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["id"].as_str().expect("an id").to_owned()
    }

    pub(super) async fn experiment(&self, id: &str) -> ExperimentView {
        self.api(&format!("/experiments/{id}")).await
    }

    /// The experiment once all its runs are over.
    pub(super) async fn finished(&self, id: &str) -> ExperimentView {
        until("the experiment ends", async || {
            let view = self.experiment(id).await;
            view.row.state.is_over().then_some(view)
        })
        .await
    }

    /// The first run that is in this state, as soon as one is.
    pub(super) async fn run_in(&self, id: &str, state: RunState) -> RunCell {
        until(&format!("a run is {state}"), async || {
            self.experiment(id).await.cells.into_iter().find(|cell| cell.state == state)
        })
        .await
    }

    pub(super) async fn run(&self, cell: &RunCell) -> RunView {
        self.api(&format!("/runs/{}", cell.id)).await
    }

    /// The stored events of a run, one JSON object a line.
    pub(super) async fn events(&self, cell: &RunCell) -> Vec<Value> {
        let answer = self.get(&format!("/api/v1/runs/{}/events", cell.id)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
    }

    /// A run that is being measured and whose first events are stored.
    pub(super) async fn run_with_events(&self, id: &str) -> RunCell {
        until("events are stored while a run is measured", async || {
            let cells = self.experiment(id).await.cells;
            let cell = cells.into_iter().find(|cell| cell.state == RunState::Measuring)?;
            (!self.events(&cell).await.is_empty()).then_some(cell)
        })
        .await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- log of the server at {}\n{}", self.origin, self.log());
        }
    }
}

impl Answer {
    async fn read(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, body: response.text().await.expect("a body") }
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The cookie it sets, as it is sent back.
    fn cookie(&self) -> Option<String> {
        self.header("set-cookie").split(';').next().filter(|pair| !pair.is_empty()).map(str::to_owned)
    }
}

/// A form's value with every byte written out.
fn encoded(value: &str) -> String {
    value.bytes().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"))
}
