//! Deployments: started variants, with every state they went through. A deployment that is over stays over, and
//! states only move forward. How an engine is started is not known here. Start from [`DeploymentRow`].

use inferex_model::actor::Actor;
use inferex_model::deployment::{Capacity, DeploymentState, Failure, ProcessIdentity};
use inferex_model::id::{BlockId, DeploymentId};
use inferex_model::time::Timestamp;
use inferex_model::variant::{RuntimeKind, Variant};
use serde_json::json;
use sqlx::SqliteConnection;

use crate::audit::record;
use crate::codec::{from_word, to_json, won};
use crate::{Store, StoreError};

mod read;

/// For whom an engine runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeploymentOwner {
    /// A person started it; it stays until told to stop.
    Person,
    /// A block of an experiment; it ends with the block.
    Block(BlockId),
}

/// One step of a deployment's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The state it entered.
    pub state: DeploymentState,
    /// Why, where there is something to say.
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// A started variant.
#[derive(Debug, Clone, PartialEq)]
pub struct DeploymentRow {
    /// The deployment.
    pub id: DeploymentId,
    /// What was started, as it was then.
    pub variant: Variant,
    /// Where it runs.
    pub runtime: RuntimeKind,
    /// For whom.
    pub owner: DeploymentOwner,
    /// Who started it: an account's name, `local` or `system`.
    pub created_by: String,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// Where it stands; also the last of `transitions`.
    pub state: DeploymentState,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
    /// The process, once there is one.
    pub identity: Option<ProcessIdentity>,
    /// `http://host:port`, once known.
    pub endpoint: Option<String>,
    /// The port it listens on.
    pub port: Option<u16>,
    /// The file its output goes to.
    pub log_path: Option<String>,
    /// The command line without secrets.
    pub command: Option<Vec<String>>,
    /// What it can hold, once ready.
    pub capacity: Option<Capacity>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// Every state it entered, oldest first.
    pub transitions: Vec<Transition>,
}

/// What is known once a process was spawned.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// Which process.
    pub identity: &'a ProcessIdentity,
    /// `http://host:port`.
    pub endpoint: &'a str,
    /// The port it listens on.
    pub port: u16,
    /// The file its output goes to.
    pub log_path: &'a str,
    /// The command line; secrets are left out by the caller.
    pub command: &'a [String],
}

impl Store {
    /// Accepts a start: a deployment in state `pending`. One that a person asked for is audited.
    pub async fn create_deployment(
        &self,
        actor: &Actor,
        variant: &Variant,
        runtime: RuntimeKind,
        owner: DeploymentOwner,
        now: Timestamp,
    ) -> Result<DeploymentId, StoreError> {
        let (document, runtime) = (to_json("variant", variant)?, runtime.as_str());
        let block = match owner {
            DeploymentOwner::Person => None,
            DeploymentOwner::Block(block) => Some(block.0),
        };
        let mut tx = self.write().await?;
        let id = sqlx::query_scalar!(
            r#"INSERT INTO deployments (variant_name, variant, runtime, block_id, created_by, created_at, state)
               VALUES (?, ?, ?, ?, ?, ?, 'pending') RETURNING id AS "id!: i64""#,
            variant.name,
            document,
            runtime,
            block,
            actor.name,
            now.0
        )
        .fetch_one(&mut *tx)
        .await?;
        let id = DeploymentId(id);
        append(&mut tx, id, DeploymentState::Pending, None, now).await?;
        if owner == DeploymentOwner::Person {
            let detail = json!({"variant": variant.name, "runtime": runtime});
            record(&mut tx, actor, now, "deployment.start", &id.to_string(), &detail).await?;
        }
        tx.commit().await?;
        Ok(id)
    }

    /// Moves a deployment forward. `false`, and nothing written, when it is over, is there already, or is
    /// further along: of two that race to end it, the first one's word stands.
    pub async fn set_deployment_state(
        &self,
        id: DeploymentId,
        state: DeploymentState,
        reason: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let moved = advance(&mut tx, id, state, reason, now).await?;
        tx.commit().await?;
        Ok(moved)
    }

    /// A person's wish to stop it: `stopping`, audited. `false` when it is over or stopping already.
    pub async fn request_stop(
        &self,
        actor: &Actor,
        id: DeploymentId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let reason = format!("stopped by {}", actor.name);
        if !advance(&mut tx, id, DeploymentState::Stopping, Some(&reason), now).await? {
            return Ok(false);
        }
        record(&mut tx, actor, now, "deployment.stop", &id.to_string(), &json!({})).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Remembers the spawned process; `false` when there is no such deployment or it is over.
    pub async fn set_deployment_process(
        &self,
        id: DeploymentId,
        launch: Launch<'_>,
    ) -> Result<bool, StoreError> {
        let identity = to_json("process identity", launch.identity)?;
        let command = to_json("command", launch.command)?;
        let mut tx = self.write().await?;
        let updated = sqlx::query!(
            "UPDATE deployments SET identity = ?, endpoint = ?, port = ?, log_path = ?, command = ?
             WHERE id = ? AND state NOT IN ('stopped', 'failed', 'lost')",
            identity,
            launch.endpoint,
            launch.port,
            launch.log_path,
            command,
            id.0
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(won(&updated))
    }

    /// Remembers what it can hold; `false` when there is no such deployment.
    pub async fn set_deployment_capacity(
        &self,
        id: DeploymentId,
        capacity: &Capacity,
    ) -> Result<bool, StoreError> {
        let document = to_json("capacity", capacity)?;
        let mut tx = self.write().await?;
        let update = sqlx::query!("UPDATE deployments SET capacity = ? WHERE id = ?", document, id.0);
        let updated = update.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(won(&updated))
    }

    /// Ends a deployment as failed, with everything a person needs to know. `false` when it was over already.
    pub async fn set_deployment_failure(
        &self,
        id: DeploymentId,
        failure: &Failure,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let document = to_json("failure", failure)?;
        let mut tx = self.write().await?;
        if !advance(&mut tx, id, DeploymentState::Failed, Some(&failure.sentence), now).await? {
            return Ok(false);
        }
        sqlx::query!("UPDATE deployments SET failure = ? WHERE id = ?", document, id.0)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Whether a deployment may go from one state to the other: forward, and never out of an end.
fn may_follow(from: DeploymentState, to: DeploymentState) -> bool {
    let place = |state| DeploymentState::ALL.iter().position(|known| *known == state);
    !from.is_over() && place(to) > place(from)
}

async fn advance(
    conn: &mut SqliteConnection,
    id: DeploymentId,
    to: DeploymentState,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let from = sqlx::query_scalar!("SELECT state FROM deployments WHERE id = ?", id.0)
        .fetch_optional(&mut *conn)
        .await?;
    let Some(from) = from else { return Ok(false) };
    if !may_follow(from_word("deployment state", id, &from)?, to) {
        return Ok(false);
    }
    let (word, ended_at) = (to.as_str(), to.is_over().then_some(now.0));
    sqlx::query!("UPDATE deployments SET state = ?, ended_at = ? WHERE id = ?", word, ended_at, id.0)
        .execute(&mut *conn)
        .await?;
    append(conn, id, to, reason, now).await?;
    Ok(true)
}

async fn append(
    conn: &mut SqliteConnection,
    id: DeploymentId,
    state: DeploymentState,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let state = state.as_str();
    sqlx::query!(
        "INSERT INTO deployment_transitions (deployment_id, state, reason, at) VALUES (?, ?, ?, ?)",
        id.0,
        state,
        reason,
        now.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests;
