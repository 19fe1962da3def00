//! Ports that answer with the sample data and change nothing.
#![allow(clippy::wildcard_imports, reason = "all of the view types are answers here")]

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use inferex_app::context::{AppContext, AssetPaths};
use inferex_app::ports::{
    Accounts, Answer, Deployments, EngineSetup, Experiments, Flash, FlashKind, PortError, Ports, Reports,
    Runs, Variants, Visit,
};
use inferex_app::view::*;
use inferex_model::actor::{Actor, Origin, Role};
use inferex_model::duration::Span;
use inferex_model::experiment::ExperimentSpec;
use inferex_model::id::{DeploymentId, ExperimentId, ReportId, RunId, ShareId, UserId};
use inferex_model::metrics::RequestRow;
use inferex_model::time::{Clock, Timestamp};
use inferex_model::variant::{RuntimeKind, Variant};

use crate::data;

/// A product with data, or an empty one.
#[derive(Clone, Copy)]
pub(crate) struct World {
    empty: bool,
}

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        data::NOW
    }
}

/// What the pages get.
pub(crate) fn context(empty: bool) -> AppContext {
    let world = Arc::new(World { empty });
    let ports = Ports {
        accounts: world.clone(),
        variants: world.clone(),
        deployments: world.clone(),
        engine_setup: world.clone(),
        experiments: world.clone(),
        runs: world.clone(),
        reports: world,
    };
    let assets = AssetPaths {
        stylesheet: "/assets/app.css".into(),
        script: "/assets/app.js".into(),
        favicon: "/assets/favicon.svg".into(),
    };
    AppContext { ports, assets, clock: Arc::new(Stopped) }
}

/// Who looks; the query decides (`?as=viewer`, `?as=nobody`, `?flash=done`, `?flash=refused`).
pub(crate) struct Guest {
    actor: Option<Actor>,
    flash: Option<Flash>,
}

impl Guest {
    /// The guest of that query.
    pub(crate) fn from_query(query: &str) -> Self {
        let role = if query.contains("as=viewer") { Role::Viewer } else { Role::Admin };
        let actor = Actor { user: Some(UserId(1)), name: "ada".into(), role, origin: Origin::Session };
        let flash = query.contains("flash=").then(|| {
            let done = query.contains("flash=done");
            Flash {
                kind: if done { FlashKind::Done } else { FlashKind::Refused },
                text: if done {
                    "Copy the link now: it is shown this once.".into()
                } else {
                    format!("name: {} is taken.", data::HOSTILE)
                },
                fields: BTreeMap::from([
                    ("name".into(), format!("{} is taken", data::HOSTILE)),
                    ("toml".into(), "unknown field `modle` in line 3".into()),
                ]),
                entered: BTreeMap::from([
                    ("name".into(), data::HOSTILE.into()),
                    ("toml".into(), format!("</textarea>{}", data::HOSTILE)),
                ]),
                once: done.then(|| ("Share link".into(), "http://127.0.0.1:8080/r/made-up-token".into())),
            }
        });
        Self { actor: (!query.contains("as=nobody")).then_some(actor), flash }
    }
}

#[async_trait]
impl Visit for Guest {
    fn actor(&self) -> Option<Actor> {
        self.actor.clone()
    }
    fn address(&self) -> String {
        "127.0.0.1".into()
    }
    fn is_plain_http(&self) -> bool {
        true
    }
    fn nonce(&self) -> String {
        "made-up-nonce".into()
    }
    async fn sign_in(&self, _: &UserView) -> Answer<()> {
        Ok(())
    }
    async fn sign_out(&self) -> Answer<()> {
        Ok(())
    }
    async fn put_flash(&self, _: Flash) -> Answer<()> {
        Ok(())
    }
    async fn take_flash(&self) -> Option<Flash> {
        self.flash.clone()
    }
}

fn user(id: i64, name: &str, role: Role, disabled: bool) -> UserView {
    UserView {
        id: UserId(id),
        name: name.into(),
        role,
        disabled,
        created_at: data::NOW.plus_ms(-90_000_000),
        last_sign_in: (id == 1).then_some(data::NOW),
    }
}

#[async_trait]
impl Accounts for World {
    async fn needs_setup(&self) -> Answer<bool> {
        Ok(self.empty)
    }
    async fn set_up(&self, _: &str, name: &str, _: &str) -> Answer<UserView> {
        Ok(user(1, name, Role::Admin, false))
    }
    async fn sign_in(&self, _: &str, name: &str, password: &str) -> Answer<UserView> {
        if password == "right" {
            Ok(user(1, name, Role::Admin, false))
        } else {
            Err(PortError::Forbidden("the name or the password is wrong".into()))
        }
    }
    async fn list(&self, _: &Actor) -> Answer<Vec<UserView>> {
        Ok(vec![
            user(1, "ada", Role::Admin, false),
            user(2, "grace", Role::Engineer, false),
            user(3, data::HOSTILE, Role::Viewer, true),
        ])
    }
    async fn create(&self, _: &Actor, name: &str, role: Role, _: &str) -> Answer<UserView> {
        Ok(user(4, name, role, false))
    }
    async fn set_disabled(&self, _: &Actor, _: &str, _: bool) -> Answer<()> {
        Ok(())
    }
    async fn set_password(&self, _: &Actor, _: &str, _: &str) -> Answer<()> {
        Ok(())
    }
    async fn audit(&self, _: &Actor, _: u32) -> Answer<Vec<AuditView>> {
        let line = |n: i64, action: &str, object: &str| AuditView {
            at: data::NOW.plus_ms(-n * 70_000),
            actor: "ada".into(),
            origin: "session".into(),
            action: action.into(),
            object: object.into(),
        };
        Ok(vec![
            line(1, "share.create", "share-3"),
            line(2, "report.create", "rep-4"),
            line(40, "experiment.create", "exp-12"),
        ])
    }
}

