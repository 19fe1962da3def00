//! One row a request of a run that is done: what the run page and `requests.csv` read, in pages.

use inferex_model::id::RunId;
use inferex_model::metrics::RequestRow;
use sqlx::SqliteConnection;

use crate::codec::{to_i64, to_u64};
use crate::{Store, StoreError};

impl Store {
    /// Rows of a run by request number, `limit` of them after the first `offset`.
    pub async fn request_rows(
        &self,
        run: RunId,
        offset: u32,
        limit: u32,
    ) -> Result<Vec<RequestRow>, StoreError> {
        let rows = sqlx::query!(
            "SELECT req, sent_ms, ttft_ms, tpot_ms, e2e_ms, prompt_tokens, output_tokens, cached_tokens, finish, error
             FROM run_requests WHERE run_id = ? ORDER BY req LIMIT ? OFFSET ?",
            run.0,
            limit,
            offset
        );
        let rows = rows.fetch_all(self.read()).await?.into_iter().map(|row| RequestRow {
            req: to_u64(row.req),
            sent_ms: row.sent_ms,
            ttft_ms: row.ttft_ms,
            tpot_ms: row.tpot_ms,
            e2e_ms: row.e2e_ms,
            prompt_tokens: row.prompt_tokens.map(to_u64),
            output_tokens: row.output_tokens.map(to_u64),
            cached_tokens: row.cached_tokens.map(to_u64),
            finish: row.finish,
            error: row.error,
        });
        Ok(rows.collect())
    }
}

pub(crate) async fn replace_requests(
    conn: &mut SqliteConnection,
    run: RunId,
    rows: &[RequestRow],
) -> Result<(), StoreError> {
    sqlx::query!("DELETE FROM run_requests WHERE run_id = ?", run.0).execute(&mut *conn).await?;
    for row in rows {
        insert(conn, run, row).await?;
    }
    Ok(())
}

async fn insert(conn: &mut SqliteConnection, run: RunId, row: &RequestRow) -> Result<(), StoreError> {
    let req = to_i64(row.req);
    let tokens = [row.prompt_tokens, row.output_tokens, row.cached_tokens].map(|count| count.map(to_i64));
    sqlx::query!(
        "INSERT INTO run_requests (run_id, req, sent_ms, ttft_ms, tpot_ms, e2e_ms, prompt_tokens, output_tokens,
                                   cached_tokens, finish, error)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        run.0,
        req,
        row.sent_ms,
        row.ttft_ms,
        row.tpot_ms,
        row.e2e_ms,
        tokens[0],
        tokens[1],
        tokens[2],
        row.finish,
        row.error
    )
    .execute(conn)
    .await?;
    Ok(())
}
