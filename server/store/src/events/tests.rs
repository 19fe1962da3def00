use inferex_model::run::RunState;
use proptest::prelude::*;

use super::*;
use crate::fixture::{NOW, fixture};

#[tokio::test]
async fn chunks_read_back_in_order_one_by_one() {
    let f = fixture().await;
    f.experiment(1, 1, &[1]).await;
    let block = f.claim().await.expect("a block");
    let run = block.runs[0].id;
    assert!(!f.store.append_events(run, 1, 0, b"too early").await.expect("works"), "the run has not begun");
    f.lead(&block, 0, RunState::Measuring).await;
    let lines = b"{\"req\":0,\"t\":0,\"kind\":\"sent\"}\n".repeat(1_000);
    for (seq, body) in [(1, &b"b"[..]), (0, &lines[..]), (2, &b""[..])] {
        assert!(f.store.append_events(run, 1, seq, body).await.expect("appends"));
    }
    assert!(!f.store.append_events(run, 1, 1, b"again").await.expect("works"), "chunk 1 is there already");
    let mut read = Vec::new();
    let mut after = None;
    while let Some((seq, body)) = f.store.event_chunk(run, 1, after).await.expect("reads") {
        after = Some(seq);
        read.push((seq, body));
    }
    assert_eq!(read, [(0, lines), (1, b"b".to_vec()), (2, Vec::new())]);
    assert_eq!(f.store.event_chunk(run, 2, None).await.expect("reads"), None);
    f.store.fail_run(run, 1, "test", NOW).await.expect("fails");
    assert!(!f.store.append_events(run, 1, 3, b"late").await.expect("works"), "the run is over");
}

#[tokio::test]
async fn a_damaged_chunk_is_named() {
    let f = fixture().await;
    f.experiment(1, 1, &[1]).await;
    let block = f.claim().await.expect("a block");
    f.lead(&block, 0, RunState::Measuring).await;
    f.store.append_events(block.runs[0].id, 1, 0, b"lines").await.expect("appends");
    let mut tx = f.store.write().await.expect("begins");
    sqlx::query("UPDATE run_events SET raw_bytes = 3").execute(&mut *tx).await.expect("damages");
    tx.commit().await.expect("commits");
    let error = f.store.event_chunk(block.runs[0].id, 1, None).await.expect_err("is damaged");
    assert!(error.to_string().contains("run-1, attempt 1, chunk 0"), "{error}");
}

proptest! {
    #[test]
    fn what_is_deflated_inflates_to_the_same(lines in prop::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert_eq!(inflate(&deflate(&lines), lines.len() as u64), Ok(lines));
    }

    #[test]
    fn no_blob_panics_or_grows(body in prop::collection::vec(any::<u8>(), 0..200), size in 0u64..100) {
        if let Ok(lines) = inflate(&body, size) {
            prop_assert_eq!(lines.len() as u64, size);
        }
    }
}
