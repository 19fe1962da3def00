//! Secrets in variants: which names look secret, and how their values are kept out of what is shown.
//!
//! Pure. Start from [`Secrets`].

use inferex_model::variant::Variant;

/// What stands where a secret stood.
pub const MASK: &str = "•••";

const WORDS: [&str; 8] =
    ["token", "secret", "password", "passwd", "api_key", "apikey", "api-key", "credential"];

/// Whether an environment name or an argument looks as if its value were secret.
#[must_use]
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let plural_count = name.contains("tokens");
    let key = name.ends_with("_key") || name == "key";
    key || WORDS.iter().any(|word| name.contains(word) && !(plural_count && *word == "token"))
}

/// The secret values of one variant; they never print themselves.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// The secret values of a variant: of its environment, and of arguments such as `--api-key VALUE`.
    #[must_use]
    pub fn of(variant: &Variant) -> Self {
        let env = variant.env.iter().filter(|(name, _)| looks_secret(name)).map(|(_, value)| value.clone());
        let values = env.chain(secret_arguments(&variant.args));
        // A value of a few characters would mask ordinary words.
        Self(values.filter(|value| value.len() >= 6).collect())
    }

    /// The text with every secret value masked.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
    }

    /// A command as it may be shown: environment first, secret values masked.
    #[must_use]
    pub fn shown_command(&self, variant: &Variant, command: &[String]) -> Vec<String> {
        let env = variant.env.iter().map(|(name, value)| {
            format!("{name}={}", if looks_secret(name) { MASK.to_owned() } else { self.mask(value) })
        });
        env.chain(command.iter().map(|word| self.mask(word))).collect()
    }
}

fn secret_arguments(args: &[String]) -> impl Iterator<Item = String> + '_ {
    let apart = args
        .windows(2)
        .filter(|pair| pair[0].starts_with('-') && !pair[0].contains('=') && looks_secret(&pair[0]));
    let joined = args
        .iter()
        .filter_map(|arg| arg.split_once('='))
        .filter(|(flag, _)| flag.starts_with('-') && looks_secret(flag));
    apart.map(|pair| pair[1].clone()).chain(joined.map(|(_, value)| value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_hold_secrets_are_known_and_counts_are_not() {
        for name in
            ["HF_TOKEN", "LLAMA_API_KEY", "--api-key", "db_password", "SECRET_X", "KEY", "AWS_ACCESS_KEY"]
        {
            assert!(looks_secret(name), "{name}");
        }
        for name in ["MAX_TOKENS", "--max-batched-tokens", "OMP_NUM_THREADS", "KEYBOARD", "--cache-type-k"] {
            assert!(!looks_secret(name), "{name}");
        }
    }

    #[test]
    fn a_secret_value_is_masked_in_environment_and_arguments() {
        let variant: Variant = serde_json::from_value(serde_json::json!({
            "name": "v", "engine": "llama_cpp", "model": "m.gguf",
            "env": {"HF_TOKEN": "hf_abcdefgh", "OMP_NUM_THREADS": "2", "COPY": "x hf_abcdefgh"},
        }))
        .expect("a variant");
        let secrets = Secrets::of(&variant);
        let shown = secrets.shown_command(&variant, &["prog".to_owned(), "--x=hf_abcdefgh".to_owned()]);
        assert_eq!(shown, ["COPY=x •••", "HF_TOKEN=•••", "OMP_NUM_THREADS=2", "prog", "--x=•••"]);
        assert!(!format!("{secrets:?}").contains("hf_"));
    }

    #[test]
    fn a_secret_argument_is_masked_however_it_is_written() {
        let variant: Variant = serde_json::from_value(serde_json::json!({
            "name": "v", "engine": "llama_cpp", "model": "m.gguf",
            "args": ["--ssl-key=abcdefgh", "--auth-token", "ijklmnop", "--parallel", "8"],
        }))
        .expect("a variant");
        let secrets = Secrets::of(&variant);
        let shown = secrets.shown_command(&variant, &variant.args.clone());
        assert!(!shown.concat().contains("ijklmnop"), "{shown:?}");
        assert!(shown.contains(&"8".to_owned()), "{shown:?}");
    }
}
