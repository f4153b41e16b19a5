//! The names of a tenant's things, kept warm in the background.
//!
//! What is known is answered at once, however old it is; a task reads it again, and only where the
//! source says that it has changed. The same task keeps the descriptions of the sources fresh for
//! the tenants that ask. A source that is away keeps its last names. Only the names of a small
//! index are waited for when nothing is known of them yet: until those of a large one are read, its
//! things are looked up by their exact id or name.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use contracts::tools::search::QueryStructure;
use entities::{Names, Thing};
use search_sources::{EntityIndex, Fingerprint, Source, SourceError, Sources};
use serde_json::{Map, Value};
use service_kit::clock::SharedClock;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::config::MeaningsConfig;
use super::name_meanings::NameMeanings;

/// Maximum number of names that a request waits for, when nothing is known of an index yet.
const INLINE: u64 = 2_000;
/// Number of lifetimes after which unused names are dropped.
const FORGOTTEN_AFTER: i32 = 60;
/// Number of lifetimes after which the names of a source that reports only its number of records
/// are read again.
const WHOLE_AFTER: i32 = 10;
/// Maximum number of tenants' indices whose names are kept.
const MOST_SLOTS: usize = 512;

/// The names by tenant, source and index. Each is read once, however many ask for it at a time.
pub(super) struct KnownThings {
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
    /// The lifetime of names. None: they are read for each request.
    lifetime: TimeDelta,
    /// Indices with more things are not read; theirs are looked up one by one.
    most: u32,
    clock: SharedClock,
    tasks: TaskTracker,
    stopped: CancellationToken,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    tenant: String,
    source: String,
    /// After a change, an added source is another one.
    version: i64,
    index: String,
}

#[derive(Default)]
struct Slot {
    kept: Mutex<Kept>,
    /// Held while they are read.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Kept {
    names: Option<Read>,
    asked: Option<DateTime<Utc>>,
    /// A task is on its way.
    is_refreshed: bool,
}

#[derive(Clone)]
struct Read {
    /// When the source was asked last.
    checked: DateTime<Utc>,
    /// When they were read.
    at: DateTime<Utc>,
    mark: Option<Fingerprint>,
    things: Known,
}

/// The known names of an index of things.
#[derive(Clone)]
pub(super) enum Known {
    /// Every name.
    All(Arc<Indexed>),
    /// There are too many, or they are not read yet.
    TooMany,
}

/// Names, and what they mean.
pub(super) struct Indexed {
    pub(super) names: Names,
    pub(super) meanings: NameMeanings,
}

impl Slot {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownThings {
    pub(super) fn new(settings: &MeaningsConfig, clock: SharedClock) -> Arc<Self> {
        Arc::new(Self {
            slots: Mutex::default(),
            lifetime: TimeDelta::seconds(settings.names_seconds.into()),
            most: settings.most_names,
            clock,
            tasks: TaskTracker::new(),
            stopped: CancellationToken::new(),
        })
    }

    /// The names of a tenant's things in an index.
    pub(super) async fn of(
        self: &Arc<Self>,
        tenant: &str,
        source: &Arc<Source>,
        index: &EntityIndex,
    ) -> Result<Known, SourceError> {
        let key = key(tenant, source, index);
        if self.lifetime.is_zero() {
            return self.read(tenant, source, index, None).await;
        }
        let slot = self.slot(key);
        let now = self.clock.now();
        let known = {
            let mut kept = slot.kept();
            kept.asked = Some(now);
            kept.names.clone()
        };
        if let Some(read) = known {
            if now - read.checked >= self.lifetime {
                self.refresh_later(tenant, source, index, &slot);
            }
            return Ok(read.things);
        }
        let fingerprint = source.fingerprint(tenant, index, &fields(index)).await?;
        if fingerprint.records.is_some_and(|records| records > INLINE) {
            self.refresh_later(tenant, source, index, &slot);
            return Ok(Known::TooMany);
        }
        self.refresh(tenant, source, index, &slot).await
    }

    /// Keeps the names of the tenants that ask fresh until `stopped`.
    pub(super) async fn keep_warm(self: Arc<Self>, sources: Sources, stopped: CancellationToken) {
        let lifetime = self.lifetime.to_std().unwrap_or(Duration::ZERO);
        if !lifetime.is_zero() {
            let rounds = Box::pin(self.rounds(&sources, lifetime));
            stopped.run_until_cancelled(rounds).await;
        }
        self.stopped.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn rounds(self: &Arc<Self>, sources: &Sources, lifetime: Duration) {
        loop {
            self.round(sources).await;
            tokio::time::sleep(lifetime / 2).await;
        }
    }

    /// One look at everything that is kept.
    async fn round(self: &Arc<Self>, sources: &Sources) {
        for source in &sources.all() {
            let tenants = self.tenants_of(source.name());
            for tenant in &tenants {
                if let Err(error) = source.refresh(tenant).await {
                    tracing::warn!(source = source.name(), %error, "a source could not be described again");
                }
            }
            for index in source.entity_indices() {
                for tenant in tenants.iter().filter(|tenant| source.is_for(tenant)) {
                    let slot = self.slot(key(tenant, source, &index));
                    let is_due = {
                        let now = self.clock.now();
                        let kept = slot.kept();
                        let known = kept.names.as_ref();
                        known.is_none_or(|known| now - known.checked >= self.lifetime / 2)
                    };
                    if is_due {
                        // The error is reported where the names are read.
                        let _ = self.refresh(tenant, source, &index, &slot).await;
                    }
                }
            }
        }
        self.forget();
    }

    /// The tenants that asked for names of a source.
    fn tenants_of(&self, source: &str) -> HashSet<String> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = slots
            .iter()
            .filter(|(key, slot)| key.source == source && slot.kept().asked.is_some());
        asked.map(|(key, _)| key.tenant.clone()).collect()
    }

