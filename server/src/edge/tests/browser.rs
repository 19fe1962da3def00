//! As much of a browser as the edge can tell from a real one: it keeps cookies, and says where requests come from.

use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::Mutex;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use http::{HeaderMap, Method, Request, StatusCode};
use tower::ServiceExt as _;

use super::site::Site;

pub(super) struct Browser {
    app: Router,
    host: String,
    peer: SocketAddr,
    cookie: Mutex<Option<String>>,
}

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

impl Browser {
    pub(super) fn new(site: &Site) -> Self {
        let (_, host) = site.origin.split_once("://").expect("an origin");
        let peer = SocketAddr::from(([192, 0, 2, 1], 50_000));
        Self { app: site.app.clone(), host: host.to_owned(), peer, cookie: Mutex::new(None) }
    }

    /// The same browser, asking another host.
    pub(super) fn to(&self, host: &str) -> Self {
        let cookie = Mutex::new(self.cookie());
        Self { app: self.app.clone(), host: host.to_owned(), peer: self.peer, cookie }
    }

    /// The same browser at another address.
    pub(super) fn from(&self, peer: [u8; 4]) -> Self {
        Self { peer: SocketAddr::from((peer, 50_000)), ..self.to(&self.host) }
    }

    /// `name=value` of the cookie it keeps.
    pub(super) fn cookie(&self) -> Option<String> {
        self.cookie.lock().expect("unpoisoned").clone()
    }

    pub(super) fn set_cookie(&self, cookie: &str) {
        *self.cookie.lock().expect("unpoisoned") = Some(cookie.to_owned());
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], Body::empty()).await
    }

    /// A form of the site's own page.
    pub(super) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let escape = |text: &str| text.replace('%', "%25").replace('&', "%26").replace('+', "%2B");
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect();
        let headers =
            [("sec-fetch-site", "same-origin"), (CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded")];
        self.send(Method::POST, path, &headers, Body::from(pairs.join("&"))).await
    }

    pub(super) async fn sign_in(&self, name: &str, password: &str) -> Answer {
        self.post("/do/sign-in", &[("name", name), ("password", password)]).await
    }

    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Body,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header(HOST, &self.host);
        request = request.header(ACCEPT_ENCODING, "gzip").extension(ConnectInfo(self.peer));
        if let Some(cookie) = self.cookie() {
            request = request.header(COOKIE, cookie);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response =
            self.app.clone().oneshot(request.body(body).expect("a request")).await.expect("infallible");
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 1 << 24).await.expect("a body");
        self.keep_cookie(&parts.headers);
        Answer { status: parts.status, text: decoded(&parts.headers, &bytes), headers: parts.headers }
    }

    fn keep_cookie(&self, headers: &HeaderMap) {
        for cookie in headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("text");
            let pair = cookie.split(';').next().expect("a pair").to_owned();
            let removed = cookie.contains("Max-Age=0");
            *self.cookie.lock().expect("unpoisoned") = (!removed).then_some(pair);
        }
    }
}

fn decoded(headers: &HeaderMap, bytes: &[u8]) -> String {
    let mut text = String::new();
    if headers.get(CONTENT_ENCODING).is_some_and(|coding| coding == "gzip") {
        flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).expect("gzip");
    } else {
        text.push_str(&String::from_utf8_lossy(bytes));
    }
    text
}
