//! The engine of this machine, variants, deployments. Start from [`super::register`].

use inferex_model::id::DeploymentId;
use inferex_model::variant::{RuntimeKind, VariantFile};
use leptos::prelude::*;

use super::id;
use crate::act::{Act, Back, Done};
use crate::ports::PortError;

/// Begins the installation of the engine that runs on this machine.
#[server(prefix = "/do", endpoint = "engine-install")]
pub async fn install_engine() -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        act.ports.engine_setup.begin(&act.actor()?).await?;
        Ok(Done::new("/engines", "The installation has begun."))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to("/engines#setup")).await
}

/// Stores the variants of a TOML text, all or none.
#[server(prefix = "/do", endpoint = "variant-import")]
pub async fn import_variants(toml: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let file: VariantFile = toml::from_str(&toml).map_err(|e| PortError::invalid("toml", e.message()))?;
        let names = act.ports.variants.import(&act.actor()?, file.variant).await?;
        Ok(Done::new("/engines#variants", format!("Stored {}.", names.join(", "))))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to("/engines#import").with("toml", &toml)).await
}

/// Removes a stored variant.
#[server(prefix = "/do", endpoint = "variant-remove")]
pub async fn remove_variant(name: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        act.ports.variants.remove(&act.actor()?, &name).await?;
        Ok(Done::new("/engines#variants", format!("Removed {name}; experiments keep their copies.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to("/engines#variants")).await
}

/// Starts a stored variant as a local process.
#[server(prefix = "/do", endpoint = "deployment-start")]
pub async fn start_deployment(variant: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let started = act.ports.deployments.start(&act.actor()?, &variant, RuntimeKind::Process).await?;
        Ok(Done::new(format!("/engines/{started}"), ""))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to("/engines#variants")).await
}

/// Stops a deployment.
#[server(prefix = "/do", endpoint = "deployment-stop")]
pub async fn stop_deployment(deployment: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let wanted: DeploymentId = id("deployment", &deployment)?;
        act.ports.deployments.stop(&act.actor()?, wanted).await?;
        Ok(Done::new(format!("/engines/{wanted}"), format!("{wanted} was told to stop.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/engines/{deployment}"))).await
}
