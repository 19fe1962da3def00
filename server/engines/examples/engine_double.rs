//! An engine double for this crate's tests, and the program that supervises it.
//!
//! `engine_double supervise …` is the supervisor, `engine_double hold LOG -- CMD…` is a server that can be killed, and
//! anything else answers like `llama-server`. What it does wrong is asked for in the variable `DOUBLE`, as words:
//! `load_ms=N`, `exit=N`, `exit_after_ready=N`, `no_bind`, `ignore_term`, `name=OTHER`, `no_token`, `unhealthy_file=PATH`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use inferex_engines::runtime::process::ProcessRuntime;
use inferex_engines::runtime::{Runtime, StartOrder};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.first().and_then(|word| word.to_str()) {
        Some("supervise") => inferex_engines::supervise::run(args.into_iter().skip(1)),
        Some("hold") => hold(&args),
        _ => serve(args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn hold(args: &[OsString]) -> ExitCode {
    let runtime = ProcessRuntime::new(std::env::current_exe().expect("a path"), Duration::from_secs(1));
    let order = StartOrder {
        command: args[3..].iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        env: std::collections::BTreeMap::new(),
        foreign_env: vec!["LLAMA_ARG_"],
        log_path: PathBuf::from(&args[1]),
    };
    let started = runtime.start(order).await.expect("started");
    println!("{}", started.identity().expect("an identity").pid);
    std::future::pending().await
}

struct Double {
    script: String,
    name: String,
    born: Instant,
    completions: AtomicU32,
}

impl Double {
    fn asked<'a>(&'a self, word: &str) -> Option<&'a str> {
        let words = self.script.split_whitespace();
        words
            .map(|part| part.split_once('=').unwrap_or((part, "")))
            .find(|(key, _)| *key == word)
            .map(|(_, v)| v)
    }

    fn number(&self, word: &str) -> Option<u64> {
        self.asked(word).and_then(|value| value.parse().ok())
    }

    fn loading(&self) -> bool {
        self.born.elapsed() < Duration::from_millis(self.number("load_ms").unwrap_or(0))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn serve(args: Vec<String>) -> ExitCode {
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let double = Double {
        script: std::env::var("DOUBLE").unwrap_or_default(),
        name: after("--alias").unwrap_or_default(),
        born: Instant::now(),
        completions: AtomicU32::new(0),
    };
    println!("double: loading {}", after("-m").unwrap_or_default());
    if double.asked("ignore_term").is_some() {
        let mut term =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).expect("signals");
        tokio::spawn(async move { while term.recv().await.is_some() {} });
    }
    if let Some(code) = double.number("exit") {
        eprintln!("double: cannot go on; the token is {}", std::env::var("DOUBLE_TOKEN").unwrap_or_default());
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    if double.asked("no_bind").is_some() {
        return std::future::pending().await;
    }
    let port = after("--port").expect("a port");
    let socket = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("bound");
    let app = Router::new()
        .route("/health", get(health))
        .route("/v1/models", get(models))
        .route("/props", get(props))
        .route("/v1/completions", post(completion))
        .with_state(Arc::new(double));
    axum::serve(socket, app).await.expect("served");
    ExitCode::SUCCESS
}

async fn health(State(double): State<Arc<Double>>) -> StatusCode {
    let broken = double.asked("unhealthy_file").is_some_and(|path| std::path::Path::new(path).exists());
    let served = double.completions.load(Ordering::Relaxed) > 0;
    if let Some(code) = double.number("exit_after_ready").filter(|_| served) {
        println!("double: dies while ready");
        std::process::exit(i32::try_from(code).unwrap_or(1));
    }
    if double.loading() || broken { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
}

async fn models(State(double): State<Arc<Double>>) -> Json<Value> {
    let name = double.asked("name").unwrap_or(&double.name);
    Json(
        json!({"data": [{"id": name, "meta": {"n_params": 7, "size": 9, "ftype": "F16", "n_ctx_train": 64}}]}),
    )
}

async fn props() -> Json<Value> {
    println!("double: kv_unified = 'false'");
    Json(json!({
        "default_generation_settings": {"n_ctx": 32}, "total_slots": 2, "build_info": "double",
    }))
}

async fn completion(State(double): State<Arc<Double>>) -> Json<Value> {
    let tokens = u32::from(double.asked("no_token").is_none());
    double.completions.fetch_add(tokens, Ordering::Relaxed);
    Json(json!({"choices": [{"text": "x"}], "usage": {"completion_tokens": tokens}}))
}
