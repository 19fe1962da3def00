use axum::Router;
use axum::routing::get;
use http::header;
use inferex_app::ports::Ports;

/// The document is written by hand and checked against the routes by a test.
const DOCUMENT: &str = include_str!("openapi.json");

pub(super) fn routes() -> Router<Ports> {
    Router::new()
        .route("/openapi.json", get(|| async { ([(header::CONTENT_TYPE, "application/json")], DOCUMENT) }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// Every route that the API's own source files declare, so that a route without documentation fails here.
    fn routes_in_source() -> BTreeSet<String> {
        let sources = [
            include_str!("users.rs"),
            include_str!("variants.rs"),
            include_str!("deployments.rs"),
            include_str!("experiments.rs"),
            include_str!("runs.rs"),
            include_str!("reports.rs"),
            include_str!("openapi.rs"),
        ];
        let marker = [".rou", "te("].concat();
        let calls = sources.iter().flat_map(|source| source.split(marker.as_str()).skip(1));
        let literals = calls.filter_map(|call| call.trim_start().strip_prefix('"')?.split('"').next());
        literals.map(|path| format!("/api/v1{path}")).collect()
    }

    #[test]
    fn the_document_names_every_route_and_no_other() {
        let document: serde_json::Value = serde_json::from_str(super::DOCUMENT).expect("JSON");
        let paths = document["paths"].as_object().expect("paths");
        let documented: BTreeSet<String> = paths.keys().cloned().collect();
        assert_eq!(documented, routes_in_source());
    }
}
