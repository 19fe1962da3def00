//! Forged requests: a request that may change something must come from a page of this very site.
//!
//! Browsers say so in `Sec-Fetch-Site`, which no page can forge; where it is absent (plain http, old browsers),
//! `Origin` decides. Reads pass: they change nothing. Start from [`decide`], which is pure.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{AsHeaderName, ORIGIN};
use http::{HeaderMap, Method};
use inferex_app::ports::PortError;

use super::host::host_of;
use super::{Edge, answer};
use crate::config::{HostName, PublicUrl};

/// A header as it was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent<'a> {
    Absent,
    Once(&'a str),
    /// Twice, or not text: nobody honest sends that.
    Garbled,
}

/// What the decision rests on.
#[derive(Debug, Clone, Copy)]
struct Evidence<'a> {
    fetch_site: Sent<'a>,
    origin: Sent<'a>,
    /// The host the request came to.
    host: Option<&'a HostName>,
}

pub(super) async fn layer(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    let host = host_of(&request);
    let evidence = Evidence {
        fetch_site: sent(request.headers(), "sec-fetch-site"),
        origin: sent(request.headers(), ORIGIN),
        host: host.as_ref(),
    };
    match decide(request.method(), evidence, &edge.0.public) {
        Ok(()) => next.run(request).await,
        Err(sentence) => {
            tracing::warn!(method = %request.method(), "request_refused_as_forged");
            answer(request.uri().path(), PortError::Forbidden(sentence))
        }
    }
}

fn sent(headers: &HeaderMap, name: impl AsHeaderName) -> Sent<'_> {
    let mut values = headers.get_all(name).iter();
    match (values.next().map(|value| value.to_str()), values.next()) {
        (None, _) => Sent::Absent,
        (Some(Ok(value)), None) => Sent::Once(value),
        _ => Sent::Garbled,
    }
}

/// Lets the request pass, or gives the sentence of the refusal.
fn decide(method: &Method, evidence: Evidence<'_>, public: &PublicUrl) -> Result<(), String> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    match evidence.fetch_site {
        Sent::Once("same-origin") => Ok(()),
        Sent::Once(_) | Sent::Garbled => Err(elsewhere(public)),
        Sent::Absent => decide_by_origin(evidence, public),
    }
}

fn decide_by_origin(evidence: Evidence<'_>, public: &PublicUrl) -> Result<(), String> {
    let Sent::Once(origin) = evidence.origin else {
        return match evidence.origin {
            Sent::Absent => Err("this request says neither by Sec-Fetch-Site nor by Origin where it comes from, so it \
                                 was refused; use a current browser, or the inferex command on the server's machine"
                .to_owned()),
            _ => Err(elsewhere(public)),
        };
    };
    // At the loopback address the port that a person sees may be a tunnel's or a container's, not ours.
    let loopback = evidence.host.filter(|host| host.is_loopback()).map(|host| host.origin(false));
    if origin == public.origin() || loopback.as_deref() == Some(origin) {
        Ok(())
    } else {
        Err(elsewhere(public))
    }
}

fn elsewhere(public: &PublicUrl) -> String {
    let origin = public.origin();
    format!(
        "this request came from another site and was refused; open Inferex at {origin} and try again there, or set \
         INFEREX_PUBLIC_URL if that is not the address you use"
    )
}

#[cfg(test)]
mod tests;
