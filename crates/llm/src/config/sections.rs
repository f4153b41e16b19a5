//! The sections of providers: the built-in ones under their own names, others under `providers`.
//!
//! The table of built-in providers determines which names a configuration accepts, so none of them
//! has a field.

use std::collections::BTreeMap;
use std::fmt;

use configuration::{Invalid, Validate};
use serde::de::{DeserializeSeed, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserializer, Serialize, Serializer, forward_to_deserialize_any};
use serde_json::Value;

use super::ProviderConfig;
use crate::ProviderName;
use crate::provider::Provider;
use crate::provider::built_in::{self, PROVIDERS};

/// The section of providers that the table does not have.
const DEFINED: &str = "providers";

/// The records of all providers, built-in and defined ones.
#[derive(Debug, Clone)]
pub struct ProviderSections {
    /// The section around them.
    section: &'static str,
    embeddings_only: bool,
    built_in: BTreeMap<&'static str, ProviderConfig>,
    defined: BTreeMap<String, ProviderConfig>,
}

/// The sections of `[llm]`, every key with its default.
impl Default for ProviderSections {
    fn default() -> Self {
        Self {
            section: "llm",
            embeddings_only: false,
            built_in: PROVIDERS
                .iter()
                .map(|provider| (provider.name, with_defaults((provider.record)())))
                .collect(),
            defined: BTreeMap::new(),
        }
    }
}

fn with_defaults(record: ProviderConfig) -> ProviderConfig {
    match record.wire {
        Some(wire) => record.or(wire.defaults()),
        None => record,
    }
}

impl ProviderSections {
    /// The sections of providers that make embeddings, below `section`, without any key.
    pub fn of_embeddings(section: &'static str) -> Self {
        let all = Self::default();
        let built_in = all.built_in.keys().copied().filter(|name| {
            all.find(&ProviderName::new(name))
                .is_some_and(|provider| provider.has_embeddings())
        });
        Self {
            section,
            embeddings_only: true,
            built_in: built_in
                .map(|name| (name, ProviderConfig::default()))
                .collect(),
            defined: BTreeMap::new(),
        }
    }

    /// The record of this name. One that the table does not have is added.
    pub fn get_mut(&mut self, name: &str) -> &mut ProviderConfig {
        match built_in::find(name) {
            Some(provider) => self.built_in.entry(provider.name).or_default(),
            None => self.defined.entry(name.to_owned()).or_default(),
        }
    }

    /// The provider of this name, completed with what the table and its wire say.
    pub(crate) fn find(&self, name: &ProviderName) -> Option<Provider> {
        let section = self.section;
        if let Some(provider) = built_in::find(name.as_str()) {
            let own = self.built_in.get(provider.name)?;
            let record = with_defaults(own.clone().or((provider.record)()));
            return Some(Provider {
                name: ProviderName::new(provider.name),
                id: ProviderName::new(provider.id),
                wire: record.wire?,
                record,
                section: format!("{section}.{}", provider.name),
            });
        }
        let record = with_defaults(self.defined.get(name.as_str())?.clone());
        Some(Provider {
            name: name.clone(),
            id: name.clone(),
            wire: record.wire?,
            record,
            section: format!("{section}.{DEFINED}.{name}"),
        })
    }

    /// All providers, in the order in which the first one that is set up is taken.
    pub(crate) fn all(&self) -> impl Iterator<Item = Provider> {
        self.names().filter_map(|name| self.find(&name))
    }

    /// The names of all providers.
    pub fn names(&self) -> impl Iterator<Item = ProviderName> {
        let built_in = PROVIDERS.iter().map(|provider| provider.name);
        built_in
            .filter(|name| self.built_in.contains_key(name))
            .chain(self.defined.keys().map(String::as_str))
            .map(ProviderName::new)
    }

    /// All values that name a provider, for messages.
    pub(crate) fn known(&self) -> String {
        let local = self.embeddings_only.then_some(ProviderName::LOCAL);
        let all = self.names().chain(local).chain([ProviderName::NONE]);
        let all: Vec<_> = all.map(|name| name.to_string()).collect();
        all.join(", ")
    }

    /// The environment variables that set a key of a provider, with that key.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut variables = Vec::new();
        for (section, provider) in self.sections() {
            let record = &provider.record;
            let usual = [
                (&record.api_key_variable, "api_key"),
                (&record.model_variable, "model"),
                (&record.base_url_variable, "base_url"),
            ];
            let usual = usual
                .into_iter()
                .filter_map(|(variable, key)| Some((variable.as_deref()?, key)));
            let others = built_in::find(provider.name.as_str())
                .map(|provider| provider.variables)
                .unwrap_or_default();
            for (variable, key) in usual.chain(others.iter().copied()) {
                if !self.embeddings_only || matches!(key, "api_key" | "base_url") {
                    variables.push((variable.to_owned(), format!("{section}.{key}")));
                }
            }
        }
        variables
    }

    /// Each provider with its section, relative to the one around them.
    fn sections(&self) -> impl Iterator<Item = (String, Provider)> {
        self.all().map(|provider| {
            let prefix = self.section.len() + 1;
            let section = provider.section.get(prefix..).unwrap_or_default();
            (section.to_owned(), provider)
        })
    }

    /// A deserializer of the struct around the sections, which takes them out of it.
    pub fn beside<D>(&mut self, deserializer: D) -> BesideSections<'_, D> {
        BesideSections {
            inner: deserializer,
            sections: self,
        }
    }

    /// Serializes the struct around the sections, whose own members are `own`.
    pub fn serialize_with<S: Serializer>(
        &self,
        own: Value,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut all = own;
        let record = |record: &ProviderConfig| {
            let mut record = serde_json::to_value(record).map_err(S::Error::custom)?;
            if let Some(members) = record.as_object_mut() {
                members.retain(|_, value| !value.is_null());
            }
            Ok(record)
        };
        for (name, section) in &self.built_in {
            all[*name] = record(section)?;
        }
        for (name, section) in &self.defined {
            all[DEFINED][name] = record(section)?;
        }
        all.serialize(serializer)
    }
}

