//! DNS rebinding: a page of another site can make its own name point to this machine. Its requests then carry that
//! name, so only our own names are answered. Any port passes at a loopback name: tunnels and containers change it,
//! and no foreign name is a loopback name.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::StatusCode;
use http::header::HOST;

use super::{Edge, paths, refuse};
use crate::config::HostName;

pub(super) async fn layer(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    // Probes address a container by its number.
    if request.uri().path() == paths::HEALTH {
        return next.run(request).await;
    }
    let public = &edge.0.public;
    match host_of(&request) {
        Some(host) if host.is_loopback() || public.is_host(&host) => next.run(request).await,
        Some(_) => {
            let origin = public.origin();
            let sentence = format!(
                "this server answers at {origin} only; open that address, or set INFEREX_PUBLIC_URL to the one you use"
            );
            refuse(StatusCode::MISDIRECTED_REQUEST, sentence)
        }
        None => refuse(StatusCode::BAD_REQUEST, "the request names no host; send a Host header"),
    }
}

/// The host a request was sent to; `None` when it names none, several, or nonsense.
pub(super) fn host_of(request: &Request) -> Option<HostName> {
    if let Some(authority) = request.uri().authority() {
        return HostName::parse(authority.as_str());
    }
    let mut values = request.headers().get_all(HOST).iter();
    let (first, second) = (values.next()?, values.next());
    if second.is_some() { None } else { HostName::parse(first.to_str().ok()?) }
}
