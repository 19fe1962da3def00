//! The salt line that makes a prompt new.

use sha2::{Digest, Sha256};

/// The rule, with its version; part of a prompt set's hash.
///
/// A salt line stands first, because a prefix cache shares whatever two prompts begin with. It begins with twelve
/// decimal digits, each followed by a space: they differ from the first token on, and every digit is one token
/// (or a space and a digit two) in all common vocabularies, so that prompts of one set have the same length in
/// tokens whatever the salt. The digits come from SHA-256 over purpose, seed, concurrency, repeat, pass and index
/// of the prompt; that is 10^12 values, so that two prompts of one text practically never share a salt.
pub const SALT_RULE: &str = "salt v1: 12 digits of sha256(purpose, seed, concurrency, repeat, pass, index), \
                             then `is the number of this request; it is not part of the task.`, empty line, prompt";

const DIGITS: usize = 12;

/// What a salted prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Measured,
    WarmUp,
}

/// All that a salt depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Salt {
    pub(super) purpose: Purpose,
    pub(super) seed: u64,
    pub(super) concurrency: u32,
    pub(super) repeat: u32,
    pub(super) pass: u32,
    pub(super) index: u32,
}

impl Salt {
    pub(super) fn line(self) -> String {
        let mut line = String::with_capacity(96);
        for digit in self.digits() {
            line.push(char::from(b'0' + digit));
            line.push(' ');
        }
        line.push_str("is the number of this request; it is not part of the task.\n\n");
        line
    }

    fn digits(self) -> [u8; DIGITS] {
        let purpose = match self.purpose {
            Purpose::Measured => "measured",
            Purpose::WarmUp => "warm-up",
        };
        let mut hasher = Sha256::new();
        hasher.update(purpose);
        hasher.update([0]);
        hasher.update(self.seed.to_le_bytes());
        for number in [self.concurrency, self.repeat, self.pass, self.index] {
            hasher.update(number.to_le_bytes());
        }
        let hash = hasher.finalize();
        let mut number = hash.iter().take(16).fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
        std::array::from_fn(|_| {
            let digit = u8::try_from(number % 10).expect("a remainder of 10 fits a byte");
            number /= 10;
            digit
        })
    }
}
