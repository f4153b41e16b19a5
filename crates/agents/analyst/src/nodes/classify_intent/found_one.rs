//! "How many shipments does it carry?" behind "the newest vessel": the one record, or the one
//! group, that the newest query found is called by its name.

use contracts::tools::search::{FilterOp, IndexDescription, QueryStructure};
use serde_json::Value;

use super::goes_on;
use crate::{KeptQuery, language, step::Step};

/// The message with the name of a thing of the one record that was found, where it points at that:
/// the vessel of "what did its vessel carry in November?", or of "how many shipments did it carry?"
/// behind "which vessel was that?". It is a request of its own.
pub(super) async fn of_its_thing(step: &Step, text: &str) -> Option<String> {
    let newest = step.work.recalled.newest_query.as_ref()?;
    let structure = newest.query_structure.as_ref()?;
    if step.work.plan.list.is_some() || !structure.measures.is_empty() {
        return None;
    }
    let sources = step.sources();
    let (_, index) = crate::step::index_of(&sources, &newest.data_source, &structure.index)?;
    let kinds = |noun: &str| {
        let mut indices = sources.sources.iter().flat_map(|source| &source.indices);
        let of_noun = |known: &&IndexDescription| {
            let mut nouns = known.nouns.iter();
            nouns.any(|own| own.eq_ignore_ascii_case(noun))
        };
        let kind = indices.find(of_noun)?.entity_type.clone()?;
        (index.entity_type.as_ref() != Some(&kind)).then_some(kind)
    };
    let (place, kind) = match language::thing_of(text) {
        Some((place, noun)) if kinds(&noun).is_some() => (place, kinds(&noun)?),
        _ => {
            // "It" is the thing that was asked for last: "which vessel was that?" What asks of the
            // record itself is a change of its query: "how late was it?"
            if goes_on(step, text) {
                return None;
            }
            let place = language::pronoun(text)?;
            let asked = step.work.recalled.entries.last()?.user_input.clone();
            (
                place,
                language::asked_thing(&asked).and_then(|noun| kinds(&noun))?,
            )
        }
    };
    let kept = step.run().query(None).await.ok()??;
    let [row] = kept.rows.as_ref()?.rows.as_slice() else {
        return None;
    };
    let mut named = index
        .fields
        .iter()
        .filter(|field| field.entity_type.as_ref() == Some(&kind) && !field.name.ends_with("_id"));
    let field = named.next().filter(|_| named.next().is_none())?;
    let name = row.get(&field.name)?.as_str()?.trim();
    if name.is_empty() {
        return None;
    }
    let mut text = text.to_owned();
    text.replace_range(place, name);
    let begin = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = begin.split_whitespace().next().unwrap_or_default().len();
    let and = ["and", "so", "but"].contains(&begin[..first].to_lowercase().as_str());
    Some(if and {
        begin[first..].trim_start().to_owned()
    } else {
        text
    })
}

/// The record that a message is about.
struct One {
    /// Its id, or its name where the id is not shown.
    name: String,
    /// It was asked for among several, by its place.
    by_place: bool,
}

/// The record that was asked for by its place among several, or the only one.
async fn one(step: &Step, text: &str) -> Option<One> {
    let newest = step.work.recalled.newest_query.as_ref()?;
    let structure = newest.query_structure.as_ref()?;
    if step.work.plan.list.is_some() || !structure.measures.is_empty() {
        return None;
    }
    let said = step.work.recalled.entries.last()?.user_input.as_str();
    let ordered = structure.limit.filter(|_| !structure.sort.is_empty());
    // "And the second?" behind the first five.
    let wanted = language::only_place(text).or_else(|| language::ordinal(said));
    let place = wanted.filter(|place| ordered.is_some_and(|limit| limit >= *place));
    let sources = step.sources();
    let (_, index) = crate::step::index_of(&sources, &newest.data_source, &structure.index)?;
    let kept = step.run().query(None).await.ok()??;
    let rows = &kept.rows.as_ref()?.rows;
    let row = match place {
        Some(place) => rows.get(place.checked_sub(1)? as usize)?,
        None => rows.first().filter(|_| rows.len() == 1)?,
    };
    let told = |field: Option<&String>| {
        let name = row.get(field?)?.as_str()?.trim();
        (!name.is_empty()).then(|| name.to_owned())
    };
    Some(One {
        name: told(index.id_field.as_ref()).or_else(|| told(index.shown.first()))?,
        by_place: place.is_some(),
    })
}

