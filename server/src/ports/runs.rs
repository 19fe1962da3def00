use std::sync::Arc;

use async_trait::async_trait;
use inferex_app::ports::{Answer, PortError, Runs};
use inferex_app::view::{CommandView, RunView};
use inferex_model::actor::{Actor, Role};
use inferex_model::id::RunId;
use inferex_model::metrics::RequestRow;
use inferex_store::deployments::DeploymentRow;
use inferex_store::runs::RunRow;

use super::variants::masked;
use super::{from_store, require};
use crate::backend::Backend;

pub(super) struct RunsPort(pub(super) Arc<Backend>);

#[async_trait]
impl Runs for RunsPort {
    async fn get(&self, actor: &Actor, id: RunId) -> Answer<RunView> {
        require(actor, Role::Viewer, "reading runs")?;
        self.view(self.row(id).await?).await
    }

    async fn requests(&self, actor: &Actor, id: RunId, offset: u64, limit: u32) -> Answer<Vec<RequestRow>> {
        require(actor, Role::Viewer, "reading runs")?;
        self.row(id).await?;
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.0.store.request_rows(id, offset, limit).await.map_err(from_store("read requests"))
    }

    async fn events(&self, actor: &Actor, id: RunId, after: Option<u32>) -> Answer<Option<(u32, Vec<u8>)>> {
        require(actor, Role::Viewer, "reading runs")?;
        let attempt = self.row(id).await?.attempt;
        let chunk = self.0.store.event_chunk(id, attempt, after).await;
        chunk.map_err(from_store("read events"))
    }
}

impl RunsPort {
    async fn row(&self, id: RunId) -> Answer<RunRow> {
        let row = self.0.store.run(id).await.map_err(from_store("read a run"))?;
        row.ok_or_else(|| PortError::not_found(id))
    }

    async fn view(&self, run: RunRow) -> Answer<RunView> {
        let store = &self.0.store;
        let experiment = store.experiment(run.experiment).await.map_err(from_store("read an experiment"))?;
        let experiment = experiment.ok_or_else(|| PortError::not_found(run.experiment))?;
        let started = match run.deployment {
            Some(id) => store.deployment(id).await.map_err(from_store("read a deployment"))?,
            None => None,
        };
        let variant = experiment.variants.get(run.arm as usize).cloned();
        let (document, generator) =
            run.summary.map_or((None, None), |s| (Some(s.metrics), Some(s.generator)));
        Ok(RunView {
            id: run.id,
            experiment: run.experiment,
            experiment_name: experiment.name,
            arm: run.arm_name,
            arm_index: run.arm as usize,
            level: run.level,
            repeat: run.repeat,
            state: run.state,
            reason: run.reason,
            attempt: i64::from(run.attempt),
            started_at: run.started_at,
            ended_at: run.ended_at,
            progress: run.progress.unwrap_or_default(),
            document,
            generator,
            workload: experiment.spec.workload,
            prompts_hash: experiment.prompts_hash,
            variant: masked(
                variant.ok_or_else(|| PortError::not_found(format!("the variant of {id}", id = run.id)))?,
            ),
            capacity: started.as_ref().and_then(|row| row.capacity.clone()),
            environment: run.environment,
            deployment: run.deployment,
            commands: commands(run.experiment, started.as_ref()),
        })
    }
}

fn commands(
    experiment: inferex_model::id::ExperimentId,
    started: Option<&DeploymentRow>,
) -> Vec<CommandView> {
    let mut commands = vec![CommandView {
        label: "Repeat the experiment this run belongs to".to_owned(),
        text: format!(
            "inferex experiment export {experiment} > {experiment}.toml && inferex experiment run {experiment}.toml --wait"
        ),
    }];
    if let Some(command) = started.and_then(|row| row.command.as_ref()).filter(|command| !command.is_empty())
    {
        let quoted: Vec<String> = command.iter().map(|word| shell_quote(word)).collect();
        commands.push(CommandView { label: "Start the engine as it was".to_owned(), text: quoted.join(" ") });
    }
    commands
}

/// A word as a POSIX shell reads it back.
fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell_quote("--port=1"), "--port=1");
        assert_eq!(shell_quote("a b"), "'a b'");
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
        assert_eq!(shell_quote(""), "''");
    }
}
