//! A log file by lines: the last ones, or from a line on, without holding the file in memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use inferex_app::view::LogPage;

/// Longest line that is shown whole, bytes.
const LINE_LIMIT: u64 = 4_096;

/// At most `limit` lines from line `from` on, or the last `limit`. A file that is gone has no lines.
pub(crate) fn read(path: &Path, from: Option<u64>, limit: u32) -> io::Result<LogPage> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(LogPage { first: 0, lines: Vec::new(), total: 0 });
        }
        Err(error) => return Err(error),
    };
    let mut reader = BufReader::new(file);
    let (mut kept, mut total) = (VecDeque::new(), 0_u64);
    while let Some(line) = next_line(&mut reader)? {
        match from {
            Some(from) if total < from || kept.len() >= limit as usize => {}
            Some(_) => kept.push_back(line),
            None => {
                kept.push_back(line);
                if kept.len() > limit as usize {
                    kept.pop_front();
                }
            }
        }
        total += 1;
    }
    let first = from.map_or(total - kept.len() as u64, |from| from.min(total));
    Ok(LogPage { first, lines: kept.into(), total })
}

fn next_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && read as u64 == LINE_LIMIT {
        reader.skip_until(b'\n')?;
        bytes.extend_from_slice("…".as_bytes());
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, from: Option<u64>, limit: u32) -> LogPage {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        read(file.path(), from, limit).expect("read")
    }

    #[test]
    fn the_last_lines_or_those_from_a_line_on() {
        let last = page("a\nb\r\nc\nd", None, 2);
        assert_eq!((last.first, last.total, last.lines), (2, 4, vec!["c".to_owned(), "d".to_owned()]));
        let middle = page("a\nb\nc\nd\n", Some(1), 2);
        assert_eq!((middle.first, middle.total, middle.lines), (1, 4, vec!["b".to_owned(), "c".to_owned()]));
        assert_eq!(page("a\n", Some(9), 2).lines, Vec::<String>::new());
    }

    #[test]
    fn an_endless_line_is_cut_and_the_next_one_is_whole() {
        let long = page(&format!("{}\nnext\n", "x".repeat(20_000)), None, 5);
        assert_eq!(long.total, 2);
        assert!(long.lines[0].len() < 5_000);
        assert_eq!(long.lines[1], "next");
    }
}
