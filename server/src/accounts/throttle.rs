//! How fast somebody may try: token buckets by key, with a bounded memory and no clock of its own.
//! Start from [`Throttle::take`].

use std::collections::HashMap;
use std::hash::Hash;

use inferex_model::time::Timestamp;

/// How many tries a bucket holds, and how long one takes to come back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// Tries at once.
    pub(crate) burst: u32,
    /// Milliseconds until one try has come back.
    pub(crate) refill_ms: u32,
    /// Keys remembered at most; beyond it the one closest to a full bucket is forgotten.
    pub(crate) keys: usize,
}

impl Rate {
    fn full_ms(self) -> i64 {
        i64::from(self.burst) * i64::from(self.refill_ms)
    }
}

/// Tries by key. A bucket is one number: the time at which it will be full again (the "theoretical arrival time" of
/// the generic cell rate algorithm), so a key that has rested long enough need not be remembered.
#[derive(Debug)]
pub(crate) struct Throttle<K> {
    rate: Rate,
    full_at: HashMap<K, Timestamp>,
}

impl<K: Hash + Eq + Clone> Throttle<K> {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, full_at: HashMap::new() }
    }

    /// Whole seconds until `key` may try, at least 1; `None` when it may now. Takes nothing.
    pub(crate) fn wait(&self, key: &K, now: Timestamp) -> Option<u64> {
        let next = self.next_full_at(key, now);
        let excess = next.since_ms(now) - self.rate.full_ms();
        u64::try_from(excess).ok().filter(|ms| *ms > 0).map(|ms| ms.div_ceil(1_000))
    }

    /// Takes one try of `key`. Call it before the costly work, so that parallel tries count.
    pub(crate) fn take(&mut self, key: K, now: Timestamp) {
        let next = self.next_full_at(&key, now);
        if !self.full_at.contains_key(&key) {
            self.make_room(now);
        }
        self.full_at.insert(key, next);
    }

    /// Gives one try back: it was a good one.
    pub(crate) fn give_back(&mut self, key: &K) {
        if let Some(full_at) = self.full_at.get_mut(key) {
            *full_at = full_at.plus_ms(-i64::from(self.rate.refill_ms));
        }
    }

    /// When the bucket would be full again after one more try.
    fn next_full_at(&self, key: &K, now: Timestamp) -> Timestamp {
        let full_at = self.full_at.get(key).copied().unwrap_or(now).max(now);
        // A clock that was set back must not lock anybody out for the difference.
        full_at.min(now.plus_ms(self.rate.full_ms())).plus_ms(i64::from(self.rate.refill_ms))
    }

    fn make_room(&mut self, now: Timestamp) {
        if self.full_at.len() < self.rate.keys {
            return;
        }
        self.full_at.retain(|_, full_at| *full_at > now);
        if self.full_at.len() >= self.rate.keys {
            let nearest =
                self.full_at.iter().min_by_key(|(_, full_at)| **full_at).map(|(key, _)| key.clone());
            if let Some(key) = nearest {
                self.full_at.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATE: Rate = Rate { burst: 3, refill_ms: 10_000, keys: 4 };

    /// Takes when it may; the waiting time otherwise.
    fn attempt(throttle: &mut Throttle<u32>, key: u32, now: i64) -> Option<u64> {
        let wait = throttle.wait(&key, Timestamp(now));
        if wait.is_none() {
            throttle.take(key, Timestamp(now));
        }
        wait
    }

    #[test]
    fn a_burst_is_let_through_then_one_for_each_refill() {
        let mut throttle = Throttle::new(RATE);
        let at = |throttle: &mut Throttle<u32>, now| attempt(throttle, 1, now);
        assert_eq!([at(&mut throttle, 0), at(&mut throttle, 0), at(&mut throttle, 0)], [None; 3]);
        assert_eq!(at(&mut throttle, 0), Some(10));
        assert_eq!(at(&mut throttle, 9_001), Some(1));
        assert_eq!(at(&mut throttle, 10_000), None);
        assert_eq!(at(&mut throttle, 10_000), Some(10));
        assert_eq!(attempt(&mut throttle, 2, 10_000), None, "another key has its own bucket");
    }

    #[test]
    fn a_good_try_costs_nothing() {
        let mut throttle = Throttle::new(RATE);
        for _ in 0..20 {
            assert_eq!(attempt(&mut throttle, 1, 0), None);
            throttle.give_back(&1);
        }
    }

    #[test]
    fn a_clock_set_back_locks_nobody_out() {
        let mut throttle = Throttle::new(RATE);
        for _ in 0..3 {
            attempt(&mut throttle, 1, 1_000_000_000);
        }
        assert_eq!(attempt(&mut throttle, 1, 0), Some(10));
        assert_eq!(attempt(&mut throttle, 1, 10_000), Some(10), "a refused try is not remembered");
        throttle.take(1, Timestamp(0));
        assert_eq!(attempt(&mut throttle, 1, 20_000), None);
    }

    proptest! {
        #[test]
        fn memory_is_bounded_and_no_window_lets_more_through_than_the_rate(
            tries in proptest::collection::vec((0u32..6, 0i64..4_000), 1..200)
        ) {
            let mut throttle = Throttle::new(Rate { keys: 100, ..RATE });
            let (mut now, mut passed) = (0, [0i64; 6]);
            for (key, step) in tries {
                now += step;
                if attempt(&mut throttle, key, now).is_none() {
                    passed[key as usize] += 1;
                }
                prop_assert!(passed[key as usize] <= 3 + now / 10_000);
            }
        }

        #[test]
        fn no_number_of_keys_grows_it(keys in proptest::collection::vec(any::<u32>(), 1..100)) {
            let mut throttle = Throttle::new(RATE);
            for key in keys {
                throttle.take(key, Timestamp(0));
                prop_assert!(throttle.full_at.len() <= RATE.keys);
            }
        }
    }
}
