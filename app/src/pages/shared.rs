//! `/r/{token}`: a shared report, for anyone with the link; nothing leads from here into the product.

use leptos::prelude::*;

use super::{Page, anyone};
use crate::parts::basic::{fact, page_head, when};
use crate::parts::layout::Place;
use crate::parts::result::result;
use crate::ports::PortError;
use crate::text::{encode, utc};

/// The page. Unknown, revoked and expired links are alike.
pub(crate) fn shared() -> AnyView {
    anyone(|visitor| async move {
        let token = visitor.segment.clone();
        let unknown = |error| match error {
            PortError::NotFound { .. } => PortError::not_found("This report"),
            other => other,
        };
        let snapshot = visitor.ports.reports.open(&token).await.map_err(unknown)?;
        let base = format!("/r/{}", encode(&token));
        let charts = format!("{base}/charts");
        let mut facts = vec![view! { "frozen "{when(snapshot.frozen_at, visitor.now)} }.into_any()];
        facts.extend(snapshot.ended_at.map(|at| fact(format!("measured until {}", utc(at)))));
        let acts = ["json", "csv"]
            .map(|kind| {
                let href = format!("{base}/data.{kind}");
                view! { <a class="button" href=href download>{kind.to_uppercase()}</a> }.into_any()
            })
            .into_iter()
            .collect();
        let body = view! {
            <p class="brand">"Inferex"<span class="note">" report"</span></p>
            {page_head(None, &snapshot.title, facts, acts)}
            {result(&snapshot.result, Some(&charts))}
            <p class="note foot">"Measured with Inferex. This page is frozen: its figures do not change."</p>
        };
        Ok(Page::new(snapshot.title.clone(), Place::Nowhere, body.into_any()))
    })
}
