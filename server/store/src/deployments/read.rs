//! Reading deployments back, with their transitions.

use inferex_model::id::{BlockId, DeploymentId};
use inferex_model::time::Timestamp;

use super::{DeploymentOwner, DeploymentRow, Transition};
use crate::codec::{damaged, from_json, from_word, maybe_json};
use crate::{Store, StoreError};

struct RawDeployment {
    id: i64,
    variant: String,
    runtime: String,
    block_id: Option<i64>,
    created_by: String,
    created_at: i64,
    state: String,
    ended_at: Option<i64>,
    identity: Option<String>,
    endpoint: Option<String>,
    port: Option<i64>,
    log_path: Option<String>,
    command: Option<String>,
    capacity: Option<String>,
    failure: Option<String>,
}

impl RawDeployment {
    fn read(self) -> Result<DeploymentRow, StoreError> {
        let id = DeploymentId(self.id);
        let port = self.port.map(u16::try_from).transpose().map_err(|error| damaged("port", id, error))?;
        Ok(DeploymentRow {
            id,
            variant: from_json("variant", id, &self.variant)?,
            runtime: from_word("runtime", id, &self.runtime)?,
            owner: self.block_id.map_or(DeploymentOwner::Person, |id| DeploymentOwner::Block(BlockId(id))),
            created_by: self.created_by,
            created_at: Timestamp(self.created_at),
            state: from_word("deployment state", id, &self.state)?,
            ended_at: self.ended_at.map(Timestamp),
            identity: maybe_json("process identity", id, self.identity)?,
            endpoint: self.endpoint,
            port,
            log_path: self.log_path,
            command: maybe_json("command", id, self.command)?,
            capacity: maybe_json("capacity", id, self.capacity)?,
            failure: maybe_json("failure", id, self.failure)?,
            transitions: Vec::new(),
        })
    }
}

/// The columns of [`RawDeployment`] with a tail of SQL.
macro_rules! select_deployments {
    ($tail:literal $(, $arg:expr)*) => {
        sqlx::query_as!(
            RawDeployment,
            r#"SELECT id, variant, runtime, block_id, created_by, created_at, state, ended_at, identity, endpoint,
                      port, log_path, command, capacity, failure FROM deployments "# + $tail
            $(, $arg)*
        )
    };
}

impl Store {
    /// The newest `limit` deployments, newest first.
    pub async fn deployments(&self, limit: u32) -> Result<Vec<DeploymentRow>, StoreError> {
        let found = select_deployments!("ORDER BY id DESC LIMIT ?", limit).fetch_all(self.read()).await?;
        self.with_transitions(found).await
    }

    /// The deployment of that id.
    pub async fn deployment(&self, id: DeploymentId) -> Result<Option<DeploymentRow>, StoreError> {
        let found = select_deployments!("WHERE id = ?", id.0).fetch_all(self.read()).await?;
        Ok(self.with_transitions(found).await?.pop())
    }

    /// All deployments that are not over, oldest first.
    pub async fn open_deployments(&self) -> Result<Vec<DeploymentRow>, StoreError> {
        let found = select_deployments!("WHERE state NOT IN ('stopped', 'failed', 'lost') ORDER BY id");
        let found = found.fetch_all(self.read()).await?;
        self.with_transitions(found).await
    }

    async fn with_transitions(&self, found: Vec<RawDeployment>) -> Result<Vec<DeploymentRow>, StoreError> {
        let mut rows = Vec::with_capacity(found.len());
        for raw in found {
            let mut row = raw.read()?;
            row.transitions = self.transitions(row.id).await?;
            rows.push(row);
        }
        Ok(rows)
    }

    async fn transitions(&self, id: DeploymentId) -> Result<Vec<Transition>, StoreError> {
        let steps = sqlx::query!(
            "SELECT state, reason, at FROM deployment_transitions WHERE deployment_id = ? ORDER BY id",
            id.0
        );
        let steps = steps.fetch_all(self.read()).await?.into_iter().map(|step| {
            let state = from_word("deployment state", id, &step.state)?;
            Ok(Transition { state, reason: step.reason, at: Timestamp(step.at) })
        });
        steps.collect()
    }
}
