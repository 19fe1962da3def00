use std::path::Path;

use inferex_app::view::VariantView;
use inferex_model::variant::VariantFile;

use super::args::VariantCommand;
use super::{CliError, Client, output};

pub(super) async fn run(client: &Client, command: VariantCommand) -> Result<(), CliError> {
    match command {
        VariantCommand::Import { file } => {
            let names: Vec<String> = client.post_toml("/api/v1/variants", read_file(&file)?).await?;
            output::line(&format!("stored: {}", names.join(", ")));
        }
        VariantCommand::Export => {
            let views: Vec<VariantView> = client.get("/api/v1/variants").await?;
            let file = VariantFile { variant: views.into_iter().map(|view| view.variant).collect() };
            output::line(&toml::to_string_pretty(&file).map_err(|e| CliError::Usage(e.to_string()))?);
        }
        VariantCommand::List { json } => list(client, json).await?,
        VariantCommand::Remove { name } => client.delete(&format!("/api/v1/variants/{name}")).await?,
    }
    Ok(())
}

async fn list(client: &Client, as_json: bool) -> Result<(), CliError> {
    let views: Vec<VariantView> = client.get("/api/v1/variants").await?;
    if as_json {
        return output::json(&views);
    }
    let rows: Vec<Vec<String>> = views
        .into_iter()
        .map(|view| {
            let blocked = view.blocked.unwrap_or_else(|| "can start".to_owned());
            let quantisation = view.variant.quantisation.unwrap_or_else(|| "not stated".to_owned());
            vec![view.variant.name, view.variant.engine.to_string(), quantisation, blocked]
        })
        .collect();
    output::table(&["name", "engine", "quantisation", "state"], &rows);
    Ok(())
}

/// The text of a file a person named; refused in one sentence.
pub(super) fn read_file(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path).map_err(|e| CliError::Usage(format!("cannot read {}: {e}", path.display())))
}
