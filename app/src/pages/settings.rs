//! `/settings`: accounts and the audit log.

use inferex_model::actor::Role;
use leptos::prelude::*;

use super::{Page, Visitor, member};
use crate::parts::basic::{card, empty, page_head, scroller, when, when_or};
use crate::parts::form::{Button, Field, button, confirm, field, refused, select};
use crate::parts::layout::Place;
use crate::view::{AuditView, UserView};

/// The page.
pub(crate) fn settings() -> AnyView {
    member(|visitor| async move {
        let admin_only = visitor.lacks(Role::Admin);
        let body = match admin_only {
            Some(reason) => view! {
                {card("users", "Accounts", "", refused("Manage accounts", "button", reason.clone()))}
                {card("audit", "Audit log", "", refused("Read the audit log", "button", reason))}
            }
            .into_any(),
            None => for_admins(&visitor).await?,
        };
        let body = view! { {page_head(None, "Settings", vec![], vec![])}{body} };
        Ok(Page::new("Settings", Place::Settings, body.into_any()))
    })
}

async fn for_admins(visitor: &Visitor) -> crate::ports::Answer<AnyView> {
    let users = visitor.ports.accounts.list(&visitor.actor).await?;
    let audit = visitor.ports.accounts.audit(&visitor.actor, 100).await?;
    Ok(view! {
        {card("users", "Accounts", "a viewer reads, an engineer also measures and shares, an admin also manages accounts", users_table(&users, visitor))}
        <div class="two">
            {card("create", "New account", "", create(visitor))}
            {card("password", "Set a password", "ends every session of that account", password(&users, visitor))}
        </div>
        {card("audit", "Audit log", "the latest 100 acts, newest first", audit_table(&audit, visitor))}
    }
    .into_any())
}

fn users_table(users: &[UserView], visitor: &Visitor) -> AnyView {
    let rows: Vec<_> = users.iter().map(|user| user_row(user, visitor)).collect();
    let table = view! {
        <table>
            <caption class="hidden">"Accounts"</caption>
            <thead><tr>
                <th scope="col">"Name"</th><th scope="col">"Role"</th><th scope="col">"State"</th>
                <th scope="col">"Made"</th><th scope="col">"Last sign-in"</th><th scope="col">"Acts"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller("Accounts", table.into_any())
}

fn user_row(user: &UserView, visitor: &Visitor) -> AnyView {
    let own = (visitor.actor.user == Some(user.id)).then(|| "this is you".to_owned());
    let values = |disabled: bool| vec![("name", user.name.clone()), ("disabled", disabled.to_string())];
    let act = if user.disabled {
        button(Button {
            action: "/do/user-disable",
            label: "Enable",
            class: "button small",
            hidden: values(false),
            blocked: None,
        })
    } else {
        let lost =
            format!("{} can no longer sign in and every session ends. Nothing else is lost.", user.name);
        confirm(
            "Disable",
            &lost,
            Button {
                action: "/do/user-disable",
                label: "Disable it",
                class: "button danger",
                hidden: values(true),
                blocked: own,
            },
        )
    };
    view! {
        <tr>
            <th scope="row">{user.name.clone()}</th><td>{user.role.as_str()}</td>
            <td>{if user.disabled { "disabled" } else { "may sign in" }}</td>
            <td>{when(user.created_at, visitor.now)}</td>
            <td>{when_or(user.last_sign_in, visitor.now, "never")}</td><td>{act}</td>
        </tr>
    }
    .into_any()
}

fn create(visitor: &Visitor) -> AnyView {
    let roles = Role::ALL.map(|role| (role.as_str(), role.as_str().to_owned()));
    let role = visitor.entered("role").unwrap_or_else(|| "engineer".to_owned());
    let name = Field {
        id: "new-name",
        name: "name",
        label: "Name",
        kind: "text",
        value: visitor.entered("name").unwrap_or_default(),
        help: "Letters, digits, dot, underscore, hyphen, @.",
        autocomplete: "off",
        error: visitor.error("name"),
    };
    let secret = Field {
        id: "new-password",
        name: "password",
        label: "Password",
        kind: "password",
        value: String::new(),
        help: "At least 10 characters.",
        autocomplete: "new-password",
        error: visitor.error("password"),
    };
    view! {
        <form method="post" action="/do/user-create" class="stack">
            {field(name)}{select("new-role", "role", "Role", &roles, &role)}{field(secret)}
            <button class="button">"Make the account"</button>
        </form>
    }
    .into_any()
}

fn password(users: &[UserView], visitor: &Visitor) -> AnyView {
    let names: Vec<(&str, String)> = users.iter().map(|u| (u.name.as_str(), u.name.clone())).collect();
    let chosen = visitor.entered("name").unwrap_or_default();
    let secret = Field {
        id: "set-password",
        name: "password",
        label: "New password",
        kind: "password",
        value: String::new(),
        help: "At least 10 characters.",
        autocomplete: "new-password",
        error: None,
    };
    view! {
        <form method="post" action="/do/user-password" class="stack">
            {select("set-name", "name", "Account", &names, &chosen)}{field(secret)}
            <button class="button">"Set the password"</button>
        </form>
    }
    .into_any()
}

fn audit_table(entries: &[AuditView], visitor: &Visitor) -> AnyView {
    if entries.is_empty() {
        return empty("Nothing was done yet.", None);
    }
    let rows: Vec<_> = entries
        .iter()
        .map(|e| {
            view! {
                <tr>
                    <td>{when(e.at, visitor.now)}</td><td>{e.actor.clone()}</td><td>{e.origin.clone()}</td>
                    <td><code>{e.action.clone()}</code></td><td>{e.object.clone()}</td>
                </tr>
            }
        })
        .collect();
    let table = view! {
        <table>
            <caption class="hidden">"Audit log"</caption>
            <thead><tr>
                <th scope="col">"When"</th><th scope="col">"Who"</th><th scope="col">"Through"</th>
                <th scope="col">"What"</th><th scope="col">"To what"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroller("Audit log", table.into_any())
}
