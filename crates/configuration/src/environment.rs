//! The environment as a layer of the configuration.

use std::collections::BTreeMap;

use figment::value::Value;
use figment::value::{Dict, Tag};

use crate::{COMMON_SECTIONS, Error, SERVICES};

/// The variables that set keys, by key.
#[derive(Debug)]
pub(super) struct Environment {
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    variable: String,
    raw: String,
    parsed: Option<Value>,
}

/// Shows the variable's name only: its value may be a secret.
impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.variable)
    }
}

impl Environment {
    /// Sorts out the variables that concern `service`; `sections` are those that its configuration
    /// has.
    pub(super) fn read(
        service: &str,
        aliases: &[(&str, &str)],
        variables: &[(String, String)],
        sections: &[String],
    ) -> Result<Self, Error> {
        let mut environment = Self {
            entries: BTreeMap::new(),
        };
        let own = format!("HELIOGRAPH_{}__", service.to_uppercase().replace('-', "_"));
        let has_section = |key: &str| sections.iter().any(|section| section == section_of(key));
        let set = || variables.iter().filter(|(_, value)| !value.is_empty());

        for (alias, key) in aliases.iter().filter(|(_, key)| has_section(key)) {
            for (name, value) in set().filter(|(name, _)| name == alias) {
                environment.insert((*key).to_owned(), name, value);
            }
        }
        for (name, value) in set() {
            let Some(key) = name.strip_prefix("HELIOGRAPH__").map(key_of) else {
                continue;
            };
            if !COMMON_SECTIONS.contains(&section_of(&key)) {
                return Err(Error::NotShared {
                    variable: name.clone(),
                    section: section_of(&key).to_owned(),
                });
            }
            if has_section(&key) {
                environment.insert(key, name, value);
            }
        }
        for (name, value) in set() {
            if let Some(key) = name.strip_prefix(&own).map(key_of) {
                environment.insert(key, name, value);
            } else if let Some(other) = other_service(name)
                && !SERVICES.contains(&other)
            {
                return Err(Error::NoService {
                    variable: name.clone(),
                    name: other.to_owned(),
                });
            }
        }
        Ok(environment)
    }

    /// The variables' values, nested by section.
    pub(super) fn values(&self) -> Dict {
        let mut values = Dict::new();
        for (key, entry) in &self.entries {
            let value = entry
                .parsed
                .clone()
                .unwrap_or_else(|| Value::from(entry.raw.clone()));
            insert_at(&mut values, key, value);
        }
        values
    }

    /// Parses the value that sets `key`, or something around it. False when there is none, or it
    /// was parsed before.
    pub(super) fn parse(&mut self, key: &str) -> bool {
        let found = self
            .entries
            .iter_mut()
            .find(|(candidate, _)| is_at_or_above(candidate, key));
        match found {
            Some((_, entry)) if entry.parsed.is_none() => {
                // Parsing never fails: what is nothing else is a string.
                entry.parsed = entry.raw.parse().ok();
                entry.parsed.is_some()
            }
            _ => false,
        }
    }

    /// The variable that sets `key`.
    pub(super) fn variable(&self, key: &str) -> Option<&str> {
        let found = self
            .entries
            .iter()
            .find(|(candidate, _)| is_at_or_above(candidate, key));
        found.map(|(_, entry)| entry.variable.as_str())
    }

    fn insert(&mut self, key: String, variable: &str, raw: &str) {
        self.entries.insert(
            key,
            Entry {
                variable: variable.to_owned(),
                raw: raw.to_owned(),
                parsed: None,
            },
        );
    }
}

/// The name in the place of a service's in `HELIOGRAPH_<SERVICE>__<SECTION>__<KEY>`.
fn other_service(variable: &str) -> Option<&str> {
    let (service, _) = variable.strip_prefix("HELIOGRAPH_")?.split_once("__")?;
    (!service.starts_with('_')).then_some(service)
}

fn key_of(name: &str) -> String {
    name.to_lowercase().replace("__", ".")
}

fn section_of(key: &str) -> &str {
    key.split('.').next().unwrap_or_default()
}

fn is_at_or_above(candidate: &str, key: &str) -> bool {
    key.strip_prefix(candidate)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn insert_at(dict: &mut Dict, key: &str, value: Value) {
    let Some((section, rest)) = key.split_once('.') else {
        dict.insert(key.to_owned(), value);
        return;
    };
    let entry = dict
        .entry(section.to_owned())
        .or_insert_with(|| Value::Dict(Tag::Default, Dict::new()));
    match entry {
        Value::Dict(_, inner) => insert_at(inner, rest, value),
        other => *other = figment::util::nest(rest, value),
    }
}
