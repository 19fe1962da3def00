//! What a name and a password must be.

use inferex_app::ports::{Answer, PortError};

const SHORTEST: usize = 10;
const LONGEST: usize = 200;

/// Letters, digits, `.`, `_`, `-`, `@`; 1 to 64 of them.
pub(super) fn name(name: &str) -> Answer<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    if (1..=64).contains(&name.len()) && name.chars().all(plain) {
        return Ok(());
    }
    Err(PortError::invalid("name", "must have 1 to 64 characters: letters, digits, `.`, `_`, `-`, `@`"))
}

/// Length alone: rules about kinds of characters make passwords weaker, not stronger.
pub(super) fn password(password: &str) -> Answer<()> {
    if (SHORTEST..=LONGEST).contains(&password.chars().count()) {
        return Ok(());
    }
    let reason =
        format!("must have {SHORTEST} to {LONGEST} characters; a few unrelated words make a good one");
    Err(PortError::invalid("password", reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_short() {
        for good in ["a", "Ada.Lovelace-1_x@example.org", &"x".repeat(64)] {
            assert_eq!(name(good), Ok(()), "{good}");
        }
        for bad in ["", "a b", "ä", "a/b", "<b>", "a\n", &"x".repeat(65)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn passwords_are_counted_in_characters() {
        for good in ["ten chars!", "äöüäöüäöüä", &"x".repeat(200)] {
            assert_eq!(password(good), Ok(()), "{good}");
        }
        for bad in ["", "nine char", "äöüäöüäöü", &"x".repeat(201)] {
            let refused = password(bad).expect_err("refused").to_string();
            assert!(refused.contains("10 to 200 characters"), "{refused}");
        }
    }
}
