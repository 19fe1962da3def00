//! What may leave the house in a shared report: base names instead of paths, arguments by list, texts without paths.

use inferex_model::variant::{EngineKind, Provenance, Variant};

/// Flags whose value decides a figure and holds no secret, path or address.
const FLAGS: [&str; 34] = [
    "-b",
    "-c",
    "-ctk",
    "-ctv",
    "-fa",
    "-ngl",
    "-np",
    "-t",
    "-tb",
    "-ub",
    "--batch-size",
    "--cache-type-k",
    "--cache-type-v",
    "--cont-batching",
    "--ctx-size",
    "--dtype",
    "--disable-overlap-schedule",
    "--enable-prefix-caching",
    "--enforce-eager",
    "--flash-attn",
    "--gpu-memory-utilization",
    "--kv-cache-dtype",
    "--max-model-len",
    "--max-num-seqs",
    "--mem-fraction-static",
    "--n-gpu-layers",
    "--no-mmap",
    "--parallel",
    "--quantization",
    "--tensor-parallel-size",
    "--threads",
    "--threads-batch",
    "--ubatch-size",
    "--mlock",
];

/// Listed flags that take no value: the word after them is somebody else's.
const SWITCHES: [&str; 6] = [
    "--cont-batching",
    "--disable-overlap-schedule",
    "--enable-prefix-caching",
    "--enforce-eager",
    "--mlock",
    "--no-mmap",
];

/// The arguments that may be shown, flags with their values; how many were left out stands at the end.
pub(crate) fn arguments(args: &[String]) -> Vec<String> {
    let mut shown = Vec::new();
    let mut hidden = 0_usize;
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        let (flag, inline) =
            arg.split_once('=').map_or((arg.as_str(), None), |(flag, value)| (flag, Some(value)));
        let takes_next = inline.is_none() && !SWITCHES.contains(&flag);
        let next = if takes_next { rest.next_if(|next| is_value(next)).cloned() } else { None };
        let value = inline.map(str::to_owned).or(next);
        let plain = value.as_deref().is_none_or(is_plain);
        if FLAGS.contains(&flag) && plain {
            shown.push(value.map_or_else(|| flag.to_owned(), |value| format!("{flag} {value}")));
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 {
        shown.push(format!("({hidden} not shown)"));
    }
    shown
}

fn is_value(text: &str) -> bool {
    !text.starts_with('-') || text.parse::<f64>().is_ok()
}

fn is_plain(value: &str) -> bool {
    value.len() <= 24 && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// The model by name: the file without its folders, or the repository with its owner.
pub(crate) fn model(variant: &Variant) -> String {
    base_name(&variant.model, variant.engine == EngineKind::LlamaCpp)
}

fn base_name(model: &str, is_file: bool) -> String {
    let is_repository = !is_file && model.matches('/').count() == 1 && !model.starts_with(['/', '.', '~']);
    if is_repository { model.to_owned() } else { model.rsplit('/').next().unwrap_or(model).to_owned() }
}

/// A short word such as a quantisation or a revision; anything that is none is not shown.
pub(crate) fn label(text: &str) -> String {
    if text.len() <= 40 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')) {
        text.to_owned()
    } else {
        "(not shown)".to_owned()
    }
}

/// What weights came from, in words without paths: short, for a table.
pub(crate) fn origin(provenance: &Provenance) -> String {
    let kind = provenance.kind.phrase();
    provenance.from.as_ref().map_or_else(|| kind.to_owned(), |from| format!("{kind} from {}", text(from)))
}

/// The same with the recipe, for the ledger.
pub(crate) fn provenance(provenance: &Provenance) -> String {
    let origin = origin(provenance);
    provenance.recipe.as_ref().map_or_else(|| origin.clone(), |recipe| format!("{origin}; {}", text(recipe)))
}

/// A text with absolute paths cut to their last part and addresses left out.
pub(crate) fn text(text: &str) -> String {
    text.split_inclusive(char::is_whitespace).map(word).collect()
}

fn word(word: &str) -> String {
    let (body, space) = word.split_at(word.trim_end().len());
    if body.contains("://") || (body.contains('@') && body.contains('.')) {
        return format!("(address){space}");
    }
    body.split_inclusive(parts_words).map(base_of_path).collect::<String>() + space
}

/// What stands beside a path without being part of it: `(/a/b)`, `model=/a/b`, `/a/b:12`.
fn parts_words(c: char) -> bool {
    "\"'`()[]{}<>,;:=|".contains(c)
}

fn base_of_path(piece: &str) -> String {
    let (body, end) = piece.split_at(piece.trim_end_matches(parts_words).len());
    let is_path = body.len() > 1 && body.starts_with(['/', '~', '-']) && body.contains('/');
    let shown = if is_path { body.rsplit('/').next().unwrap_or_default() } else { body };
    format!("{shown}{end}")
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests {
    use super::*;

    fn list(args: &[&str]) -> Vec<String> {
        arguments(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn only_listed_flags_with_plain_values_are_shown() {
        assert_eq!(
            list(&["--parallel", "8", "-c", "16384", "-t", "2"]),
            ["--parallel 8", "-c 16384", "-t 2"]
        );
        assert_eq!(list(&["--api-key", "s3cret", "--parallel=4"]), ["--parallel 4", "(1 not shown)"]);
        assert_eq!(list(&["-c", "/etc/passwd"]), ["(1 not shown)"]);
        assert_eq!(list(&["stray"]), ["(1 not shown)"]);
        assert_eq!(list(&["--no-mmap", "stray", "--mlock"]), ["--no-mmap", "--mlock", "(1 not shown)"]);
    }

    #[test]
    fn paths_become_base_names_and_addresses_vanish() {
        assert_eq!(base_name("/home/ann/models/x.gguf", false), "x.gguf");
        assert_eq!(base_name("meta-llama/Llama-3.1-8B", false), "meta-llama/Llama-3.1-8B");
        assert_eq!(base_name("customer/x.gguf", true), "x.gguf");
        assert_eq!(
            text("cannot open /home/ann/x.gguf at http://host:1/v1"),
            "cannot open x.gguf at (address)"
        );
        assert_eq!(text("made by ann@example.org"), "made by (address)");
        assert_eq!(
            text("model=/home/ann/x.gguf:12,\n~/y.gguf -I/usr/include"),
            "model=x.gguf:12,\ny.gguf include"
        );
        assert_eq!(
            text("243 tok/s, 8 / 10, meta-llama/Llama-3.1-8B"),
            "243 tok/s, 8 / 10, meta-llama/Llama-3.1-8B"
        );
    }
}
