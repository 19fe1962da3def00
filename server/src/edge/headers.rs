//! Security headers, on every answer.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::facts::Facts;
use super::{Edge, paths};

const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";
const TWO_YEARS: &str = "max-age=63072000";

pub(super) async fn layer(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let nonce = request.extensions().get::<Facts>().map(|facts| facts.nonce.clone());
    let mut response = next.run(request).await;
    apply(response.headers_mut(), &path, nonce.as_deref(), edge.0.public.is_https());
    response
}

fn apply(headers: &mut HeaderMap, path: &str, nonce: Option<&str>, https: bool) {
    let fixed = |name: &'static str, value: &'static str| {
        (HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    headers.extend([
        fixed("cross-origin-opener-policy", "same-origin"),
        fixed("permissions-policy", PERMISSIONS),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static(referrer(path))),
    ]);
    if let Ok(policy) = HeaderValue::from_str(&content_policy(nonce)) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    if https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(TWO_YEARS));
    }
    if paths::is_share(path) {
        headers.extend([fixed("x-robots-tag", "noindex, nofollow")]);
    }
    if paths::is_share(path) || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// A share's address is a secret that must not travel on. Elsewhere the origin must stay, or the browser would send
/// `Origin: null` with forms, which the check against forged requests refuses.
fn referrer(path: &str) -> &'static str {
    if paths::is_share(path) { "no-referrer" } else { "same-origin" }
}

fn content_policy(nonce: Option<&str>) -> String {
    let script = nonce.map_or_else(|| "'none'".to_owned(), |nonce| format!("'nonce-{nonce}'"));
    format!(
        "default-src 'none'; script-src {script}; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}
