//! Everything Inferex remembers, in one SQLite file: one module per aggregate, all of them `impl` [`Store`].
//!
//! This crate knows the vocabulary of `inferex-model` and SQL. It may not know what a page, an engine or a
//! gateway is; it reads no clock and draws nothing at random: times and hashes come from the caller.
//! Start from [`Store`]; the schema is in [`schema`] and `migrations/`.
//!
//! Rules kept everywhere: each change is one immediate transaction; what a person can trigger writes its audit
//! row in that transaction; states change only through named functions that say whether they won.

mod error;
pub mod schema;

pub use error::StoreError;

#[cfg(feature = "queries")]
pub mod audit;
#[cfg(feature = "queries")]
mod codec;
#[cfg(feature = "queries")]
pub mod deployments;
#[cfg(feature = "queries")]
pub mod events;
#[cfg(feature = "queries")]
pub mod experiments;
#[cfg(feature = "queries")]
pub mod queue;
#[cfg(feature = "queries")]
pub mod reports;
#[cfg(feature = "queries")]
pub mod requests;
#[cfg(feature = "queries")]
pub mod runs;
#[cfg(feature = "queries")]
pub mod sessions;
#[cfg(feature = "queries")]
pub mod settings;
#[cfg(feature = "queries")]
mod store;
#[cfg(feature = "queries")]
pub mod users;
#[cfg(feature = "queries")]
pub mod variants;

#[cfg(feature = "queries")]
pub use store::Store;

#[cfg(test)]
mod fixture;
