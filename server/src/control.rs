//! The control socket: the same API for whoever may open the data folder, as local admin.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use axum::{Extension, Router};
use inferex_model::actor::Actor;
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;

use crate::api;
use crate::core::Core;

/// The API with the local admin as its caller.
pub(crate) fn local_router(core: &Core) -> Router {
    api::router(core.ports.clone()).layer(Extension(Actor::local()))
}

/// Binds the socket, for its owner only. The lock is held, so a socket that is there is a dead process's.
pub(crate) fn bind(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Serves until `stop`.
pub(crate) async fn serve(listener: UnixListener, router: Router, stop: CancellationToken) -> io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
}
