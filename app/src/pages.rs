//! One module a page. A page reads its ports and becomes a [`Page`]; it may not change anything.
//!
//! Start from [`visitor::member`], which every page for signed-in people goes through.

mod builder;
mod deployment;
mod engines;
mod experiment;
mod experiments;
mod login;
mod overview;
mod report;
mod reports;
mod run;
mod settings;
mod setup;
mod shared;
pub(crate) mod visitor;

pub(crate) use builder::builder;
pub(crate) use deployment::deployment;
pub(crate) use engines::engines;
pub(crate) use experiment::experiment;
pub(crate) use experiments::experiments;
use leptos::prelude::*;
pub(crate) use login::login;
pub(crate) use overview::overview;
pub(crate) use report::report;
pub(crate) use reports::reports;
pub(crate) use run::run;
pub(crate) use settings::settings;
pub(crate) use setup::setup;
pub(crate) use shared::shared;
use std::sync::Arc;

use http::request::Parts;
use leptos::prelude::use_context;
use visitor::{Page, Visitor, anyone, member};

use crate::ports::PortError;

/// For every path that is no page.
pub(crate) fn not_found() -> AnyView {
    let path = use_context::<Parts>().map(|parts| parts.uri.path().to_owned()).unwrap_or_default();
    let page = |visitor: Arc<Visitor>| async move {
        Err(PortError::not_found(format!("The page {}", visitor.path.chars().take(80).collect::<String>())))
    };
    // Where nobody is asked who they are, nobody may be led to the sign-in page either: a token is in the address.
    if path.starts_with("/r/") { anyone(page) } else { member(page) }
}

/// The id that ends the path.
fn id_of<T: std::str::FromStr>(visitor: &Visitor) -> crate::ports::Answer<T> {
    let shown = || visitor.segment.chars().take(40).collect::<String>();
    visitor.segment.parse().map_err(|_| PortError::not_found(format!("`{}`", shown())))
}
