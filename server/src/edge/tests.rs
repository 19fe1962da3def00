//! The edge as a browser meets it: real sessions in a real database behind a small site.

mod browser;
mod entrance;
mod refusals;
mod site;

use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY};

use browser::Browser;
use site::{PASSWORD, Site};

/// Everything a page says about itself but the parts drawn anew each time.
fn shown(answer: &browser::Answer) -> String {
    let mut lines: Vec<String> = answer
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().expect("text")))
        .map(|line| if line.starts_with("x-request-id") { "x-request-id: [drawn]".to_owned() } else { line })
        .map(|line| match line.split_once("'nonce-") {
            Some((head, tail)) => {
                format!("{head}'nonce-[drawn]'{}", tail.split_once('\'').expect("closed").1)
            }
            None => line,
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

#[tokio::test]
async fn headers_of_a_page_a_share_and_an_asset() {
    let site = Site::open("http://127.0.0.1:8080").await;
    let browser = Browser::new(&site);
    insta::assert_snapshot!("headers_page", shown(&browser.get("/setup").await));
    insta::assert_snapshot!("headers_share", shown(&browser.get("/r/canary").await));
    insta::assert_snapshot!("headers_asset", shown(&browser.get(&site.stylesheet).await));
}

#[tokio::test]
async fn every_answer_has_its_own_nonce_and_refusals_have_the_headers_too() {
    let site = Site::open("https://inferex.example.org").await;
    let browser = Browser::new(&site);
    let policy = |answer: &browser::Answer| answer.header("content-security-policy").to_owned();
    let (one, two) = (browser.get("/setup").await, browser.get("/setup").await);
    assert_ne!(policy(&one), policy(&two));
    assert!(policy(&one).contains(&format!("'nonce-{}'", one.text.trim())), "the page gets the same nonce");
    let refused = browser.to("evil.example").get("/setup").await;
    assert_eq!(refused.status, StatusCode::MISDIRECTED_REQUEST);
    assert!(policy(&refused).contains("default-src 'none'"));
    assert_eq!(refused.header(STRICT_TRANSPORT_SECURITY.as_str()), "max-age=63072000");
    assert_eq!(refused.header(REFERRER_POLICY.as_str()), "same-origin");
}

#[tokio::test]
async fn pages_are_compressed_unless_they_show_something_once() {
    let site = Site::settled("http://127.0.0.1:8080").await;
    let browser = Browser::new(&site);
    browser.sign_in("ada", PASSWORD).await;
    assert_eq!(browser.get("/long").await.header(CONTENT_ENCODING.as_str()), "gzip");
    let secret = "https://inferex.example.org/r/canary-token";
    browser.post("/do/share", &[("url", secret)]).await;
    let once = browser.get("/long").await;
    assert!(once.text.contains(secret) && !once.headers.contains_key(CONTENT_ENCODING));
    assert!(!site.database().await.contains("canary-token"), "what is shown once is never stored");
    let again = browser.get("/long").await;
    assert!(!again.text.contains(secret), "and shown no second time");
    assert_eq!(once.header(CACHE_CONTROL.as_str()), "no-store");
}
