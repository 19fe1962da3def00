//! llama.cpp's `llama-server`: its command line, its probes, its pages.
//!
//! Facts were read from real servers; the pages and logs lie in `tests/fixtures/`. Start from [`LlamaCpp`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use inferex_model::deployment::{Capacity, Failure, FailureClass};
use inferex_model::variant::{EngineKind, Variant};
use serde_json::{Map, Value, json};

use super::{Answer, CacheReset, CapacityPages, Engine, EnginePaths, Listen, ProbeRequest, Readiness};
use crate::explain::{Signature, refusal};

mod arguments;
mod capacity;
mod failures;

/// The engine kind `llama_cpp`.
#[derive(Debug, Clone, Copy)]
pub struct LlamaCpp;

impl Engine for LlamaCpp {
    fn kind(&self) -> EngineKind {
        EngineKind::LlamaCpp
    }

    fn label(&self) -> &'static str {
        "llama.cpp"
    }

    fn program(&self, paths: &EnginePaths) -> Result<PathBuf, Failure> {
        if let Some(named) = &paths.llama_server {
            return if named.is_file() { Ok(named.clone()) } else { Err(named_program_missing(named)) };
        }
        let installed = paths.data_dir.join("engines/llama.cpp/bin/llama-server");
        if installed.is_file() {
            return Ok(installed);
        }
        paths.on_search_path("llama-server").ok_or_else(|| no_program(&installed))
    }

    fn check(&self, variant: &Variant, paths: &EnginePaths) -> Result<(), Failure> {
        arguments::check(&variant.args)?;
        let model = paths.model(&variant.model);
        if model.is_file() {
            return Ok(());
        }
        let what = if model.is_dir() { "is a folder, not a model file" } else { "does not exist" };
        Err(refusal(
            FailureClass::ModelNotFound,
            format!("The model file {} {what}", model.display()),
            "Put the GGUF file there, or name another in the variant's `model` (absolute, or relative to the data \
             folder's models/).",
        ))
    }

    fn wanted_listen(&self, variant: &Variant) -> Result<(Option<String>, Option<u16>), Failure> {
        arguments::wanted_listen(&variant.args)
    }

    fn command(
        &self,
        variant: &Variant,
        program: &Path,
        paths: &EnginePaths,
        listen: &Listen,
    ) -> Vec<String> {
        let model = paths.model(&variant.model);
        arguments::command(variant, program, &model, listen)
    }

    fn foreign_env(&self) -> &'static [&'static str] {
        &["LLAMA_ARG_", "LLAMA_API_KEY"]
    }

    fn health(&self) -> ProbeRequest {
        get("/health")
    }

    fn read_health(&self, answer: &Answer) -> Readiness {
        match answer {
            Answer::Refused => Readiness::Starting,
            Answer::Page { status: 503, .. } => Readiness::Loading,
            Answer::Page { status: 200, .. } => Readiness::Up,
            Answer::Page { status, body } => {
                Readiness::Unclear(format!("HTTP {status}: {}", first_words(body)))
            }
            Answer::Silent(what) => Readiness::Unclear(what.clone()),
        }
    }

    fn models(&self) -> ProbeRequest {
        get("/v1/models")
    }

    fn serves(&self, models_page: &str, served: &str) -> bool {
        let page: Value = serde_json::from_str(models_page).unwrap_or_default();
        let listed = page["data"].as_array().into_iter().flatten();
        listed.filter_map(|model| model["id"].as_str()).any(|id| id == served)
    }

    fn info(&self) -> ProbeRequest {
        get("/props")
    }

    fn completion(&self, served: &str) -> ProbeRequest {
        let body = json!({
            "model": served, "prompt": "Hello", "max_tokens": 1, "temperature": 0, "ignore_eos": true,
            "cache_prompt": false,
        });
        ProbeRequest { path: "/v1/completions", body: Some(body), timeout: Duration::from_mins(2) }
    }

    fn read_completion(&self, answer: &Answer) -> Result<(), String> {
        let (status, body) = match answer {
            Answer::Refused => return Err("the connection was refused".to_owned()),
            Answer::Silent(what) => return Err(what.clone()),
            Answer::Page { status, body } => (*status, body),
        };
        let page: Value = serde_json::from_str(body).unwrap_or_default();
        let counted = page["usage"]["completion_tokens"].as_u64().is_some_and(|tokens| tokens > 0);
        let answered = page["choices"].as_array().is_some_and(|choices| !choices.is_empty());
        if status == 200 && counted && answered {
            return Ok(());
        }
        Err(format!("HTTP {status} without a token: {}", first_words(body)))
    }

    fn read_capacity(&self, pages: CapacityPages<'_>) -> Capacity {
        capacity::read(pages)
    }

    fn signatures(&self) -> &'static [Signature] {
        failures::SIGNATURES
    }

    fn fix_output(&self, body: &mut Map<String, Value>, tokens: u32) {
        body.insert("max_tokens".to_owned(), json!(tokens));
        body.insert("ignore_eos".to_owned(), json!(true));
    }

    fn cache_reset(&self) -> CacheReset {
        CacheReset::PerRequest("cache_prompt")
    }
}

fn get(path: &'static str) -> ProbeRequest {
    // A busy server answers late; five seconds is beyond what any healthy one needs.
    ProbeRequest { path, body: None, timeout: Duration::from_secs(5) }
}

fn first_words(body: &str) -> String {
    body.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect()
}

fn named_program_missing(named: &Path) -> Failure {
    refusal(
        FailureClass::ProgramNotFound,
        format!("INFEREX_LLAMA_SERVER names {}, which is no file", named.display()),
        "Correct INFEREX_LLAMA_SERVER, or unset it to use the installed llama-server.",
    )
}

fn no_program(installed: &Path) -> Failure {
    refusal(
        FailureClass::ProgramNotFound,
        format!("No llama-server was found: neither {} nor on PATH", installed.display()),
        "Run ./deploy/cpu-engine, install llama.cpp, or set INFEREX_LLAMA_SERVER to the program.",
    )
}

#[cfg(test)]
mod tests;
