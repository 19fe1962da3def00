//! The data folder: where everything of one installation lives, and the lock that makes one process its writer.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Paths inside the data folder.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    root: PathBuf,
    database: PathBuf,
}

impl Home {
    /// The folder `root` with its database at `database`, or inside it.
    pub(crate) fn new(root: PathBuf, database: Option<PathBuf>) -> Self {
        let database = database.unwrap_or_else(|| root.join("inferex.db"));
        Self { root, database }
    }

    /// Makes the folders that are missing, for their owner only.
    pub(crate) fn create(&self) -> Result<(), HomeError> {
        for folder in [self.root.clone(), self.logs(), self.models(), self.root.join("engines")] {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&folder)
                .map_err(|source| HomeError::Create { path: folder, source })?;
        }
        Ok(())
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn database(&self) -> &Path {
        &self.database
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.root.join("control.sock")
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    pub(crate) fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    fn lock_file(&self) -> PathBuf {
        self.root.join("lock")
    }
}

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HomeError {
    /// A folder could not be made.
    #[error("cannot create {path}: {source}; choose another folder with INFEREX_DATA_DIR", path = path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
    /// Another process holds the lock.
    #[error("another Inferex {holder} uses the data folder {path}; stop it or choose another folder with INFEREX_DATA_DIR", path = path.display())]
    Held {
        /// The data folder.
        path: PathBuf,
        /// What the holder wrote about itself.
        holder: String,
    },
    /// The lock file cannot be opened or written.
    #[error("cannot lock {path}: {source}", path = path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
}

/// Proof of being the one writer; the lock goes with the process, however it ends.
#[derive(Debug)]
pub(crate) struct HomeLock {
    file: File,
}

impl HomeLock {
    /// Takes the lock, or says who holds it.
    pub(crate) fn take(home: &Home) -> Result<Self, HomeError> {
        let path = home.lock_file();
        let fail = |source| HomeError::Lock { path: path.clone(), source };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(fail)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(HomeError::Held {
                path: home.root.clone(),
                holder: describe_holder(&fs::read_to_string(&path).unwrap_or_default()),
            }),
            Err(TryLockError::Error(source)) => Err(fail(source)),
        }
    }

    /// Writes who holds the lock, for the one who finds it held.
    pub(crate) fn announce(&mut self, text: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(text.as_bytes())?;
        self.file.flush()
    }
}

fn describe_holder(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() { "process".to_owned() } else { format!("({line})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_is_told_who_the_first_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::new(folder.path().join("data"), None);
        home.create().expect("folders");
        let mut first = HomeLock::take(&home).expect("free");
        first.announce("process 7 at http://127.0.0.1:8080\n").expect("written");
        let refusal = HomeLock::take(&home).expect_err("held").to_string();
        assert!(refusal.contains("process 7 at http://127.0.0.1:8080"), "{refusal}");
        drop(first);
        HomeLock::take(&home).expect("free again");
    }
}
