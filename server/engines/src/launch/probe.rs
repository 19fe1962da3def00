//! Sends an engine's probe requests: each with its own time limit, never through a proxy, never following a redirect.

use std::time::Duration;

use reqwest::redirect::Policy;

use crate::engine::{Answer, ProbeRequest};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// No probed page is longer; a server that sends more is cut off.
const MAX_BODY: usize = 1 << 20;

/// The HTTP client of all probes.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    client: reqwest::Client,
}

impl Probe {
    pub(super) fn new() -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_TIMEOUT)
            // A kept connection would answer for a server that no longer listens.
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self { client })
    }

    /// Sends one request and waits for its whole answer.
    pub(super) async fn send(&self, base: &str, request: &ProbeRequest) -> Answer {
        let url = format!("{base}{}", request.path);
        let builder = match &request.body {
            Some(body) => self.client.post(url).json(body),
            None => self.client.get(url),
        };
        match builder.timeout(request.timeout).send().await {
            Ok(response) => read(response, request).await,
            Err(error) if error.is_timeout() => silent(request),
            Err(error) if error.is_connect() => Answer::Refused,
            Err(error) => Answer::Silent(format!("{} failed: {}", request.path, error.without_url())),
        }
    }
}

async fn read(mut response: reqwest::Response, request: &ProbeRequest) -> Answer {
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while body.len() < MAX_BODY {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) if error.is_timeout() => return silent(request),
            Err(error) => {
                return Answer::Silent(format!("{} broke off: {}", request.path, error.without_url()));
            }
        }
    }
    body.truncate(MAX_BODY);
    Answer::Page { status, body: String::from_utf8_lossy(&body).into_owned() }
}

fn silent(request: &ProbeRequest) -> Answer {
    Answer::Silent(format!("{} gave no answer within {} s", request.path, request.timeout.as_secs()))
}
