use axum::Json;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header;
use inferex_app::ports::{Answer, Ports};
use inferex_app::view::RunView;
use inferex_model::actor::Actor;
use inferex_model::id::RunId;
use inferex_model::metrics::RequestRow;
use serde::Deserialize;

use super::Caller;
use super::body::id;
use super::problem::Problem;
use crate::download::{self, Kind};

/// Rows fetched at a time when a whole run is written out.
const PAGE: u32 = 2_000;

pub(super) fn routes() -> Router<Ports> {
    Router::new()
        .route("/runs/{id}", get(show))
        .route("/runs/{id}/events", get(events))
        .route("/runs/{id}/requests", get(requests))
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    offset: u64,
    #[serde(default = "default_limit")]
    limit: u32,
    #[serde(default)]
    format: String,
}

const fn default_limit() -> u32 {
    200
}

async fn show(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(run): Path<String>,
) -> Result<Json<RunView>, Problem> {
    Ok(Json(ports.runs.get(&actor, id(&run)?).await?))
}

async fn requests(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(run): Path<String>,
    Query(page): Query<Page>,
) -> Result<Response, Problem> {
    let run: RunId = id(&run)?;
    if page.format != "csv" {
        let rows = ports.runs.requests(&actor, run, page.offset, page.limit.min(PAGE)).await?;
        return Ok(Json(rows).into_response());
    }
    let rows = all_requests(&ports, &actor, run).await?;
    let name = format!("{run}-requests.csv");
    Ok(download::attachment(Kind::Csv, &name, download::requests_csv(&rows)))
}

async fn all_requests(ports: &Ports, actor: &Actor, run: RunId) -> Answer<Vec<RequestRow>> {
    let mut rows = Vec::new();
    loop {
        let page = ports.runs.requests(actor, run, rows.len() as u64, PAGE).await?;
        let last = page.len() < PAGE as usize;
        rows.extend(page);
        if last {
            return Ok(rows);
        }
    }
}

/// Streams the chunks one by one, so that a long read never holds a database snapshot.
async fn events(
    State(ports): State<Ports>,
    Caller(actor): Caller,
    Path(run): Path<String>,
) -> Result<Response, Problem> {
    let run: RunId = id(&run)?;
    ports.runs.get(&actor, run).await?;
    let chunks = futures::stream::try_unfold(None, move |after| {
        let (ports, actor) = (ports.clone(), actor.clone());
        async move {
            let chunk = ports.runs.events(&actor, run, after).await?;
            Ok::<_, inferex_app::ports::PortError>(chunk.map(|(seq, bytes)| (bytes, Some(seq))))
        }
    });
    let disposition = format!("attachment; filename=\"{run}-events.jsonl\"");
    let head =
        [(header::CONTENT_TYPE, Kind::Jsonl.mime().to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    Ok((head, Body::from_stream(chunks)).into_response())
}
