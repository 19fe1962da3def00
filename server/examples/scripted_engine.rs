//! A scripted engine for the tests of the whole program: it speaks `llama-server`'s surface and fails on request.
//!
//! It knows nothing of Inferex. What it does is asked for in the variable `SCRIPT`, as words:
//!
//! - `exit=CODE` ends while starting; `load_while=PATH` loads for as long as that file is there;
//! - `first_ms=N` and `token_ms=N` set the pace of an answer;
//! - `hold_while=PATH` keeps back all tokens but the first for as long as that file is there, though not those of the
//!   first `quick_first=N` chats;
//! - `die_when=PATH` removes that file and dies as soon as it appears;
//! - `refuse_every=N` answers every N-th chat with 500;
//! - `record=PATH` appends a JSON line for the start and for each chat.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::{StatusCode, header};
use serde_json::{Value, json};

/// Between two looks for a file that decides how it goes on.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The script and what happened so far.
struct Engine {
    script: String,
    name: String,
    chats: AtomicU64,
}

impl Engine {
    fn asked(&self, word: &str) -> Option<&str> {
        let words = self.script.split_whitespace().filter_map(|part| part.split_once('='));
        words.into_iter().find(|(key, _)| *key == word).map(|(_, value)| value)
    }

    fn number(&self, word: &str) -> Option<u64> {
        self.asked(word).and_then(|value| value.parse().ok())
    }

    fn path(&self, word: &str) -> Option<PathBuf> {
        self.asked(word).map(PathBuf::from)
    }

    fn record(&self, line: &Value) {
        let Some(path) = self.path("record") else { return };
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.expect("the record can be written");
    }

    /// Returns when a token of a chat is due.
    async fn pace(&self, chat: u64, token: u64) {
        let may_be_held = token > 0 && chat > self.number("quick_first").unwrap_or(0);
        let held = self.path("hold_while").filter(|_| may_be_held);
        while held.as_ref().is_some_and(|path| path.exists()) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let word = if token == 0 { "first_ms" } else { "token_ms" };
        tokio::time::sleep(Duration::from_millis(self.number(word).unwrap_or(0))).await;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let engine = Arc::new(Engine {
        script: std::env::var("SCRIPT").unwrap_or_default(),
        name: after("--alias").unwrap_or_default(),
        chats: AtomicU64::new(0),
    });
    println!("scripted: loading {}", after("-m").unwrap_or_default());
    engine.record(&json!({ "started": engine.name, "pid": std::process::id() }));
    if let Some(code) = engine.number("exit") {
        eprintln!("scripted: the third tensor is missing");
        eprintln!("scripted: cannot go on");
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    tokio::spawn(die_when_told(Arc::clone(&engine)));
    let port = after("--port").expect("a port");
    let socket = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("bound");
    axum::serve(socket, router(engine)).await.expect("served");
    ExitCode::SUCCESS
}

async fn die_when_told(engine: Arc<Engine>) {
    let Some(path) = engine.path("die_when") else { return };
    while std::fs::remove_file(&path).is_err() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    eprintln!("scripted: dies as it was told");
    std::process::exit(7);
}

fn router(engine: Arc<Engine>) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/v1/models", get(models))
        .route("/props", get(props))
        .route("/v1/completions", post(completion))
        .route("/v1/chat/completions", post(chat))
        .with_state(engine)
}

async fn health(State(engine): State<Arc<Engine>>) -> (StatusCode, Json<Value>) {
    if engine.path("load_while").is_some_and(|path| path.exists()) {
        let error = json!({ "error": { "code": 503, "message": "Loading model" } });
        return (StatusCode::SERVICE_UNAVAILABLE, Json(error));
    }
    (StatusCode::OK, Json(json!({ "status": "ok" })))
}

async fn models(State(engine): State<Arc<Engine>>) -> Json<Value> {
    let meta = json!({ "n_params": 7000, "size": 14000, "ftype": "F16", "n_ctx_train": 512 });
    Json(json!({ "data": [{ "id": engine.name, "meta": meta }] }))
}

async fn props() -> Json<Value> {
    Json(
        json!({ "default_generation_settings": { "n_ctx": 256 }, "total_slots": 4, "build_info": "scripted" }),
    )
}

async fn completion() -> Json<Value> {
    Json(json!({ "choices": [{ "text": "x" }], "usage": { "completion_tokens": 1 } }))
}

async fn chat(State(engine): State<Arc<Engine>>, Json(asked): Json<Value>) -> Response {
    let number = engine.chats.fetch_add(1, Ordering::Relaxed) + 1;
    let prompt = asked["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
    let tokens = asked["max_tokens"].as_u64().unwrap_or(1);
    engine.record(&json!({ "asked": engine.name, "prompt": prompt, "tokens": tokens }));
    if engine.number("refuse_every").is_some_and(|every| number.is_multiple_of(every)) {
        let error = json!({ "error": { "code": 500, "message": "refused on purpose" } });
        return (StatusCode::INTERNAL_SERVER_ERROR, Json(error)).into_response();
    }
    let prompt_tokens = prompt.split_whitespace().count();
    let pieces = futures::stream::unfold(0, move |step| {
        let engine = Arc::clone(&engine);
        async move {
            let piece = piece(&engine, (number, step), tokens, prompt_tokens).await?;
            Some((Ok::<_, std::convert::Infallible>(piece), step + 1))
        }
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces)).into_response()
}

/// The pieces of an answer in their order: role, tokens, finish, usage, end.
async fn piece(
    engine: &Engine,
    (chat, step): (u64, u64),
    tokens: u64,
    prompt_tokens: usize,
) -> Option<String> {
    let delta = |delta: Value, finish: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let data = match step.checked_sub(1) {
        None => delta(json!({ "role": "assistant", "content": null }), Value::Null),
        Some(token) if token < tokens => {
            engine.pace(chat, token).await;
            delta(json!({ "content": "word " }), Value::Null)
        }
        Some(after) if after == tokens => delta(json!({}), json!("length")),
        Some(after) if after == tokens + 1 => json!({ "choices": [], "usage": {
            "prompt_tokens": prompt_tokens, "completion_tokens": tokens,
            "prompt_tokens_details": { "cached_tokens": 0 },
        }}),
        Some(after) if after == tokens + 2 => return Some("data: [DONE]\n\n".to_owned()),
        Some(_) => return None,
    };
    Some(format!("data: {data}\n\n"))
}
