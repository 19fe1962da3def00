//! What can go wrong with one request, and the class it gets.

use std::time::Duration;

use inferex_model::event::{ErrorClass, Part};

use super::upstream::{
    Asked, Step, Upstream, delta, done, end, event, finish, good, head, piece, plain, token, usage,
};
use super::*;

/// The class, message and status of a single request that meets these steps.
async fn failure(steps: Vec<Step>) -> (ErrorClass, String, Option<u16>) {
    let upstream = Upstream::start(move |_| steps.clone()).await;
    let observed = observe(LoadJob { request_timeout_ms: 5_000, ..job(&upstream, 1, 1) }).await;
    observed.check(1);
    let error = observed.events().find_map(|event| match event {
        Event::Error { class, message, status, .. } => {
            Some((*class, message.clone().unwrap_or_default(), *status))
        }
        _ => None,
    });
    error.expect("the request fails")
}

async fn class(steps: Vec<Step>) -> ErrorClass {
    failure(steps).await.0
}

#[tokio::test]
async fn a_status_is_told_with_the_kind_of_the_error_but_not_its_words() {
    let body = r#"{"error":{"message":"SECRET prompt","type":"server_error","code":500}}"#;
    let (class, message, status) = failure(vec![plain("500 Internal Server Error", body)]).await;
    assert_eq!((class, status), (ErrorClass::HttpStatus, Some(500)));
    assert_eq!(message, "HTTP 500 Internal Server Error (server_error)");
    let (class, _, status) = failure(vec![plain("429 Too Many Requests", "no JSON")]).await;
    assert_eq!((class, status), (ErrorClass::RateLimited, Some(429)));
}

#[tokio::test]
async fn an_error_inside_a_200_is_found() {
    let error = r#"{"error":{"message":"SECRET","type":"oom"}}"#;
    let (first, message, _) = failure(vec![head(), event(error), end()]).await;
    assert_eq!(first, ErrorClass::ErrorEvent);
    assert!(message.contains("oom") && !message.contains("SECRET"), "{message}");
    assert_eq!(class(vec![head(), token(), event(error), done(), end()]).await, ErrorClass::ErrorEvent);
    assert_eq!(class(vec![plain("200 OK", error)]).await, ErrorClass::ErrorEvent);
    assert_eq!(class(vec![head(), token(), event("{"), done(), end()]).await, ErrorClass::ErrorEvent);
}