    /// Drops what was not asked for in a while.
    fn forget(&self) {
        let now = self.clock.now();
        let oldest = self.lifetime * FORGOTTEN_AFTER;
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, slot| {
            let kept = slot.kept();
            kept.asked.is_some_and(|asked| now - asked < oldest)
        });
    }

    /// Reads names again in a task of its own, one at a time.
    fn refresh_later(
        self: &Arc<Self>,
        tenant: &str,
        source: &Arc<Source>,
        index: &EntityIndex,
        slot: &Arc<Slot>,
    ) {
        if std::mem::replace(&mut slot.kept().is_refreshed, true) {
            return;
        }
        let (things, tenant, index) = (Arc::clone(self), tenant.to_owned(), index.clone());
        let (source, slot) = (Arc::clone(source), Arc::clone(slot));
        let stopped = self.stopped.clone();
        self.tasks.spawn(async move {
            let work = Box::pin(things.refresh(&tenant, &source, &index, &slot));
            // The error is reported where the names are read.
            let _ = stopped.run_until_cancelled(work).await;
            slot.kept().is_refreshed = false;
        });
    }

    /// The names as they are now: read where the source does not say that nothing changed. A source
    /// that fails keeps the ones before.
    async fn refresh(
        &self,
        tenant: &str,
        source: &Arc<Source>,
        index: &EntityIndex,
        slot: &Slot,
    ) -> Result<Known, SourceError> {
        let asked = self.clock.now();
        let _alone = slot.reading.lock().await;
        let before = slot.kept().names.clone();
        // It was read while this waited.
        if let Some(read) = before.as_ref().filter(|read| read.checked > asked) {
            return Ok(read.things.clone());
        }
        match self.changed(tenant, source, index, before.as_ref()).await {
            Ok(read) => {
                let things = read.things.clone();
                slot.kept().names = Some(read);
                Ok(things)
            }
            Err(error) => {
                let now = self.clock.now();
                let Some(mut read) = before else {
                    tracing::warn!(source = source.name(), index = index.index, %error, "names could not be read");
                    return Err(error);
                };
                tracing::warn!(
                    source = source.name(),
                    index = index.index,
                    read_at = %read.at,
                    %error,
                    "names could not be read again, so the last ones are used"
                );
                read.checked = now;
                let things = read.things.clone();
                slot.kept().names = Some(read);
                Ok(things)
            }
        }
    }

    async fn changed(
        &self,
        tenant: &str,
        source: &Arc<Source>,
        index: &EntityIndex,
        before: Option<&Read>,
    ) -> Result<Read, SourceError> {
        let mark = source.fingerprint(tenant, index, &fields(index)).await?;
        let now = self.clock.now();
        let same = before.filter(|before| {
            let fresh = now - before.at < self.lifetime * WHOLE_AFTER;
            before.mark.as_ref() == Some(&mark)
                && (mark.is_certain || fresh && mark.records.is_some())
        });
        if let Some(same) = same {
            return Ok(Read {
                checked: now,
                ..same.clone()
            });
        }
        let many = mark
            .records
            .is_some_and(|records| records > u64::from(self.most));
        let things = if many {
            too_many(source, index)
        } else {
            self.read(tenant, source, index, before).await?
        };
        let now = self.clock.now();
        Ok(Read {
            checked: now,
            at: now,
            mark: Some(mark),
            things,
        })
    }

    async fn read(
        &self,
        tenant: &str,
        source: &Arc<Source>,
        index: &EntityIndex,
        before: Option<&Read>,
    ) -> Result<Known, SourceError> {
        let structure = QueryStructure {
            index: index.index.clone(),
            fields: fields(index),
            ..QueryStructure::default()
        };
        let run = source.records(tenant, &structure, self.most).await?;
        let read = u64::try_from(run.rows.len()).unwrap_or(u64::MAX);
        if run.total.value > read.max(u64::from(self.most)) || run.partial.is_some() {
            return Ok(too_many(source, index));
        }
        let (name, index) = (source.name().to_owned(), index.clone());
        let making = tokio::task::spawn_blocking(move || {
            let things = run.rows.iter().filter_map(|row| thing(&index, row));
            Names::new(
                (&name, &index.index),
                &index.entity_type,
                &index.nouns,
                things,
            )
        });
        let Ok(names) = making.await else {
            return Ok(Known::TooMany);
        };
        let meanings = match before.map(|before| &before.things) {
            Some(Known::All(indexed)) => indexed.meanings.again().await,
            _ => NameMeanings::default(),
        };
        Ok(Known::All(Arc::new(Indexed { names, meanings })))
    }

    fn slot(&self, key: Key) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if !slots.contains_key(&key) && slots.len() >= MOST_SLOTS {
            let oldest = slots
                .iter()
                .min_by_key(|(_, slot)| slot.kept().asked)
                .map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                slots.remove(&oldest);
            }
        }
        Arc::clone(slots.entry(key).or_default())
    }
}

fn key(tenant: &str, source: &Source, index: &EntityIndex) -> Key {
    Key {
        tenant: tenant.to_owned(),
        source: source.name().to_owned(),
        version: source.version(),
        index: index.index.clone(),
    }
}

fn too_many(source: &Source, index: &EntityIndex) -> Known {
    tracing::info!(
        source = source.name(),
        index = index.index,
        "too many things to keep their names"
    );
    Known::TooMany
}

/// The fields that identify a thing, each once.
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
mod kept;
#[cfg(test)]
mod kept_of_peers;

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
        assert_eq!(of(json!({ "imo": null, "name": "No One" })), None);
        assert_eq!(fields(&index()), ["imo", "name", "aliases"]);
    }
}
