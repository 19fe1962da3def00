//! What a llama.cpp server says it can hold, out of `/props`, `/v1/models` and the head of its log.

use inferex_model::deployment::Capacity;
use serde_json::Value;

use crate::engine::CapacityPages;

/// Reads what the pages tell; what none of them tells stays `None`.
pub(super) fn read(pages: CapacityPages<'_>) -> Capacity {
    let info = parse(pages.info);
    let models = parse(pages.models);
    let meta = &models["data"][0]["meta"];
    let slots = whole(&info["total_slots"]);
    let context = whole(&info["default_generation_settings"]["n_ctx"]).or_else(|| whole(&meta["n_ctx"]));
    let build = info["build_info"].as_str().filter(|build| !build.is_empty());
    let ftype =
        meta["ftype"].as_str().or_else(|| info["model_ftype"].as_str()).filter(|text| !text.is_empty());
    Capacity {
        slots,
        context_per_request: context,
        kv_tokens: kv_tokens(slots, context, unified(pages.log)),
        weight_bytes: meta["size"].as_u64(),
        parameters: meta["n_params"].as_u64(),
        resolved_quantisation: ftype.map(str::to_owned),
        engine_version: build.map(|build| format!("llama.cpp {build}")),
        trained_context: whole(&meta["n_ctx_train"]),
    }
}

fn parse(page: Option<&str>) -> Value {
    page.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn whole(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Each slot has its own cache unless it is unified; no page says which, only the log does.
fn kv_tokens(slots: Option<u32>, context: Option<u32>, unified: Option<bool>) -> Option<u64> {
    let context = u64::from(context?);
    if unified? { Some(context) } else { Some(context * u64::from(slots?)) }
}

fn unified(log: &str) -> Option<bool> {
    let (_, rest) = log.split_once("kv_unified = '")?;
    match rest.split_once('\'')?.0 {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}
