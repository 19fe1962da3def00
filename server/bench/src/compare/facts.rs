//! What is known of an arm besides its figures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::field::LedgerField;

/// Facts of an arm by ledger field, as words; what is absent is not reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    values: BTreeMap<LedgerField, String>,
    arguments: Vec<String>,
}

impl Facts {
    /// States a fact; `None` and blank texts leave it unreported.
    #[must_use]
    pub fn with(mut self, field: LedgerField, value: Option<impl ToString>) -> Self {
        self.set(field, value);
        self
    }

    /// States the engine's arguments as they were handed over.
    #[must_use]
    pub fn with_arguments(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// States a fact; `None` and blank texts leave it unreported.
    pub fn set(&mut self, field: LedgerField, value: Option<impl ToString>) {
        match value.map(|v| v.to_string()).filter(|text| !text.trim().is_empty()) {
            Some(text) => self.values.insert(field, text.trim().to_owned()),
            None => self.values.remove(&field),
        };
    }

    /// A fact, if it is reported.
    #[must_use]
    pub fn get(&self, field: LedgerField) -> Option<&str> {
        self.values.get(&field).map(String::as_str)
    }

    /// The arguments that `other` does not have, each flag with its values.
    pub(super) fn arguments_beside(&self, other: &Self) -> Vec<String> {
        let mut theirs = grouped(&other.arguments);
        let mut own = grouped(&self.arguments);
        own.retain(|group| match theirs.iter().position(|their| their == group) {
            Some(index) => {
                theirs.swap_remove(index);
                false
            }
            None => true,
        });
        own
    }

    /// Whether any argument is stated.
    pub(super) fn has_arguments(&self) -> bool {
        !self.arguments.is_empty()
    }
}

/// Joins each flag with the values after it: `-c 4096` is one argument. A number may begin with a minus.
fn grouped(arguments: &[String]) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for argument in arguments {
        let is_flag = argument.starts_with('-') && argument.parse::<f64>().is_err();
        match groups.last_mut() {
            Some(group) if !is_flag => {
                group.push(' ');
                group.push_str(argument);
            }
            _ => groups.push(argument.clone()),
        }
    }
    groups
}
