//! The engines that run now: started, recorded in the store step by step, stopped, and never left behind.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use inferex_app::ports::{Answer, PortError};
use inferex_engines::launch::{Deployment, Launcher, StartSpec, Status, Transition};
use inferex_model::actor::Actor;
use inferex_model::deployment::{DeploymentState, Failure};
use inferex_model::id::DeploymentId;
use inferex_model::time::Clock;
use inferex_model::variant::{RuntimeKind, Variant};
use inferex_store::deployments::{DeploymentOwner, Launch};
use inferex_store::{Store, StoreError};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::home::Home;
use crate::lane::{Lane, LaneGuard};
use crate::ports::internal;
use crate::secret::SecretText;

/// How long a shutdown waits for engines to end before it goes without them; their supervisors end them anyway.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);

/// How often, and how long apart, a state that could not be stored is tried again.
const RECORD_TRIES: u32 = 24;
const RECORD_AGAIN: Duration = Duration::from_secs(5);

/// The running engines of this machine.
#[derive(Clone)]
pub(crate) struct Fleet {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Arc<dyn Clock>,
    home: Home,
    launcher: Launcher,
    hf_token: Option<SecretText>,
    lane: Lane,
    live: Mutex<HashMap<DeploymentId, Arc<Deployment>>>,
    /// Asked to stop before they were up.
    stop_early: Mutex<HashSet<DeploymentId>>,
    tasks: TaskTracker,
}

/// A deployment that was asked for.
pub(crate) struct Started {
    pub(crate) id: DeploymentId,
    /// What runs, or why nothing does.
    pub(crate) outcome: Result<Arc<Deployment>, Failure>,
}

