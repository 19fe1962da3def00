//! Between columns and values: JSON text, words of enumerations, whole numbers. Pure.

use std::fmt::Display;

use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteQueryResult;

use crate::StoreError;

pub(crate) fn to_json<T: Serialize + ?Sized>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|source| StoreError::Encode { what, source })
}

pub(crate) fn from_json<T: DeserializeOwned>(
    what: &'static str,
    id: impl Display,
    text: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| damaged(what, id, error))
}

/// The same for a column that may be empty.
pub(crate) fn maybe_json<T: DeserializeOwned>(
    what: &'static str,
    id: impl Display,
    text: Option<String>,
) -> Result<Option<T>, StoreError> {
    text.map(|text| from_json(what, id, &text)).transpose()
}

/// The value of an enumeration by the word serde gives it.
pub(crate) fn from_word<T: for<'de> Deserialize<'de>>(
    what: &'static str,
    id: impl Display,
    word: &str,
) -> Result<T, StoreError> {
    let words: StrDeserializer<'_, WordError> = word.into_deserializer();
    T::deserialize(words).map_err(|error| damaged(what, id, error))
}

pub(crate) fn damaged(what: &'static str, id: impl Display, reason: impl Display) -> StoreError {
    StoreError::Damaged { what, id: id.to_string(), reason: reason.to_string() }
}

/// Counts and indices that fit 32 bits by construction.
pub(crate) fn to_u32(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(if number < 0 { 0 } else { u32::MAX })
}

/// SQLite has no unsigned 64-bit numbers; token counts stay far below the limit.
pub(crate) fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Whether a conditional update found its row as expected.
pub(crate) fn won(result: &SqliteQueryResult) -> bool {
    result.rows_affected() > 0
}

/// Names the duplicate when a unique name was taken.
pub(crate) fn or_taken(error: sqlx::Error, what: &'static str, name: &str) -> StoreError {
    match error.as_database_error() {
        Some(refused) if refused.is_unique_violation() => StoreError::Taken { what, name: name.to_owned() },
        _ => error.into(),
    }
}
