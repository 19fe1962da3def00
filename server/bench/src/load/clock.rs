//! The run's clock and the place where events are written down.

use std::time::Instant;

use inferex_model::event::Event;
use inferex_model::load::LoadMessage;
use tokio::sync::mpsc::UnboundedSender;

/// Microseconds from the run's start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunClock(Instant);

impl RunClock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Takes events without ever waiting; a recorder of warm-up requests drops them.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    pub(crate) clock: RunClock,
    pub(crate) out: Option<UnboundedSender<LoadMessage>>,
}

impl Recorder {
    pub(crate) fn record(&self, event: Event) {
        if let Some(out) = &self.out {
            // A closed channel means that the reader is gone; the run is being stopped for that already.
            let _ = out.send(LoadMessage::Event(event));
        }
    }
}
