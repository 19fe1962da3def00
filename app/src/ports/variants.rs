use async_trait::async_trait;
use inferex_model::actor::Actor;
use inferex_model::variant::Variant;

use super::Answer;
use crate::view::VariantView;

/// Stored variants.
#[async_trait]
pub trait Variants: Send + Sync {
    /// All stored variants by name.
    async fn list(&self, actor: &Actor) -> Answer<Vec<VariantView>>;
    /// Stores all of them or none; a variant of the same name is replaced. Returns their names.
    async fn import(&self, actor: &Actor, variants: Vec<Variant>) -> Answer<Vec<String>>;
    /// Removes one by name; experiments keep their frozen copies.
    async fn remove(&self, actor: &Actor, name: &str) -> Answer<()>;
}