#[async_trait]
impl Variants for World {
    async fn list(&self, _: &Actor) -> Answer<Vec<VariantView>> {
        Ok(if self.empty { vec![] } else { data::variants() })
    }
    async fn import(&self, _: &Actor, variants: Vec<Variant>) -> Answer<Vec<String>> {
        Ok(variants.into_iter().map(|v| v.name).collect())
    }
    async fn remove(&self, _: &Actor, name: &str) -> Answer<()> {
        Err(PortError::not_found(name))
    }
}

#[async_trait]
impl Deployments for World {
    async fn list(&self, _: &Actor, _: u32) -> Answer<Vec<DeploymentView>> {
        Ok(if self.empty { vec![] } else { [7, 8, 9, 6].map(data::deployment).to_vec() })
    }
    async fn get(&self, _: &Actor, id: DeploymentId) -> Answer<DeploymentView> {
        if id.0 > 20 { Err(PortError::not_found(id)) } else { Ok(data::deployment(id.0)) }
    }
    async fn start(&self, _: &Actor, _: &str, _: RuntimeKind) -> Answer<DeploymentId> {
        Ok(DeploymentId(8))
    }
    async fn stop(&self, _: &Actor, _: DeploymentId) -> Answer<()> {
        Ok(())
    }
    async fn logs(&self, _: &Actor, _: DeploymentId, from: Option<u64>, limit: u32) -> Answer<LogPage> {
        Ok(data::log(from, limit))
    }
}

#[async_trait]
impl EngineSetup for World {
    async fn status(&self, _: &Actor) -> Answer<EngineSetupView> {
        Ok(data::setup(self.empty))
    }
    async fn begin(&self, _: &Actor) -> Answer<()> {
        Err(PortError::Conflict("an installation is running".into()))
    }
}

#[async_trait]
impl Experiments for World {
    async fn list(&self, _: &Actor, _: Option<ExperimentId>, _: u32) -> Answer<Vec<ExperimentRow>> {
        Ok(if self.empty { vec![] } else { [14, 13, 12].map(|id| data::experiment(id).row).to_vec() })
    }
    async fn get(&self, _: &Actor, id: ExperimentId) -> Answer<ExperimentView> {
        if id.0 > 20 { Err(PortError::not_found(id)) } else { Ok(data::experiment(id.0)) }
    }
    async fn estimate(&self, _: &Actor, spec: &ExperimentSpec) -> Answer<EstimateView> {
        Ok(EstimateView {
            runs: spec.run_count() as u64,
            starts: spec.blocks().len() as u64,
            requests: 1_230,
            seconds: 340,
            queue_seconds: 412,
            basis: "from 31 runs of these variants on this machine".into(),
        })
    }
    async fn create(&self, _: &Actor, spec: ExperimentSpec) -> Answer<ExperimentId> {
        if spec.name == "taken" { Err(PortError::invalid("name", "is taken")) } else { Ok(ExperimentId(14)) }
    }
    async fn cancel(&self, _: &Actor, _: ExperimentId) -> Answer<()> {
        Ok(())
    }
    async fn requeue(&self, _: &Actor, _: ExperimentId) -> Answer<u64> {
        Ok(1)
    }
    async fn remove(&self, _: &Actor, _: ExperimentId) -> Answer<()> {
        Ok(())
    }
}

#[async_trait]
impl Runs for World {
    async fn get(&self, _: &Actor, id: RunId) -> Answer<RunView> {
        Ok(data::run(id.0))
    }
    async fn requests(&self, _: &Actor, _: RunId, offset: u64, limit: u32) -> Answer<Vec<RequestRow>> {
        Ok(data::requests(offset, limit))
    }
    async fn events(&self, _: &Actor, _: RunId, _: Option<u32>) -> Answer<Option<(u32, Vec<u8>)>> {
        Ok(None)
    }
}

#[async_trait]
impl Reports for World {
    async fn list(&self, _: &Actor, _: u32) -> Answer<Vec<ReportRow>> {
        Ok(if self.empty { vec![] } else { vec![data::report().row] })
    }
    async fn get(&self, _: &Actor, _: ReportId) -> Answer<ReportView> {
        Ok(data::report())
    }
    async fn create(&self, _: &Actor, _: ExperimentId, _: &str) -> Answer<ReportId> {
        Ok(ReportId(4))
    }
    async fn share(&self, _: &Actor, _: ReportId, _: Option<Span>) -> Answer<NewShare> {
        Ok(NewShare { id: ShareId(3), url: "http://127.0.0.1:8080/r/made-up-token".into(), expires_at: None })
    }
    async fn revoke(&self, _: &Actor, _: ShareId) -> Answer<()> {
        Ok(())
    }
    async fn remove(&self, _: &Actor, _: ReportId) -> Answer<()> {
        Ok(())
    }
    async fn open(&self, token: &str) -> Answer<ReportSnapshot> {
        if token == "made-up-token" { Ok(data::snapshot()) } else { Err(PortError::not_found("this report")) }
    }
}
