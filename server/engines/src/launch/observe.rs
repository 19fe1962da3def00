//! One look at a running engine over HTTP, turned into a lifecycle input.
//!
//! May not change anything; dropping a look half-way loses nothing. Start from [`View`].

use std::time::Duration;

use tokio::time::sleep;

use super::driver::Seed;
use crate::engine::{Answer, ProbeRequest, Readiness};
use crate::lifecycle::Input;
use crate::runtime::Ownership;

/// What a look at the running engine needs; separate from the driver so that the process can be waited for meanwhile.
pub(super) struct View<'a> {
    pub(super) seed: &'a Seed,
    pub(super) base: &'a str,
    pub(super) ownership: &'a Ownership,
    pub(super) starting: bool,
}

impl View<'_> {
    /// The completion that is due, or after `wait` the next probe.
    pub(super) async fn observe(&self, completion_due: bool, wait: Duration) -> Input {
        let engine = self.seed.engine;
        if completion_due {
            let request = engine.completion(self.seed.variant.served_name());
            let answer = self.send(&request).await;
            return engine.read_completion(&answer).map_or_else(Input::NotCompleted, |()| Input::Completed);
        }
        sleep(wait).await;
        match engine.read_health(&self.send(&engine.health()).await) {
            Readiness::Up if self.starting => match self.stranger().await {
                Some(who) => Input::Foreign(who),
                None => Input::Probed(Readiness::Up),
            },
            readiness => Input::Probed(readiness),
        }
    }

    /// Why the one who answers is not taken for ours.
    async fn stranger(&self) -> Option<String> {
        let (port, served) = (self.seed.listen.port, self.seed.variant.served_name());
        if self.ownership.of(port) == Some(false) {
            return Some(format!("another program answers on port {port}"));
        }
        match self.send(&self.seed.engine.models()).await {
            Answer::Page { status: 200, body } if self.seed.engine.serves(&body, served) => None,
            Answer::Page { status: 200, .. } => {
                Some(format!("the server on port {port} does not serve `{served}`"))
            }
            answer => Some(format!("the list of models could not be read: {}", in_words(&answer))),
        }
    }

    async fn send(&self, request: &ProbeRequest) -> Answer {
        self.seed.probe.send(self.base, request).await
    }
}

fn in_words(answer: &Answer) -> String {
    match answer {
        Answer::Refused => "the connection was refused".to_owned(),
        Answer::Silent(what) => what.clone(),
        Answer::Page { status, .. } => format!("HTTP {status}"),
    }
}
