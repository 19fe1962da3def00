//! The closed loop: places refilled at once, never a barrier; its window; warm-up; cancelling.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use inferex_model::environment::GeneratorVerdict;
use inferex_model::event::{ErrorClass, Part};
use inferex_model::load::LoadMessage;
use tokio::sync::{Barrier, Semaphore};
use tokio_util::sync::CancellationToken;

use super::upstream::{Step, Upstream, good, head, token};
use super::*;

#[tokio::test]
async fn a_run_tells_everything_in_order() {
    let upstream = Upstream::start(|asked| {
        let body = &asked.body;
        assert_eq!(
            (&body["stream"], &body["stream_options"]["include_usage"], &body["ignore_eos"]),
            (&true.into(), &true.into(), &true.into())
        );
        assert_eq!((&body["max_tokens"], &body["model"], &body["seed"]), (&4.into(), &"m".into(), &0.into()));
        assert_eq!(body["temperature"].as_f64(), Some(0.0));
        good()
    })
    .await;
    let observed = observe(job(&upstream, 9, 2)).await;
    observed.check(9);
    assert!(observed.outcomes().values().all(Option::is_none), "{:?}", observed.outcomes());
    assert_eq!(observed.parts(3), [Part::Role, Part::Content, Part::Content, Part::Empty, Part::Usage]);
    let report = observed.report();
    assert_eq!((report.connections, report.reused, report.replaced), (2, 7, 0));
    assert!(report.lateness_p99_ms.is_some() && report.cpu_share.is_some() && report.nice.is_some());
    assert_ne!(report.verdict, GeneratorVerdict::Unknown, "{}", report.reason);
    assert_eq!(upstream.counts.connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn ignore_eos_is_left_out_when_it_is_not_wanted() {
    let upstream = Upstream::start(|asked| {
        assert!(asked.body.get("ignore_eos").is_none());
        good()
    })
    .await;
    let job = LoadJob { ignore_eos: false, ..job(&upstream, 1, 1) };
    assert_eq!(observe(job).await.outcomes()[&0], None);
}

#[tokio::test]
async fn one_slow_request_holds_nobody_up() {
    let held = Arc::new(Semaphore::new(0));
    let gate = Arc::clone(&held);
    // p0 goes on only when the last of the others has been asked for: a barrier between rounds would never get there.
    let upstream = Upstream::start(move |asked| match asked.prompt.as_str() {
        "p0" => [vec![head(), Step::Wait(Arc::clone(&gate))], good().split_off(1)].concat(),
        "p11" => [vec![Step::Give(Arc::clone(&gate))], good()].concat(),
        _ => good(),
    })
    .await;
    let observed = observe(job(&upstream, 12, 3)).await;
    observed.check(12);
    assert!(observed.outcomes().values().all(Option::is_none), "{:?}", observed.outcomes());
}

#[tokio::test]
async fn exactly_as_many_requests_as_places_are_in_flight() {
    let all_places = Arc::new(Barrier::new(4));
    let upstream =
        Upstream::start(move |_| [vec![Step::Meet(Arc::clone(&all_places))], good()].concat()).await;
    // Every request waits for three companions: with fewer than four places filled this would hang.
    let observed = observe(job(&upstream, 16, 4)).await;
    observed.check(16);
    assert!(observed.outcomes().values().all(Option::is_none));
    assert_eq!(upstream.counts.peak.load(Ordering::SeqCst), 4);
    let sent = |req: u64| match observed.by_request()[&req][1] {
        Event::Sent { t, .. } => *t,
        other => panic!("{other:?}"),
    };
    let (from, to) = observed.window();
    assert_eq!(from, (0..4).map(sent).max().expect("four"));
    assert!(to > sent(15));
}

#[tokio::test]
async fn fewer_requests_than_places_is_no_fault() {
    let upstream = Upstream::start(|_| good()).await;
    let observed = observe(job(&upstream, 2, 8)).await;
    observed.check(2);
    assert_eq!(observed.report().connections, 2);
}

#[tokio::test]
async fn warm_up_is_sent_first_and_not_told() {
    let upstream = Upstream::start(|_| good()).await;
    let job = LoadJob { warmup: vec!["w0".to_owned(), "w1".to_owned()], ..job(&upstream, 2, 1) };
    let observed = observe(job).await;
    observed.check(2);
    assert_eq!(observed.messages[0], LoadMessage::Started { warmed: 2 });
    assert_eq!(upstream.counts.requests.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_run_whose_warm_up_fails_altogether_is_not_measured() {
    let upstream = Upstream::start(|_| vec![super::upstream::plain("500 Internal Server Error", "{}")]).await;
    let job = LoadJob { warmup: vec!["w0".to_owned()], ..job(&upstream, 2, 1) };
    let (result, observed) = observe_with(job, CancellationToken::new()).await;
    let error = result.expect_err("no warm-up succeeded").to_string();
    assert!(error.contains("http_status") && error.contains("500"), "{error}");
    assert!(observed.messages.is_empty());
}

#[tokio::test]
async fn cancelling_ends_requests_in_flight_and_sends_no_more() {
    let cancel = CancellationToken::new();
    let trigger = cancel.clone();
    let upstream = Upstream::start(move |asked| match asked.prompt.as_str() {
        "p0" => good(),
        "p1" => vec![head(), token(), Step::Hang],
        _ => {
            trigger.cancel();
            vec![Step::Hang]
        }
    })
    .await;
    let (result, observed) = observe_with(job(&upstream, 50, 2), cancel).await;
    result.expect("a cancelled run still ends well");
    observed.check(3);
    let outcomes = observed.outcomes();
    assert_eq!(outcomes[&0], None);
    assert_eq!((outcomes[&1], outcomes[&2]), (Some(ErrorClass::Cancelled), Some(ErrorClass::Cancelled)));
}

#[tokio::test]
async fn a_run_cancelled_before_it_begins_measures_nothing() {
    let upstream = Upstream::start(|_| good()).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (result, observed) = observe_with(job(&upstream, 5, 2), cancel).await;
    assert!(matches!(result, Err(LoadError::Cancelled)));
    assert!(observed.messages.is_empty());
    assert_eq!(upstream.counts.requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_reader_that_goes_away_stops_the_run() {
    let upstream = Upstream::start(|_| good()).await;
    let (out, messages) = mpsc::channel(1);
    drop(messages);
    let result = run(job(&upstream, 5, 2), out, CancellationToken::new()).await;
    assert!(matches!(result, Err(LoadError::ReaderGone)), "{result:?}");
}

#[tokio::test]
async fn senseless_jobs_are_refused_before_anything_is_sent() {
    let upstream = Upstream::start(|_| good()).await;
    let good_job = job(&upstream, 1, 1);
    let jobs = [
        LoadJob { prompts: Vec::new(), ..good_job.clone() },
        LoadJob { concurrency: 0, ..good_job.clone() },
        LoadJob { output_tokens: 0, ..good_job.clone() },
        LoadJob { request_timeout_ms: 0, ..good_job.clone() },
        LoadJob { base_url: "https://127.0.0.1:1".to_owned(), ..good_job },
    ];
    for job in jobs {
        let (result, observed) = observe_with(job, CancellationToken::new()).await;
        assert!(matches!(result, Err(LoadError::Job(_) | LoadError::Url { .. })), "{result:?}");
        assert!(observed.messages.is_empty());
    }
    assert_eq!(upstream.counts.connections.load(Ordering::SeqCst), 0);
}
