//! Files a person can take away: CSV, JSON, TOML and SVG with a name and a type.

use std::fmt::Write;

use axum::response::{IntoResponse, Response};
use http::header;
use inferex_app::ports::PortError;
use inferex_app::view::{DataTable, Estimate, ResultView};
use inferex_model::metrics::RequestRow;
use serde::Serialize;

/// Kinds of files.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Csv,
    Json,
    Jsonl,
    Svg,
    Toml,
}

impl Kind {
    /// The media type.
    pub(crate) const fn mime(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
            Self::Jsonl => "application/x-ndjson",
            Self::Svg => "image/svg+xml",
            Self::Toml => "application/toml",
        }
    }
}

/// A file that the browser saves under `name`; names are made of ids, never of user text.
pub(crate) fn attachment(kind: Kind, name: &str, body: String) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.mime().to_owned()), (header::CONTENT_DISPOSITION, disposition)], body)
        .into_response()
}

/// A value as a JSON file.
pub(crate) fn json(name: &str, value: &impl Serialize) -> Response {
    match serde_json::to_string_pretty(value) {
        Ok(text) => attachment(Kind::Json, name, text),
        Err(error) => {
            crate::api::problem::Problem::from(crate::ports::internal("write JSON", &error)).into_response()
        }
    }
}

/// `CHART.svg` or `CHART.csv` of a result.
pub(crate) fn chart(result: &ResultView, file: &str, prefix: &str) -> Result<Response, PortError> {
    let missing = || PortError::not_found(format!("chart `{}`", file.chars().take(60).collect::<String>()));
    let (id, kind) = file.rsplit_once('.').ok_or_else(missing)?;
    let chart = result.charts.iter().find(|chart| chart.id == id).ok_or_else(missing)?;
    let name = format!("{prefix}-{}.{kind}", chart.id);
    match kind {
        "svg" => Ok(attachment(Kind::Svg, &name, inferex_charts::standalone(&chart.wide))),
        "csv" => Ok(attachment(Kind::Csv, &name, table_csv(&chart.table))),
        _ => Err(missing()),
    }
}

/// One row per arm and level.
pub(crate) fn results_csv(result: &ResultView) -> String {
    let mut head =
        vec!["arm".to_owned(), "concurrency".into(), "starts".into(), "requests".into(), "failed".into()];
    for name in FIGURES {
        head.extend([name.to_owned(), format!("{name}_low"), format!("{name}_high")]);
    }
    let mut rows = Vec::new();
    for arm in &result.arms {
        for (level, figures) in result.levels.iter().zip(&arm.figures) {
            let Some(f) = figures else {
                rows.push(vec![arm.name.clone(), level.concurrency.to_string()]);
                continue;
            };
            let mut row = vec![
                arm.name.clone(),
                level.concurrency.to_string(),
                f.starts.to_string(),
                f.requests.to_string(),
                f.failed.to_string(),
            ];
            let estimates = [
                f.output_throughput_tok_s,
                f.per_request_tok_s,
                f.request_throughput_rps,
                f.ttft_p50_ms,
                f.ttft_p95_ms,
                f.ttft_p99_ms,
                f.tpot_p50_ms,
                f.tpot_p95_ms,
                f.e2e_p50_ms,
                f.e2e_p95_ms,
                f.e2e_p99_ms,
            ];
            row.extend(estimates.into_iter().flat_map(estimate_cells));
            rows.push(row);
        }
    }
    csv(&head, &rows)
}

const FIGURES: [&str; 11] = [
    "output_throughput_tok_s",
    "per_request_tok_s",
    "request_throughput_rps",
    "ttft_p50_ms",
    "ttft_p95_ms",
    "ttft_p99_ms",
    "tpot_p50_ms",
    "tpot_p95_ms",
    "e2e_p50_ms",
    "e2e_p95_ms",
    "e2e_p99_ms",
];

fn estimate_cells(estimate: Option<Estimate>) -> [String; 3] {
    [estimate.map(|e| e.median), estimate.and_then(|e| e.low), estimate.and_then(|e| e.high)].map(number)
}

fn number(value: Option<f64>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}

/// One row per request.
pub(crate) fn requests_csv(rows: &[RequestRow]) -> String {
    let head = [
        "req",
        "sent_ms",
        "ttft_ms",
        "tpot_ms",
        "e2e_ms",
        "prompt_tokens",
        "output_tokens",
        "cached_tokens",
        "finish",
        "error",
    ];
    let head: Vec<String> = head.map(str::to_owned).to_vec();
    let count = |value: Option<u64>| value.map(|v| v.to_string()).unwrap_or_default();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.req.to_string(),
                number(row.sent_ms),
                number(row.ttft_ms),
                number(row.tpot_ms),
                number(row.e2e_ms),
                count(row.prompt_tokens),
                count(row.output_tokens),
                count(row.cached_tokens),
                row.finish.clone().unwrap_or_default(),
                row.error.clone().unwrap_or_default(),
            ]
        })
        .collect();
    csv(&head, &cells)
}

/// A chart's table.
fn table_csv(table: &DataTable) -> String {
    csv(&table.head, &table.rows)
}

/// RFC 4180 lines; a cell that a spreadsheet would run as a formula is prefixed with an apostrophe.
fn csv(head: &[String], rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for row in std::iter::once(head).chain(rows.iter().map(Vec::as_slice)) {
        let cells: Vec<String> = row.iter().map(|cell| csv_cell(cell)).collect();
        let _ = write!(text, "{}\r\n", cells.join(","));
    }
    text
}

fn csv_cell(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '@', '\t', '\r', '\n'])
        || (cell.starts_with('-') && cell.parse::<f64>().is_err());
    let guarded = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    if guarded.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_when_needed_and_never_a_formula() {
        assert_eq!(csv_cell("f16"), "f16");
        assert_eq!(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_cell("=1+1"), "'=1+1");
        assert_eq!(csv_cell("-1.5"), "-1.5");
        assert_eq!(csv_cell("-x"), "'-x");
    }
}