impl Validate for ProviderSections {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        for (name, record) in &mut self.built_in {
            record.read_secrets().map_err(|fault| fault.within(name))?;
        }
        for (name, record) in &mut self.defined {
            let section = format!("{DEFINED}.{name}");
            record
                .read_secrets()
                .map_err(|fault| fault.within(&section))?;
        }
        Ok(())
    }

    fn validate(&self) -> Result<(), Invalid> {
        for (name, record) in &self.built_in {
            self.validate_built_in(name, record)
                .map_err(|fault| fault.within(name))?;
        }
        for (name, record) in &self.defined {
            let section = format!("{DEFINED}.{name}");
            self.validate_name(name)
                .and_then(|()| self.validate_complete(name))
                .map_err(|reason| Invalid::new(&section, reason))?;
            self.validate_defined(name, record)
                .map_err(|fault| fault.within(&section))?;
        }
        Ok(())
    }
}

impl ProviderSections {
    fn validate_built_in(&self, name: &str, own: &ProviderConfig) -> Result<(), Invalid> {
        let Some(provider) = self.find(&ProviderName::new(name)) else {
            return Ok(());
        };
        let fixed = built_in::find(name).and_then(|provider| (provider.record)().wire);
        if Some(provider.wire) != fixed {
            let reason = format!(
                "cannot be changed for a built-in provider; define {}.{DEFINED}.NAME instead",
                self.section
            );
            return Err(Invalid::new("wire", reason));
        }
        own.check_keys(provider.wire, self.embeddings_only)?;
        provider.record.validate()
    }

    fn validate_name(&self, name: &str) -> Result<(), String> {
        if built_in::find(name).is_some() {
            let section = self.section;
            return Err(format!(
                "{name} is a built-in provider; its settings belong in {section}.{name}"
            ));
        }
        if [ProviderName::NONE, ProviderName::LOCAL].contains(&ProviderName::new(name)) {
            return Err(format!(
                "{name} has a meaning of its own; choose another name"
            ));
        }
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(fits) {
            return Err(format!(
                "{name:?} is not a valid name of a provider: use a-z, 0-9, - and _, and a letter first"
            ));
        }
        Ok(())
    }

    /// Refuses a definition with a missing key.
    fn validate_complete(&self, name: &str) -> Result<(), String> {
        let Some(provider) = self.find(&ProviderName::new(name)) else {
            return Err(format!(
                "wire is missing; it is one of {}",
                crate::wire::names()
            ));
        };
        if provider.base_url().is_empty() {
            return Err("base_url is missing".to_owned());
        }
        Ok(())
    }

    fn validate_defined(&self, name: &str, own: &ProviderConfig) -> Result<(), Invalid> {
        match self.find(&ProviderName::new(name)) {
            Some(provider) => {
                own.check_keys(provider.wire, self.embeddings_only)?;
                provider.record.validate()
            }
            None => Ok(()),
        }
    }
}

/// Takes the sections of providers out of a struct, and leaves the rest to the struct.
pub struct BesideSections<'a, D> {
    inner: D,
    sections: &'a mut ProviderSections,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for BesideSections<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = SectionsVisitor {
            inner: visitor,
            fields,
            sections: self.sections,
        };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct SectionsVisitor<'a, V> {
    inner: V,
    fields: &'static [&'static str],
    sections: &'a mut ProviderSections,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for SectionsVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(SectionsMap {
            inner: map,
            fields: self.fields,
            sections: self.sections,
        })
    }
}

struct SectionsMap<'a, A> {
    inner: A,
    fields: &'static [&'static str],
    sections: &'a mut ProviderSections,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for SectionsMap<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.inner.next_key::<String>()? {
            if let Some(record) = self.sections.built_in.get_mut(key.as_str()) {
                *record = self.inner.next_value()?;
            } else if key == DEFINED {
                self.sections.defined = self.inner.next_value()?;
            } else if self.fields.contains(&key.as_str()) {
                return seed.deserialize(key.into_deserializer()).map(Some);
            } else {
                return Err(A::Error::unknown_field(&key, self.known()));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

impl<A> SectionsMap<'_, A> {
    /// All keys of the struct and the sections. Serde's error requires them for the life of the
    /// program, which this error ends.
    fn known(&self) -> &'static [&'static str] {
        let names = self.sections.built_in.keys().copied();
        let all = self.fields.iter().copied().chain(names).chain([DEFINED]);
        all.collect::<Vec<_>>().leak()
    }
}
