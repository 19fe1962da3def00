use inferex_app::view::UserView;
use serde_json::{Value, json};

use super::args::UserCommand;
use super::{CliError, Client, output};

pub(super) async fn run(client: &Client, command: UserCommand) -> Result<(), CliError> {
    match command {
        UserCommand::Create { name, role, .. } => {
            let password = output::read_secret()?;
            let body = json!({ "name": name, "role": role, "password": password });
            let user: UserView = client.post("/api/v1/users", &body).await?;
            output::line(&format!("{} {} ({})", user.id, user.name, user.role));
        }
        UserCommand::List { json } => list(client, json).await?,
        UserCommand::Disable { name } => act(client, &name, "disable", &json!({})).await?,
        UserCommand::Enable { name } => act(client, &name, "enable", &json!({})).await?,
        UserCommand::Password { name, .. } => {
            let password = output::read_secret()?;
            act(client, &name, "password", &json!({ "password": password })).await?;
        }
    }
    Ok(())
}

async fn list(client: &Client, as_json: bool) -> Result<(), CliError> {
    let users: Vec<UserView> = client.get("/api/v1/users").await?;
    if as_json {
        return output::json(&users);
    }
    let rows: Vec<Vec<String>> = users
        .iter()
        .map(|u| {
            let state = if u.disabled { "disabled" } else { "enabled" };
            vec![u.id.to_string(), u.name.clone(), u.role.to_string(), state.to_owned()]
        })
        .collect();
    output::table(&["id", "name", "role", "state"], &rows);
    Ok(())
}

async fn act(client: &Client, name: &str, verb: &str, body: &Value) -> Result<(), CliError> {
    let _: Value = client.post(&format!("/api/v1/users/{name}/{verb}"), body).await?;
    output::line(&format!("{name}: {verb} done"));
    Ok(())
}
