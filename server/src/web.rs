//! The dashboard's router: pages, JSON API, downloads of shared reports and static files behind the edge.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use inferex_app::context::{AppContext, AssetPaths};
use inferex_app::ports::Ports;
use inferex_app::view::ReportSnapshot;

use crate::api;
use crate::api::problem::Problem;
use crate::core::Core;
use crate::download::{self, Kind};
use crate::edge::{Assets, Edge, Source};

/// Everything a browser can reach.
pub(crate) fn router(core: &Core) -> Router {
    let assets = assets();
    let context = AppContext {
        ports: core.ports.clone(),
        assets: AssetPaths {
            stylesheet: assets.path("app.css"),
            script: assets.path("app.js"),
            favicon: assets.path("favicon.svg"),
        },
        clock: Arc::clone(&core.backend.clock),
    };
    let router = Router::new()
        .merge(api::router(core.ports.clone()))
        .merge(shared_downloads(core.ports.clone()))
        .merge(assets.routes())
        .route("/robots.txt", get(|| async { inferex_app::assets::robots() }))
        .route("/healthz", get(|| async { "ok\n" }))
        .merge(inferex_app::web::router(context));
    edge(core).guard(router)
}

fn edge(core: &Core) -> Edge {
    let backend = &core.backend;
    Edge::new(
        backend.store.clone(),
        core.ports.accounts.clone(),
        Arc::clone(&backend.clock),
        backend.public_url.clone(),
        core.config.trusted_proxies.clone(),
    )
}

fn assets() -> Assets {
    let css = format!("{}{}", inferex_app::assets::stylesheet(), inferex_charts::stylesheet());
    Assets::new(vec![
        Source { name: "app.css", content_type: "text/css; charset=utf-8", content: css },
        Source {
            name: "app.js",
            content_type: "text/javascript; charset=utf-8",
            content: inferex_app::assets::script().to_owned(),
        },
        Source {
            name: "favicon.svg",
            content_type: "image/svg+xml",
            content: inferex_app::assets::favicon().to_owned(),
        },
    ])
}

/// What a reader of a shared report may take away.
fn shared_downloads(ports: Ports) -> Router {
    Router::new()
        .route("/r/{token}/data.json", get(shared_json))
        .route("/r/{token}/data.csv", get(shared_csv))
        .route("/r/{token}/charts/{file}", get(shared_chart))
        .with_state(ports)
}

async fn shared_json(State(ports): State<Ports>, Path(token): Path<String>) -> Result<Response, Problem> {
    Ok(download::json("report.json", &open(&ports, &token).await?))
}

async fn shared_csv(State(ports): State<Ports>, Path(token): Path<String>) -> Result<Response, Problem> {
    let snapshot = open(&ports, &token).await?;
    Ok(download::attachment(Kind::Csv, "report.csv", download::results_csv(&snapshot.result)))
}

async fn shared_chart(
    State(ports): State<Ports>,
    Path((token, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    Ok(download::chart(&open(&ports, &token).await?.result, &file, "report")?)
}

async fn open(ports: &Ports, token: &str) -> Result<ReportSnapshot, Problem> {
    Ok(ports.reports.open(token).await?)
}

#[cfg(test)]
mod tests {
    use inferex_charts::{Theme, arm_properties};

    /// The charts' palette is tested for colour-blindness; the page must use those very values.
    #[test]
    fn the_page_gives_arms_the_colours_that_the_charts_were_tested_with() {
        let (light, dark) = (arm_properties(Theme::Light), arm_properties(Theme::Dark));
        let css = inferex_app::assets::stylesheet();
        let value =
            |line: &str| line.split_once(": ").map(|(_, value)| value.trim_end_matches(';').to_owned());
        for (one, two) in light.lines().zip(dark.lines()) {
            let name = one.split(':').next().unwrap_or_default();
            let (light, dark) = (value(one).expect("a value"), value(two).expect("a value"));
            let wanted = format!("{name}: light-dark({light}, {dark});");
            assert!(css.contains(&wanted), "{wanted}");
        }
    }
}
