//! One request on one connection, from sending it to the end of its answer.

use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode, header};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use inferex_model::event::{ErrorClass, Event};

use super::clock::Recorder;
use super::connection::Connection;
use super::failure::Failure;
use super::stream::Answer;
use crate::sse::error_kind;

/// Most bytes of an error body that are read, to name its type and keep the connection.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// How long a server may hold a stream open after `[DONE]` before its connection is given up.
const AFTER_DONE: Duration = Duration::from_millis(250);

/// How an exchange ended, and whether its connection can serve another request.
pub(crate) struct Exchanged {
    /// When the answer was whole, or why it was not.
    pub(crate) result: Result<u64, Failure>,
    pub(crate) reusable: bool,
}

impl Exchanged {
    const fn failed(failure: Failure, reusable: bool) -> Self {
        Self { result: Err(failure), reusable }
    }
}

/// Reads the answer whose head has come.
pub(crate) async fn read_answer(
    connection: &mut Connection,
    response: Response<Incoming>,
    req: u64,
    recorder: &Recorder,
) -> Exchanged {
    let keep = !says_close(&response);
    recorder.record(Event::Headers { req, t: recorder.clock.now(), worker: None });
    let status = response.status();
    let is_stream = content_type(&response).starts_with("text/event-stream");
    if status != StatusCode::OK {
        let (kind, whole) = read_error(connection, response.into_body()).await;
        return Exchanged::failed(Failure::status(status, kind.flatten()), keep && whole);
    }
    if !is_stream {
        let (error, whole) = read_error(connection, response.into_body()).await;
        let failure = match error {
            Some(kind) => {
                let kind = kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
                Failure::new(
                    ErrorClass::ErrorEvent,
                    format!("the engine reported an error with status 200{kind}"),
                )
            }
            None => Failure::new(ErrorClass::Other, "the answer was not a stream although one was asked for"),
        };
        return Exchanged::failed(failure, keep && whole);
    }
    let mut read = read_stream(connection, response.into_body(), req, recorder).await;
    read.reusable &= keep;
    read
}

async fn read_stream(
    connection: &mut Connection,
    mut body: Incoming,
    req: u64,
    recorder: &Recorder,
) -> Exchanged {
    let mut answer = Answer::new(req, recorder);
    loop {
        let frame = if answer.is_done() {
            match tokio::time::timeout(AFTER_DONE, connection.drive(body.frame())).await {
                Ok(frame) => frame,
                Err(_) => {
                    return Exchanged { result: answer.end(recorder.clock.now(), None), reusable: false };
                }
            }
        } else {
            connection.drive(body.frame()).await
        };
        let t = recorder.clock.now();
        match frame {
            None => return Exchanged { result: answer.end(t, None), reusable: true },
            Some(Err(error)) => {
                let result = answer.end(t, Some(&error.to_string()));
                return Exchanged { result, reusable: false };
            }
            Some(Ok(frame)) => {
                let Some(bytes) = frame.data_ref() else { continue };
                if let Err(failure) = answer.take(bytes, t) {
                    return Exchanged::failed(failure, false);
                }
            }
        }
    }
}

/// Reads a short JSON body: the kind of its error object, if it has one, and whether the body was read to its end.
async fn read_error(connection: &mut Connection, mut body: Incoming) -> (Option<Option<String>>, bool) {
    let mut bytes = Vec::new();
    let whole = loop {
        match connection.drive(body.frame()).await {
            None => break true,
            Some(Err(_)) => break false,
            Some(Ok(frame)) => bytes.extend_from_slice(frame.data_ref().map_or(&[][..], Bytes::as_ref)),
        }
        if bytes.len() > MAX_ERROR_BODY {
            break false;
        }
    };
    let value: Option<serde_json::Value> = serde_json::from_slice(&bytes).ok();
    let error = value.as_ref().and_then(|value| value.get("error")).filter(|error| !error.is_null());
    (error.map(error_kind), whole)
}

fn says_close(response: &Response<Incoming>) -> bool {
    let tokens = response.headers().get_all(header::CONNECTION);
    response.version() != http::Version::HTTP_11
        || tokens
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.to_ascii_lowercase().contains("close"))
}

fn content_type(response: &Response<Incoming>) -> String {
    let value = response.headers().get(header::CONTENT_TYPE);
    value.and_then(|value| value.to_str().ok()).unwrap_or_default().trim().to_ascii_lowercase()
}