impl Fleet {
    pub(crate) fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        home: Home,
        launcher: Launcher,
        hf_token: Option<SecretText>,
    ) -> Self {
        let inner = Inner {
            store,
            clock,
            home,
            launcher,
            hf_token,
            lane: Lane::default(),
            live: Mutex::default(),
            stop_early: Mutex::default(),
            tasks: TaskTracker::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The lane of this machine's processors.
    pub(crate) fn lane(&self) -> &Lane {
        &self.inner.lane
    }

    /// Starts an engine for a person; refused while another tenant holds the lane.
    pub(crate) async fn start_for_person(
        &self,
        actor: &Actor,
        variant: Variant,
        runtime: RuntimeKind,
    ) -> Answer<DeploymentId> {
        let lane =
            self.inner.lane.try_take(&format!("an engine that {} starts", actor.name)).map_err(|holder| {
                PortError::Conflict(format!(
                    "the lane of this machine is held by {holder}; stop that first, or wait"
                ))
            })?;
        let name = variant.name.clone();
        let id = self.create(actor, &variant, runtime, DeploymentOwner::Person).await?;
        lane.rename(&format!("{id} ({name}, started by {})", actor.name));
        let fleet = self.clone();
        self.inner.tasks.spawn(async move { fleet.run_for_person(id, variant, lane).await });
        Ok(id)
    }

    async fn run_for_person(&self, id: DeploymentId, variant: Variant, lane: LaneGuard) {
        match self.launch(id, variant).await {
            Ok(Started { outcome: Ok(deployment), .. }) => {
                deployment.over().await;
            }
            Ok(Started { outcome: Err(failure), .. }) => {
                tracing::warn!(deployment = %id, class = failure.class.as_str(), "deployment_refused");
            }
            Err(error) => tracing::error!(deployment = %id, %error, "deployment_not_recorded"),
        }
        drop(lane);
    }

    /// Starts an engine for a block; the caller holds the lane.
    pub(crate) async fn start_for_block(
        &self,
        variant: Variant,
        block: inferex_model::id::BlockId,
    ) -> Result<Started, StoreError> {
        let owner = DeploymentOwner::Block(block);
        let (store, now) = (&self.inner.store, self.inner.clock.now());
        let id =
            store.create_deployment(&Actor::system(), &variant, RuntimeKind::Process, owner, now).await?;
        self.launch(id, variant).await
    }

    async fn create(
        &self,
        actor: &Actor,
        variant: &Variant,
        runtime: RuntimeKind,
        owner: DeploymentOwner,
    ) -> Answer<DeploymentId> {
        let created =
            self.inner.store.create_deployment(actor, variant, runtime, owner, self.inner.clock.now()).await;
        created.map_err(|error| internal("store a deployment", &error))
    }

    async fn launch(&self, id: DeploymentId, mut variant: Variant) -> Result<Started, StoreError> {
        if let Some(token) = &self.inner.hf_token {
            variant.env.entry("HF_TOKEN".to_owned()).or_insert_with(|| token.expose().to_owned());
        }
        let log_path = self.inner.home.logs().join(format!("{id}.log"));
        let spec = StartSpec { variant, log_path: log_path.clone(), port: None };
        let mut deployment = match self.inner.launcher.start(spec).await {
            Ok(deployment) => deployment,
            Err(failure) => {
                self.inner.store.set_deployment_failure(id, &failure, self.inner.clock.now()).await?;
                return Ok(Started { id, outcome: Err(failure) });
            }
        };
        let transitions = deployment.take_transitions();
        let deployment = Arc::new(deployment);
        self.live().insert(id, Arc::clone(&deployment));
        if self.stop_early().remove(&id) {
            self.stop(id);
        }
        let recorder =
            Recorder { id, inner: Arc::clone(&self.inner), log_path: log_path.display().to_string() };
        let status = deployment.watch();
        self.inner.tasks.spawn(async move {
            if let Some(transitions) = transitions {
                recorder.record(transitions, status).await;
            }
        });
        Ok(Started { id, outcome: Ok(deployment) })
    }

    /// Asks a deployment to stop; it ends in its own time.
    pub(crate) fn stop(&self, id: DeploymentId) {
        // Noted under the lock that `launch` takes to become known: a stop is either seen there or done here.
        let live = self.live();
        match live.get(&id).cloned() {
            Some(deployment) => {
                self.inner.tasks.spawn(async move { deployment.stop().await });
            }
            None => {
                self.stop_early().insert(id);
            }
        }
    }

    /// Ends every engine and waits for their last states to be stored, within a bound.
    pub(crate) async fn shut_down(&self) {
        let all: Vec<Arc<Deployment>> = self.live().values().cloned().collect();
        for deployment in all {
            self.inner.tasks.spawn(async move { deployment.stop().await });
        }
        self.inner.tasks.close();
        if tokio::time::timeout(SHUTDOWN_LIMIT, self.inner.tasks.wait()).await.is_err() {
            tracing::warn!("engines_still_stopping");
        }
    }

    fn stop_early(&self) -> std::sync::MutexGuard<'_, HashSet<DeploymentId>> {
        self.inner.stop_early.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> std::sync::MutexGuard<'_, HashMap<DeploymentId, Arc<Deployment>>> {
        self.inner.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what becomes of one deployment into the store, in its order.
struct Recorder {
    id: DeploymentId,
    inner: Arc<Inner>,
    log_path: String,
}

impl Recorder {
    async fn record(
        self,
        mut transitions: tokio::sync::mpsc::UnboundedReceiver<Transition>,
        status: watch::Receiver<Status>,
    ) {
        let first = status.borrow().clone();
        self.log_fault(self.process(&first).await);
        while let Some(transition) = transitions.recv().await {
            let now = status.borrow().clone();
            self.persist(&transition, &now).await;
        }
        self.inner.live.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }

    /// Tries again for a while, so that a disk that was full for a minute does not leave an engine `ready` for ever.
    async fn persist(&self, transition: &Transition, status: &Status) {
        for attempt in 1..=RECORD_TRIES {
            let stored = self.step(transition, status).await;
            let is_stored = stored.is_ok();
            self.log_fault(stored);
            if is_stored {
                return;
            }
            if attempt < RECORD_TRIES {
                tokio::time::sleep(RECORD_AGAIN).await;
            }
        }
    }

    async fn process(&self, status: &Status) -> Result<(), StoreError> {
        let Some(identity) = &status.identity else { return Ok(()) };
        let endpoint = format!("http://127.0.0.1:{}", status.port);
        let launch = Launch {
            identity,
            endpoint: &endpoint,
            port: status.port,
            log_path: &self.log_path,
            command: &status.command,
        };
        self.inner.store.set_deployment_process(self.id, launch).await.map(drop)
    }

    async fn step(&self, transition: &Transition, status: &Status) -> Result<(), StoreError> {
        let store = &self.inner.store;
        if let (DeploymentState::Failed, Some(failure)) = (transition.state, &status.failure) {
            return store.set_deployment_failure(self.id, failure, transition.at).await.map(drop);
        }
        if let (DeploymentState::Ready, Some(capacity)) = (transition.state, &status.capacity) {
            store.set_deployment_capacity(self.id, capacity).await?;
        }
        // Why it stopped was said when it was asked to.
        let reason = Some(transition.reason.as_str())
            .filter(|reason| !reason.is_empty() && transition.state != DeploymentState::Stopped);
        store.set_deployment_state(self.id, transition.state, reason, transition.at).await.map(drop)
    }

    fn log_fault(&self, outcome: Result<(), StoreError>) {
        if let Err(error) = outcome {
            tracing::error!(deployment = %self.id, %error, "deployment_not_recorded");
        }
    }
}
