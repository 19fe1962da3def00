//! What the edge turns away, and what it says.

use axum::body::Body;
use http::header::{CONTENT_LENGTH, LOCATION, ORIGIN};
use http::{Method, StatusCode};

use super::browser::Browser;
use super::site::{PASSWORD, Site};
use crate::edge::limits::LARGEST_BODY;

const LOCAL: &str = "http://127.0.0.1:8080";

#[tokio::test]
async fn a_forged_form_changes_nothing() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    let forged: [&[(&str, &str)]; 5] = [
        &[],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site"), (ORIGIN.as_str(), LOCAL)],
        &[(ORIGIN.as_str(), "http://evil.example")],
        &[(ORIGIN.as_str(), LOCAL), (ORIGIN.as_str(), "http://evil.example")],
    ];
    for headers in forged {
        let refused = browser.send(Method::POST, "/do/sign-out", headers, Body::empty()).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{headers:?}");
        assert!(refused.text.contains("was refused"), "{}", refused.text);
    }
    let api = browser.send(Method::DELETE, "/api/v1/users", &[], Body::empty()).await;
    assert_eq!((api.status, api.header("content-type")), (StatusCode::FORBIDDEN, "application/problem+json"));
    assert_eq!(browser.get("/").await.text, "ada admin", "still signed in");
    let origin = [(ORIGIN.as_str(), LOCAL)];
    let honest = browser.send(Method::POST, "/do/sign-out", &origin, Body::empty()).await;
    assert_eq!(honest.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn only_our_own_names_are_answered() {
    let site = Site::settled("https://inferex.example.org").await;
    let browser = Browser::new(&site);
    for host in
        ["inferex.example.org", "inferex.example.org:443", "localhost:9000", "127.0.0.1:8080", "[::1]"]
    {
        assert_eq!(browser.to(host).get("/login").await.status, StatusCode::OK, "{host}");
    }
    for host in ["evil.example", "inferex.example.org:8443", "10.0.0.1", "localhost.evil.example"] {
        let refused = browser.to(host).get("/login").await;
        assert_eq!(refused.status, StatusCode::MISDIRECTED_REQUEST, "{host}");
        assert!(refused.text.contains("https://inferex.example.org"), "{}", refused.text);
    }
    assert_eq!(browser.to("a b").get("/login").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(browser.to("10.0.0.1").get("/healthz").await.text, "ok", "probes know no name");
}

#[tokio::test]
async fn off_loopback_a_password_needs_https() {
    let site = Site::settled("http://inferex.lan:8080").await;
    let browser = Browser::new(&site);
    for path in ["/", "/login"] {
        let refused = browser.get(path).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}");
        assert!(refused.text.contains("INFEREX_PUBLIC_URL"), "{}", refused.text);
    }
    assert_eq!(browser.sign_in("ada", PASSWORD).await.status, StatusCode::FORBIDDEN);
    assert_eq!(browser.get("/r/token").await.text, "report", "shared reports need no password");
    let tunnel = browser.to("localhost:9000");
    tunnel.sign_in("ada", PASSWORD).await;
    assert_eq!(tunnel.get("/").await.text, "ada admin");
}

#[tokio::test]
async fn strangers_see_public_paths_and_the_entrance_alone() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    for path in ["/login", "/r/token", "/healthz", &site.stylesheet] {
        assert_eq!(browser.get(path).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(browser.get("/long?x=1").await.header(LOCATION.as_str()), "/login?next=/long%3Fx%3D1");
    let api = browser.get("/api/v1/users").await;
    assert_eq!(
        (api.status, api.header("content-type")),
        (StatusCode::UNAUTHORIZED, "application/problem+json")
    );
    assert_eq!(browser.post("/upload", &[]).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(browser.post("/do/share", &[("url", "x")]).await.header(LOCATION.as_str()), "/login");
}

#[tokio::test]
async fn a_garbled_cookie_is_no_session_and_no_error() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    for cookie in ["inferex=", "inferex=nonsense", "inferex=AAAAAAAAAAAAAAAAAAAAAA", "other=x"] {
        browser.set_cookie(cookie);
        assert_eq!(browser.get("/").await.header(LOCATION.as_str()), "/login", "{cookie}");
    }
}

#[tokio::test]
async fn a_body_is_limited_whether_announced_or_not() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    let send = async |size: usize, announced: bool| {
        let size_text = size.to_string();
        let length = if announced { vec![(CONTENT_LENGTH.as_str(), size_text.as_str())] } else { vec![] };
        let headers = [vec![("sec-fetch-site", "same-origin")], length].concat();
        browser.send(Method::POST, "/upload", &headers, Body::from("x".repeat(size))).await
    };
    assert_eq!(send(LARGEST_BODY, false).await.text, LARGEST_BODY.to_string());
    assert_eq!(send(LARGEST_BODY + 1, true).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(send(LARGEST_BODY + 1, false).await.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_handler_that_never_answers_is_given_up() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    browser.get("/").await;
    let answer = browser.get("/slow");
    tokio::pin!(answer);
    // The database works in real time, so the clock stops only once the handler is waiting.
    while futures::poll!(&mut answer).is_pending() {
        if site.slow_began() {
            break;
        }
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    assert_eq!(answer.await.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn strangers_open_shared_reports_at_a_rate() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    for _ in 0..120 {
        assert_eq!(browser.get("/r/token").await.status, StatusCode::OK);
    }
    let refused = browser.get("/r/another").await;
    assert_eq!((refused.status, refused.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, "1"));
    assert_eq!(browser.get("/login").await.status, StatusCode::OK, "the rest of the site is not slowed down");
    assert_eq!(browser.from([192, 0, 2, 2]).get("/r/token").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_handler_that_panics_is_answered_without_its_words() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    let answer = browser.get("/fault").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(
        answer.text.contains("log has the details under") && !answer.text.contains("canary"),
        "{}",
        answer.text
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(browser.get("/").await.text, "ada admin");
}

#[tokio::test]
async fn the_address_is_the_peers_or_a_trusted_proxys_word() {
    let site = Site::settled(LOCAL).await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    let forwarded = [("x-forwarded-for", "198.51.100.7")];
    let stranger = browser.send(Method::GET, "/address", &forwarded, Body::empty()).await;
    assert_eq!(stranger.text, "192.0.2.1");
    let proxy = browser.from([10, 0, 0, 1]).send(Method::GET, "/address", &forwarded, Body::empty()).await;
    assert_eq!(proxy.text, "198.51.100.7");
}
