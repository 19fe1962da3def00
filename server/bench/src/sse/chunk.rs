//! What one event of a chat-completion stream carried.
//!
//! It may not know when the event came or for which request. Start from [`classify`].

use std::borrow::Cow;

use inferex_model::event::{Chunk, Part};
use serde::Deserialize;
use serde_json::Value;

/// Figures that an engine counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: Option<u64>,
    /// Tokens of the answer so far.
    pub completion: Option<u64>,
    /// Tokens of the prompt that came from a prefix cache.
    pub cached: Option<u64>,
}

/// What one chunk carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireChunk {
    /// The foremost of its parts: content, then tool, reasoning, role, usage (a chunk without choices), empty.
    /// So a chunk with role and content is content, and one with content and usage is content with figures.
    pub part: Part,
    /// Characters of all text in it; `None` when it had none.
    pub chars: Option<u32>,
    /// Why the answer ended.
    pub finish: Option<String>,
    /// Usage, on a chunk of its own or beside content.
    pub usage: Option<Usage>,
}

/// Why an event is no chunk of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// The engine reported an error inside the stream.
    #[error("the engine reported an error inside the stream{}", .kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default())]
    Reported {
        /// The error's type or code, when it is a plain word.
        kind: Option<String>,
    },
    /// The data was no chat-completion chunk.
    #[error("an event of the stream is not a chat-completion chunk")]
    Unreadable,
}

impl WireChunk {
    /// The event of request `req` at `t` microseconds. Figures beside other parts also stand as the count so
    /// far, because an engine that reports them there does so with every chunk.
    #[must_use]
    pub fn into_event(self, req: u64, t: u64) -> Chunk {
        let usage = self.usage.unwrap_or_default();
        Chunk {
            req,
            t,
            part: self.part,
            chars: self.chars,
            usage_completion: if self.part == Part::Usage { None } else { usage.completion },
            finish: self.finish,
            prompt_tokens: usage.prompt,
            completion_tokens: usage.completion,
            cached_tokens: usage.cached,
        }
    }
}

/// Reads the data of one event (not `[DONE]`).
pub fn classify(data: &str) -> Result<WireChunk, ChunkError> {
    let wire: Wire<'_> = serde_json::from_str(data).map_err(|_| ChunkError::Unreadable)?;
    if let Some(error) = wire.error() {
        return Err(error);
    }
    let choices = wire.choices.ok_or(ChunkError::Unreadable)?;
    let usage = wire.usage.map(Usage::from);
    let mut seen = Seen { part: Part::Empty, chars: 0, finish: None };
    if choices.is_empty() && usage.is_some() {
        seen.part = Part::Usage;
    }
    for choice in choices {
        seen.add(choice);
    }
    let chars = (seen.chars > 0).then(|| u32::try_from(seen.chars).unwrap_or(u32::MAX));
    Ok(WireChunk { part: seen.part, chars, finish: seen.finish, usage })
}

/// What has been found in the choices so far.
struct Seen {
    part: Part,
    chars: usize,
    finish: Option<String>,
}

impl Seen {
    fn add(&mut self, choice: Choice<'_>) {
        let delta = choice.delta.unwrap_or_default();
        let reasoning = [&delta.reasoning_content, &delta.reasoning].into_iter().flatten();
        // Some servers send the same reasoning under both names.
        let reasoning = reasoning.map(|text| text.chars().count()).max().unwrap_or(0);
        let content = delta.content.as_ref().map_or(0, |text| text.chars().count());
        let (has_tool, tool) = delta.tool();
        let part = match () {
            () if content > 0 => Part::Content,
            () if has_tool => Part::Tool,
            () if reasoning > 0 => Part::Reasoning,
            () if delta.role.is_some() => Part::Role,
            () => Part::Empty,
        };
        if rank(part) > rank(self.part) {
            self.part = part;
        }
        self.chars += content + tool + reasoning;
        if let Some(finish) = choice.finish_reason {
            self.finish = Some(finish.into_owned());
        }
    }
}

const fn rank(part: Part) -> u8 {
    match part {
        Part::Empty => 0,
        Part::Usage => 1,
        Part::Role => 2,
        Part::Reasoning => 3,
        Part::Tool => 4,
        Part::Content => 5,
    }
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(borrow, default)]
    object: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

impl Wire<'_> {
    fn error(&self) -> Option<ChunkError> {
        if let Some(error) = self.error.as_ref().filter(|error| !error.is_null()) {
            return Some(ChunkError::Reported { kind: error_kind(error) });
        }
        // Older servers put the error's fields at the top.
        let plain = self.object.as_deref() == Some("error");
        plain.then(|| ChunkError::Reported { kind: self.kind.as_deref().and_then(plain_word) })
    }
}

/// The type or code of an error object, when it is a plain word: never its message, which may quote a prompt.
pub(crate) fn error_kind(error: &Value) -> Option<String> {
    let word = |name: &str| match error.get(name)? {
        Value::String(text) => plain_word(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    word("type").or_else(|| word("code"))
}

fn plain_word(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!text.is_empty() && text.len() <= 64 && text.chars().all(plain)).then(|| text.to_owned())
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Default)]
struct Delta<'a> {
    #[serde(borrow, default)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    reasoning_content: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    reasoning: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
}

impl Delta<'_> {
    /// Whether there was a piece of a tool call, and the characters of its name and arguments.
    fn tool(&self) -> (bool, usize) {
        let calls = self.tool_calls.as_deref().unwrap_or_default();
        let texts =
            calls.iter().filter_map(|call| call.function.as_ref()).flat_map(|f| [&f.name, &f.arguments]);
        (!calls.is_empty(), texts.flatten().map(|text| text.chars().count()).sum())
    }
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl From<WireUsage> for Usage {
    fn from(wire: WireUsage) -> Self {
        Self {
            prompt: wire.prompt_tokens,
            completion: wire.completion_tokens,
            cached: wire.prompt_tokens_details.and_then(|details| details.cached_tokens),
        }
    }
}

#[cfg(test)]
mod tests;
