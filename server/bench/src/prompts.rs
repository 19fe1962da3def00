//! Prompt sets: named lists of base prompts with a hash, salted so that no run inherits a warm prefix.
//!
//! Pure: the same seed gives the same bytes on any machine. Start from [`by_name`] and [`PromptSet::measured`].

use std::sync::LazyLock;

use inferex_model::experiment::Level;
use serde::Deserialize;
use sha2::{Digest, Sha256};

mod salt;

pub use salt::SALT_RULE;
use salt::{Purpose, Salt};

/// A named list of base prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSet {
    /// For example `inferex-50`.
    pub name: String,
    /// The base prompts in the order in which they are sent.
    pub prompts: Vec<BasePrompt>,
    /// SHA-256 over the salt rule, the name and all prompts, in hexadecimal: two runs with the same hash, seed,
    /// level and repeat sent the same bytes.
    pub hash: String,
}

/// One prompt before its salt.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BasePrompt {
    /// What sort of task it is, for example `question`.
    pub kind: String,
    /// The text.
    pub text: String,
}

/// The prompt set of that name, if it is built in.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static PromptSet> {
    BUILT_IN.iter().find(|set| set.name == name)
}

/// Names of the built-in prompt sets.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|set| set.name.as_str())
}

static BUILT_IN: LazyLock<Vec<PromptSet>> = LazyLock::new(|| {
    let set: File = serde_json::from_str(include_str!("../prompts/inferex-50.json"))
        .expect("the embedded prompt set is checked by a test");
    vec![PromptSet::new(set.name, set.prompts)]
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    prompts: Vec<BasePrompt>,
}

impl PromptSet {
    /// A set with its hash.
    #[must_use]
    pub fn new(name: String, prompts: Vec<BasePrompt>) -> Self {
        let mut hasher = Sha256::new();
        let texts = prompts.iter().map(|prompt| prompt.text.as_str());
        for part in [SALT_RULE, &name].into_iter().chain(texts) {
            // The length goes first, so that moving a word from one prompt to the next changes the hash.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let hash = hexadecimal(&hasher.finalize());
        Self { name, prompts, hash }
    }

    /// The measured prompts of one run, in the order in which they are sent: the set in its own order, as often
    /// as `requests` needs, each prompt behind its salt line.
    ///
    /// They are the same for every arm, and new for each level and repeat. Each pass through the set has salts of
    /// its own too: an engine with a prefix cache would answer a prompt that it has seen in this run up to twice
    /// as fast, and a run longer than the set would measure its cache.
    #[must_use]
    pub fn measured(&self, seed: u64, level: Level, repeat: u32, requests: u32) -> Vec<String> {
        self.salted(Purpose::Measured, seed, level, repeat, requests)
    }

    /// `count` prompts to warm up with: the same texts behind salts that no measured prompt has.
    #[must_use]
    pub fn warmup(&self, seed: u64, level: Level, repeat: u32, count: u32) -> Vec<String> {
        self.salted(Purpose::WarmUp, seed, level, repeat, count)
    }

    fn salted(&self, purpose: Purpose, seed: u64, level: Level, repeat: u32, count: u32) -> Vec<String> {
        let passes = (0u32..).flat_map(|pass| self.prompts.iter().zip(0u32..).map(move |item| (pass, item)));
        if self.prompts.is_empty() {
            return Vec::new();
        }
        passes
            .take(usize::try_from(count).unwrap_or(usize::MAX))
            .map(|(pass, (prompt, index))| {
                let salt = Salt { purpose, seed, concurrency: level.concurrency, repeat, pass, index };
                format!("{}{}", salt.line(), prompt.text)
            })
            .collect()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

#[cfg(test)]
mod tests;
