//! Server-sent events of a chat completion: bytes in, values out.
//!
//! Pure protocol code: no clock, no socket. Start from [`Scanner`], which turns bytes in any split into
//! [`SseEvent`]s, and [`classify`], which says what one event of a chat-completion stream carried.

mod chunk;
mod scanner;

pub(crate) use chunk::error_kind;
pub use chunk::{ChunkError, Usage, WireChunk, classify};
pub use scanner::{MAX_EVENT_BYTES, Scanner, SseError, SseEvent};

/// The data of the event that ends an OpenAI stream.
pub const DONE: &str = "[DONE]";
