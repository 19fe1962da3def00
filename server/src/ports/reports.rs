use std::sync::Arc;

use async_trait::async_trait;
use inferex_app::ports::{Answer, PortError, Reports};
use inferex_app::view::{NewShare, ReportRow, ReportSnapshot, ReportView, ShareView};
use inferex_model::actor::{Actor, Role};
use inferex_model::duration::Span;
use inferex_model::id::{ExperimentId, ReportId, ShareId};
use inferex_store::reports::{ReportHead, ShareRow};

use super::experiments::ExperimentsPort;
use super::{from_store, internal, require};
use crate::backend::Backend;
use crate::secret::{self, Token};

/// Version of the frozen form.
const SNAPSHOT_VERSION: u32 = 1;

pub(super) struct ReportsPort(pub(super) Arc<Backend>);

#[async_trait]
impl Reports for ReportsPort {
    async fn list(&self, actor: &Actor, limit: u32) -> Answer<Vec<ReportRow>> {
        require(actor, Role::Viewer, "reading reports")?;
        let heads = self.0.store.reports().await.map_err(from_store("list reports"))?;
        let mut rows = Vec::new();
        for head in heads.into_iter().take(limit as usize) {
            rows.push(self.row(head).await?.0);
        }
        Ok(rows)
    }

    async fn get(&self, actor: &Actor, id: ReportId) -> Answer<ReportView> {
        require(actor, Role::Viewer, "reading reports")?;
        let heads = self.0.store.reports().await.map_err(from_store("list reports"))?;
        let head = heads.into_iter().find(|head| head.id == id).ok_or_else(|| PortError::not_found(id))?;
        let (row, snapshot, shares) = self.row(head).await?;
        Ok(ReportView { row, snapshot, shares })
    }

    async fn create(&self, actor: &Actor, experiment: ExperimentId, title: &str) -> Answer<ReportId> {
        require(actor, Role::Engineer, "freezing a report")?;
        let view = ExperimentsPort(Arc::clone(&self.0)).view(experiment).await?;
        let missing =
            || PortError::Conflict(format!("{experiment} has no figures yet; wait until a run is done"));
        let title = if title.trim().is_empty() { view.row.name.clone() } else { title.trim().to_owned() };
        if title.chars().count() > 120 || title.chars().any(char::is_control) {
            return Err(PortError::invalid("title", "must have 1 to 120 characters on one line"));
        }
        let snapshot = ReportSnapshot {
            version: SNAPSHOT_VERSION,
            title: title.clone(),
            frozen_at: self.0.now(),
            started_at: view.started_at,
            ended_at: view.ended_at,
            result: view.result.ok_or_else(missing)?,
        };
        let text = serde_json::to_string(&snapshot).map_err(|e| internal("freeze a report", &e))?;
        let created = self.0.store.create_report(actor, Some(experiment), &title, &text, self.0.now()).await;
        created.map_err(from_store("store a report"))
    }

    async fn share(&self, actor: &Actor, id: ReportId, expires: Option<Span>) -> Answer<NewShare> {
        require(actor, Role::Engineer, "sharing a report")?;
        if expires.is_some_and(|span| span.as_ms() == 0) {
            return Err(PortError::invalid("expires", "must be longer than nothing, for example `7d`"));
        }
        let now = self.0.now();
        let ms = |span: Span| i64::try_from(span.as_ms()).unwrap_or(i64::MAX);
        let expires_at = expires.map(|span| now.plus_ms(ms(span)));
        let token = Token::draw().map_err(|e| internal("draw a share token", &e))?;
        let created = self.0.store.create_share(actor, id, &token.digest(), expires_at, now).await;
        let share = created.map_err(from_store("store a share"))?.ok_or_else(|| PortError::not_found(id))?;
        let url = format!("{}/r/{}", self.0.public_url.origin(), token.expose());
        Ok(NewShare { id: share, url, expires_at })
    }

    async fn revoke(&self, actor: &Actor, share: ShareId) -> Answer<()> {
        require(actor, Role::Engineer, "revoking a share link")?;
        let done = self.0.store.revoke_share(actor, share, self.0.now()).await;
        if done.map_err(from_store("revoke a share"))? {
            return Ok(());
        }
        Err(PortError::not_found(format!("a live {share}")))
    }

    async fn remove(&self, actor: &Actor, id: ReportId) -> Answer<()> {
        require(actor, Role::Engineer, "deleting a report")?;
        let done = self.0.store.delete_report(actor, id, self.0.now()).await;
        if done.map_err(from_store("delete a report"))? {
            return Ok(());
        }
        Err(PortError::not_found(id))
    }

    async fn open(&self, token: &str) -> Answer<ReportSnapshot> {
        let found = self.0.store.open_share(&secret::digest(token), self.0.now()).await;
        let row = found.map_err(from_store("open a share"))?;
        read_snapshot(&row.ok_or_else(|| PortError::not_found("this report"))?.snapshot)
    }
}

impl ReportsPort {
    async fn row(&self, head: ReportHead) -> Answer<(ReportRow, ReportSnapshot, Vec<ShareView>)> {
        let row = self.0.store.report(head.id).await.map_err(from_store("read a report"))?;
        let snapshot = read_snapshot(&row.ok_or_else(|| PortError::not_found(head.id))?.snapshot)?;
        let shares = self.0.store.shares_of(head.id).await.map_err(from_store("list shares"))?;
        let shares: Vec<ShareView> = shares.into_iter().map(|share| self.share_view(share)).collect();
        let row = ReportRow {
            id: head.id,
            title: head.title,
            experiment: head.experiment,
            sentence: snapshot.result.finding.sentence.clone(),
            created_at: head.created_at,
            created_by: head.created_by,
            live_shares: shares.iter().filter(|share| share.live).count() as u64,
        };
        Ok((row, snapshot, shares))
    }

    fn share_view(&self, share: ShareRow) -> ShareView {
        let now = self.0.now();
        let live = share.revoked_at.is_none() && share.expires_at.is_none_or(|at| at > now);
        ShareView {
            id: share.id,
            created_at: share.created_at,
            expires_at: share.expires_at,
            revoked_at: share.revoked_at,
            live,
        }
    }
}

fn read_snapshot(text: &str) -> Answer<ReportSnapshot> {
    serde_json::from_str(text).map_err(|e| internal("read a frozen report", &e))
}
