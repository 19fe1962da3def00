//! Events: the truth about a run, one JSON object a line. Every metric is computed from them.
//!
//! Times are microseconds from the run's start on a monotonic clock.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One line of an events file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The first line: what file this is.
    Meta {
        /// The run's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// Version of the file form; 1.
        version: u32,
        /// `monotonic_us`.
        clock: String,
        /// Whether answers were streamed.
        streamed: bool,
        /// How the load was sent. In a closed loop nothing is measured from the schedule; absent, `scheduled`
        /// events count as a schedule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        load: Option<LoadShape>,
    },
    /// The measured window; without it the whole run counts.
    Window {
        /// Start, inclusive.
        from: u64,
        /// End, exclusive.
        to: u64,
    },
    /// When the load said the request should go.
    Scheduled {
        /// The request's number, from 0.
        req: u64,
        /// Microseconds.
        t: u64,
    },
    /// The request was written.
    Sent {
        /// The request's number.
        req: u64,
        /// Microseconds.
        t: u64,
    },
    /// The answer's head arrived.
    Headers {
        /// The request's number.
        req: u64,
        /// Microseconds.
        t: u64,
        /// Who served it, when a router says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<String>,
    },
    /// One piece of a streamed answer.
    Chunk(Chunk),
    /// The answer ended well.
    Done {
        /// The request's number.
        req: u64,
        /// Microseconds.
        t: u64,
    },
    /// The request failed.
    Error {
        /// The request's number.
        req: u64,
        /// Microseconds.
        t: u64,
        /// What kind of failure.
        class: ErrorClass,
        /// In words; never a body or a secret.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// The HTTP status, when one came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
}

/// How the load decided when a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadShape {
    /// When a place became free: there is no schedule.
    Closed,
    /// At a time fixed beforehand.
    Open,
}

/// One piece of a streamed answer (or the whole of one that was not streamed).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// The request's number.
    pub req: u64,
    /// Microseconds.
    pub t: u64,
    /// What it carried.
    pub part: Part,
    /// Characters of text it carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<u32>,
    /// Output tokens so far, when the engine says so with each chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_completion: Option<u64>,
    /// Why the answer ended; may stand on any chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// Usage: tokens of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Usage: tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// Usage: prompt tokens taken from the prefix cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
}

/// What a chunk carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Only the role: not a token.
    Role,
    /// Reasoning text: a token.
    Reasoning,
    /// Answer text: a token.
    Content,
    /// A piece of a tool call: a token.
    Tool,
    /// Nothing but, perhaps, the finish reason: not a token.
    Empty,
    /// Usage figures: not a token.
    Usage,
}

impl Part {
    /// Whether such a chunk carries output tokens.
    #[must_use]
    pub const fn carries_tokens(self) -> bool {
        matches!(self, Self::Reasoning | Self::Content | Self::Tool)
    }
}

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// No connection.
    Connect,
    /// Nothing in time.
    Timeout,
    /// An HTTP status other than 200.
    HttpStatus,
    /// An error inside a 200 answer or stream.
    ErrorEvent,
    /// A 200 answer without a token.
    EmptyAnswer,
    /// The stream ended without a finish signal.
    Truncated,
    /// Refused by a rate limit (429).
    RateLimited,
    /// The run was cancelled while it was in flight.
    Cancelled,
    /// A class that another tool named and we do not know.
    #[serde(other)]
    Other,
}

impl ErrorClass {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Timeout => "timeout",
            Self::HttpStatus => "http_status",
            Self::ErrorEvent => "error_event",
            Self::EmptyAnswer => "empty_answer",
            Self::Truncated => "truncated",
            Self::RateLimited => "rate_limited",
            Self::Cancelled => "cancelled",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
