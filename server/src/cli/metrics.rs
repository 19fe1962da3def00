use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::args::MetricsArgs;
use super::{CliError, output};

/// Definitions this version computes.
const KNOWN: [&str; 1] = ["inferex"];

pub(super) fn run(args: &MetricsArgs) -> Result<(), CliError> {
    if let Some(unknown) = args.definitions.iter().find(|name| !KNOWN.contains(&name.as_str())) {
        let text = format!(
            "--definitions: `{unknown}` is not computed by this version; known: {}",
            KNOWN.join(", ")
        );
        return Err(CliError::Usage(text));
    }
    let events = inferex_bench::metrics::parse_jsonl(open(&args.events)?)
        .map_err(|e| CliError::Usage(format!("{}: {e}", args.events.display())))?;
    output::json(&inferex_bench::metrics::compute(&events).document)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, CliError> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file =
        File::open(path).map_err(|e| CliError::Usage(format!("cannot read {}: {e}", path.display())))?;
    Ok(Box::new(BufReader::new(file)))
}
