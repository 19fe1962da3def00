//! What the builder's address asks for, and the experiment that follows from it. Pure.

use inferex_model::experiment::{ExperimentSpec, Load, Preset};
use leptos_router::params::ParamsMap;

use crate::ports::{Answer, PortError};
use crate::view::VariantView;

/// A preset, or values of one's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Quick,
    Full,
    Custom,
}

impl Choice {
    pub(super) const ALL: [Self; 3] = [Self::Quick, Self::Full, Self::Custom];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Quick => Preset::Quick.as_str(),
            Self::Full => Preset::Full.as_str(),
            Self::Custom => "custom",
        }
    }

    pub(super) const fn note(self) -> &'static str {
        match self {
            Self::Quick => "levels 1 and 8, 16 tokens out, 5 starts each: minutes",
            Self::Full => "levels 1, 8 and 32, 64 tokens out, 5 starts each",
            Self::Custom => "the values below",
        }
    }

    const fn preset(self) -> Option<Preset> {
        match self {
            Self::Quick => Some(Preset::Quick),
            Self::Full => Some(Preset::Full),
            Self::Custom => None,
        }
    }
}

/// The form's values as they were entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) variants: Vec<String>,
    pub(super) baseline: String,
    pub(super) preset: Choice,
    pub(super) levels: String,
    pub(super) requests: String,
    pub(super) tokens: String,
    pub(super) repeats: String,
}

impl Wanted {
    /// The address's values; what it does not say has a default: everything that can be started, the quick preset.
    pub(super) fn read(query: &ParamsMap, stored: &[VariantView]) -> Self {
        let text = |name: &str, otherwise: &str| query.get(name).unwrap_or_else(|| otherwise.to_owned());
        let startable =
            || stored.iter().filter(|v| v.blocked.is_none()).map(|v| v.variant.name.clone()).collect();
        let variants: Vec<String> = query.get_all("variant").unwrap_or_else(startable);
        let baseline = query
            .get("baseline")
            .filter(|b| variants.contains(b))
            .unwrap_or_else(|| reference(&variants, stored));
        let preset = query.get("preset");
        Self {
            name: text("name", "Quantisation on this machine"),
            preset: Choice::ALL
                .into_iter()
                .find(|c| Some(c.as_str()) == preset.as_deref())
                .unwrap_or(Choice::Quick),
            levels: text("levels", "1, 8"),
            requests: text("requests", "32"),
            tokens: text("tokens", "16"),
            repeats: text("repeats", "5"),
            variants,
            baseline,
        }
    }

    /// The experiment, the baseline first.
    pub(super) fn spec(&self) -> Answer<ExperimentSpec> {
        if self.variants.is_empty() {
            return Err(PortError::invalid("variant", "tick at least one variant"));
        }
        let mut names = self.variants.clone();
        names.sort_by_key(|name| *name != self.baseline);
        let mut spec = self.preset.preset().unwrap_or(Preset::Quick).spec(&self.name, &names);
        if self.preset == Choice::Custom {
            spec.repeats = number("repeats", &self.repeats)?;
            spec.workload.output_tokens = number("tokens", &self.tokens)?;
            let concurrency = levels(&self.levels)?;
            spec.load = vec![Load { concurrency, requests: number("requests", &self.requests)? }];
        }
        spec.check()?;
        Ok(spec)
    }
}

/// The unquantised one where there is one, else the first.
fn reference(variants: &[String], stored: &[VariantView]) -> String {
    let full = |name: &&String| {
        stored.iter().any(|v| {
            v.variant.name == **name
                && v.variant.quantisation.as_deref().is_some_and(|q| matches!(q, "F16" | "BF16" | "F32"))
        })
    };
    variants.iter().find(full).or_else(|| variants.first()).cloned().unwrap_or_default()
}

/// The spec's name for a field of the form, as the checks report it.
pub(super) fn field_of(name: &str) -> &str {
    match name {
        "tokens" => "workload.output_tokens",
        "levels" => "load[0].concurrency",
        "requests" => "load[0].requests",
        other => other,
    }
}

fn number(field: &str, text: &str) -> Answer<u32> {
    let refuse =
        |_| PortError::invalid(field_of(field), format!("`{}` is not a whole number", shorten(text)));
    text.trim().parse().map_err(refuse)
}

fn levels(text: &str) -> Answer<Vec<u32>> {
    text.split(',').map(|part| number("levels", part)).collect()
}

fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(query: &[(&'static str, &str)]) -> Wanted {
        let mut map = ParamsMap::new();
        for (key, value) in query {
            map.insert(*key, (*value).to_owned());
        }
        Wanted::read(&map, &[])
    }

    #[test]
    fn the_baseline_comes_first() {
        let spec =
            wanted(&[("variant", "q8"), ("variant", "f16"), ("baseline", "f16")]).spec().expect("a spec");
        let names: Vec<_> = spec.arm.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!(names, ["f16", "q8"]);
        assert_eq!(spec.levels().len(), 2);
    }

    #[test]
    fn custom_values_count_only_with_the_custom_preset() {
        let query =
            [("variant", "a"), ("levels", "2, 4,16"), ("requests", "80"), ("tokens", "24"), ("repeats", "3")];
        assert_eq!(wanted(&query).spec().expect("quick").repeats, 5);
        let spec = wanted(&[query.as_slice(), &[("preset", "custom")]].concat()).spec().expect("custom");
        assert_eq!((spec.repeats, spec.workload.output_tokens, spec.run_count()), (3, 24, 9));
    }

    #[test]
    fn what_cannot_be_is_refused_by_field() {
        let field = |extra: &[(&'static str, &str)]| match wanted(
            &[&[("variant", "a"), ("preset", "custom")], extra].concat(),
        )
        .spec()
        {
            Err(PortError::Invalid(error)) => error.field,
            other => panic!("{other:?}"),
        };
        assert_eq!(field(&[("levels", "1,x")]), "load[0].concurrency");
        assert_eq!(field(&[("tokens", "0")]), "workload.output_tokens");
        assert_eq!(field(&[("repeats", "-1")]), "repeats");
        assert!(matches!(wanted(&[]).spec(), Err(PortError::Invalid(_))));
    }
}
