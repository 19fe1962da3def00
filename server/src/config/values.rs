use std::collections::BTreeMap;
use std::path::Path;

use super::ConfigError;
use super::settings::{SETTINGS, Setting, Source};

/// The values that were given, by setting, before they mean anything.
pub(super) struct Values {
    given: BTreeMap<&'static str, (String, Source)>,
    environment: BTreeMap<String, String>,
}

impl Values {
    /// Takes each setting from its variable or from the file that `NAME_FILE` names; both at once is refused.
    pub(super) fn gather(
        vars: impl IntoIterator<Item = (String, String)>,
        read_file: impl Fn(&Path) -> Result<String, String>,
    ) -> Result<Self, ConfigError> {
        let environment: BTreeMap<String, String> = vars.into_iter().collect();
        let mut given = BTreeMap::new();
        for setting in SETTINGS {
            if let Some(found) = find(&environment, setting, &read_file)? {
                given.insert(setting.name, found);
            }
        }
        Ok(Self { given, environment })
    }

    /// Names of all variables of the environment.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A variable that is not ours, such as `HOME`.
    pub(super) fn foreign(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(super) fn source(&self, name: &str) -> Source {
        self.given.get(name).map_or(Source::Default, |(_, source)| *source)
    }

    pub(super) fn parsed<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let value = self.given.get(name).map(|(value, _)| parse(value));
        value.transpose().map_err(|reason| ConfigError::new(name, reason))
    }

    /// The same, with the default of the settings table where nothing was given.
    pub(super) fn parsed_or<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, ConfigError> {
        let default =
            SETTINGS.iter().find(|setting| setting.name == name).map_or("", |setting| setting.default);
        let value = self.given.get(name).map_or(default, |(value, _)| value);
        parse(value).map_err(|reason| ConfigError::new(name, reason))
    }
}

fn find(
    environment: &BTreeMap<String, String>,
    setting: &Setting,
    read_file: impl Fn(&Path) -> Result<String, String>,
) -> Result<Option<(String, Source)>, ConfigError> {
    let name = setting.name;
    let file_name = format!("{name}_FILE");
    let set = |name: &str| environment.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    match (set(name), set(&file_name)) {
        (Some(_), Some(_)) => {
            Err(ConfigError::new(name, format!("is set, and {file_name} too; keep one of the two")))
        }
        (Some(value), None) => Ok(Some((value.to_owned(), Source::Environment))),
        (None, Some(path)) => match read_file(Path::new(path)) {
            Ok(content) => Ok(Some((content.trim().to_owned(), Source::File))),
            Err(reason) => Err(ConfigError::new(file_name, format!("cannot read {path}: {reason}"))),
        },
        (None, None) => Ok(None),
    }
}
