//! What failures of `llama-server` look like in its log; every phrase was seen in a real log (see `tests/fixtures/`)
//! or is the wording of its GPU back ends.

use inferex_model::deployment::FailureClass;

use crate::explain::Signature;

const OUT_OF_MEMORY: &str = "ran out of memory";
const LESS_MEMORY: &str =
    "Ask for less: a smaller context (`-c`), fewer slots (`--parallel`) or a smaller quantisation.";
const UNREADABLE: &str = "could not read the model";
const OTHER_MODEL: &str =
    "Check that the file is a complete GGUF model that this version of llama.cpp reads.";
const WRONG_ARGUMENT: &str = "did not accept an argument";
const CORRECT_ARGUMENT: &str =
    "Correct the variant's `args`; `llama-server --help` lists what this build accepts.";

/// The most decisive first: an allocation that fails also ends in "failed to load model".
pub(super) const SIGNATURES: &[Signature] = &[
    Signature {
        class: FailureClass::PortInUse,
        needles: &["couldn't bind HTTP server socket"],
        sentence: "could not listen on its address",
        hint: "Stop what listens on that port, or leave `--port` out and a free one is chosen.",
    },
    argument(&["error: invalid argument:"]),
    argument(&["error while handling argument"]),
    argument(&["error while handling environment variable"]),
    Signature {
        class: FailureClass::ModelNotFound,
        needles: &["failed to open GGUF file", "No such file or directory"],
        sentence: "did not find the model",
        hint: "Put the file there or name another in the variant's `model`.",
    },
    Signature {
        class: FailureClass::DiskFull,
        needles: &["No space left on device"],
        sentence: "found the disk full",
        hint: "Free some space and start it again.",
    },
    memory(&["insufficient memory (attempted to allocate"]),
    memory(&["failed to allocate buffer"]),
    memory(&["out of memory"]),
    memory(&["std::bad_alloc"]),
    Signature {
        class: FailureClass::ModelUnreadable,
        needles: &["failed to open GGUF file", "Permission denied"],
        sentence: "may not read the model",
        hint: "Give the account that runs Inferex the right to read the file.",
    },
    unreadable(&["invalid magic characters"]),
    unreadable(&["failed to read magic"]),
    unreadable(&["model is corrupted or incomplete"]),
    unreadable(&["unknown model architecture"]),
    unreadable(&["error loading model:"]),
];

const fn argument(needles: &'static [&'static str]) -> Signature {
    Signature { class: FailureClass::BadArgument, needles, sentence: WRONG_ARGUMENT, hint: CORRECT_ARGUMENT }
}

const fn memory(needles: &'static [&'static str]) -> Signature {
    Signature { class: FailureClass::Oom, needles, sentence: OUT_OF_MEMORY, hint: LESS_MEMORY }
}

const fn unreadable(needles: &'static [&'static str]) -> Signature {
    Signature { class: FailureClass::ModelUnreadable, needles, sentence: UNREADABLE, hint: OTHER_MODEL }
}
