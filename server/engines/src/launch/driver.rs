//! The task behind one deployment: turns the world into lifecycle inputs and carries out the effects.
//!
//! Waits at one place only, in `next_input`; whatever wakes it first wins, and an end of the process is asked first.

use std::future::pending;
use std::sync::Arc;

use inferex_model::deployment::{DeploymentState, Failure, FailureClass};
use inferex_model::time::{Clock, Timestamp};
use inferex_model::variant::Variant;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::Pace;
use super::deployment::Deployment;
use super::probe::Probe;
use super::status::{StartTimings, Status, Transition};
use crate::engine::{Answer, CapacityPages, Engine, Listen, ProbeRequest};
use crate::explain::{decisive_lines, explain, refusal};
use crate::lifecycle::{Effect, Input, Life, step};
use crate::runtime::{Ownership, Started};
use crate::secret::Secrets;

/// How much of the log's end is read for an explanation.
const TAIL_BYTES: usize = 64 * 1024;
/// How much of the log's beginning is read for what the engine resolved.
const HEAD_BYTES: usize = 256 * 1024;

/// What a driver needs.
pub(super) struct Seed {
    pub(super) engine: &'static dyn Engine,
    pub(super) probe: Probe,
    pub(super) pace: Pace,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) variant: Variant,
    pub(super) secrets: Secrets,
    pub(super) command: Vec<String>,
    pub(super) listen: Listen,
    pub(super) spawned_at: Timestamp,
}

struct Driver {
    seed: Seed,
    started: Box<dyn Started>,
    ownership: Ownership,
    base: String,
    life: Life,
    deadline: Instant,
    /// Set by the effect `Complete`: the next observation is the real completion.
    completion_due: bool,
    stop: CancellationToken,
    status: watch::Sender<Status>,
    transitions: mpsc::UnboundedSender<Transition>,
}

/// Starts the task and gives its handle.
pub(super) fn drive(seed: Seed, started: Box<dyn Started>) -> Deployment {
    let log = started.log();
    let (status, watched) = watch::channel(first_status(&seed, started.as_ref()));
    let (transitions, taken) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let driver = Driver {
        base: base_url(&seed.listen),
        ownership: started.ownership(),
        deadline: Instant::now() + seed.variant.start_deadline().as_duration(),
        life: Life::default(),
        completion_due: false,
        stop: stop.clone(),
        seed,
        started,
        status,
        transitions,
    };
    tokio::spawn(driver.run());
    Deployment { status: watched, transitions: Some(taken), stop, log }
}

impl Driver {
    async fn run(mut self) {
        let mut input = Input::Spawned;
        loop {
            let (life, effects) = step(self.life, input);
            self.life = life;
            let mut follow_up = None;
            for effect in effects {
                follow_up = self.carry_out(effect).await.or(follow_up);
            }
            if self.life.state.is_over() {
                return;
            }
            input = match follow_up {
                Some(input) => input,
                None => self.next_input().await,
            };
        }
    }

    async fn next_input(&mut self) -> Input {
        let starting = self.life.state != DeploymentState::Ready;
        let deadline = self.deadline;
        let past_deadline = async { if starting { sleep_until(deadline).await } else { pending().await } };
        let wait = if starting { self.seed.pace.starting } else { self.seed.pace.watching };
        let due = std::mem::take(&mut self.completion_due);
        let view =
            super::observe::View { seed: &self.seed, base: &self.base, ownership: &self.ownership, starting };
        let (started, stop) = (&mut self.started, &self.stop);
        tokio::select! {
            biased;
            exit = started.exited() => Input::Exited(exit),
            () = stop.cancelled() => Input::StopRequested,
            () = past_deadline => Input::DeadlinePassed,
            input = view.observe(due, wait) => input,
        }
    }

