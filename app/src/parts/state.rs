//! States as chips: icon, word, colour.

use inferex_model::comparison::Verdict;
use inferex_model::deployment::DeploymentState;
use inferex_model::run::{ExperimentState, RunState};
use leptos::prelude::*;

use super::basic::{Tone, chip};
use crate::text::mark;

/// A run's state.
pub(crate) fn run_chip(state: RunState) -> AnyView {
    let (tone, icon) = match state {
        RunState::Queued => (Tone::Plain, "○"),
        RunState::Done => (Tone::Good, "✓"),
        RunState::Failed => (Tone::Bad, "✕"),
        RunState::Cancelled => (Tone::Plain, "⊘"),
        RunState::Interrupted => (Tone::Bad, "⚡"),
        RunState::Preparing | RunState::Warming | RunState::Measuring | RunState::Processing => {
            (Tone::Busy, "◐")
        }
    };
    chip(tone, icon, state.as_str())
}

/// An experiment's state.
pub(crate) fn experiment_chip(state: ExperimentState) -> AnyView {
    let (tone, icon) = match state {
        ExperimentState::Queued => (Tone::Plain, "○"),
        ExperimentState::Running => (Tone::Busy, "◐"),
        ExperimentState::Done => (Tone::Good, "✓"),
        ExperimentState::Partial => (Tone::Bad, "◑"),
        ExperimentState::Cancelled => (Tone::Plain, "⊘"),
        ExperimentState::Failed => (Tone::Bad, "✕"),
    };
    chip(tone, icon, state.as_str())
}

/// A deployment's state.
pub(crate) fn deployment_chip(state: DeploymentState) -> AnyView {
    let (tone, icon) = match state {
        DeploymentState::Ready => (Tone::Good, "✓"),
        DeploymentState::Failed | DeploymentState::Lost => (Tone::Bad, "✕"),
        DeploymentState::Stopped => (Tone::Plain, "■"),
        _ => (Tone::Busy, "◐"),
    };
    chip(tone, icon, state.as_str())
}

/// A verdict: mark, word, colour.
pub(crate) fn verdict(verdict: Verdict) -> AnyView {
    let class = match verdict {
        Verdict::Better => "verdict better",
        Verdict::Worse => "verdict worse",
        Verdict::NoDifferenceShown | Verdict::NotComparable => "verdict",
    };
    view! { <span class=class><span aria-hidden="true">{mark(verdict)}</span>" "{verdict.phrase()}</span> }
        .into_any()
}
