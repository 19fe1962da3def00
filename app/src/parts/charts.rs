//! Charts as they come, in the width that fits, with their data and downloads.

use leptos::prelude::*;

use super::basic::{card, scroller};
use crate::view::{ChartView, DataTable};

/// Where charts can be downloaded; `None` on shared pages.
pub(crate) type ChartBase<'a> = Option<&'a str>;

/// All charts, side by side where there is room.
pub(crate) fn charts(charts: &[ChartView], base: ChartBase<'_>) -> AnyView {
    let cards: Vec<_> = charts.iter().map(|chart| one(chart, base)).collect();
    view! { <div class="charts">{cards}</div> }.into_any()
}

fn one(chart: &ChartView, base: ChartBase<'_>) -> AnyView {
    let small = if chart.small.is_empty() { chart.narrow.clone() } else { chart.small.clone() };
    let downloads = base.map(|base| {
        let href = |kind: &str| format!("{base}/{}.{kind}", crate::text::encode(&chart.id));
        view! { <a href=href("svg") download>"SVG"</a><a href=href("csv") download>"CSV"</a> }
    });
    let body = view! {
        <div class="chart">
            <div class="chart-wide" inner_html=chart.wide.clone()></div>
            <div class="chart-narrow" inner_html=chart.narrow.clone()></div>
            <div class="chart-small" inner_html=small></div>
        </div>
        <div class="chart-foot">
            <details><summary>"Show data"</summary>{table(&chart.table, &chart.title)}</details>
            {downloads}
        </div>
    };
    card(&format!("chart-{}", chart.id), &chart.title, &chart.note, body.into_any())
}

/// A small table of text cells; the first column heads its row.
pub(crate) fn table(data: &DataTable, title: &str) -> AnyView {
    let head: Vec<_> = data.head.iter().map(|cell| view! { <th scope="col">{cell.clone()}</th> }).collect();
    let rows: Vec<_> = data.rows.iter().map(|row| table_row(row)).collect();
    let table = view! { <table class="data"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table> };
    scroller(&format!("{title}: data"), table.into_any())
}

fn table_row(row: &[String]) -> AnyView {
    let cells: Vec<_> = row
        .iter()
        .enumerate()
        .map(|(index, cell)| match index {
            0 => view! { <th scope="row">{cell.clone()}</th> }.into_any(),
            _ => view! { <td class="num">{cell.clone()}</td> }.into_any(),
        })
        .collect();
    view! { <tr>{cells}</tr> }.into_any()
}
