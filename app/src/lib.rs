//! What a person sees: pages, components, server functions, the view types they show and the ports they call.
//!
//! This crate may not know how anything is stored or run: it never sees SQL, a password hash or a secret. Everything
//! it needs is a trait in [`ports`]; the server implements them and the JSON API calls the very same ones. Start from
//! [`ports::Ports`], [`shell::shell`] and [`web::router`], which serves it.

// A view tree is one nested type; the default limit is made for smaller ones.
#![recursion_limit = "256"]

mod act;
pub mod actions;
pub mod assets;
pub mod context;
mod pages;
mod parts;
pub mod ports;
pub mod shell;
mod text;
pub mod view;
pub mod web;
