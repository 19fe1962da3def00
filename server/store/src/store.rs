//! The connections: one that writes, some that read, and a few kept apart for public report links, so that
//! strangers can never hold up the people who work here.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Sqlite, SqlitePool, Transaction};

use crate::StoreError;
use crate::schema::{self, BUSY_TIMEOUT};

/// The database. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Store {
    writer: SqlitePool,
    reader: SqlitePool,
    public: SqlitePool,
}

/// How long a caller waits for its turn to write or read before it gets an error.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for public report links, which are cheaper to turn away.
const PUBLIC_TURN_TIMEOUT: Duration = Duration::from_secs(2);
const READERS: u32 = 4;
const PUBLIC_READERS: u32 = 2;

impl Store {
    /// Opens the database at `path`, creating it or bringing its schema up to date first
    /// (see [`schema::prepare`]).
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        schema::prepare(path).await?;
        let open_error = |source| StoreError::Open { path: path.to_owned(), source };
        let write = options(path).journal_mode(SqliteJournalMode::Wal);
        let read = options(path).pragma("query_only", "on");
        let writer = pool(1, TURN_TIMEOUT).connect_with(write).await.map_err(open_error)?;
        Ok(Self {
            writer,
            reader: pool(READERS, TURN_TIMEOUT).connect_lazy_with(read.clone()),
            public: pool(PUBLIC_READERS, PUBLIC_TURN_TIMEOUT).connect_lazy_with(read),
        })
    }

    /// Closes every connection; the last one folds the write-ahead log into the file.
    pub async fn close(&self) {
        self.public.close().await;
        self.reader.close().await;
        self.writer.close().await;
    }

    /// The version of SQLite inside this program.
    pub async fn sqlite_version(&self) -> Result<String, StoreError> {
        let version = sqlx::query_scalar!(r#"SELECT sqlite_version() AS "version!: String""#);
        Ok(version.fetch_one(&self.reader).await?)
    }

    /// A transaction that holds the write lock from its start. A deferred one that reads first would be refused
    /// at once, busy timeout or not, when somebody else wrote in between. Dropping it undoes everything.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        match self.writer.begin_with("BEGIN IMMEDIATE").await {
            // On a full disk SQLite undoes the transaction by itself, and sqlx goes on counting it: that connection
            // never begins another one, so the only writer would be lost until a restart.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                self.writer.acquire().await?.close().await?;
                Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
            }
            begun => Ok(begun?),
        }
    }

    pub(crate) fn read(&self) -> &SqlitePool {
        &self.reader
    }

    pub(crate) fn public(&self) -> &SqlitePool {
        &self.public
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .synchronous(SqliteSynchronous::Normal)
}

fn pool(connections: u32, turn: Duration) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(turn)
        .idle_timeout(None)
        .max_lifetime(None)
}

#[cfg(test)]
mod tests;
