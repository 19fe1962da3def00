use std::time::Duration;

use inferex_app::view::{EstimateView, ExperimentRow, ExperimentView};
use inferex_model::id::ExperimentId;
use inferex_model::run::ExperimentState;
use serde::Deserialize;
use serde_json::{Value, json};

use super::args::ExperimentCommand;
use super::variant::read_file;
use super::{CliError, Client, output};

const POLL: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
struct Created {
    id: ExperimentId,
}

pub(super) async fn run(client: &Client, command: ExperimentCommand) -> Result<(), CliError> {
    match command {
        ExperimentCommand::Run { file, wait, json } => queue(client, read_file(&file)?, wait, json).await,
        ExperimentCommand::List { json } => list(client, json).await,
        ExperimentCommand::Show { id, json } => show(&get(client, id).await?, json),
        ExperimentCommand::Cancel { id } => {
            let _: Value = client.post(&format!("/api/v1/experiments/{id}/cancel"), &json!({})).await?;
            output::line(&format!("{id} is cancelled; finished runs stay"));
            Ok(())
        }
        ExperimentCommand::Requeue { id } => {
            let answer: Value = client.post(&format!("/api/v1/experiments/{id}/requeue"), &json!({})).await?;
            output::line(&format!("{id}: {} interrupted runs queued again", answer["queued"]));
            Ok(())
        }
        ExperimentCommand::Export { id } => {
            let text = client.get_text(&format!("/api/v1/experiments/{id}/export.toml")).await?;
            output::line(text.trim_end());
            Ok(())
        }
    }
}

async fn get(client: &Client, id: ExperimentId) -> Result<ExperimentView, CliError> {
    client.get(&format!("/api/v1/experiments/{id}")).await
}

async fn queue(client: &Client, text: String, wait: bool, as_json: bool) -> Result<(), CliError> {
    let estimate: EstimateView = client.post_toml("/api/v1/experiments/estimate", text.clone()).await?;
    let created: Created = client.post_toml("/api/v1/experiments", text).await?;
    eprintln!(
        "{} queued: {} runs, about {} ({})",
        created.id,
        estimate.runs,
        output::duration(estimate.seconds + estimate.queue_seconds),
        estimate.basis
    );
    if !wait {
        if client.is_in_process() {
            eprintln!("no server runs; the queue goes on when `inferex serve` is started");
        }
        output::line(&created.id.to_string());
        return Ok(());
    }
    client.start_queue();
    let view = watch(client, created.id).await?;
    show(&view, as_json)?;
    match view.row.state {
        ExperimentState::Done => Ok(()),
        state => Err(CliError::No(format!(
            "{} ended {state}: {} of {} runs have figures",
            created.id, view.row.runs.done, view.row.runs.total
        ))),
    }
}

async fn watch(client: &Client, id: ExperimentId) -> Result<ExperimentView, CliError> {
    let mut progress = output::Progress::default();
    loop {
        let view = get(client, id).await?;
        if view.row.state.is_over() {
            progress.end();
            return Ok(view);
        }
        let runs = view.row.runs;
        let eta = view.progress.eta_s.map_or_else(|| "unknown".to_owned(), output::duration);
        progress.show(
            &view.progress.now,
            &format!(
                "{id} {} of {} runs done, {} failed, ETA {eta} · {}",
                runs.done, runs.total, runs.failed, view.progress.now
            ),
        );
        tokio::select! {
            () = tokio::time::sleep(POLL) => {}
            _ = tokio::signal::ctrl_c() => {
                progress.end();
                if client.is_in_process() {
                    let _: Value = client.post(&format!("/api/v1/experiments/{id}/cancel"), &json!({})).await?;
                    return Err(CliError::No(format!("{id} was cancelled; finished runs stay")));
                }
                return Err(CliError::No(format!("no longer watching; {id} goes on in the server")));
            }
        }
    }
}

fn show(view: &ExperimentView, as_json: bool) -> Result<(), CliError> {
    if as_json {
        return output::json(view);
    }
    let Some(result) = &view.result else {
        output::line(&format!("{} {}: no figures yet", view.row.id, view.row.state));
        return Ok(());
    };
    output::line(&format!("{} ({})", result.finding.sentence, result.finding.uncertainty));
    result.finding.beware.iter().for_each(|line| output::line(&format!("  beware: {line}")));
    let mut rows = Vec::new();
    for arm in &result.arms {
        for (level, figures) in result.levels.iter().zip(&arm.figures) {
            let text = |estimate: Option<inferex_app::view::Estimate>| {
                estimate.map_or_else(|| "missing".to_owned(), |e| format!("{:.1}", e.median))
            };
            let cells = figures.as_ref().map_or_else(
                || vec!["missing".to_owned(); 4],
                |f| {
                    vec![
                        text(f.output_throughput_tok_s),
                        text(f.per_request_tok_s),
                        text(f.ttft_p95_ms),
                        format!("{} / {}", f.failed, f.requests),
                    ]
                },
            );
            rows.push([vec![arm.name.clone(), level.label()], cells].concat());
        }
    }
    output::table(&["arm", "level", "system tok/s", "per request tok/s", "TTFT p95 ms", "errors"], &rows);
    for comparison in &result.comparisons {
        output::line(&format!("{}: {} ({})", comparison.candidate, comparison.verdict, comparison.reason));
    }
    Ok(())
}

async fn list(client: &Client, as_json: bool) -> Result<(), CliError> {
    let rows: Vec<ExperimentRow> = client.get("/api/v1/experiments").await?;
    if as_json {
        return output::json(&rows);
    }
    let cells: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| {
            let runs = format!("{} of {}", row.runs.done, row.runs.total);
            vec![row.id.to_string(), row.state.to_string(), runs, row.name]
        })
        .collect();
    output::table(&["id", "state", "runs", "name"], &cells);
    Ok(())
}
