//! Everything one process holds: the lock, the store, the engines, the queue and the ports over them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use inferex_app::ports::Ports;
use inferex_engines::engine::EnginePaths;
use inferex_engines::launch::{LaunchConfig, Launcher, LauncherError, Pace};
use inferex_engines::procfs::{self, ProcFs};
use inferex_model::deployment::DeploymentState;
use inferex_model::time::Clock;
use inferex_store::{Store, StoreError};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::accounts::{AccountService, AccountsError, Hasher};
use crate::backend::{Backend, SystemClock};
use crate::config::Config;
use crate::fleet::Fleet;
use crate::home::{Home, HomeLock};
use crate::ports;
use crate::queue::{Driver, Signals};
use crate::results_cache::ResultCache;

/// How long the end waits for the queue to let go of its block.
const QUEUE_LIMIT: Duration = Duration::from_secs(15);

/// Between two looks for sessions that have expired.
const SWEEP_EVERY: Duration = Duration::from_hours(1);

/// Why a process could not come up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CoreError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The accounts.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The launcher of engines.
    #[error(transparent)]
    Launcher(#[from] LauncherError),
    /// This program's own path, which its children need.
    #[error("cannot find this program's own file: {0}")]
    SelfExe(std::io::Error),
}

/// One process's parts, wired.
pub(crate) struct Core {
    pub(crate) config: Config,
    pub(crate) backend: Arc<Backend>,
    pub(crate) accounts: Arc<AccountService>,
    pub(crate) ports: Ports,
    pub(crate) lock: Mutex<HomeLock>,
    stop: CancellationToken,
    queue: Mutex<Option<JoinHandle<()>>>,
}

impl Core {
    /// Opens the data folder whose lock is held, and puts right what a crash left behind.
    pub(crate) async fn open(config: Config, home: Home, lock: HomeLock) -> Result<Self, CoreError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let store = Store::open(home.database()).await?;
        recover(&store, clock.as_ref()).await?;
        let self_exe = std::env::current_exe().map_err(CoreError::SelfExe)?;
        let paths = engine_paths(&config, &home);
        let launcher = Launcher::new(LaunchConfig {
            self_exe: self_exe.clone(),
            paths: paths.clone(),
            pace: Pace::default(),
            clock: Arc::clone(&clock),
        })?;
        let fleet =
            Fleet::new(store.clone(), Arc::clone(&clock), home.clone(), launcher, config.hf_token.clone());
        let accounts =
            Arc::new(AccountService::open(store.clone(), Arc::clone(&clock), Hasher::new()).await?);
        let public_url = config.public_url_for(config.listen);
        let signals = Signals::default();
        let results = ResultCache::default();
        let backend =
            Arc::new(Backend { store, clock, home, paths, fleet, signals, results, public_url, self_exe });
        let ports = ports::all(&backend, accounts.clone());
        let stop = CancellationToken::new();
        Ok(Self { config, backend, accounts, ports, lock: Mutex::new(lock), stop, queue: Mutex::default() })
    }

    /// Deletes sessions that have expired, now and then, until the end.
    pub(crate) async fn sweep(&self) {
        loop {
            let swept = self.backend.store.delete_expired_sessions(self.backend.now()).await;
            if let Err(error) = swept {
                tracing::error!(%error, "sessions_not_swept");
            }
            tokio::select! {
                () = tokio::time::sleep(SWEEP_EVERY) => {}
                () = self.stop.cancelled() => return,
            }
        }
    }

    /// Starts working off the queue; a second call does nothing.
    pub(crate) fn start_queue(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.is_none() {
            let driver = Driver::new(Arc::clone(&self.backend), self.stop.clone());
            *queue = Some(tokio::spawn(driver.run()));
        }
    }

    /// Ends the queue and every engine; what ran is marked interrupted.
    pub(crate) async fn shut_down(&self) {
        self.stop.cancel();
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(queue) = queue
            && tokio::time::timeout(QUEUE_LIMIT, queue).await.is_err()
        {
            tracing::warn!("queue_still_stopping");
        }
        self.backend.fleet.shut_down().await;
    }
}

fn engine_paths(config: &Config, home: &Home) -> EnginePaths {
    EnginePaths {
        data_dir: PathBuf::from(home.root()),
        llama_server: config.llama_server.clone(),
        search_path: std::env::var_os("PATH"),
    }
}

/// After a crash: runs that were under way are interrupted, engines that nobody holds any more are ended and lost.
async fn recover(store: &Store, clock: &dyn Clock) -> Result<(), StoreError> {
    let now = clock.now();
    let interrupted = store.interrupt_active(now, "the server ended while it ran").await?;
    let procfs = ProcFs::default();
    for row in store.open_deployments().await? {
        let ended =
            row.identity.as_ref().is_some_and(|identity| procfs::kill_group_if_same(&procfs, identity));
        let reason = if ended {
            "the server ended; its engine was ended now"
        } else {
            "the server ended, and its engine with it"
        };
        store.set_deployment_state(row.id, DeploymentState::Lost, Some(reason), now).await?;
    }
    if interrupted > 0 {
        tracing::warn!(interrupted, "runs_interrupted");
    }
    Ok(())
}
