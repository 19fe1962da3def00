//! A look at every page with made-up data: `cargo run -p inferex-app --example preview`, then the printed address.
//!
//! `?as=viewer` shows a page as somebody who may only read, `?world=empty` a product nobody has used yet.

mod data;
mod fake;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use inferex_app::ports::Visit;
use inferex_app::{assets, web};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let full = web::router::<()>(fake::context(false));
    let empty = web::router::<()>(fake::context(true));
    let css = format!("{}{}", assets::stylesheet(), data::chart_css());
    let app = Router::new()
        .route(
            "/assets/app.css",
            get(move || {
                let css = css.clone();
                async move { typed("text/css", css) }
            }),
        )
        .route("/assets/app.js", get(|| async { typed("text/javascript", assets::script().to_owned()) }))
        .route("/assets/favicon.svg", get(|| async { typed("image/svg+xml", assets::favicon().to_owned()) }))
        .nest_service("/empty", empty.layer(from_fn(visit)))
        .fallback_service(full.layer(from_fn(visit)));
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8199".to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    eprintln!("http://{address}/ (used) and http://{address}/empty/ (fresh)");
    axum::serve(listener, app).await
}

fn typed(kind: &'static str, text: String) -> impl IntoResponse {
    ([("content-type", kind)], text)
}

async fn visit(mut request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let visit: Arc<dyn Visit> = Arc::new(fake::Guest::from_query(&query));
    request.extensions_mut().insert(visit);
    next.run(request).await
}
