use std::sync::Arc;

use async_trait::async_trait;
use inferex_app::ports::{Answer, Deployments, PortError};
use inferex_app::view::{DeploymentView, LogPage, TransitionView};
use inferex_model::actor::{Actor, Role};
use inferex_model::deployment::DeploymentState;
use inferex_model::id::DeploymentId;
use inferex_model::variant::RuntimeKind;
use inferex_store::deployments::{DeploymentOwner, DeploymentRow};

use super::{from_store, internal, require};
use crate::backend::Backend;
use crate::log_lines;

/// Most lines of a log in one answer.
const LOG_LINES: u32 = 2_000;

pub(super) struct DeploymentsPort(pub(super) Arc<Backend>);

#[async_trait]
impl Deployments for DeploymentsPort {
    async fn list(&self, actor: &Actor, limit: u32) -> Answer<Vec<DeploymentView>> {
        require(actor, Role::Viewer, "reading deployments")?;
        let rows = self.0.store.deployments(limit.min(500)).await.map_err(from_store("list deployments"))?;
        let mut views: Vec<DeploymentView> = rows.into_iter().map(view).collect();
        views.sort_by_key(|view| view.state.is_over());
        Ok(views)
    }

    async fn get(&self, actor: &Actor, id: DeploymentId) -> Answer<DeploymentView> {
        require(actor, Role::Viewer, "reading deployments")?;
        Ok(view(self.row(id).await?))
    }

    async fn start(&self, actor: &Actor, variant: &str, runtime: RuntimeKind) -> Answer<DeploymentId> {
        require(actor, Role::Engineer, "starting an engine")?;
        let stored = self.0.store.variant_by_name(variant).await.map_err(from_store("find a variant"))?;
        let Some(stored) = stored else {
            return Err(PortError::invalid("variant", format!("`{variant}` is not stored; import it first")));
        };
        if let Some(reason) = self.0.blocked(&stored.variant, runtime) {
            return Err(PortError::invalid("variant", reason));
        }
        self.0.fleet.start_for_person(actor, stored.variant, runtime).await
    }

    async fn stop(&self, actor: &Actor, id: DeploymentId) -> Answer<()> {
        require(actor, Role::Engineer, "stopping an engine")?;
        let row = self.row(id).await?;
        if row.state.is_over() {
            return Err(PortError::Conflict(format!("{id} is {} already", row.state)));
        }
        if let DeploymentOwner::Block(block) = row.owner {
            let text = format!("{id} belongs to {block} of an experiment; cancel the experiment instead");
            return Err(PortError::Conflict(text));
        }
        self.0.store.request_stop(actor, id, self.0.now()).await.map_err(from_store("stop an engine"))?;
        self.0.fleet.stop(id);
        Ok(())
    }

    async fn logs(&self, actor: &Actor, id: DeploymentId, from: Option<u64>, limit: u32) -> Answer<LogPage> {
        require(actor, Role::Viewer, "reading logs")?;
        let row = self.row(id).await?;
        let Some(path) = row.log_path else {
            return Ok(LogPage { first: 0, lines: Vec::new(), total: 0 });
        };
        let limit = limit.clamp(1, LOG_LINES);
        let read = tokio::task::spawn_blocking(move || log_lines::read(path.as_ref(), from, limit)).await;
        read.map_err(|e| internal("read a log", &e))?.map_err(|e| internal("read a log", &e))
    }
}

impl DeploymentsPort {
    async fn row(&self, id: DeploymentId) -> Answer<DeploymentRow> {
        let row = self.0.store.deployment(id).await.map_err(from_store("read a deployment"))?;
        row.ok_or_else(|| PortError::not_found(id))
    }
}

fn view(row: DeploymentRow) -> DeploymentView {
    let (owner, person_started) = match row.owner {
        DeploymentOwner::Person => (row.created_by, true),
        DeploymentOwner::Block(block) => (format!("experiment, {block}"), false),
    };
    let reason = row.transitions.iter().rev().find_map(|transition| transition.reason.clone());
    let timeline = row
        .transitions
        .into_iter()
        .map(|t| TransitionView { state: t.state, at: t.at, reason: t.reason })
        .collect();
    DeploymentView {
        id: row.id,
        variant: row.variant.name,
        engine: row.variant.engine,
        runtime: row.runtime,
        owner,
        person_started,
        state: row.state,
        reason,
        endpoint: (row.state == DeploymentState::Ready).then_some(row.endpoint).flatten(),
        capacity: row.capacity,
        failure: row.failure,
        timeline,
        command: row.command.unwrap_or_default(),
        created_at: row.created_at,
    }
}
