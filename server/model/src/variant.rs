//! Variants: what to run, as data. A variant names an engine and everything that decides its numbers.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::duration::Span;

/// A kind of inference server software.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// vLLM's OpenAI server.
    Vllm,
    /// SGLang's server.
    Sglang,
    /// llama.cpp's `llama-server`.
    LlamaCpp,
    /// TensorRT-LLM's server.
    Trtllm,
    /// Hugging Face text-generation-inference.
    Tgi,
    /// Our own engine double; its numbers never share a verdict with real ones.
    Simulated,
}

impl EngineKind {
    /// The word for it, as in files, URLs and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::LlamaCpp => "llama_cpp",
            Self::Trtllm => "trtllm",
            Self::Tgi => "tgi",
            Self::Simulated => "simulated",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a variant runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuntimeKind {
    /// A local program under `inferex supervise`.
    Process,
    /// A container of a Docker-compatible engine.
    Docker,
    /// A Deployment in a Kubernetes cluster.
    Kubernetes,
    /// An engine that somebody else runs; we only talk to it.
    Url,
}

impl RuntimeKind {
    /// The word for it, as in files, URLs and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Docker => "docker",
            Self::Kubernetes => "kubernetes",
            Self::Url => "url",
        }
    }
}

impl fmt::Display for RuntimeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where the weights came from; shown wherever a variant is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The kind of origin.
    pub kind: ProvenanceKind,
    /// What they were made from, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How they were made, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// The calibration data, by name or hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<String>,
}

/// The kinds of origin that weights can have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProvenanceKind {
    /// As published by the model's authors.
    #[default]
    Original,
    /// Made here, with a recipe.
    SelfMade,
    /// Published by a third party; the calibration is usually unknown.
    Community,
    /// Converted by the engine when it loads.
    LoadTime,
}

impl ProvenanceKind {
    /// The phrase a table shows.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::SelfMade => "made here",
            Self::Community => "community",
            Self::LoadTime => "converted at load",
        }
    }
}

/// What to run. Paths in `model` are absolute or relative to the data folder's `models/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Unique among stored variants: letters, digits, `.`, `_`, `-`; at most 80 characters.
    pub name: String,
    /// The engine that serves it.
    pub engine: EngineKind,
    /// A model file (`llama_cpp`) or a repository name.
    pub model: String,
    /// The repository's revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The model name clients use; the variant's name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_name: Option<String>,
    /// For example `Q8_0`, `awq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantisation: Option<String>,
    /// For example `bfloat16`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// Where the weights came from.
    #[serde(default)]
    pub provenance: Provenance,
    /// Longest prompt plus output, in tokens, per request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_model_len: Option<u32>,
    /// Arguments handed to the engine as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment of the engine.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The container image (docker, kubernetes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// How long a start may take after the pull; 900 s when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_deadline: Option<Span>,
    /// `HOST:CONTAINER[:ro]` (docker).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<String>,
}

/// A variant file: `[[variant]]` tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantFile {
    /// The variants in the file's order.
    pub variant: Vec<Variant>,
}

/// A field whose value cannot be accepted, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct FieldError {
    /// The field's path as written in the file, for example `arm[1].variant`.
    pub field: String,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl FieldError {
    /// A field error from its two parts.
    pub fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { field: field.into(), reason: reason.into() }
    }

    /// The same error with `prefix.` before its field.
    #[must_use]
    pub fn within(mut self, prefix: &str) -> Self {
        self.field = format!("{prefix}.{}", self.field);
        self
    }
}

impl Variant {
    /// How long a start may take when the variant does not say.
    pub const DEFAULT_START_DEADLINE: Span = Span::from_secs(900);

    /// The name clients send as `model`.
    #[must_use]
    pub fn served_name(&self) -> &str {
        self.served_name.as_deref().unwrap_or(&self.name)
    }

    /// How long a start may take.
    #[must_use]
    pub fn start_deadline(&self) -> Span {
        self.start_deadline.unwrap_or(Self::DEFAULT_START_DEADLINE)
    }

    /// Checks what can be checked without a machine: names, emptiness, known bad combinations.
    pub fn check(&self) -> Result<(), FieldError> {
        check_name("name", &self.name)?;
        if self.model.trim().is_empty() {
            return Err(FieldError::new("model", "is empty; name a model file or repository"));
        }
        if let Some(key) = self.env.keys().find(|key| key.is_empty() || key.contains(['=', '\0'])) {
            return Err(FieldError::new("env", format!("`{key}` is no name of an environment variable")));
        }
        if self.args.iter().any(|arg| arg.contains('\0')) {
            return Err(FieldError::new("args", "contains a NUL byte"));
        }
        let quantisation = self.quantisation.as_deref().unwrap_or("").to_ascii_lowercase();
        if quantisation.starts_with("awq") && self.dtype.as_deref() == Some("bfloat16") {
            return Err(FieldError::new("dtype", "AWQ does not run in bfloat16; use float16"));
        }
        Ok(())
    }
}

/// Refuses names that could not be a file name, a URL segment and a table cell at once.
pub fn check_name(field: &str, name: &str) -> Result<(), FieldError> {
    if name.is_empty() || name.len() > 80 {
        return Err(FieldError::new(field, "must have 1 to 80 characters"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if !name.chars().all(plain) || name.starts_with(['.', '-']) {
        return Err(FieldError::new(
            field,
            format!(
                "`{}` may hold letters, digits, `.`, `_`, `-` and starts with a letter or digit",
                name.escape_debug()
            ),
        ));
    }
    Ok(())
}
