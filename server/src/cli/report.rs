use inferex_app::view::{NewShare, ReportRow};
use serde_json::{Value, json};

use super::args::ReportCommand;
use super::{CliError, Client, output};

pub(super) async fn run(client: &Client, command: ReportCommand) -> Result<(), CliError> {
    match command {
        ReportCommand::Create { experiment, title } => {
            let body = json!({ "experiment": experiment, "title": title });
            let created: Value = client.post("/api/v1/reports", &body).await?;
            output::line(created["id"].as_str().unwrap_or_default());
        }
        ReportCommand::List { json } => list(client, json).await?,
        ReportCommand::Share { id, expires } => {
            let body = json!({ "expires": expires });
            let share: NewShare = client.post(&format!("/api/v1/reports/{id}/shares"), &body).await?;
            eprintln!("{}: shown once; revoke it with `inferex report revoke {}`", share.id, share.id);
            output::line(&share.url);
        }
        ReportCommand::Revoke { share } => {
            client.delete(&format!("/api/v1/shares/{share}")).await?;
            output::line(&format!("{share} is revoked"));
        }
    }
    Ok(())
}

async fn list(client: &Client, as_json: bool) -> Result<(), CliError> {
    let rows: Vec<ReportRow> = client.get("/api/v1/reports").await?;
    if as_json {
        return output::json(&rows);
    }
    let cells: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| vec![row.id.to_string(), row.live_shares.to_string(), row.title])
        .collect();
    output::table(&["id", "live links", "title"], &cells);
    Ok(())
}
