//! The life of a deployment as a pure state machine: observations in, state changes and orders out.
//!
//! No clock, no socket, no process: the driver in [`crate::launch`] turns the world into [`Input`]s and carries out
//! [`Effect`]s in their order. Start from [`step`].

use inferex_model::deployment::{DeploymentState, FailureClass};

use crate::engine::Readiness;
use crate::explain::Exit;

/// So many failed health probes in a row make a ready deployment unhealthy; a busy engine answers late now and then.
pub const UNHEALTHY_AFTER: u32 = 3;

/// Where a deployment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// Its state.
    pub state: DeploymentState,
    /// Health probes that failed in a row since the last good one; counted only while ready.
    pub failed_probes: u32,
}

impl Default for Life {
    fn default() -> Self {
        Self { state: DeploymentState::Pending, failed_probes: 0 }
    }
}

impl Life {
    /// Whether a ready deployment is considered healthy.
    #[must_use]
    pub const fn is_healthy(self) -> bool {
        self.failed_probes < UNHEALTHY_AFTER
    }
}

/// One observation, or one wish of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The runtime started it.
    Spawned,
    /// The health probe answered, or did not.
    Probed(Readiness),
    /// It says that it is healthy, but the one who answers is not (provably) ours.
    Foreign(String),
    /// The real completion came back with a token.
    Completed,
    /// The real completion brought no token; the text says what it brought.
    NotCompleted(String),
    /// The process ended.
    Exited(Exit),
    /// The start deadline passed.
    DeadlinePassed,
    /// Somebody wants it gone.
    StopRequested,
}

/// What the driver has to do, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Tell everybody the new state and why.
    Enter(DeploymentState, String),
    /// Remember why it is not ready yet, without a change of state.
    Note(String),
    /// Send one real completion.
    Complete,
    /// Read what it can hold, before it is called ready.
    ReadCapacity,
    /// End it and wait until nothing of it runs.
    Kill,
    /// Explain the end by exit code and log.
    Explain(Exit),
    /// A failure that needs no exit code.
    Fail(FailureClass),
    /// Health changed.
    Health(bool),
}

/// The next state and what follows from `input`.
#[must_use]
pub fn step(life: Life, input: Input) -> (Life, Vec<Effect>) {
    use DeploymentState as S;
    if life.state.is_over() {
        return (life, Vec::new());
    }
    match input {
        Input::Exited(exit) => exited(life, exit),
        Input::StopRequested if life.state == S::Stopping => (life, Vec::new()),
        Input::StopRequested => enter(S::Stopping, "asked to stop", vec![Effect::Kill]),
        _ if life.state == S::Stopping => (life, Vec::new()),
        Input::Spawned if life.state == S::Pending => {
            enter(S::Starting, "started; waiting for it to answer", vec![])
        }
        Input::DeadlinePassed => deadline_passed(life),
        Input::Probed(_) | Input::Foreign(_) | Input::Completed | Input::NotCompleted(_)
            if life.state == S::Ready =>
        {
            watched(life, &input)
        }
        Input::Probed(readiness) => probed(life, readiness),
        Input::Foreign(who) => (life, vec![Effect::Note(who)]),
        Input::NotCompleted(what) => {
            (life, vec![Effect::Note(format!("the first completion failed: {what}"))])
        }
        Input::Completed if life.state == S::Warming => {
            let (next, mut effects) = enter(S::Ready, "a real completion came back", vec![]);
            effects.insert(0, Effect::ReadCapacity);
            (next, effects)
        }
        Input::Spawned | Input::Completed => (life, Vec::new()),
    }
}

fn deadline_passed(life: Life) -> (Life, Vec<Effect>) {
    if life.state == DeploymentState::Ready {
        return (life, Vec::new());
    }
    let reason = format!("not ready within the start deadline (it was {})", life.state);
    let (next, mut effects) = enter(DeploymentState::Failed, &reason, vec![]);
    // Nothing of it may run any more when the failure is told.
    effects.splice(0..0, [Effect::Kill, Effect::Fail(FailureClass::Timeout)]);
    (next, effects)
}

fn enter(state: DeploymentState, reason: &str, mut more: Vec<Effect>) -> (Life, Vec<Effect>) {
    more.insert(0, Effect::Enter(state, reason.to_owned()));
    (Life { state, failed_probes: 0 }, more)
}

/// States only go forward: an engine that answers late does not fall back from loading to starting.
fn probed(life: Life, readiness: Readiness) -> (Life, Vec<Effect>) {
    use DeploymentState as S;
    match (life.state, readiness) {
        (S::Starting, Readiness::Loading) => {
            enter(S::Loading, "it answers and says that it loads its model", vec![])
        }
        (S::Starting | S::Loading, Readiness::Up) => enter(
            S::Warming,
            "it says that it is healthy; sending one real completion",
            vec![Effect::Complete],
        ),
        (S::Warming, Readiness::Up) => (life, vec![Effect::Complete]),
        (_, Readiness::Unclear(what)) => (life, vec![Effect::Note(what)]),
        _ => (life, Vec::new()),
    }
}

fn watched(life: Life, input: &Input) -> (Life, Vec<Effect>) {
    let good = matches!(input, Input::Probed(Readiness::Up) | Input::Completed);
    let failed_probes = if good { 0 } else { life.failed_probes.saturating_add(1) };
    let next = Life { failed_probes, ..life };
    let changed = next.is_healthy() != life.is_healthy();
    (next, if changed { vec![Effect::Health(next.is_healthy())] } else { vec![] })
}

fn exited(life: Life, exit: Exit) -> (Life, Vec<Effect>) {
    use DeploymentState as S;
    if life.state == S::Stopping {
        return enter(S::Stopped, "nothing of it runs any more", vec![]);
    }
    let reason = format!("it ended while {}", life.state);
    let (next, mut effects) = enter(S::Failed, &reason, vec![]);
    effects.insert(0, Effect::Explain(exit));
    (next, effects)
}

#[cfg(test)]
mod tests;
