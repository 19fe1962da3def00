//! Who gets in. Denied by default: a path is public, or part of the entrance, or needs an account.

use std::fmt::Write as _;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderValue, Method, StatusCode};
use inferex_app::ports::PortError;
use inferex_model::actor::Actor;

use super::visitor::MaySignIn;
use super::{Edge, answer, paths, refuse};
use crate::config::PublicUrl;

/// What the gate does with a request.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Pass,
    /// `303 See Other`.
    Lead(String),
    NotSignedIn,
    /// A password would cross the network in clear.
    NeedsHttps,
}

/// What the verdict rests on.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts, not a state in disguise")]
struct Case<'a> {
    path: &'a str,
    /// Path and query, for the way back.
    target: &'a str,
    is_read: bool,
    is_signed_in: bool,
    needs_setup: bool,
    may_sign_in: bool,
}

pub(super) async fn layer(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    if paths::is_public(request.uri().path()) {
        return next.run(request).await;
    }
    let needs_setup = match edge.0.accounts.needs_setup().await {
        Ok(needs_setup) => needs_setup,
        Err(error) => return answer(request.uri().path(), error),
    };
    match decide(case(&request, needs_setup)) {
        Verdict::Pass => next.run(request).await,
        Verdict::Lead(to) => lead(&to),
        Verdict::NotSignedIn => answer(request.uri().path(), PortError::SignInNeeded),
        Verdict::NeedsHttps => refuse(StatusCode::FORBIDDEN, needs_https(&edge.0.public)),
    }
}

fn case(request: &Request, needs_setup: bool) -> Case<'_> {
    let uri = request.uri();
    Case {
        path: uri.path(),
        target: uri.path_and_query().map_or("/", |target| target.as_str()),
        is_read: matches!(*request.method(), Method::GET | Method::HEAD),
        is_signed_in: request.extensions().get::<Actor>().is_some(),
        needs_setup,
        may_sign_in: request.extensions().get::<MaySignIn>().is_some_and(|may| may.0),
    }
}

fn decide(case: Case<'_>) -> Verdict {
    if case.is_signed_in {
        return if paths::is_setup(case.path) { Verdict::Lead("/".to_owned()) } else { Verdict::Pass };
    }
    if paths::is_api(case.path) {
        return Verdict::NotSignedIn;
    }
    if !case.may_sign_in {
        return Verdict::NeedsHttps;
    }
    match case {
        Case { needs_setup: true, path, .. } if paths::is_setup(path) => Verdict::Pass,
        Case { needs_setup: true, .. } => Verdict::Lead("/setup".to_owned()),
        // A late set-up form is answered by its port in words; the page itself is over.
        Case { path: "/setup", .. } => Verdict::Lead("/login".to_owned()),
        Case { path, .. } if paths::is_entrance(path) => Verdict::Pass,
        Case { is_read: true, target, .. } => Verdict::Lead(login(target)),
        // A form of a page whose session ended meanwhile; what it asked for was not done.
        Case { path, .. } if path.starts_with("/do/") => Verdict::Lead("/login".to_owned()),
        _ => Verdict::NotSignedIn,
    }
}

/// The sign-in page that leads on to `target`.
fn login(target: &str) -> String {
    if target == "/" {
        return "/login".to_owned();
    }
    let mut to = "/login?next=".to_owned();
    for byte in target.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                to.push(char::from(byte));
            }
            byte => {
                let _ = write!(to, "%{byte:02X}");
            }
        }
    }
    to
}

fn lead(to: &str) -> Response {
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response()
}

/// The sentence where a password would cross the network in clear.
pub(super) fn needs_https(public: &PublicUrl) -> String {
    let origin = public.origin();
    format!(
        "signing in needs https, and {origin} is plain http: put a proxy with a certificate in front and set \
         INFEREX_PUBLIC_URL to its https address, or open Inferex on its own machine at a loopback address, for \
         example through ssh -L 8080:127.0.0.1:8080"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Case<'static> = Case {
        path: "/runs/run-3",
        target: "/runs/run-3?offset=50&x=//y",
        is_read: true,
        is_signed_in: false,
        needs_setup: false,
        may_sign_in: true,
    };

    fn at(path: &str) -> Case<'_> {
        Case { path, target: path, ..CALM }
    }

    #[test]
    fn a_stranger_is_led_to_the_sign_in_and_back() {
        let back = "/login?next=/runs/run-3%3Foffset%3D50%26x%3D//y";
        assert_eq!(decide(CALM), Verdict::Lead(back.to_owned()));
        assert_eq!(decide(at("/")), Verdict::Lead("/login".to_owned()));
        assert_eq!(decide(Case { is_read: false, ..CALM }), Verdict::NotSignedIn);
        assert_eq!(decide(at("/api/v1/users")), Verdict::NotSignedIn);
        assert_eq!(
            decide(Case { is_read: false, ..at("/do/user-create") }),
            Verdict::Lead("/login".to_owned())
        );
        for path in ["/login", "/do/sign-in"] {
            assert_eq!(decide(at(path)), Verdict::Pass);
        }
    }

    #[test]
    fn before_the_first_account_all_roads_lead_to_the_setup() {
        for path in ["/", "/login", "/runs", "/do/sign-in", "/do/user-create"] {
            assert_eq!(
                decide(Case { needs_setup: true, ..at(path) }),
                Verdict::Lead("/setup".to_owned()),
                "{path}"
            );
        }
        for path in ["/setup", "/do/set-up"] {
            assert_eq!(decide(Case { needs_setup: true, ..at(path) }), Verdict::Pass);
        }
        assert_eq!(decide(Case { needs_setup: true, ..at("/api/v1/users") }), Verdict::NotSignedIn);
        assert_eq!(decide(at("/setup")), Verdict::Lead("/login".to_owned()));
    }

    #[test]
    fn who_is_signed_in_passes_but_for_the_setup() {
        assert_eq!(decide(Case { is_signed_in: true, is_read: false, ..CALM }), Verdict::Pass);
        assert_eq!(decide(Case { is_signed_in: true, ..at("/setup") }), Verdict::Lead("/".to_owned()));
    }

    #[test]
    fn no_password_crosses_the_network_in_clear() {
        for path in ["/", "/login", "/setup", "/do/sign-in", "/do/set-up"] {
            for needs_setup in [true, false] {
                let case = Case { needs_setup, may_sign_in: false, ..at(path) };
                assert_eq!(decide(case), Verdict::NeedsHttps, "{path}");
            }
        }
    }
}