    async fn carry_out(&mut self, effect: Effect) -> Option<Input> {
        match effect {
            Effect::Enter(state, reason) => self.enter(state, reason),
            Effect::Note(reason) => {
                let reason = self.seed.secrets.mask(&reason);
                self.status.send_if_modified(|status| {
                    let changed = status.reason != reason;
                    status.reason = reason;
                    changed
                });
            }
            Effect::Complete => self.plan_completion(),
            Effect::ReadCapacity => self.read_capacity().await,
            Effect::Kill => {
                let exit = self.started.stop().await;
                return Some(Input::Exited(exit));
            }
            Effect::Explain(exit) => {
                let log = self.started.log().tail(TAIL_BYTES).unwrap_or_default();
                self.fail(explain(self.seed.engine, exit, &log));
            }
            Effect::Fail(class) => {
                let failure = self.not_ready(class);
                self.fail(failure);
            }
            Effect::Health(healthy) => {
                let since = (!healthy).then(|| self.seed.clock.now());
                self.status.send_modify(|status| status.unhealthy_since = since);
            }
        }
        None
    }

    /// The first time that it called itself healthy also ends its load time.
    fn plan_completion(&mut self) {
        self.completion_due = true;
        let load_ms = self.elapsed_ms();
        self.status.send_if_modified(|status| {
            let first = status.timings.load_ms.is_none();
            status.timings.load_ms = status.timings.load_ms.or(load_ms);
            first
        });
    }

    fn enter(&mut self, state: DeploymentState, reason: String) {
        let at = self.seed.clock.now();
        let warm_ms = self.elapsed_ms();
        let base = &self.base;
        self.status.send_modify(|status| {
            let ready = state == DeploymentState::Ready;
            status.state = state;
            status.since = at;
            status.reason.clone_from(&reason);
            status.endpoint = ready.then(|| base.clone());
            status.unhealthy_since = None;
            if ready {
                status.timings.warm_ms = warm_ms;
            }
        });
        // Nobody needs to listen.
        let _ = self.transitions.send(Transition { state, at, reason });
    }

    async fn read_capacity(&mut self) {
        let info = self.page(&self.seed.engine.info()).await;
        let models = self.page(&self.seed.engine.models()).await;
        let head = self.started.log().read_from(0, HEAD_BYTES).map(|chunk| chunk.text).unwrap_or_default();
        let pages = CapacityPages { info: info.as_deref(), models: models.as_deref(), log: &head };
        let capacity = self.seed.engine.read_capacity(pages);
        self.status.send_modify(|status| status.capacity = Some(capacity));
    }

    async fn page(&self, request: &ProbeRequest) -> Option<String> {
        match self.seed.probe.send(&self.base, request).await {
            Answer::Page { status: 200, body } => Some(body),
            _ => None,
        }
    }

    fn fail(&mut self, mut failure: Failure) {
        let mask = |text: &mut String| *text = self.seed.secrets.mask(text);
        mask(&mut failure.sentence);
        failure.lines.iter_mut().for_each(mask);
        self.status.send_modify(|status| status.failure = Some(failure));
    }

    fn not_ready(&self, class: FailureClass) -> Failure {
        let label = self.seed.engine.label();
        let deadline = self.seed.variant.start_deadline();
        let last = self.status.borrow().reason.clone();
        let log = self.started.log().tail(TAIL_BYTES).unwrap_or_default();
        let mut failure = refusal(
            class,
            format!("{label} was not ready within its start deadline of {deadline}; last: {last}"),
            "Read the last lines of its log; if it only needs longer, raise the variant's `start_deadline`.",
        );
        failure.lines = decisive_lines(&log);
        failure
    }

    fn elapsed_ms(&self) -> Option<u64> {
        u64::try_from(self.seed.clock.now().since_ms(self.seed.spawned_at)).ok()
    }
}

/// An engine that listens on every address is reached on this machine's own.
fn base_url(listen: &Listen) -> String {
    let host = match listen.host.as_str() {
        "0.0.0.0" | "::" => "127.0.0.1",
        host => host,
    };
    if host.contains(':') {
        return format!("http://[{host}]:{}", listen.port);
    }
    format!("http://{host}:{}", listen.port)
}

fn first_status(seed: &Seed, started: &dyn Started) -> Status {
    Status {
        state: DeploymentState::Pending,
        since: seed.spawned_at,
        reason: "about to start".to_owned(),
        failure: None,
        capacity: None,
        endpoint: None,
        port: seed.listen.port,
        identity: started.identity().cloned(),
        command: seed.command.clone(),
        timings: StartTimings { spawned_at: seed.spawned_at, load_ms: None, warm_ms: None },
        unhealthy_since: None,
    }
}
