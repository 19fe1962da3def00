//! The two-sample permutation test on the difference of means, exact wherever that is affordable.

use super::draws::{Draws, Purpose};

/// Splits up to which all are enumerated (10 against 10 has 184,756).
const MOST_SPLITS: u64 = 200_000;
/// Random splits drawn beyond that.
pub const MONTE_CARLO_DRAWS: u32 = 100_000;
/// Differences of means closer than this share of the samples' range are ties: the order of summation
/// must not decide.
const TIE: f64 = 1e-9;

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Every split was counted.
    Exact {
        /// C(n + m, n).
        splits: u64,
    },
    /// Random splits were counted, the observed one among them.
    MonteCarlo {
        /// How many were drawn.
        draws: u32,
    },
}

/// The answer of a two-sided permutation test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PermutationTest {
    /// The share of splits whose means differ at least as much; above 0, at most 1.
    pub p: f64,
    /// Exact or drawn.
    pub method: Method,
    /// The smallest p that groups of these sizes can reach.
    pub reachable_p: f64,
}

/// C(n + m, n), saturating.
#[must_use]
pub fn splits(n: usize, m: usize) -> u64 {
    let (few, all) = (n.min(m) as u128, (n + m) as u128);
    let mut count = 1_u128;
    for k in 1..=few {
        // Divides without rest at each step: the product of k successive numbers holds k! as a factor.
        count = count * (all - few + k) / k;
        if count > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The smallest two-sided p that groups of `n` and `m` can reach: 2 / C(n + m, n) for equal sizes (the mirrored
/// split differs as much), 1 / C(n + m, n) otherwise. 5 against 5: 2/252. `None` when a group is empty.
#[must_use]
pub fn smallest_p(n: usize, m: usize) -> Option<f64> {
    if n == 0 || m == 0 {
        return None;
    }
    let all = splits(n, m);
    let extreme = if n == m { 2.0 } else { 1.0 };
    if all <= MOST_SPLITS {
        return Some(extreme / all as f64);
    }
    Some((extreme / all as f64).max(1.0 / (f64::from(MONTE_CARLO_DRAWS) + 1.0)))
}

/// Tests whether the means of two groups differ, two-sided. `None` when a group is empty or holds a number
/// that is not finite.
#[must_use]
pub fn permutation_test(a: &[f64], b: &[f64], seed: u64) -> Option<PermutationTest> {
    let reachable_p = smallest_p(a.len(), b.len())?;
    let all = splits(a.len(), b.len());
    let exact = all <= MOST_SPLITS;
    let method =
        if exact { Method::Exact { splits: all } } else { Method::MonteCarlo { draws: MONTE_CARLO_DRAWS } };
    let Some(pool) = Pool::of(a, b)? else { return Some(PermutationTest { p: 1.0, method, reachable_p }) };
    let p = if exact { pool.exact(all) } else { pool.drawn(seed) };
    Some(PermutationTest { p, method, reachable_p })
}

/// Both groups pooled in ascending order and mapped to 0..=1, so that neither the order of samples, nor which
/// group comes first, nor the unit can change the answer.
struct Pool {
    values: Vec<f64>,
    total: f64,
    /// Size of the smaller group.
    few: usize,
    /// |difference of means| as observed.
    observed: f64,
}

impl Pool {
    /// The outer `None`: not finite. The inner: all samples are equal.
    #[expect(clippy::option_option, reason = "private, and each None is named above")]
    fn of(a: &[f64], b: &[f64]) -> Option<Option<Self>> {
        let mut values: Vec<f64> = a.iter().chain(b).copied().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let range = max - min;
        if !(min.is_finite() && max.is_finite() && range.is_finite()) || values.iter().any(|x| x.is_nan()) {
            return None;
        }
        if range <= 0.0 {
            return Some(None);
        }
        let unit = |x: f64| (x - min) / range;
        for value in &mut values {
            *value = unit(*value);
        }
        let smaller = if a.len() <= b.len() { a } else { b };
        let total = values.iter().sum();
        let mut pool = Self { values, total, few: smaller.len(), observed: 0.0 };
        pool.observed = pool.difference(smaller.iter().map(|x| unit(*x)).sum());
        Some(Some(pool))
    }

    /// |difference of means| when the smaller group sums to `sum`.
    fn difference(&self, sum: f64) -> f64 {
        let (few, many) = (self.few as f64, (self.values.len() - self.few) as f64);
        (sum / few - (self.total - sum) / many).abs()
    }

    fn is_extreme(&self, sum: f64) -> bool {
        self.difference(sum) >= self.observed - TIE
    }

    fn exact(&self, all: u64) -> f64 {
        let mut chosen: Vec<usize> = (0..self.few).collect();
        let mut extreme = 0_u64;
        loop {
            if self.is_extreme(chosen.iter().map(|i| self.values[*i]).sum()) {
                extreme += 1;
            }
            if !next_split(&mut chosen, self.values.len()) {
                // The observed split is one of them, whatever rounding did to its sum.
                return extreme.max(1) as f64 / all as f64;
            }
        }
    }

    fn drawn(&self, seed: u64) -> f64 {
        let mut draws = Draws::new(seed, Purpose::Permutation);
        let mut deck = self.values.clone();
        let mut extreme = 0_u32;
        for _ in 0..MONTE_CARLO_DRAWS {
            for place in 0..self.few {
                let other = place + draws.below(deck.len() - place);
                deck.swap(place, other);
            }
            if self.is_extreme(deck[..self.few].iter().sum()) {
                extreme += 1;
            }
        }
        f64::from(extreme + 1) / f64::from(MONTE_CARLO_DRAWS + 1)
    }
}

/// Moves ascending indices to the next combination out of `of`; false after the last.
fn next_split(chosen: &mut [usize], of: usize) -> bool {
    let size = chosen.len();
    let Some(place) = (0..size).rev().find(|i| chosen[*i] < of - size + i) else { return false };
    chosen[place] += 1;
    for later in place + 1..size {
        chosen[later] = chosen[later - 1] + 1;
    }
    true
}
