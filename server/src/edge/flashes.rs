//! Messages between two requests, in memory alone: one may hold a share link or a key, which must never reach the
//! database. The session holds only a handle. A restart loses them, which costs a sentence.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use inferex_app::ports::Flash;
use inferex_model::time::Timestamp;

const KEPT_MS: i64 = 10 * 60 * 1_000;
const MOST: usize = 500;
/// What was entered is kept up to this size; a longer form has to be filled again.
const LONGEST_ENTRY: usize = 32 * 1024;

/// The waiting messages by handle.
#[derive(Default)]
pub(super) struct Flashes(Mutex<HashMap<String, (Timestamp, Flash)>>);

impl Flashes {
    pub(super) fn put(&self, handle: String, flash: Flash, now: Timestamp) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, (until, _)| *until > now);
        if waiting.len() >= MOST {
            let oldest =
                waiting.iter().min_by_key(|(_, (until, _))| *until).map(|(handle, _)| handle.clone());
            oldest.and_then(|handle| waiting.remove(&handle));
        }
        waiting.insert(handle, (now.plus_ms(KEPT_MS), trimmed(flash)));
    }

    pub(super) fn take(&self, handle: &str, now: Timestamp) -> Option<Flash> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, flash) = waiting.remove(handle)?;
        (until > now).then_some(flash)
    }
}

fn trimmed(mut flash: Flash) -> Flash {
    if flash.entered.values().map(String::len).sum::<usize>() > LONGEST_ENTRY {
        flash.entered.clear();
    }
    flash
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use inferex_app::ports::FlashKind;

    use super::*;

    fn flash(entered: usize) -> Flash {
        let entered = BTreeMap::from([("name".to_owned(), "x".repeat(entered))]);
        Flash { kind: FlashKind::Done, text: "done".to_owned(), fields: BTreeMap::new(), entered, once: None }
    }

    #[test]
    fn a_message_is_taken_once_and_spoils() {
        let flashes = Flashes::default();
        flashes.put("a".to_owned(), flash(1), Timestamp(0));
        flashes.put("b".to_owned(), flash(1), Timestamp(0));
        assert_eq!(flashes.take("a", Timestamp(1)), Some(flash(1)));
        assert_eq!(flashes.take("a", Timestamp(1)), None);
        assert_eq!(flashes.take("b", Timestamp(KEPT_MS)), None);
    }

    #[test]
    fn neither_many_nor_long_messages_fill_the_memory() {
        let flashes = Flashes::default();
        for n in 0..i64::try_from(MOST).expect("small") + 7 {
            flashes.put(n.to_string(), flash(LONGEST_ENTRY + 1), Timestamp(n));
        }
        assert_eq!(flashes.0.lock().expect("unpoisoned").len(), MOST);
        assert_eq!(flashes.take("6", Timestamp(600)), None, "the oldest went");
        assert!(flashes.take("7", Timestamp(600)).is_some_and(|flash| flash.entered.is_empty()));
    }
}
