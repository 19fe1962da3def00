//! Grid lines with their numbers, and the levels beneath.

use super::Panel;
use crate::scene::{Anchor, Item, Role, Shape};
use crate::text::{Weight, shorten, width};

/// From the middle of small text to its base line.
pub(super) const HALF: f64 = 4.2;
/// Room for one level's text: half of it must fit beside the first and the last level.
const LEVEL_ROOM: f64 = 44.0;

impl Panel<'_> {
    pub(super) fn axes(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for (index, (value, text)) in self.scale.ticks.iter().enumerate() {
            let y = self.frame.height_of(self.scale.place(*value));
            let role = if index == 0 { Role::Axis } else { Role::Grid };
            items.push(Item::new(role, Shape::Path(vec![(self.frame.left, y), (self.frame.right, y)])));
            if self.has_ticks {
                let at = (self.frame.left - 8.0, y + HALF);
                items.push(Item::new(Role::Tick, Shape::Text(at, Anchor::End, text.clone())));
            }
        }
        items.extend(self.heading.map(|heading| {
            let room = self.frame.right - self.frame.left;
            let text = shorten(heading, room, Weight::Bold);
            Item::new(
                Role::Heading,
                Shape::Text((self.frame.left, self.frame.top - 11.0), Anchor::Start, text),
            )
        }));
        items.extend(self.level_texts());
        items
    }

    /// As many of the levels as fit without touching; the first always.
    fn level_texts(&self) -> Vec<Item> {
        let texts: Vec<String> =
            self.levels.iter().map(|l| shorten(l, LEVEL_ROOM, Weight::Regular)).collect();
        let count = texts.len();
        let widest = texts.iter().map(|t| width(t, Weight::Regular)).fold(0.0, f64::max);
        let apart =
            if count > 1 { self.frame.level(1, count) - self.frame.level(0, count) } else { widest + 8.0 };
        let every = (1..count).find(|&k| k as f64 * apart >= widest + 8.0).unwrap_or(count.max(1));
        let item = |(index, text): (usize, String)| {
            let at = (self.frame.level(index, count), self.frame.bottom + 20.0);
            let item = Item::new(Role::Tick, Shape::Text(at, Anchor::Middle, text.clone()));
            if text == self.levels[index] { item } else { item.hover(&self.levels[index]) }
        };
        texts.into_iter().enumerate().step_by(every).map(item).collect()
    }
}
