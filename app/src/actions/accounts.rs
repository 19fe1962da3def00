//! Accounts and sign-in. Start from [`super::register`].

use leptos::prelude::*;

use super::id;
use crate::act::{Act, Back, Done};
use crate::ports::{Answer, PortError};

fn same(password: &str, again: &str) -> Answer<()> {
    if password == again { Ok(()) } else { Err(PortError::invalid("again", "differs from the password")) }
}

/// Makes the first admin and signs in.
#[server(prefix = "/do", endpoint = "set-up")]
pub async fn set_up(
    code: String,
    name: String,
    password: String,
    again: String,
) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        same(&password, &again)?;
        let user = act.ports.accounts.set_up(&code, &name, &password).await?;
        act.visit.sign_in(&user).await?;
        Ok(Done::new("/", format!("Signed in as {}.", user.name)))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/setup?code={}", crate::text::encode(&code))).with("name", &name))
        .await
}

/// Checks a password and signs in.
#[server(prefix = "/do", endpoint = "sign-in")]
pub async fn sign_in(
    name: String,
    password: String,
    #[server(default)] next: String,
) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let user = act.ports.accounts.sign_in(&act.visit.address(), &name, &password).await?;
        act.visit.sign_in(&user).await?;
        Ok(Done::new(next.clone(), ""))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(crate::act::sign_in_path(&next)).with("name", &name)).await
}

/// Ends the session.
#[server(prefix = "/do", endpoint = "sign-out")]
pub async fn sign_out() -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = act.visit.sign_out().await.map(|()| Done::new("/login", ""));
    act.settle(outcome, Back::to("/")).await
}

/// Makes an account.
#[server(prefix = "/do", endpoint = "user-create")]
pub async fn create_user(name: String, role: String, password: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let user = act.ports.accounts.create(&act.actor()?, &name, id("role", &role)?, &password).await?;
        Ok(Done::new("/settings", format!("Made the account {} ({}).", user.name, user.role)))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to("/settings#create").with("name", &name).with("role", &role)).await
}

/// Disables or enables an account.
#[server(prefix = "/do", endpoint = "user-disable")]
pub async fn disable_user(name: String, disabled: bool) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        act.ports.accounts.set_disabled(&act.actor()?, &name, disabled).await?;
        let how = if disabled { "is disabled; its sessions ended" } else { "may sign in again" };
        Ok(Done::new("/settings", format!("{name} {how}.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to("/settings#users")).await
}

/// Sets a password.
#[server(prefix = "/do", endpoint = "user-password")]
pub async fn set_password(name: String, password: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        act.ports.accounts.set_password(&act.actor()?, &name, &password).await?;
        Ok(Done::new("/settings", format!("{name} has a new password; its sessions ended.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to("/settings#password").with("name", &name)).await
}