/// The message with the id of the one record that it is about: "what is its destination?" and
/// "which shipment is that?" behind "the second heaviest", "which vessel?" behind "the heaviest".
/// It is a request of its own. `None` where it is a change of the query that found the record.
pub(super) async fn of_the_record(step: &Step, text: &str) -> Option<String> {
    let newest = step.work.recalled.newest_query.as_ref()?;
    let structure = newest.query_structure.as_ref()?;
    let one = one(step, text).await?;
    let sources = step.sources();
    let (_, index) = crate::step::index_of(&sources, &newest.data_source, &structure.index)?;
    let record = || {
        let noun = crate::summary::nouns(Some(index), &index.name).0;
        format!("{noun} {}", one.name)
    };
    if language::only_place(text).is_some() {
        return one.by_place.then(record);
    }
    let is_of = |known: &IndexDescription, noun: &str| {
        let mut nouns = known.nouns.iter();
        nouns.any(|own| own.eq_ignore_ascii_case(noun))
    };
    // The record has the name of a thing that it refers to.
    let is_referred_to = |noun: &str| {
        let mut indices = sources.sources.iter().flat_map(|source| &source.indices);
        let other = indices.find(|known| is_of(known, noun));
        let kind = other.and_then(|other| other.entity_type.as_ref());
        let mut fields = index.fields.iter();
        kind.is_some() && fields.any(|field| field.entity_type.as_ref() == kind)
    };
    match language::asked_of_one(text) {
        Some(language::Asked::Record) => (one.by_place || !goes_on(step, text)).then(record),
        Some(language::Asked::Thing(noun)) if is_of(index, &noun) => one.by_place.then(record),
        Some(language::Asked::Thing(noun)) if is_referred_to(&noun) => {
            (one.by_place || !goes_on(step, text)).then(record)
        }
        Some(language::Asked::Thing(noun)) if one.by_place => {
            Some(format!("the {noun} of {}", one.name))
        }
        _ if one.by_place => language::of_thing(text, &one.name),
        _ => None,
    }
}

/// The change that shows the one group that a message asks for: "which carrier is that?" behind
/// "which carrier has the second most shipments?".
pub(super) async fn of_the_group(step: &Step, text: &str) -> Option<String> {
    let newest = step.work.recalled.newest_query.as_ref()?;
    let structure = newest.query_structure.as_ref()?;
    let [group] = structure.group_by.as_slice() else {
        return None;
    };
    if step.work.plan.list.is_some() || group.interval.is_some() {
        return None;
    }
    let label = crate::words::label(&group.field).to_lowercase();
    let is_it = match language::asked_of_one(text)? {
        language::Asked::Record => true,
        language::Asked::Thing(noun) => label.split(' ').any(|word| word == noun),
    };
    let said = step.work.recalled.entries.last()?.user_input.as_str();
    let kept = step.run().query(None).await.ok()??;
    let rows = &kept.rows.as_ref()?.rows;
    let row = match language::ordinal(said).filter(|place| structure.limit == Some(*place)) {
        Some(place) => rows.get(place.checked_sub(1)? as usize)?,
        None => rows.first().filter(|_| rows.len() == 1)?,
    };
    let name = row.get(&group.field)?.as_str()?.trim();
    (is_it && !name.is_empty()).then(|| format!("only {label} {name}"))
}

/// The message with the name of what was found for "it", where it asks something of other records
/// and the newest query found one thing.
pub(super) async fn named(step: &Step, text: &str) -> Option<String> {
    let newest = step.work.recalled.newest_query.as_ref()?;
    if step.work.plan.list.is_some() {
        return None;
    }
    let structure = newest.query_structure.as_ref()?;
    if let Some(place) = language::there(text)
        && let Some(text) = with_place(step, structure, text, place)
    {
        return Some(text);
    }
    let pointer = language::pronoun(text)?;
    let continues = goes_on(step, text);
    let grouped = !structure.group_by.is_empty();
    // What asks of the record itself is a change of its query.
    if continues && !grouped {
        return None;
    }
    let kept = step.run().query(None).await.ok()??;
    let name = name(step, &kept)?;
    let mut text = text.to_owned();
    text.replace_range(pointer, &name);
    Some(text)
}

/// The message with the name of the one place of the query for "there": where places were asked
/// for, and where something goes the other way.
fn with_place(
    step: &Step,
    structure: &QueryStructure,
    text: &str,
    place: std::ops::Range<usize>,
) -> Option<String> {
    let before = text.get(..place.start)?.trim_end();
    let from = before.to_lowercase().ends_with("from");
    let directed = from || before.to_lowercase().ends_with(" to");
    let mut named = structure
        .filters
        .iter()
        .filter(|filter| filter.op == FilterOp::Is && filter.values.len() == 1);
    let filter = named.find(|filter| filter.label.is_some())?;
    if named.any(|other| other.label.is_some()) {
        return None;
    }
    let sources = step.sources();
    let mut indices = sources.sources.iter().flat_map(|source| &source.indices);
    let index = indices.find(|index| index.name == structure.index)?;
    let of_places = index.id_field.as_ref() == Some(&filter.field);
    // Without a direction the condition that there is says it already.
    if !of_places && !from {
        return None;
    }
    let name = filter.label.as_ref()?;
    let mut text = text.to_owned();
    let name = if directed {
        name.clone()
    } else {
        format!("to {name}")
    };
    text.replace_range(place, &name);
    Some(text)
}

/// The name of the only row.
fn name(step: &Step, kept: &KeptQuery) -> Option<String> {
    let rows = kept.rows.as_ref()?;
    let [row] = rows.rows.as_slice() else {
        return None;
    };
    let structure = kept.metadata.query_structure.as_ref()?;
    let value = match structure.group_by.as_slice() {
        [group] if group.interval.is_none() => row.get(&group.field)?,
        [] if structure.measures.is_empty() => {
            let sources = step.sources();
            let (_, index) =
                crate::step::index_of(&sources, &kept.metadata.data_source, &structure.index)?;
            let first = index.shown.first()?;
            row.get(first)?
        }
        _ => return None,
    };
    match value {
        Value::String(name) if !name.trim().is_empty() => Some(name.clone()),
        _ => None,
    }
}
