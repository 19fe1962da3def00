//! What can be refused of an experiment without a database, each with the field as the file names it.

use std::collections::BTreeSet;

use super::{ExperimentSpec, VariantRef, Via};
use crate::variant::{FieldError, RuntimeKind, check_name};

impl ExperimentSpec {
    /// Checks everything that needs no database: names, ranges, what this version can do.
    pub fn check(&self) -> Result<(), FieldError> {
        if self.name.trim().is_empty() || self.name.chars().count() > 120 {
            return Err(FieldError::new("name", "must have 1 to 120 characters"));
        }
        if self.name.chars().any(char::is_control) {
            return Err(FieldError::new("name", "must not hold control characters"));
        }
        if !(1..=100).contains(&self.repeats) {
            return Err(FieldError::new("repeats", format!("is {}; must be 1 to 100", self.repeats)));
        }
        if !(1..=100_000).contains(&self.workload.output_tokens) {
            let reason = format!("is {}; must be 1 to 100,000", self.workload.output_tokens);
            return Err(FieldError::new("workload.output_tokens", reason));
        }
        self.check_loads()?;
        self.check_arms()
    }

    fn check_loads(&self) -> Result<(), FieldError> {
        if self.load.is_empty() {
            return Err(FieldError::new("load", "is missing; state at least one [[load]]"));
        }
        let mut seen = BTreeSet::new();
        for (index, load) in self.load.iter().enumerate() {
            let field = |name: &str| format!("load[{index}].{name}");
            if load.concurrency.is_empty() {
                return Err(FieldError::new(field("concurrency"), "is empty; name at least one level"));
            }
            for concurrency in &load.concurrency {
                if !(1..=4_096).contains(concurrency) {
                    let reason = format!("holds {concurrency}; must be 1 to 4,096");
                    return Err(FieldError::new(field("concurrency"), reason));
                }
                if !seen.insert(*concurrency) {
                    let reason = format!("names {concurrency} twice; each level is run once a repeat");
                    return Err(FieldError::new(field("concurrency"), reason));
                }
            }
            if !(1..=1_000_000).contains(&load.requests) {
                let reason = format!("is {}; must be 1 to 1,000,000", load.requests);
                return Err(FieldError::new(field("requests"), reason));
            }
        }
        Ok(())
    }

    fn check_arms(&self) -> Result<(), FieldError> {
        if self.arm.is_empty() {
            return Err(FieldError::new("arm", "is missing; state at least one [[arm]]"));
        }
        if self.arm.len() > 12 {
            return Err(FieldError::new("arm", format!("has {} entries; at most 12", self.arm.len())));
        }
        let mut names = BTreeSet::new();
        for (index, arm) in self.arm.iter().enumerate() {
            let path = format!("arm[{index}]");
            check_name("name", &arm.name).map_err(|e| e.within(&path))?;
            if !names.insert(&arm.name) {
                return Err(FieldError::new(format!("{path}.name"), format!("`{}` is used twice", arm.name)));
            }
            if let VariantRef::Inline(variant) = &arm.variant {
                variant.check().map_err(|e| e.within(&format!("{path}.variant")))?;
            }
            if arm.runtime != RuntimeKind::Process {
                let reason = format!("`{}` is not available yet; use process", arm.runtime);
                return Err(FieldError::new(format!("{path}.runtime"), reason));
            }
            if arm.via != Via::Direct {
                return Err(FieldError::new(
                    format!("{path}.via"),
                    "`gateway` is not available yet; use direct",
                ));
            }
        }
        Ok(())
    }
}
