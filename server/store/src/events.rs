//! Events of runs: chunks of JSON lines, deflated, appended about once a second while a run is under way.
//! They are the truth about a run and are kept when it is interrupted. What a line means is not known here.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use inferex_model::id::RunId;

use crate::codec::{damaged, to_i64, to_u64, won};
use crate::{Store, StoreError};

impl Store {
    /// Appends a chunk; `false` when the run is not under way with that attempt, or has a chunk `seq` already.
    pub async fn append_events(
        &self,
        run: RunId,
        attempt: u32,
        seq: u32,
        lines: &[u8],
    ) -> Result<bool, StoreError> {
        let (body, raw_bytes) = (deflate(lines), to_i64(lines.len() as u64));
        let mut tx = self.write().await?;
        let appended = sqlx::query!(
            "INSERT INTO run_events (run_id, attempt, seq, raw_bytes, body)
             SELECT id, attempt, ?3, ?4, ?5 FROM runs
             WHERE id = ?1 AND attempt = ?2 AND state IN ('preparing', 'warming', 'measuring', 'processing')
             ON CONFLICT (run_id, attempt, seq) DO NOTHING",
            run.0,
            attempt,
            seq,
            raw_bytes,
            body
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(won(&appended))
    }

    /// The first chunk after `after_seq` (or the very first) of one attempt: its number and its lines.
    /// Reading chunk by chunk never holds a long read against the writer.
    pub async fn event_chunk(
        &self,
        run: RunId,
        attempt: u32,
        after_seq: Option<u32>,
    ) -> Result<Option<(u32, Vec<u8>)>, StoreError> {
        let after = after_seq.map_or(-1, i64::from);
        let found = sqlx::query!(
            r#"SELECT seq AS "seq: u32", raw_bytes, body FROM run_events
               WHERE run_id = ? AND attempt = ? AND seq > ? ORDER BY seq LIMIT 1"#,
            run.0,
            attempt,
            after
        )
        .fetch_optional(self.read())
        .await?;
        let Some(chunk) = found else { return Ok(None) };
        let lines = inflate(&chunk.body, to_u64(chunk.raw_bytes)).map_err(|reason| {
            damaged("events", format!("{run}, attempt {attempt}, chunk {}", chunk.seq), reason)
        })?;
        Ok(Some((chunk.seq, lines)))
    }
}

fn deflate(lines: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(lines).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}

/// Never more than what was stored, so that a damaged blob cannot fill the memory.
fn inflate(body: &[u8], raw_bytes: u64) -> Result<Vec<u8>, String> {
    let mut lines = Vec::new();
    let read = DeflateDecoder::new(body).take(raw_bytes + 1).read_to_end(&mut lines);
    read.map_err(|error| error.to_string())?;
    if lines.len() as u64 == raw_bytes {
        Ok(lines)
    } else {
        Err(format!("{} bytes instead of {raw_bytes}", lines.len()))
    }
}

#[cfg(test)]
mod tests;
