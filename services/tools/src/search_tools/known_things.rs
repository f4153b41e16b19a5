//! The names of a tenant's things, read from its sources and kept for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use contracts::tools::search::QueryStructure;
use entities::{Names, Thing};
use search_sources::{EntityIndex, Source, SourceError};
use serde_json::{Map, Value};
use service_kit::clock::SharedClock;

use super::name_meanings::NameMeanings;
use crate::config::MeaningsConfig;

/// The names by tenant, source and index. Each is read once, however many ask for it at a time.
pub(super) struct KnownThings {
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
    /// How long names are good.
    lifetime: TimeDelta,
    /// Indices with more things are not read; theirs are looked up one by one.
    most: u32,
    clock: SharedClock,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    tenant: String,
    source: String,
    index: String,
}

/// Whoever reads holds the lock; the others wait and find what was read.
type Slot = tokio::sync::Mutex<Option<Read>>;

struct Read {
    at: DateTime<Utc>,
    things: Known,
}

/// What is known of an index of things.
#[derive(Clone)]
pub(super) enum Known {
    /// Every name.
    All(Arc<Indexed>),
    /// There are too many.
    TooMany,
}

/// Names, and what they mean.
pub(super) struct Indexed {
    pub(super) names: Names,
    pub(super) meanings: NameMeanings,
}

impl KnownThings {
    pub(super) fn new(settings: &MeaningsConfig, clock: SharedClock) -> Self {
        Self {
            slots: Mutex::default(),
            lifetime: TimeDelta::seconds(settings.names_seconds.into()),
            most: settings.most_names,
            clock,
        }
    }

    /// The names of a tenant's things in an index.
    pub(super) async fn of(
        &self,
        tenant: &str,
        source: &Source,
        index: &EntityIndex,
    ) -> Result<Known, SourceError> {
        let slot = self.slot(Key {
            tenant: tenant.to_owned(),
            source: source.name().to_owned(),
            index: index.index.clone(),
        });
        let mut slot = slot.lock().await;
        let now = self.clock.now();
        if let Some(read) = slot.as_ref()
            && now - read.at < self.lifetime
        {
            return Ok(read.things.clone());
        }
        let before = slot.take();
        let things = self.read(tenant, source, index, before).await?;
        *slot = Some(Read {
            at: now,
            things: things.clone(),
        });
        Ok(things)
    }

    async fn read(
        &self,
        tenant: &str,
        source: &Source,
        index: &EntityIndex,
        before: Option<Read>,
    ) -> Result<Known, SourceError> {
        let structure = QueryStructure {
            index: index.index.clone(),
            fields: fields(index),
            ..QueryStructure::default()
        };
        let run = source.records(tenant, &structure, self.most).await?;
        let read = u64::try_from(run.rows.len()).unwrap_or(u64::MAX);
        if run.total.value > read.max(u64::from(self.most)) || run.partial.is_some() {
            tracing::info!(
                source = source.name(),
                index = index.index,
                "too many things to keep their names"
            );
            return Ok(Known::TooMany);
        }
        let things = run.rows.iter().filter_map(|row| thing(index, row));
        let names = Names::new(
            (source.name(), &index.index),
            &index.entity_type,
            &index.nouns,
            things,
        );
        let meanings = match before.map(|before| before.things) {
            Some(Known::All(indexed)) => indexed.meanings.again().await,
            _ => NameMeanings::default(),
        };
        Ok(Known::All(Arc::new(Indexed { names, meanings })))
    }

    fn slot(&self, key: Key) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if !slots.contains_key(&key) {
            // Names that nobody asked for in a while go when others come.
            let now = self.clock.now();
            slots.retain(|_, slot| {
                let read = slot.try_lock();
                read.is_err()
                    || read.is_ok_and(|read| {
                        read.as_ref()
                            .is_some_and(|read| now - read.at < self.lifetime * 10)
                    })
            });
        }
        Arc::clone(slots.entry(key).or_default())
    }
}

/// The fields that tell of a thing, each once.
pub(super) fn fields(index: &EntityIndex) -> Vec<String> {
    let all = [
        Some(&index.id_field),
        Some(&index.name_field),
        index.alias_field.as_ref(),
        index.description_field.as_ref(),
    ];
    let mut fields: Vec<String> = Vec::new();
    for field in all.into_iter().flatten() {
        if !fields.contains(field) {
            fields.push(field.clone());
        }
    }
    fields
}

/// The thing that a record is; none without an id.
pub(super) fn thing(index: &EntityIndex, row: &Map<String, Value>) -> Option<Thing> {
    let text = |field: &str| row.get(field).and_then(text_of);
    let id = text(&index.id_field)?;
    let aliases = index.alias_field.as_ref().and_then(|field| row.get(field));
    Some(Thing {
        name: text(&index.name_field).unwrap_or_else(|| id.clone()),
        id,
        aliases: aliases.map(texts_of).unwrap_or_default(),
        description: index.description_field.as_deref().and_then(text),
    })
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A list, or one text with commas or semicolons between.
fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(text_of).collect(),
        Value::String(text) => {
            // PostgreSQL writes a list of texts in braces where it writes it as a text.
            let text = text.trim().trim_start_matches('{').trim_end_matches('}');
            let parts = text
                .split([',', ';'])
                .map(|part| part.trim().trim_matches('"'));
            parts
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        }
        other => text_of(other).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn index() -> EntityIndex {
        EntityIndex {
            index: "vessels".to_owned(),
            entity_type: "vessel".to_owned(),
            nouns: Vec::new(),
            id_field: "imo".to_owned(),
            name_field: "name".to_owned(),
            alias_field: Some("aliases".to_owned()),
            description_field: Some("name".to_owned()),
        }
    }

    #[test]
    fn records_become_things() {
        let of = |row: Value| thing(&index(), row.as_object().unwrap());
        let anna =
            of(json!({ "imo": 9_400_000, "name": " MSC ANNA ", "aliases": ["Anna", "", null] }))
                .unwrap();
        assert_eq!(
            (anna.id.as_str(), anna.name.as_str()),
            ("9400000", "MSC ANNA")
        );
        assert_eq!(anna.aliases, ["Anna"]);
        let listed = of(json!({ "imo": "1", "aliases": "Anna; La Anna," })).unwrap();
        assert_eq!(
            (listed.name.as_str(), listed.aliases),
            ("1", vec!["Anna".to_owned(), "La Anna".to_owned()])
        );
        let braces = of(json!({ "imo": "1", "aliases": "{Anna,\"La Anna\"}" })).unwrap();
        assert_eq!(braces.aliases, ["Anna", "La Anna"]);
        assert_eq!(of(json!({ "imo": null, "name": "Nobody" })), None);
        assert_eq!(fields(&index()), ["imo", "name", "aliases"]);
    }
}
