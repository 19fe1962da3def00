//! Random indices from a seed, the same on every machine.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

/// What random numbers are drawn for; each purpose has its own `ChaCha` stream, so that drawing more for one
/// never changes another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    Permutation = 1,
    RatioInterval = 2,
    MedianInterval = 3,
}

/// A source of uniform indices.
pub(super) struct Draws(ChaCha20Rng);

impl Draws {
    pub(super) fn new(seed: u64, purpose: Purpose) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = ChaCha20Rng::from_seed(bytes);
        rng.set_stream(purpose as u64);
        Self(rng)
    }

    /// A uniform index below `bound`, which must not be 0. Values that would favour the low indices are
    /// drawn again.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1) as u64;
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let value = self.0.next_u64();
            if value < fair {
                return usize::try_from(value % bound).unwrap_or(0);
            }
        }
    }
}
