//! The request that is sent: an OpenAI chat completion.

use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};
use http_body_util::Full;
use inferex_model::load::LoadJob;
use serde::Serialize;

use super::LoadError;

/// The sampling seed of every request; with temperature 0 it only keeps engines from drawing their own.
const SAMPLING_SEED: u64 = 0;

/// What all requests of a run share.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    host: HeaderValue,
    model: String,
    max_tokens: u32,
    ignore_eos: bool,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: [Message<'a>; 1],
    stream: bool,
    stream_options: StreamOptions,
    temperature: f32,
    seed: u64,
    max_tokens: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ignore_eos: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

impl Template {
    pub(crate) fn new(job: &LoadJob, authority: &str) -> Result<Self, LoadError> {
        let host = HeaderValue::from_str(authority).map_err(|error| LoadError::Job(error.to_string()))?;
        Ok(Self { host, model: job.model.clone(), max_tokens: job.output_tokens, ignore_eos: job.ignore_eos })
    }

    /// The body for one prompt. Built before the clock of its request starts.
    pub(crate) fn body(&self, prompt: &str) -> Bytes {
        let body = Body {
            model: &self.model,
            messages: [Message { role: "user", content: prompt }],
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            temperature: 0.0,
            seed: SAMPLING_SEED,
            max_tokens: self.max_tokens,
            ignore_eos: self.ignore_eos,
        };
        serde_json::to_vec(&body).expect("plain data always serialises").into()
    }

    pub(crate) fn request(&self, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = http::Uri::from_static("/v1/chat/completions");
        let headers = request.headers_mut();
        headers.insert(header::HOST, self.host.clone());
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        request
    }
}
