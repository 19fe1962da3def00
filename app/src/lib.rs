//! What a person sees: pages, components, server functions, the view types they show and the ports they call.
//!
//! This crate may not know how anything is stored or run: it never sees SQL, a password hash or a secret. Everything
//! it needs is a trait in [`ports`]; the server implements them and the JSON API calls the very same ones. Start from
//! [`ports::Ports`] and [`shell::shell`].

pub mod ports;
pub mod view;
