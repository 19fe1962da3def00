//! Experiments and their queue. Start from [`super::register`].

use inferex_model::experiment::ExperimentSpec;
use inferex_model::id::ExperimentId;
use leptos::prelude::*;

use super::id;
use crate::act::{Act, Back, Done};
use crate::ports::PortError;
use crate::text::plural;

/// Queues the experiment that a TOML text states; the builder posts here as well.
#[server(prefix = "/do", endpoint = "experiment-queue")]
pub async fn queue_experiment(toml: String, #[server(default)] back: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let spec: ExperimentSpec =
            toml::from_str(&toml).map_err(|e| PortError::invalid("toml", e.message()))?;
        let queued = act.ports.experiments.create(&act.actor()?, spec).await?;
        Ok(Done::new(format!("/experiments/{queued}"), format!("{queued} is queued.")))
    };
    let outcome = outcome.await;
    let back = if back.is_empty() { "/experiments/new#file".to_owned() } else { back };
    act.settle(outcome, Back::to(back).with("toml", &toml)).await
}

/// Cancels what is not over.
#[server(prefix = "/do", endpoint = "experiment-cancel")]
pub async fn cancel_experiment(experiment: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let wanted: ExperimentId = id("experiment", &experiment)?;
        act.ports.experiments.cancel(&act.actor()?, wanted).await?;
        Ok(Done::new(format!("/experiments/{wanted}"), format!("{wanted} is cancelled; finished runs stay.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/experiments/{experiment}"))).await
}

/// Queues interrupted runs again.
#[server(prefix = "/do", endpoint = "experiment-requeue")]
pub async fn requeue_experiment(experiment: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let wanted: ExperimentId = id("experiment", &experiment)?;
        let runs = act.ports.experiments.requeue(&act.actor()?, wanted).await?;
        Ok(Done::new(format!("/experiments/{wanted}"), format!("Queued {} again.", plural(runs, "run"))))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/experiments/{experiment}"))).await
}

/// Deletes an experiment with its events.
#[server(prefix = "/do", endpoint = "experiment-remove")]
pub async fn remove_experiment(experiment: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let wanted: ExperimentId = id("experiment", &experiment)?;
        act.ports.experiments.remove(&act.actor()?, wanted).await?;
        Ok(Done::new("/experiments", format!("{wanted} is deleted; reports frozen from it stay.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/experiments/{experiment}"))).await
}
