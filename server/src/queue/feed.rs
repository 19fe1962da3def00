//! Events on their way into the store: kept for about a second, then appended; counted as they pass.

use std::collections::HashSet;
use std::time::Duration;

use inferex_model::event::Event;
use inferex_model::run::RequestProgress;
use tokio::time::Instant;

/// How much time lies between two chunks.
pub(super) const CHUNK_EVERY: Duration = Duration::from_secs(1);
/// Bytes after which a chunk is full whatever the time.
const CHUNK_BYTES: usize = 256 * 1024;

/// The events of one run that are not stored yet, and the counts over all of them.
pub(super) struct Feed {
    lines: Vec<u8>,
    seq: u32,
    progress: RequestProgress,
    open: HashSet<u64>,
    tokens_since: u64,
    since: Instant,
}

/// A piece for the store.
pub(super) struct Piece {
    pub(super) seq: u32,
    pub(super) bytes: Vec<u8>,
    pub(super) progress: RequestProgress,
    /// Token-carrying chunks per second since the last piece: an estimate for the eye, never a figure.
    pub(super) tok_s: f64,
}

impl Feed {
    pub(super) fn new(total: u64, now: Instant) -> Self {
        Self {
            lines: Vec::new(),
            seq: 0,
            progress: RequestProgress { total, ..RequestProgress::default() },
            open: HashSet::new(),
            tokens_since: 0,
            since: now,
        }
    }

    /// Takes one event in.
    pub(super) fn push(&mut self, event: &Event) -> Result<(), serde_json::Error> {
        serde_json::to_writer(&mut self.lines, event)?;
        self.lines.push(b'\n');
        match event {
            Event::Sent { req, .. } => {
                self.open.insert(*req);
            }
            Event::Done { req, .. } => {
                self.open.remove(req);
                self.progress.done += 1;
            }
            Event::Error { req, .. } => {
                self.open.remove(req);
                self.progress.failed += 1;
            }
            Event::Chunk(chunk) if chunk.part.carries_tokens() => self.tokens_since += 1,
            _ => {}
        }
        self.progress.in_flight = self.open.len() as u64;
        Ok(())
    }

    /// Whether a piece is due.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.lines.len() >= CHUNK_BYTES || now.duration_since(self.since) >= CHUNK_EVERY
    }

    /// Takes what has gathered; `None` when nothing has.
    pub(super) fn take(&mut self, now: Instant) -> Option<Piece> {
        if self.lines.is_empty() {
            return None;
        }
        let seconds = now.duration_since(self.since).as_secs_f64().max(0.001);
        let piece = Piece {
            seq: self.seq,
            bytes: std::mem::take(&mut self.lines),
            progress: self.progress,
            tok_s: self.tokens_since as f64 / seconds,
        };
        self.seq += 1;
        self.tokens_since = 0;
        self.since = now;
        Some(piece)
    }

    pub(super) fn progress(&self) -> RequestProgress {
        self.progress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn counts_follow_the_events_and_pieces_are_numbered() {
        let start = Instant::now();
        let mut feed = Feed::new(2, start);
        assert!(feed.take(start).is_none());
        for event in
            [Event::Sent { req: 0, t: 0 }, Event::Sent { req: 1, t: 1 }, Event::Done { req: 0, t: 5 }]
        {
            feed.push(&event).expect("an event is JSON");
        }
        assert!(!feed.is_due(start));
        let later = start + CHUNK_EVERY;
        assert!(feed.is_due(later));
        let piece = feed.take(later).expect("three events");
        assert_eq!((piece.seq, piece.progress.done, piece.progress.in_flight), (0, 1, 1));
        assert_eq!(String::from_utf8_lossy(&piece.bytes).lines().count(), 3);
        feed.push(&Event::Done { req: 1, t: 9 }).expect("an event is JSON");
        assert_eq!(feed.take(later).map(|piece| piece.seq), Some(1));
    }
}
