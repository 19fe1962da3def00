//! What can go wrong in the store, in sentences a person can act on.

use std::path::PathBuf;

use inferex_model::id::UserId;

/// Why a call to the store did nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A name that must be unique is in use.
    #[error("the {what} `{name}` exists already; choose another name")]
    Taken {
        /// The kind of thing, for example `user`.
        what: &'static str,
        /// The name that is in use.
        name: String,
    },
    /// Nobody could manage Inferex any more.
    #[error("{0} is the last enabled admin; make another one first")]
    LastAdmin(UserId),
    /// An experiment came with another number of variants than it has arms.
    #[error("arm: the experiment has {arms} arms but {variants} variants; pass one variant for each arm")]
    ArmMismatch {
        /// Arms of the experiment.
        arms: usize,
        /// Variants that came with it.
        variants: usize,
    },
    /// The file was written by a newer Inferex.
    #[error(
        "the database {path} has schema {found}, and this inferex knows schemas up to {known}; \
         start a newer inferex, or restore a copy made before the upgrade"
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema of this program.
        known: i64,
    },
    /// The file is a database of something else.
    #[error("{path} is a database that inferex did not make; name another file, or move this one away")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened as a database.
    #[error(
        "the database {path} cannot be opened: {source}; check that the file and its folder are readable and writable"
    )]
    Open {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// A file of the database could not be made or changed.
    #[error("{path} cannot be written: {source}; check the folder's permissions and free space")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The schema could not be brought up to date; the database is as it was.
    #[error("the schema of {path} cannot be brought up to date: {source}; the database is unchanged")]
    Migrate {
        /// The database file.
        path: PathBuf,
        /// What went wrong.
        source: sqlx::migrate::MigrateError,
    },
    /// Something stored does not read back.
    #[error(
        "the stored {what} of {id} does not read back ({reason}); it was written by another version or damaged"
    )]
    Damaged {
        /// The column's meaning.
        what: &'static str,
        /// Whose it is.
        id: String,
        /// What the decoder said.
        reason: String,
    },
    /// A value cannot be written as JSON.
    #[error("the {what} cannot be stored: {source}")]
    Encode {
        /// What it is.
        what: &'static str,
        /// What the encoder said.
        source: serde_json::Error,
    },
    /// SQLite refused or did not answer in time.
    #[error("the database did not carry out the request: {0}")]
    Database(#[from] sqlx::Error),
}
