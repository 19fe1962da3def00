//! What may leave the house in a shared report: base names instead of paths, arguments by list, texts without paths.

use inferex_model::variant::Provenance;

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

/// The arguments that may be shown, flags with their values; how many were left out stands at the end.
pub(crate) fn arguments(args: &[String]) -> Vec<String> {
    let mut shown = Vec::new();
    let mut hidden = 0_usize;
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        let (flag, inline) =
            arg.split_once('=').map_or((arg.as_str(), None), |(flag, value)| (flag, Some(value)));
        let value = inline.map(str::to_owned).or_else(|| rest.next_if(|next| is_value(next)).cloned());
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

/// The last part of a path; a repository name keeps its owner.
pub(crate) fn base_name(model: &str) -> String {
    let is_repository = model.matches('/').count() == 1 && !model.starts_with(['/', '.', '~']);
    if is_repository { model.to_owned() } else { model.rsplit('/').next().unwrap_or(model).to_owned() }
}

/// Where weights came from, in words without paths.
pub(crate) fn provenance(provenance: &Provenance) -> String {
    let mut words = provenance.kind.phrase().to_owned();
    if let Some(from) = &provenance.from {
        words = format!("{words} from {}", text(from));
    }
    match &provenance.recipe {
        Some(recipe) => format!("{words}; {}", text(recipe)),
        None => words,
    }
}

/// A text with absolute paths cut to their last part and addresses left out.
pub(crate) fn text(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        if word.contains("://") || (word.contains('@') && word.contains('.')) {
            "(address)".to_owned()
        } else if word.trim_start_matches(['(', '\'', '"', '`', '=']).starts_with(['/', '~'])
            && word.len() > 1
        {
            word.rsplit('/').next().unwrap_or_default().to_owned()
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

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
    }

    #[test]
    fn paths_become_base_names_and_addresses_vanish() {
        assert_eq!(base_name("/home/ann/models/x.gguf"), "x.gguf");
        assert_eq!(base_name("meta-llama/Llama-3.1-8B"), "meta-llama/Llama-3.1-8B");
        assert_eq!(
            text("cannot open /home/ann/x.gguf at http://host:1/v1"),
            "cannot open x.gguf at (address)"
        );
        assert_eq!(text("made by ann@example.org"), "made by (address)");
    }
}
