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
use visitor::{Page, Visitor, anyone, member};

use crate::ports::PortError;

/// For every path that is no page.
pub(crate) fn not_found() -> AnyView {
    anyone(|visitor| async move {
        Err(PortError::not_found(format!("The page {}", visitor.path.chars().take(80).collect::<String>())))
    })
}

/// The id that ends the path.
fn id_of<T: std::str::FromStr>(visitor: &Visitor) -> crate::ports::Answer<T> {
    let shown = || visitor.segment.chars().take(40).collect::<String>();
    visitor.segment.parse().map_err(|_| PortError::not_found(format!("`{}`", shown())))
}
