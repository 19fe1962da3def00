//! The database file and its schema: made with mode 0600, copied before an upgrade, refused when it is newer
//! than this program. It knows no table's meaning. Start from [`prepare`].

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::StoreError;

/// All migrations, part of the program.
pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// How long SQLite waits for another connection's lock.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Makes the database at `path` ready for this program: creates it when it is missing, and brings an older one
/// up to date after copying it to [`backup_path`].
pub async fn prepare(path: &Path) -> Result<(), StoreError> {
    prepare_with(path, &MIGRATIONS).await
}

/// Where the copy of a database with schema `version` is kept before an upgrade.
#[must_use]
pub fn backup_path(path: &Path, version: i64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".schema-{version}.backup"));
    PathBuf::from(name)
}

pub(crate) async fn prepare_with(path: &Path, migrations: &Migrator) -> Result<(), StoreError> {
    make_private(path).map_err(|source| StoreError::File { path: path.to_owned(), source })?;
    let mut conn =
        connect(path).await.map_err(|source| StoreError::Open { path: path.to_owned(), source })?;
    let found = found_version(&mut conn, path).await?;
    let known = migrations.iter().map(|migration| migration.version).max().unwrap_or(0);
    match found {
        Some(found) if found > known => {
            return Err(StoreError::Newer { path: path.to_owned(), found, known });
        }
        Some(found) if found < known => back_up(&mut conn, path, found).await?,
        _ => {}
    }
    let migrated = migrations.run(&mut conn).await;
    migrated.map_err(|source| StoreError::Migrate { path: path.to_owned(), source })?;
    conn.close().await?;
    Ok(())
}

/// The file with mode 0600, empty when it is new; SQLite gives its companions (`-wal`, `-shm`) the same mode.
fn make_private(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

async fn connect(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::new().filename(path).busy_timeout(BUSY_TIMEOUT).connect().await
}

/// The newest migration that was applied; `None` for a fresh file. Unchecked queries: the table belongs to sqlx
/// and need not exist.
async fn found_version(conn: &mut SqliteConnection, path: &Path) -> Result<Option<i64>, StoreError> {
    let open_error = |source| StoreError::Open { path: path.to_owned(), source };
    let tables: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .fetch_all(&mut *conn)
        .await
        .map_err(open_error)?;
    if !tables.iter().any(|name| name == "_sqlx_migrations") {
        let foreign = StoreError::Foreign { path: path.to_owned() };
        return if tables.is_empty() { Ok(None) } else { Err(foreign) };
    }
    sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(conn).await.map_err(open_error)
}

/// Copies the whole database beside it. The copy gets its final name only when it is complete.
async fn back_up(conn: &mut SqliteConnection, path: &Path, version: i64) -> Result<(), StoreError> {
    let target = backup_path(path, version);
    let partial = target.with_extension("partial");
    let file_error = |source| StoreError::File { path: partial.clone(), source };
    // VACUUM INTO accepts an existing file only when it is empty; making it first sets its mode.
    match fs::remove_file(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(file_error(error)),
        _ => make_private(&partial).map_err(file_error)?,
    }
    let name = partial.to_string_lossy().into_owned();
    sqlx::query("VACUUM INTO ?").bind(name).execute(conn).await?;
    fs::rename(&partial, &target).map_err(file_error)?;
    tracing::info!(copy = %target.display(), schema = version, "database_copied_before_upgrade");
    Ok(())
}

#[cfg(test)]
mod tests;
