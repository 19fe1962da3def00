//! `/login`: sign-in.

use leptos::prelude::*;

use super::{Page, anyone};
use crate::parts::basic::page_head;
use crate::parts::form::{Field, field, hidden};
use crate::parts::layout::{Place, flash};
use crate::text::local_path;

/// The page.
pub(crate) fn login() -> AnyView {
    anyone(|visitor| async move {
        let next = local_path(&visitor.asked("next").unwrap_or_default()).to_owned();
        let name = visitor.entered("name").unwrap_or_default();
        let fields = [
            ("name", "Name", "text", name, "username"),
            ("password", "Password", "password", String::new(), "current-password"),
        ]
        .map(|(id, label, kind, value, autocomplete)| {
            field(Field {
                id,
                name: id,
                label,
                kind,
                value,
                help: "",
                autocomplete,
                error: visitor.error(id),
            })
        });
        let body = view! {
            <div class="door">
                <p class="brand">"Inferex"</p>
                {visitor.flash.as_ref().map(flash)}
                {page_head(None, "Sign in", vec![], vec![])}
                <form method="post" action="/do/sign-in" class="stack">
                    {fields.into_iter().collect::<Vec<_>>()}
                    {hidden(vec![("next", next)])}
                    <button class="button primary">"Sign in"</button>
                </form>
                <p class="help">"Lost the password? On the machine itself: "<code>"inferex user password NAME --password-stdin"</code></p>
            </div>
        };
        Ok(Page::new("Sign in", Place::Nowhere, body.into_any()))
    })
}
