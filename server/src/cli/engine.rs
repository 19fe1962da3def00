use std::time::Duration;

use inferex_app::view::{DeploymentView, LogPage};
use inferex_model::deployment::DeploymentState;
use inferex_model::id::DeploymentId;
use serde_json::{Value, json};

use super::args::EngineCommand;
use super::{CliError, Client, output};

const POLL: Duration = Duration::from_millis(300);

pub(super) async fn run(client: &Client, command: EngineCommand) -> Result<(), CliError> {
    match command {
        EngineCommand::Start { variant, runtime, wait } => start(client, &variant, &runtime, wait).await,
        EngineCommand::Stop { id } => {
            let _: Value = client.post(&format!("/api/v1/deployments/{id}/stop"), &json!({})).await?;
            output::line(&format!("{id} is stopping"));
            Ok(())
        }
        EngineCommand::List { json } => list(client, json).await,
        EngineCommand::Logs { id, lines } => {
            let page: LogPage = client.get(&format!("/api/v1/deployments/{id}/logs?limit={lines}")).await?;
            page.lines.iter().for_each(|line| output::line(line));
            Ok(())
        }
        EngineCommand::Status { id, json } => {
            let view = get(client, id).await?;
            if json {
                output::json(&view)
            } else {
                status(&view);
                Ok(())
            }
        }
    }
}

async fn get(client: &Client, id: DeploymentId) -> Result<DeploymentView, CliError> {
    client.get(&format!("/api/v1/deployments/{id}")).await
}

async fn start(client: &Client, variant: &str, runtime: &str, wait: bool) -> Result<(), CliError> {
    if client.is_in_process() {
        let text = "no server holds the data folder, and an engine lives only as long as its server; \
                    start `inferex serve` first";
        return Err(CliError::Unreachable(text.to_owned()));
    }
    let body = json!({ "variant": variant, "runtime": runtime });
    let mut view: DeploymentView = client.post("/api/v1/deployments", &body).await?;
    let mut progress = output::Progress::default();
    while wait && !view.state.is_over() && view.state != DeploymentState::Ready {
        let step = format!("{} {}", view.id, view.state);
        progress.show(&step, &step);
        tokio::time::sleep(POLL).await;
        view = get(client, view.id).await?;
    }
    progress.end();
    status(&view);
    match view.failure {
        Some(failure) => Err(CliError::Unreachable(format!("{} {}", failure.sentence, failure.hint))),
        None => Ok(()),
    }
}

fn status(view: &DeploymentView) {
    let reason = view.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let endpoint = view.endpoint.as_deref().unwrap_or("no endpoint yet");
    output::line(&format!("{} {} {}{reason} {endpoint}", view.id, view.variant, view.state));
}

async fn list(client: &Client, as_json: bool) -> Result<(), CliError> {
    let views: Vec<DeploymentView> = client.get("/api/v1/deployments").await?;
    if as_json {
        return output::json(&views);
    }
    let rows: Vec<Vec<String>> = views
        .into_iter()
        .map(|v| {
            let endpoint = v.endpoint.unwrap_or_else(|| "none".to_owned());
            vec![v.id.to_string(), v.variant, v.state.to_string(), v.owner, endpoint]
        })
        .collect();
    output::table(&["id", "variant", "state", "owner", "endpoint"], &rows);
    Ok(())
}
