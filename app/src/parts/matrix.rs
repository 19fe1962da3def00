//! The run matrix: rows are arms, a cell is one level of one start.

use std::fmt::Write as _;

use inferex_model::experiment::Level;
use inferex_model::run::RunState;
use leptos::prelude::*;

use super::basic::scroller;
use super::swatch::swatch;
use crate::text::{count, duration, ordinal};
use crate::view::{ExperimentView, RunCell, RunCounts};

/// What stands above it: `39 of 45 done, 1 failed, about 1 min left`.
pub(crate) fn summary(runs: &RunCounts, eta_s: Option<u64>) -> String {
    let mut text = format!("{} of {} done", count(runs.done), count(runs.total));
    for (n, word) in [
        (runs.active, "under way"),
        (runs.failed, "failed"),
        (runs.interrupted, "interrupted"),
        (runs.cancelled, "cancelled"),
    ] {
        if n > 0 {
            let _ = write!(text, ", {} {word}", count(n));
        }
    }
    if let Some(eta) = eta_s {
        let _ = write!(text, ", about {} left", duration(eta));
    }
    text
}

/// The matrix as a table of links.
pub(crate) fn matrix(view: &ExperimentView) -> AnyView {
    let levels = view.spec.levels();
    let repeats: Vec<u32> = (0..view.spec.repeats).collect();
    let starts: Vec<_> = repeats
        .iter()
        .map(|r| view! { <th scope="colgroup" colspan=levels.len().to_string()>{format!("start {}", ordinal(*r))}</th> })
        .collect();
    let heads: Vec<_> = repeats
        .iter()
        .flat_map(|_| levels.iter().map(|l| view! { <th scope="col">{l.label()}</th> }.into_any()))
        .collect();
    let rows: Vec<_> = (0..view.spec.arm.len()).map(|arm| row(view, arm, &repeats, &levels)).collect();
    let table = view! {
        <table class="matrix">
            <caption class="hidden">"Runs by arm, start and load level; each cell links to its run"</caption>
            <thead>
                <tr><td rowspan="2"></td>{starts}</tr>
                <tr class="levels">{heads}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    };
    view! { {scroller("Run matrix", table.into_any())}{legend()} }.into_any()
}

fn row(view: &ExperimentView, arm: usize, repeats: &[u32], levels: &[Level]) -> AnyView {
    let name = view.spec.arm[arm].name.clone();
    let cells: Vec<_> = repeats
        .iter()
        .flat_map(|repeat| levels.iter().map(move |level| (*repeat, *level)))
        .map(|(repeat, level)| {
            let of =
                |c: &&RunCell| c.arm == arm && c.repeat == repeat && c.level.concurrency == level.concurrency;
            let first = level.concurrency == levels[0].concurrency;
            cell(view.cells.iter().find(of), &name, first)
        })
        .collect();
    view! { <tr><th scope="row">{swatch(arm)}{name}</th>{cells}</tr> }.into_any()
}

fn cell(run: Option<&RunCell>, arm: &str, first: bool) -> AnyView {
    let gap = if first { "gap" } else { "" };
    let Some(run) = run else { return view! { <td class=gap></td> }.into_any() };
    let label = format!(
        "{arm}, {}, start {}: {}{}",
        run.level.label(),
        ordinal(run.repeat),
        run.state,
        run.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default()
    );
    let part = run.state.is_active().then(|| {
        let width = 100 * run.progress.done / run.progress.total.max(1);
        view! {
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect width=width.to_string() height="10"></rect>
            </svg>
        }
    });
    view! {
        <td class=gap>
            <a class=class(run.state) href=format!("/runs/{}", run.id) title=label.clone() aria-label=label>{part}</a>
        </td>
    }
    .into_any()
}

const fn class(state: RunState) -> &'static str {
    match state {
        RunState::Queued => "cell queued",
        RunState::Done => "cell done",
        RunState::Failed => "cell failed",
        RunState::Cancelled => "cell cancelled",
        RunState::Interrupted => "cell interrupted",
        RunState::Preparing | RunState::Warming | RunState::Measuring | RunState::Processing => "cell active",
    }
}

fn legend() -> AnyView {
    let item = |class: &'static str, word: &'static str| {
        view! { <li><span class=class aria-hidden="true"></span>{word}</li> }
    };
    view! {
        <ul class="legend">
            {item("cell done", "done")}{item("cell active", "under way")}{item("cell failed", "failed")}
            {item("cell interrupted", "interrupted")}{item("cell cancelled", "cancelled")}{item("cell queued", "queued")}
        </ul>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_every_kind_of_end() {
        let runs = RunCounts { total: 45, done: 39, failed: 1, cancelled: 0, interrupted: 2, active: 1 };
        assert_eq!(
            summary(&runs, Some(61)),
            "39 of 45 done, 1 under way, 1 failed, 2 interrupted, about 1 min 1 s left"
        );
        assert_eq!(summary(&RunCounts { total: 4, done: 4, ..RunCounts::default() }, None), "4 of 4 done");
    }
}
