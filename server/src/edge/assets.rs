//! Static files, part of the program: named by their content and compressed once at start, so that browsers may keep
//! them for ever.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A file as it is embedded.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// For example `app.css`.
    pub(crate) name: &'static str,
    /// Its media type.
    pub(crate) content_type: &'static str,
    /// Its content.
    pub(crate) content: String,
}

/// The files, ready to send.
#[derive(Clone)]
pub(crate) struct Assets(Arc<HashMap<String, File>>);

struct File {
    source_name: &'static str,
    content_type: &'static str,
    plain: Bytes,
    gzip: Bytes,
}

impl Assets {
    /// Names and compresses the files.
    pub(crate) fn new(sources: Vec<Source>) -> Self {
        let files = sources.into_iter().map(|source| (hashed_name(&source), File::new(source)));
        Self(Arc::new(files.collect()))
    }

    /// The address of the file that is embedded as `name`; unknown names give an address that is not found.
    pub(crate) fn path(&self, name: &str) -> String {
        let hashed =
            self.0.iter().find(|(_, file)| file.source_name == name).map(|(hashed, _)| hashed.as_str());
        format!("/assets/{}", hashed.unwrap_or(name))
    }

    /// `/assets/{name}`.
    pub(crate) fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        Router::new().route("/assets/{name}", get(send)).with_state(self.clone())
    }
}

impl File {
    fn new(source: Source) -> Self {
        let plain = Bytes::from(source.content);
        let gzip = gzip(&plain).map_or_else(|_| plain.clone(), Bytes::from);
        Self { source_name: source.name, content_type: source.content_type, plain, gzip }
    }
}

/// `app-1a2b3c4d5e6f.css` for `app.css`.
fn hashed_name(source: &Source) -> String {
    let digest = Sha256::digest(&source.content);
    let hash = u64::from_be_bytes([0, 0, digest[0], digest[1], digest[2], digest[3], digest[4], digest[5]]);
    match source.name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}-{hash:012x}.{extension}"),
        None => format!("{}-{hash:012x}", source.name),
    }
}

fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

async fn send(State(assets): State<Assets>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(file) = assets.0.get(&name) else {
        return super::refuse(
            StatusCode::NOT_FOUND,
            "there is no such file; reload the page that asked for it",
        );
    };
    let is_smaller = file.gzip.len() < file.plain.len();
    let body = if is_smaller && takes_gzip(&headers) { &file.gzip } else { &file.plain };
    let mut response =
        ([(CONTENT_TYPE, file.content_type), (CACHE_CONTROL, FOR_EVER)], body.clone()).into_response();
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    // Also said of the plain form, or the compressing layer would compress it anew each time.
    let encoding = if body == &file.gzip && is_smaller { "gzip" } else { "identity" };
    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    response
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        named && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(content: &str) -> Source {
        Source { name: "app.css", content_type: "text/css; charset=utf-8", content: content.to_owned() }
    }

    #[test]
    fn the_name_follows_the_content() {
        let (one, two) = (Assets::new(vec![source("a{}")]), Assets::new(vec![source("b{}")]));
        assert_ne!(one.path("app.css"), two.path("app.css"));
        let path = one.path("app.css");
        assert!(path.starts_with("/assets/app-"), "{path}");
        assert_eq!((path.len(), path.rsplit_once('.')), (28, Some((&path[..24], "css"))));
        assert_eq!(one.path("other.js"), "/assets/other.js");
    }

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        let takes = |value: &'static str| {
            takes_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };
        assert!(takes("gzip") && takes("br, gzip;q=0.5") && takes("GZIP"));
        assert!(!takes("br") && !takes("gzip;q=0") && !takes("xgzip") && !takes_gzip(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn a_file_is_sent_compressed_and_for_ever() {
        let assets = Assets::new(vec![source(&"a { color: red } ".repeat(100))]);
        let name = assets.path("app.css").trim_start_matches("/assets/").to_owned();
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]);
        let response = send(State(assets.clone()), Path(name), headers).await;
        assert_eq!(response.headers()[CACHE_CONTROL], FOR_EVER);
        assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
        let missing = send(State(assets), Path("app.css".to_owned()), HeaderMap::new()).await;
        assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    }
}
