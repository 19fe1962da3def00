//! Reports and share links. Start from [`super::register`].

use inferex_model::duration::Span;
use inferex_model::id::{ReportId, ShareId};
use leptos::prelude::*;

use super::id;
use crate::act::{Act, Back, Done};
use crate::ports::Answer;

/// Freezes the result of an experiment.
#[server(prefix = "/do", endpoint = "report-create")]
pub async fn create_report(experiment: String, title: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let from = id("experiment", &experiment)?;
        let report = act.ports.reports.create(&act.actor()?, from, &title).await?;
        Ok(Done::new(format!("/reports/{report}#share"), "Frozen. Make a link to send it to somebody."))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/experiments/{experiment}#share")).with("title", &title)).await
}

fn expiry(text: &str) -> Answer<Option<Span>> {
    if text == "never" { Ok(None) } else { id("expires", text).map(Some) }
}

/// Makes a share link and shows it once.
#[server(prefix = "/do", endpoint = "report-share")]
pub async fn share_report(report: String, expires: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let wanted: ReportId = id("report", &report)?;
        let share = act.ports.reports.share(&act.actor()?, wanted, expiry(&expires)?).await?;
        let text = "Copy the link now: it is shown this once, and only its hash is kept.";
        Ok(Done::new(format!("/reports/{wanted}"), text).once("Share link", share.url))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/reports/{report}#share"))).await
}

/// Revokes a share link.
#[server(prefix = "/do", endpoint = "share-revoke")]
pub async fn revoke_share(share: String, report: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let wanted: ShareId = id("share", &share)?;
        act.ports.reports.revoke(&act.actor()?, wanted).await?;
        Ok(Done::new(format!("/reports/{report}"), format!("{wanted} no longer opens anything.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/reports/{report}#share"))).await
}

/// Deletes a report and its links.
#[server(prefix = "/do", endpoint = "report-remove")]
pub async fn remove_report(report: String) -> Result<(), ServerFnError> {
    let act = Act::begin()?;
    let outcome = async {
        let wanted: ReportId = id("report", &report)?;
        act.ports.reports.remove(&act.actor()?, wanted).await?;
        Ok(Done::new("/reports", format!("{wanted} and its links are deleted.")))
    };
    let outcome = outcome.await;
    act.settle(outcome, Back::to(format!("/reports/{report}"))).await
}
