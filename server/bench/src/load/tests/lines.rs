//! The generator behind standard input and output.

use std::time::Duration;

use inferex_model::event::ErrorClass;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;

use super::upstream::{Step, Upstream, good, head, token};
use super::*;
use crate::load::child_main;

/// Far more than any step needs; only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(30);

struct Child {
    stdin: DuplexStream,
    lines: Lines<BufReader<DuplexStream>>,
    main: JoinHandle<Result<(), LoadError>>,
}

fn child() -> Child {
    let (stdin, child_stdin) = tokio::io::duplex(1 << 16);
    let (stdout, child_stdout) = tokio::io::duplex(1 << 10);
    let main = tokio::spawn(child_main(child_stdin, child_stdout));
    Child { stdin, lines: BufReader::new(stdout).lines(), main }
}

impl Child {
    async fn tell(&mut self, job: &LoadJob) {
        let line = format!("{}\n", serde_json::to_string(job).unwrap());
        self.stdin.write_all(line.as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Option<LoadMessage> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("no hang").unwrap()?;
        Some(serde_json::from_str(&line).expect("a message"))
    }

    async fn rest(&mut self) -> Vec<LoadMessage> {
        let mut all = Vec::new();
        while let Some(message) = self.next().await {
            all.push(message);
        }
        all
    }
}

#[tokio::test]
async fn a_job_line_gives_message_lines() {
    let upstream = Upstream::start(|_| good()).await;
    let mut child = child();
    child.tell(&job(&upstream, 20, 2)).await;
    let observed = Observed { messages: child.rest().await };
    observed.check(20);
    child.main.await.unwrap().expect("ends well");
}

#[tokio::test]
async fn events_arrive_while_the_run_goes_on() {
    let upstream = Upstream::start(|_| vec![head(), token(), Step::Hang]).await;
    let mut child = child();
    child.tell(&job(&upstream, 1, 1)).await;
    loop {
        match child.next().await.expect("the run goes on") {
            LoadMessage::Event(Event::Chunk(_)) => break,
            LoadMessage::Finished { .. } | LoadMessage::Failed { .. } => {
                panic!("nothing came before the end")
            }
            _ => {}
        }
    }
    drop(child.stdin);
    child.main.await.unwrap().expect("ends well");
}

#[tokio::test]
async fn the_end_of_standard_input_stops_the_run() {
    let upstream = Upstream::start(|_| vec![head(), token(), Step::Hang]).await;
    let mut child = child();
    child.tell(&job(&upstream, 8, 2)).await;
    let mut messages = Vec::new();
    let is_chunk = |message: &LoadMessage| matches!(message, LoadMessage::Event(Event::Chunk(_)));
    while messages.iter().filter(|message| is_chunk(message)).count() < 2 {
        messages.push(child.next().await.expect("the run goes on"));
    }
    let Child { stdin, .. } = &mut child;
    stdin.shutdown().await.unwrap();
    messages.extend(child.rest().await);
    let observed = Observed { messages };
    observed.check(2);
    assert!(observed.outcomes().values().all(|end| *end == Some(ErrorClass::Cancelled)));
    child.main.await.unwrap().expect("ends well");
}

#[tokio::test]
async fn a_vanished_reader_stops_the_run() {
    let upstream = Upstream::start(|_| good()).await;
    let mut child = child();
    child.tell(&job(&upstream, 5_000, 2)).await;
    child.next().await.expect("it starts");
    drop(child.lines);
    let result = tokio::time::timeout(PATIENCE, child.main).await.expect("no hang").unwrap();
    assert!(result.is_err(), "{result:?}");
}

#[tokio::test]
async fn nonsense_is_answered_with_a_failure() {
    for line in ["", "{}\n", "no JSON\n"] {
        let mut child = child();
        child.stdin.write_all(line.as_bytes()).await.unwrap();
        child.stdin.shutdown().await.unwrap();
        let messages = child.rest().await;
        assert!(
            matches!(&messages[..], [LoadMessage::Failed { failed }] if failed.contains("job")),
            "{messages:?}"
        );
        assert!(child.main.await.unwrap().is_err());
    }
}
