use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use inferex_app::ports::{Answer, PortError, Variants};
use inferex_app::view::VariantView;
use inferex_engines::secret::{MASK, Secrets, looks_secret};
use inferex_model::actor::{Actor, Role};
use inferex_model::variant::{FieldError, RuntimeKind, Variant};
use inferex_store::variants::VariantRow;

use super::{from_store, require};
use crate::backend::{Backend, file_bytes};

pub(super) struct VariantsPort(pub(super) Arc<Backend>);

#[async_trait]
impl Variants for VariantsPort {
    async fn list(&self, actor: &Actor) -> Answer<Vec<VariantView>> {
        require(actor, Role::Viewer, "reading variants")?;
        let rows = self.0.store.variants().await.map_err(from_store("list variants"))?;
        Ok(rows.into_iter().map(|row| self.view(row)).collect())
    }

    async fn import(&self, actor: &Actor, variants: Vec<Variant>) -> Answer<Vec<String>> {
        require(actor, Role::Engineer, "storing a variant")?;
        check(&variants)?;
        let (store, now) = (&self.0.store, self.0.now());
        store.put_variants(actor, &variants, now).await.map_err(from_store("store variants"))?;
        Ok(variants.into_iter().map(|variant| variant.name).collect())
    }

    async fn remove(&self, actor: &Actor, name: &str) -> Answer<()> {
        require(actor, Role::Engineer, "removing a variant")?;
        let missing = || PortError::not_found(format!("the variant `{name}`"));
        let row = self.0.store.variant_by_name(name).await.map_err(from_store("find a variant"))?;
        let id = row.ok_or_else(missing)?.id;
        let removed = self.0.store.delete_variant(actor, id, self.0.now()).await;
        if removed.map_err(from_store("remove a variant"))? { Ok(()) } else { Err(missing()) }
    }
}

impl VariantsPort {
    fn view(&self, row: VariantRow) -> VariantView {
        let file_bytes = self.0.model_file(&row.variant).and_then(|path| file_bytes(&path));
        let blocked = self.0.blocked(&row.variant, RuntimeKind::Process);
        VariantView { id: row.id, variant: masked(row.variant), file_bytes, blocked }
    }
}

/// The variant with environment values masked whose names look secret.
pub(super) fn masked(mut variant: Variant) -> Variant {
    let secrets = Secrets::of(&variant);
    for (name, value) in &mut variant.env {
        *value = if looks_secret(name) { MASK.to_owned() } else { secrets.mask(value) };
    }
    for arg in &mut variant.args {
        *arg = secrets.mask(arg);
    }
    variant
}

fn check(variants: &[Variant]) -> Result<(), FieldError> {
    let mut names = BTreeSet::new();
    if variants.is_empty() {
        return Err(FieldError::new("variant", "is missing; state at least one [[variant]]"));
    }
    for (index, variant) in variants.iter().enumerate() {
        let path = format!("variant[{index}]");
        variant.check().map_err(|error| error.within(&path))?;
        if !names.insert(&variant.name) {
            return Err(FieldError::new(format!("{path}.name"), format!("`{}` is used twice", variant.name)));
        }
        if variant.env.values().chain(&variant.args).any(|value| value.contains(MASK)) {
            let reason = "holds a masked value; put the real one in its place";
            return Err(FieldError::new(path, reason));
        }
        holds_no_secret(variant).map_err(|error| error.within(&path))?;
    }
    Ok(())
}

/// Variants are stored and frozen in clear, so a secret may not be part of one.
pub(super) fn holds_no_secret(variant: &Variant) -> Result<(), FieldError> {
    let given = |(name, value): &(&String, &String)| looks_secret(name) && !value.is_empty();
    let refuse = |field: &str, name: &str| {
        let reason = format!(
            "`{name}` looks like a secret and would be stored in clear; set it where `inferex serve` is started, whose \
             environment engines inherit"
        );
        Err(FieldError::new(field, reason))
    };
    if let Some((name, _)) = variant.env.iter().find(given) {
        return refuse("env", name);
    }
    let flags = variant
        .args
        .iter()
        .filter(|arg| arg.starts_with('-'))
        .map(|arg| arg.split('=').next().unwrap_or(arg));
    flags.into_iter().find(|flag| looks_secret(flag)).map_or(Ok(()), |flag| refuse("args", flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_refused_by_its_name_and_never_repeated() {
        let variant = |name: &str| -> Variant {
            let env = serde_json::json!({ name: "canary-value" });
            let given =
                serde_json::json!({"name": "v", "engine": "llama_cpp", "model": "m.gguf", "env": env});
            serde_json::from_value(given).expect("a variant")
        };
        assert_eq!(check(&[variant("OMP_NUM_THREADS")]), Ok(()));
        let refusal = check(&[variant("HF_TOKEN")]).expect_err("a secret");
        assert_eq!(refusal.field, "variant[0].env");
        assert!(refusal.reason.contains("HF_TOKEN") && !refusal.reason.contains("canary"), "{refusal}");
        for args in [vec!["--api-key", "canary"], vec!["--auth-token=canary"]] {
            let mut with = variant("OMP_NUM_THREADS");
            with.args = args.into_iter().map(str::to_owned).collect();
            let refusal = check(&[with]).expect_err("a secret");
            assert!(refusal.field == "variant[0].args" && !refusal.reason.contains("canary"), "{refusal}");
        }
    }
}
