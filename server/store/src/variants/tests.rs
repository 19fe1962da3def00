use super::*;
use crate::fixture::{NOW, fixture, variant};

const LATER: Timestamp = Timestamp(2_000);

#[tokio::test]
async fn a_variant_is_replaced_by_name_and_keeps_its_id() {
    let f = fixture().await;
    let id = f.store.put_variant(&Actor::local(), &variant("v"), NOW).await.expect("stores");
    let changed = Variant { max_model_len: Some(512), ..variant("v") };
    assert_eq!(f.store.put_variant(&Actor::local(), &changed, LATER).await.expect("replaces"), id);
    let row = f.store.variant_by_name("v").await.expect("reads").expect("is there");
    assert_eq!(row, VariantRow { id, variant: changed, created_at: NOW, updated_at: LATER });
    assert_eq!(f.store.variants().await.expect("reads").len(), 1);
}

#[tokio::test]
async fn all_of_a_file_is_stored_or_none() {
    let f = fixture().await;
    let twice = [variant("a"), variant("b"), variant("a")];
    let refused = f.store.put_variants(&Actor::local(), &twice, NOW).await;
    assert!(matches!(refused, Err(StoreError::Taken { what: "variant", .. })));
    assert_eq!(f.store.variants().await.expect("reads"), []);
    assert_eq!(f.store.put_variants(&Actor::local(), &twice[..2], NOW).await.expect("stores").len(), 2);
}

#[tokio::test]
async fn an_id_never_returns() {
    let f = fixture().await;
    let local = Actor::local();
    let first = f.store.put_variant(&local, &variant("v"), NOW).await.expect("stores");
    assert!(f.store.delete_variant(&local, first, NOW).await.expect("deletes"));
    assert!(!f.store.delete_variant(&local, first, NOW).await.expect("is gone"));
    let second = f.store.put_variant(&local, &variant("v"), NOW).await.expect("stores");
    assert!(second > first, "{second} after {first}");
    let actions: Vec<String> =
        f.store.audit(9, None).await.expect("reads").into_iter().map(|r| r.action).collect();
    assert_eq!(actions, ["variant.put", "variant.delete", "variant.put"]);
}
