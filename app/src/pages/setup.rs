//! `/setup`: the first admin account.

use leptos::prelude::*;

use super::{Page, anyone};
use crate::parts::basic::{fact, page_head};
use crate::parts::form::{Field, field};
use crate::parts::layout::{Place, flash};
use crate::parts::problem::problem;
use crate::ports::PortError;

/// The page.
pub(crate) fn setup() -> AnyView {
    anyone(|visitor| async move {
        if !visitor.ports.accounts.needs_setup().await? {
            let over = PortError::Conflict("the first account exists already; sign in at /login".to_owned());
            return Ok(Page::new("Set up", Place::Nowhere, problem(&over, true)));
        }
        let entry = |id, name, label, kind, value, help, autocomplete| {
            field(Field { id, name, label, kind, value, help, autocomplete, error: visitor.error(name) })
        };
        let code = visitor.asked("code").unwrap_or_default();
        let name = visitor.entered("name").unwrap_or_default();
        let body = view! {
            <div class="door">
                <p class="brand">"Inferex"</p>
                {visitor.flash.as_ref().map(flash)}
                {page_head(None, "Make the first account", vec![fact("It becomes an admin. Nothing leaves this machine.")], vec![])}
                <form method="post" action="/do/set-up" class="stack">
                    {entry("code", "code", "One-time code", "text", code, "It is printed where the server was started.", "off")}
                    {entry("name", "name", "Name", "text", name, "Letters, digits, dot, underscore, hyphen, @.", "username")}
                    {entry("password", "password", "Password", "password", String::new(), "At least 10 characters.", "new-password")}
                    {entry("again", "again", "Password again", "password", String::new(), "", "new-password")}
                    <button class="button primary">"Make the account"</button>
                </form>
            </div>
        };
        Ok(Page::new("Set up", Place::Nowhere, body.into_any()))
    })
}
