//! Public ids: typed, printed as `exp-12`, never reused (AUTOINCREMENT beneath).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a text is no id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {wanted} id; expected something like `{prefix}-12`")]
pub struct IdError {
    text: String,
    wanted: &'static str,
    prefix: &'static str,
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $wanted:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl $name {
            /// What stands before the hyphen.
            pub const PREFIX: &'static str = $prefix;
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}-{}", Self::PREFIX, self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                text.strip_prefix(concat!($prefix, "-"))
                    .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
                    .and_then(|digits| digits.parse().ok())
                    .map(Self)
                    .ok_or_else(|| IdError { text: text.chars().take(40).collect(), wanted: $wanted, prefix: $prefix })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

typed_id!(
    /// An experiment, `exp-12`.
    ExperimentId, "exp", "an experiment"
);
typed_id!(
    /// One arm of one repeat of an experiment: one start of an engine, `blk-7`.
    BlockId, "blk", "a block"
);
typed_id!(
    /// One arm, one level, one repeat, `run-345`.
    RunId, "run", "a run"
);
typed_id!(
    /// One started variant, `dep-7`.
    DeploymentId, "dep", "a deployment"
);
typed_id!(
    /// A stored variant, `var-3`.
    VariantId, "var", "a variant"
);
typed_id!(
    /// A person with an account, `user-1`.
    UserId, "user", "a user"
);
typed_id!(
    /// A frozen report, `rep-4`.
    ReportId, "rep", "a report"
);
typed_id!(
    /// A share link of a report (not its secret token), `share-9`.
    ShareId, "share", "a share"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_what_it_prints() {
        assert_eq!("exp-12".parse(), Ok(ExperimentId(12)));
        assert_eq!(ExperimentId(12).to_string(), "exp-12");
        assert_eq!(serde_json::to_string(&RunId(3)).ok(), Some("\"run-3\"".to_owned()));
    }

    #[test]
    fn an_id_of_another_kind_or_shape_is_refused() {
        for text in ["run-12", "exp-", "exp--1", "exp-1x", "exp-99999999999999999999", "", "12"] {
            assert!(text.parse::<ExperimentId>().is_err(), "{text}");
        }
    }
}
