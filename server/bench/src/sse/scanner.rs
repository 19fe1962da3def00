//! An incremental scanner for `text/event-stream`.
//!
//! It may not know what the events mean. Start from [`Scanner::push`]. Lines end in LF, CR LF or CR, and bytes
//! may be split anywhere: inside a line, a character, or between CR and LF.

/// Most bytes that one line, or the data of one event, may have.
pub const MAX_EVENT_BYTES: usize = 1 << 20;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field, when there was one.
    pub name: Option<String>,
    /// The `data` lines, joined by line feeds; invalid UTF-8 replaced.
    pub data: String,
}

/// Why a stream cannot be read further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// A line or an event grew past the bound.
    #[error("an event of the stream is longer than {limit} bytes; the answer is no chat stream")]
    TooLong {
        /// The bound.
        limit: usize,
    },
}

/// Turns bytes in any split into events.
#[derive(Debug)]
pub struct Scanner {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    name: Option<String>,
    after_cr: bool,
    at_start: bool,
    limit: usize,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl Scanner {
    /// A scanner with the usual bound.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A scanner that refuses lines and events longer than `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            name: None,
            after_cr: false,
            at_start: true,
            limit,
        }
    }

    /// Takes the next bytes and appends the events that they complete to `events`.
    /// Events completed before an error are still appended.
    pub fn push(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), SseError> {
        loop {
            if self.after_cr && !bytes.is_empty() {
                self.after_cr = false;
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                return self.keep(bytes);
            };
            self.keep(&bytes[..end])?;
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.end_line()?);
        }
    }

    /// The event that was still open when the stream ended, if its last line was complete. The standard drops
    /// it; servers that forget the last empty line did answer, so it is given. A line without its end is dropped.
    #[must_use]
    pub fn finish(mut self) -> Option<SseEvent> {
        self.dispatch()
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        if self.line.len() + bytes.len() > self.limit {
            return Err(SseError::TooLong { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<SseEvent>, SseError> {
        let mut line = std::mem::take(&mut self.line);
        let mut text = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        }
        let event = if text.is_empty() { self.dispatch() } else { self.field(text)? };
        line.clear();
        // The buffer is given back so that a long stream does not allocate for each line.
        self.line = line;
        Ok(event)
    }

    fn field(&mut self, line: &[u8]) -> Result<Option<SseEvent>, SseError> {
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => self.add_data(value)?,
            b"event" => self.name = Some(String::from_utf8_lossy(value).into_owned()),
            // A comment has an empty field name; `id` and `retry` concern reconnection, which a measured
            // request never does.
            _ => {}
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &[u8]) -> Result<(), SseError> {
        if self.data.len() + value.len() >= self.limit {
            return Err(SseError::TooLong { limit: self.limit });
        }
        if self.has_data {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
        self.has_data = true;
        Ok(())
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let name = self.name.take();
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let data = String::from_utf8_lossy(&self.data).into_owned();
        self.data.clear();
        Some(SseEvent { name, data })
    }
}

#[cfg(test)]
mod tests;