#[tokio::test]
async fn an_answer_without_a_token_is_empty() {
    let role = || delta(r#"{"role":"assistant","content":""}"#);
    assert_eq!(class(vec![head(), role(), finish(), usage(), done(), end()]).await, ErrorClass::EmptyAnswer);
    assert_eq!(class(vec![head(), done(), end()]).await, ErrorClass::EmptyAnswer);
    assert_eq!(class(vec![plain("200 OK", r#"{"choices":[]}"#)]).await, ErrorClass::Other);
}

#[tokio::test]
async fn a_stream_without_its_end_is_truncated() {
    assert_eq!(class(vec![head(), token(), end()]).await, ErrorClass::Truncated);
    assert_eq!(class(vec![head(), token(), Step::Close]).await, ErrorClass::Truncated);
    assert_eq!(class(vec![head(), token(), Step::Reset]).await, ErrorClass::Truncated);
    assert_eq!(class(vec![head(), piece("data: {\"choi"), Step::Close]).await, ErrorClass::Truncated);
    assert_eq!(class(vec![head(), end()]).await, ErrorClass::Truncated);
}

#[tokio::test]
async fn a_connection_lost_before_the_answer_began_is_a_connection_fault() {
    assert_eq!(class(vec![Step::Close]).await, ErrorClass::Connect);
    assert_eq!(class(vec![Step::Reset]).await, ErrorClass::Connect);
    assert_eq!(class(vec![Step::Write(b"HTTP/1.1 2".to_vec()), Step::Close]).await, ErrorClass::Connect);
}

#[tokio::test]
async fn nobody_listening_is_a_connection_fault_of_every_request() {
    let upstream = Upstream::start(|_| good()).await;
    let job = job(&upstream, 3, 2);
    let url = upstream.url();
    drop(upstream);
    // The port is free once the aborted task has dropped its listener.
    while tokio::net::TcpStream::connect(url.trim_start_matches("http://")).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let observed = observe(job).await;
    observed.check(3);
    assert!(observed.outcomes().values().all(|end| *end == Some(ErrorClass::Connect)));
    assert!(observed.report().lateness_p99_ms.is_none());
}

#[tokio::test]
async fn a_hanging_upstream_times_out_and_the_others_go_on() {
    let upstream = Upstream::start(|asked| match asked.prompt.as_str() {
        "p0" => vec![Step::Hang],
        "p1" => vec![head(), token(), Step::Hang],
        _ => good(),
    })
    .await;
    let observed = observe(LoadJob { request_timeout_ms: 1_500, ..job(&upstream, 6, 3) }).await;
    observed.check(6);
    let outcomes = observed.outcomes();
    assert_eq!((outcomes[&0], outcomes[&1]), (Some(ErrorClass::Timeout), Some(ErrorClass::Timeout)));
    assert!((2..6).all(|req| outcomes[&req].is_none()), "{outcomes:?}");
}

#[tokio::test]
async fn a_whole_answer_is_good_whatever_its_form() {
    let split = |steps: Vec<Step>| vec![[vec![head()], steps, vec![end()]].concat()];
    let content = r#"{"choices":[{"delta":{"content":"é"},"finish_reason":"stop"}]}"#;
    let line = format!("data: {content}\n\n");
    let (left, right) = line.as_bytes().split_at(line.find('é').expect("there") + 1);
    let forms = [
        split(vec![token(), finish()]),
        split(vec![token(), done()]),
        split(vec![piece(left), piece(right), done()]),
        split(vec![piece(format!(": ping\r\n\r\ndata:{content}\r\n\r\n"))]),
        split(vec![piece(format!("data: {content}\n"))]),
        vec![vec![head(), token(), finish(), Step::Close]],
        vec![vec![head(), token(), finish(), Step::Reset]],
        vec![vec![head(), token(), finish(), done(), Step::Hang]],
    ]
    .concat();
    for (number, steps) in forms.into_iter().enumerate() {
        let upstream = Upstream::start(move |_| steps.clone()).await;
        let observed = observe(job(&upstream, 1, 1)).await;
        observed.check(1);
        assert_eq!(observed.outcomes()[&0], None, "form {number}");
        assert_eq!(observed.parts(0)[0], Part::Content, "form {number}");
    }
}

#[tokio::test]
async fn an_idle_connection_that_was_closed_is_replaced_once() {
    // Every connection serves one request and closes when the second one comes.
    let upstream = Upstream::start(|asked| if asked.earlier == 0 { good() } else { vec![Step::Close] }).await;
    let observed = observe(job(&upstream, 4, 1)).await;
    observed.check(4);
    assert!(observed.outcomes().values().all(Option::is_none), "{:?}", observed.outcomes());
    let report = observed.report();
    assert_eq!((report.connections, report.reused, report.replaced), (4, 0, 3));
}

#[tokio::test]
async fn a_connection_that_breaks_within_an_answer_is_not_tried_again() {
    let script = |asked: &Asked| match asked.earlier {
        0 => good(),
        _ => vec![Step::Write(b"HTTP/1.1 200 OK\r\n".to_vec()), Step::Close],
    };
    let upstream = Upstream::start(script).await;
    let observed = observe(job(&upstream, 2, 1)).await;
    assert_eq!(observed.outcomes()[&1], Some(ErrorClass::Connect));
    assert_eq!(observed.report().replaced, 0);
}

#[tokio::test]
async fn a_server_that_closes_after_each_answer_is_served_by_new_connections() {
    let closing = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_vec();
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n".to_vec();
    let steps =
        vec![Step::Write(closing), Step::Pause(Duration::from_millis(1)), Step::Write(body), Step::Close];
    let upstream = Upstream::start(move |_| steps.clone()).await;
    let observed = observe(job(&upstream, 5, 2)).await;
    observed.check(5);
    assert!(observed.outcomes().values().all(Option::is_none), "{:?}", observed.outcomes());
    let report = observed.report();
    assert_eq!((report.connections, report.reused, report.replaced), (5, 0, 0));
}
