//! The fields of the fairness ledger: what each is called, what a difference weighs, and why it matters.

use serde::{Deserialize, Serialize};

/// What a difference in a field does to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It is what is being compared: shown, never held against anybody.
    Subject,
    /// It is shown beside the verdict.
    Remark,
    /// No verdict is possible.
    Forbids,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident, $key:literal, $label:literal, $weight:ident, $differs:literal, $why:literal;)*) => {
        /// One thing that can differ between two arms besides the subject, in the order of the ledger.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum LedgerField {
            $($(#[$doc])* $name,)*
        }

        impl LedgerField {
            /// All fields in the order of the ledger.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in JSON and in the ledger.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $key,)* }
            }

            /// The name a person reads.
            #[must_use]
            pub const fn label(self) -> &'static str {
                match self { $(Self::$name => $label,)* }
            }

            /// What a difference weighs.
            #[must_use]
            pub const fn weight(self) -> Weight {
                match self { $(Self::$name => Weight::$weight,)* }
            }

            /// The difference as a clause without its values.
            #[must_use]
            pub const fn differs(self) -> &'static str {
                match self { $(Self::$name => $differs,)* }
            }

            /// Why a difference matters: a clause that continues [`LedgerField::differs`].
            #[must_use]
            pub const fn why(self) -> &'static str {
                match self { $(Self::$name => $why,)* }
            }
        }
    };
}

fields! {
    /// The model, by a name that is the same for all its quantisations.
    Model, "model", "model", Remark,
        "models differ", "so this compares speed, not the quality of the answers";
    /// Revision of the model's repository.
    ModelRevision, "model_revision", "model revision", Remark,
        "model revisions differ", "so the weights may differ by more than the subject";
    /// Where the weights came from.
    WeightsProvenance, "weights_provenance", "weights", Remark,
        "origins of the weights differ", "so part of the difference may come from how they were made";
    /// Quantisation as resolved by the engine.
    Quantisation, "quantisation", "quantisation", Subject,
        "quantisations differ", "which is the subject";
    /// Number format as resolved by the engine.
    Dtype, "dtype", "dtype", Subject,
        "dtypes differ", "which is the subject";
    /// Hash of prompt set and salt rule.
    PromptsHash, "prompts_hash", "prompts", Forbids,
        "prompts differ", "so the two were asked different things";
    /// Prompt tokens of the same prompts, as the engines count them.
    PromptTokens, "prompt_tokens", "prompt tokens", Forbids,
        "prompt tokens differ", "so the tokenizers or the templates differ";
    /// Tokens each answer was asked for.
    OutputTokensTarget, "output_tokens_target", "output tokens asked for", Forbids,
        "output lengths asked for differ", "so the work differs";
    /// Tokens the answers had.
    OutputTokensAchieved, "output_tokens_achieved", "output tokens achieved", Remark,
        "output lengths achieved differ", "so part of the difference may come from the length of the answers";
    /// Requests sent at each level.
    Requests, "requests", "requests a level", Remark,
        "numbers of requests differ", "so ramp-up and drain weigh differently";
    /// Longest prompt plus output of one request.
    ContextPerRequest, "context_per_request", "context per request", Remark,
        "context lengths differ", "so the memory set aside for a request differs";
    /// Requests served at once.
    Slots, "slots", "slots", Remark,
        "slots differ", "so the engines serve different numbers of requests at once";
    /// Number format of the KV cache.
    KvDtype, "kv_dtype", "KV cache dtype", Remark,
        "dtypes of the KV cache differ", "so size and precision of the cache differ";
    /// GPUs by name.
    Gpus, "gpus", "GPUs", Forbids,
        "GPUs differ", "so the hardware differs";
    /// GPU driver.
    Driver, "driver", "GPU driver", Forbids,
        "GPU drivers differ", "so the machine differs";
    /// Processor.
    CpuModel, "cpu_model", "processor", Forbids,
        "processors differ", "so the hardware differs";
    /// Native, WSL2, container or hypervisor.
    Platform, "platform", "platform", Remark,
        "platforms differ", "so what the system itself costs differs";
    /// Kind of engine.
    Engine, "engine", "engine", Remark,
        "engines differ", "so the difference may come from the engine";
    /// Name and build of the engine.
    EngineVersion, "engine_version", "engine version", Remark,
        "engine versions differ", "so the difference may come from the version";
    /// `simulated` or `real`.
    Simulated, "simulated", "simulated", Forbids,
        "only one side is simulated", "and its figures never share a verdict with real ones";
    /// Arguments of the engine; only those that differ are listed.
    Arguments, "arguments", "arguments", Remark,
        "arguments differ", "so the difference may come from them";
    /// Features switched off.
    DisabledFeatures, "disabled_features", "disabled features", Remark,
        "disabled features differ", "so the difference may come from them";
    /// State of the engine's compile cache at its start.
    CompileCache, "compile_cache", "compile cache", Remark,
        "compile caches differ", "so one side may have compiled while it was measured";
    /// Share of prompt tokens taken from the prefix cache.
    CacheShare, "cache_share", "prefix cache", Forbids,
        "cached shares of the prompts differ", "so a warm cache is held against a cold one";
    /// Runs that failed and gave no figures.
    LostRuns, "lost_runs", "failed runs", Forbids,
        "numbers of failed runs differ", "and a run that failed may not make the rest look better";
    /// Share of requests that failed.
    ErrorRate, "error_rate", "error rate", Forbids,
        "error rates differ", "so the two did not do the same work";
    /// Runs in which the load generator was the bottleneck.
    ClientBound, "client_bound", "client-bound runs", Forbids,
        "the load generator was the bottleneck", "so its speed was measured, not the engine's";
    /// Load average of the machine when the blocks began.
    MachineLoad, "machine_load", "machine load at the start", Remark,
        "loads of the machine at the start differ", "so other programs may have slowed one side";
    /// `alternating`, or how the blocks were ordered instead.
    Interleaving, "interleaving", "order of the blocks", Remark,
        "blocks did not alternate", "so a slow drift of the machine hits one side more";
}
