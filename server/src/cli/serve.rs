use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::PoisonError;
use std::time::Duration;

use inferex_bench::load::LoadError;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::CliError;
use crate::config::Config;
use crate::control;
use crate::core::Core;
use crate::home::{Home, HomeLock};
use crate::{logging, web};

/// How long open answers may take after the end was asked for.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

/// `inferex serve`: one process that owns the data folder until it is told to end.
pub(super) async fn serve(config: Config) -> Result<(), CliError> {
    logging::start(&config);
    let home = Home::new(config.data_dir.clone(), config.database.clone());
    home.create().map_err(|e| CliError::Usage(e.to_string()))?;
    let lock = HomeLock::take(&home).map_err(|e| CliError::Usage(e.to_string()))?;
    // Bound before anything is opened: a port in use must leave nothing half-made.
    let listener = bind(config.listen).await?;
    let bound = listener.local_addr().map_err(|e| CliError::Unreachable(e.to_string()))?;
    let config = config.bound_to(bound);
    let core = Core::open(config, home, lock).await.map_err(|e| CliError::Unreachable(e.to_string()))?;
    let stop = CancellationToken::new();
    // Whoever sees the dashboard answer, or reads the announcement, may use a command at once: the socket comes first.
    let control = control_socket(&core, &stop)?;
    let serving = tokio::spawn(listen(listener, web::router(&core), stop.clone()));
    announce(&core)?;
    core.start_queue();
    tokio::select! {
        ended = wait_for_the_end() => ended?,
        () = core.sweep() => {}
    }
    tracing::info!("stopping");
    stop.cancel();
    core.shut_down().await;
    if tokio::time::timeout(DRAIN_LIMIT, async { tokio::join!(serving, control) }).await.is_err() {
        tracing::warn!("answers_cut_off");
    }
    let _ = std::fs::remove_file(core.backend.home.socket());
    Ok(())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, CliError> {
    TcpListener::bind(address).await.map_err(|error| {
        CliError::Unreachable(format!(
            "cannot listen on {address}: {error}; set INFEREX_LISTEN to a free address"
        ))
    })
}

fn announce(core: &Core) -> Result<(), CliError> {
    let origin = core.backend.public_url.origin();
    let about = format!("process {}, {origin}\n", std::process::id());
    let mut lock = core.lock.lock().unwrap_or_else(PoisonError::into_inner);
    lock.announce(&about).map_err(|e| CliError::Unreachable(format!("cannot write the lock file: {e}")))?;
    println!("Inferex {} serves {origin}", env!("CARGO_PKG_VERSION"));
    println!("  data folder  {}", core.backend.home.root().display());
    match core.accounts.setup_path() {
        Some(path) => println!("  make the first admin at (works once): {origin}{path}"),
        None => println!("  sign in at {origin}/login"),
    }
    Ok(())
}

fn control_socket(core: &Core, stop: &CancellationToken) -> Result<tokio::task::JoinHandle<()>, CliError> {
    let path = core.backend.home.socket();
    let listener = control::bind(&path)
        .map_err(|e| CliError::Unreachable(format!("cannot listen on {}: {e}", path.display())))?;
    let (router, stop) = (control::local_router(core), stop.clone());
    Ok(tokio::spawn(async move {
        if let Err(error) = control::serve(listener, router, stop).await {
            tracing::error!(%error, "control_socket_failed");
        }
    }))
}

async fn listen(listener: TcpListener, router: axum::Router, stop: CancellationToken) {
    use axum::serve::ListenerExt;
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "nodelay_refused");
        }
    });
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    if let Err(error) = axum::serve(listener, service).with_graceful_shutdown(stop.cancelled_owned()).await {
        tracing::error!(%error, "dashboard_failed");
    }
}

async fn wait_for_the_end() -> Result<(), CliError> {
    let fail = |e: std::io::Error| CliError::Unreachable(format!("cannot wait for signals: {e}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(fail)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fail)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

/// `inferex load-worker`: its own scheduler, away from pages and database.
pub(super) fn load_worker() -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| CliError::Unreachable(format!("cannot start the async runtime: {e}")))?;
    let outcome = runtime.block_on(inferex_bench::load::child_main(tokio::io::stdin(), tokio::io::stdout()));
    // A blocked read of standard input must not keep the process.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // Whoever started it has gone and wants nothing more, least of all a line on its terminal.
        Err(LoadError::ReaderGone) => Ok(ExitCode::FAILURE),
        Err(LoadError::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::FAILURE),
        Err(error) => Err(CliError::Unreachable(error.to_string())),
    }
}
