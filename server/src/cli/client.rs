use axum::Router;
use axum::body::Body;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::UnixStream;
use tower::ServiceExt;

use super::CliError;
use crate::config::Config;
use crate::core::Core;
use crate::home::{Home, HomeLock};

/// How long one call may take; long work is polled, never waited for inside a call.
const CALL_LIMIT: Duration = Duration::from_mins(1);

/// A client of the JSON API, whichever way it is reached.
pub(crate) struct Client {
    transport: Transport,
}

enum Transport {
    /// A server holds the lock; it listens here.
    Socket(PathBuf),
    /// Nobody does: this process is the writer for the length of the command.
    InProcess { router: Router, core: Box<Core> },
}

/// The parts of a problem document that a person needs.
#[derive(serde::Deserialize)]
struct Problem {
    detail: Option<String>,
    title: Option<String>,
}

impl Client {
    /// The control socket if a server holds the data folder, else the same router in this process.
    pub(crate) async fn connect(config: Config) -> Result<Self, CliError> {
        if std::env::var_os("INFEREX_URL").is_some_and(|url| !url.is_empty()) {
            let text = "INFEREX_URL names a remote server, which needs a key with the scope manage; this version \
                        issues none. Unset it and run the command on the server's machine";
            return Err(CliError::Usage(text.to_owned()));
        }
        let home = Home::new(config.data_dir.clone(), config.database.clone());
        if UnixStream::connect(home.socket()).await.is_ok() {
            return Ok(Self { transport: Transport::Socket(home.socket()) });
        }
        home.create().map_err(|e| CliError::Usage(e.to_string()))?;
        let mut lock = HomeLock::take(&home).map_err(|e| CliError::Usage(e.to_string()))?;
        let about = format!("command line, process {}\n", std::process::id());
        lock.announce(&about).map_err(|e| CliError::Usage(format!("cannot write the lock file: {e}")))?;
        let core = Core::open(config, home, lock).await.map_err(|e| CliError::Unreachable(e.to_string()))?;
        let router = crate::control::local_router(&core);
        Ok(Self { transport: Transport::InProcess { router, core: Box::new(core) } })
    }

    /// Whether this process is the writer, so that nothing goes on after the command.
    pub(crate) const fn is_in_process(&self) -> bool {
        matches!(self.transport, Transport::InProcess { .. })
    }

    /// Starts the queue in this process; a server has one already.
    pub(crate) fn start_queue(&self) {
        if let Transport::InProcess { core, .. } = &self.transport {
            core.start_queue();
        }
    }

    /// Ends what runs in this process.
    pub(crate) async fn close(self) {
        if let Transport::InProcess { core, .. } = self.transport {
            core.shut_down().await;
        }
    }

    /// `GET path`, as JSON.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CliError> {
        decode(&self.send(Method::GET, path, "", Bytes::new()).await?)
    }

    /// `GET path`, as text.
    pub(crate) async fn get_text(&self, path: &str) -> Result<String, CliError> {
        let bytes = self.send(Method::GET, path, "", Bytes::new()).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// `POST path` with a JSON body.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, CliError> {
        let body = serde_json::to_vec(body).map_err(|e| CliError::Usage(e.to_string()))?;
        decode(&self.send(Method::POST, path, "application/json", body.into()).await?)
    }

    /// `POST path` with a TOML body.
    pub(crate) async fn post_toml<T: DeserializeOwned>(
        &self,
        path: &str,
        text: String,
    ) -> Result<T, CliError> {
        decode(&self.send(Method::POST, path, "application/toml", text.into()).await?)
    }

    /// `DELETE path`.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), CliError> {
        self.send(Method::DELETE, path, "", Bytes::new()).await.map(drop)
    }

    async fn send(&self, method: Method, path: &str, kind: &str, body: Bytes) -> Result<Bytes, CliError> {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "inferex");
        if !kind.is_empty() {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        let request = request.body(Full::new(body)).map_err(|e| CliError::Usage(format!("{path}: {e}")))?;
        let answer = tokio::time::timeout(CALL_LIMIT, self.exchange(request)).await;
        let (status, bytes) = answer.map_err(|_| {
            CliError::Unreachable(format!("the server did not answer within {} s", CALL_LIMIT.as_secs()))
        })??;
        if status.is_success() { Ok(bytes) } else { Err(refusal(status, &bytes)) }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), CliError> {
        match &self.transport {
            Transport::Socket(path) => over_socket(path, request).await,
            Transport::InProcess { router, .. } => {
                let answer = match router.clone().oneshot(request.map(Body::new)).await {
                    Ok(answer) => answer,
                    Err(never) => match never {},
                };
                let status = answer.status();
                Ok((status, collect(answer.into_body()).await?))
            }
        }
    }
}

async fn over_socket(path: &PathBuf, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), CliError> {
    let lost = |e: &dyn std::fmt::Display| {
        CliError::Unreachable(format!("the server behind {} went away: {e}", path.display()))
    };
    let stream = UnixStream::connect(path).await.map_err(|e| lost(&e))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|e| lost(&e))?;
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(|e| lost(&e))?;
    let status = answer.status();
    let bytes = collect(answer.into_body()).await;
    connection.abort();
    Ok((status, bytes?))
}

async fn collect<B>(body: B) -> Result<Bytes, CliError>
where
    B: hyper::body::Body,
    B::Error: std::fmt::Display,
{
    let collected =
        body.collect().await.map_err(|e| CliError::Unreachable(format!("the answer broke off: {e}")))?;
    Ok(collected.to_bytes())
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CliError> {
    // An answer without content has nothing to say: JSON's word for that is null.
    serde_json::from_slice(if bytes.is_empty() { b"null" } else { bytes }).map_err(|e| {
        CliError::Unreachable(format!("the server's answer is not what this version expects: {e}"))
    })
}

fn refusal(status: StatusCode, bytes: &[u8]) -> CliError {
    let problem: Option<Problem> = serde_json::from_slice(bytes).ok();
    let text = problem
        .and_then(|problem| problem.detail.or(problem.title))
        .unwrap_or_else(|| format!("the server answered {status}"));
    if status.is_server_error() { CliError::Unreachable(text) } else { CliError::Usage(text) }
}
