//! An engine's log file: read from an offset for a growing page, its last lines for a failure, its head for what it resolved.
//!
//! May not know what the lines mean. Start from [`LogFile`].

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A log on disk that another process appends to. Offsets count from where this log begins in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    path: PathBuf,
    begin: u64,
}

/// A piece of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogChunk {
    /// The text; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// Where the next read goes on, in bytes.
    pub next_offset: u64,
    /// Bytes in the log when it was read.
    pub size: u64,
}

impl LogFile {
    /// The log at `path`; it need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), begin: 0 }
    }

    /// What is appended to `path` from now on: an earlier start's lines must not explain a later one.
    pub fn from_now(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let begin = std::fs::metadata(&path).map_or(0, |meta| meta.len());
        Self { path, begin }
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// At most `max` bytes from `offset` on; empty where there is nothing (yet).
    pub fn read_from(&self, offset: u64, max: usize) -> io::Result<LogChunk> {
        let mut file = match std::fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(LogChunk { text: String::new(), next_offset: 0, size: 0 });
            }
            Err(error) => return Err(error),
        };
        let size = file.metadata()?.len().saturating_sub(self.begin);
        let offset = offset.min(size);
        file.seek(SeekFrom::Start(self.begin.saturating_add(offset)))?;
        let mut bytes = Vec::new();
        file.take(u64::try_from(max).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
        // A character that is cut by the end of this piece belongs to the next one.
        let whole = bytes.len() - cut_character(&bytes);
        let used = if whole == 0 { bytes.len() } else { whole };
        let next_offset = offset.saturating_add(u64::try_from(used).unwrap_or(0));
        Ok(LogChunk { text: String::from_utf8_lossy(&bytes[..used]).into_owned(), next_offset, size })
    }

    /// The last `max` bytes, beginning with a whole line where there is more before.
    pub fn tail(&self, max: usize) -> io::Result<String> {
        let size = std::fs::metadata(&self.path).map_or(0, |meta| meta.len()).saturating_sub(self.begin);
        let from = size.saturating_sub(u64::try_from(max).unwrap_or(u64::MAX));
        // One byte more tells whether the piece begins with a whole line.
        let Some(before) = from.checked_sub(1) else { return Ok(self.read_from(0, max)?.text) };
        let text = self.read_from(before, max.saturating_add(1))?.text;
        Ok(text.split_once('\n').map_or(text.clone(), |(_, rest)| rest.to_owned()))
    }
}

/// How many bytes at the end begin a character that is not complete.
fn cut_character(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(4);
    let lead = bytes[from..].iter().rposition(|byte| byte & 0xC0 != 0x80);
    let Some(lead) = lead.map(|at| from + at) else { return 0 };
    let wanted = match bytes[lead] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    };
    let have = bytes.len() - lead;
    if have < wanted { have } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log_with(bytes: &[u8]) -> (tempfile::TempDir, LogFile) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("engine.log");
        std::fs::write(&path, bytes).expect("written");
        (dir, LogFile::new(path))
    }

    proptest! {
        #[test]
        fn pieces_make_the_whole(text in "[a-zäß€😀\n]{0,80}", max in 4usize..9) {
            let (_dir, log) = log_with(text.as_bytes());
            let (mut read, mut offset) = (String::new(), 0);
            while offset < text.len() as u64 {
                let chunk = log.read_from(offset, max).expect("readable");
                prop_assert!(chunk.next_offset > offset);
                read.push_str(&chunk.text);
                offset = chunk.next_offset;
            }
            prop_assert_eq!(read, text);
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40), offset in 0u64..50, max in 0usize..9) {
            let (_dir, log) = log_with(&bytes);
            let _ = log.read_from(offset, max);
            let _ = log.tail(max);
        }
    }

    #[test]
    fn a_tail_begins_with_a_whole_line() {
        let (_dir, log) = log_with(b"first line\nsecond\nthird\n");
        assert_eq!(log.tail(13).expect("readable"), "second\nthird\n");
        assert_eq!(log.tail(12).expect("readable"), "third\n");
        assert_eq!(log.tail(1000).expect("readable"), "first line\nsecond\nthird\n");
    }

    #[test]
    fn an_earlier_start_is_not_read() {
        let (_dir, log) = log_with(b"old\n");
        let later = LogFile::from_now(log.path());
        std::fs::write(log.path(), b"old\nnew\n").expect("written");
        assert_eq!(later.tail(100).expect("readable"), "new\n");
        assert_eq!(later.read_from(1, 100).expect("readable").text, "ew\n");
        assert_eq!(log.tail(100).expect("readable"), "old\nnew\n");
    }

    #[test]
    fn a_log_that_is_not_there_yet_is_empty() {
        let chunk = LogFile::new("/nonexistent/engine.log").read_from(10, 10).expect("empty");
        assert_eq!((chunk.text.as_str(), chunk.next_offset), ("", 0));
    }
}
