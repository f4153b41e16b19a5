//! `query_builder`: the typed query in, made of the request and the fields that were mapped; the
//! checked query out.
//!
//! What is not accepted is repaired once, with what was probably meant; then it is an error, and
//! nothing is executed.

use contracts::todo::QueryStrategy;
use contracts::tools::{
    meanings::{FieldMapping, ResolvedEntity, TermRole, names as meanings},
    search::{
        BuiltQuery, IndexDescription, MeasureOp, QueryBuild, QueryBuilderArguments, QueryProblem,
        QueryStructure, QueryType, SourceDescription, names,
    },
};
use serde::Deserialize;
use serde_json::Value;

use super::unread::{self, Left};
use super::{Failure, Job, Outcome, Previous, currencies, with_notes};
use crate::{language, step::index_of, words};

/// What `entity_resolution` left.
#[derive(Deserialize)]
struct Resolved {
    #[serde(default)]
    resolved: Vec<ResolvedEntity>,
}

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let query_type = job.query_type().unwrap_or(QueryType::Elasticsearch);
    let Some(mapping) = job.found::<FieldMapping>(meanings::FIELD_MAPPING, Some(query_type)) else {
        return Outcome::Failure(Failure::because("The fields of the query are not known."));
    };
    let sources = job.step.sources();
    let Some((source, index)) = index_of(&sources, &mapping.source, &mapping.index) else {
        return Outcome::Failure(Failure {
            message: format!(
                "The description of {} can't be had at the moment.",
                mapping.index
            ),
            away: true,
        });
    };
    let refused = elsewhere(job, &mapping, source, index)
        .or_else(|| counts_one_thing(job, &mapping, source, index));
    if let Some(why) = refused {
        return Outcome::Refusal(why);
    }
    let (mut structure, mut notes) = if let Some(previous) = job.previous() {
        match changed(job, &previous, &mapping, (source, index)) {
            Ok(changed) => changed,
            Err(why) => return Outcome::Refusal(why),
        }
    } else {
        let mut request = job.request();
        let mut structure = language::compose(&request, &mapping, index);
        let read = language::join_alternatives(job.words(), &request, &mapping, &mut structure);
        request.read_alternatives(&read);
        if !structure.group_by.is_empty() {
            request.read_comparison();
        }
        let left = unused(job, &request, &mapping);
        let said = request.time_words.as_deref().or_else(|| {
            let range = request.time_range.as_ref()?;
            range.kind.as_deref()
        });
        let (place, said) = ((source, index), (job.words(), said));
        if let Some(why) = unread::refusal(&structure, &left, &mapping, place, said) {
            return Outcome::Refusal(why);
        }
        let mut notes = left.told();
        notes.extend(of_groups(&request, &structure, index));
        (structure, notes)
    };
    match currencies::apart(&mut structure, index, source) {
        Ok(note) => notes.extend(note),
        Err(why) => return Outcome::Refusal(why),
    }
    let computes = !structure.group_by.is_empty()
        || structure
            .measures
            .iter()
            .any(|measure| measure.op != MeasureOp::Count);
    let is_one_of_two = job.list.query_strategy == QueryStrategy::Hybrid;
    if query_type == QueryType::Graphql && computes && is_one_of_two {
        return Outcome::NotNeeded("Figures and groups are for the search alone.");
    }
    let dated = |field: &contracts::tools::search::FieldDescription| {
        field.field_type == contracts::tools::search::FieldType::Date
    };
    if !index.fields.iter().any(dated)
        && let Some(range) = structure.time_range.take()
    {
        let (_, plural) = crate::summary::nouns(Some(index), &index.name);
        let said = range
            .kind
            .unwrap_or_else(|| format!("{} to {}", range.start, range.end));
        if !structure.measures.is_empty() {
            return Outcome::Refusal(unread::without_date(&plural, &said));
        }
        notes.push(format!(
            "The {plural} have no date, so I did not use: \u{201c}{said}\u{201d}."
        ));
    }
    let arguments = QueryBuilderArguments {
        source: Some(mapping.source.clone()).filter(|source| !source.is_empty()),
        query_type,
        structure,
    };
    match build(job, arguments).await {
        Ok(built) => {
            notes.extend(built.notes.iter().cloned());
            note(job, &built);
            let action = format!("Built the query: {}.", built.summary.trim_end_matches('.'));
            Outcome::success(&with_notes(&built, &notes), action)
        }
        Err(failure) => Outcome::Failure(failure),
    }
}

/// Remarks on groups by time and on an order that the query does not have.
fn of_groups(
    request: &language::Request,
    structure: &QueryStructure,
    index: &IndexDescription,
) -> Vec<String> {
    let mut notes = Vec::new();
    let by_time = request.group_by.iter().any(|group| group.term.is_none());
    let mut groups = structure.group_by.iter();
    if by_time && groups.all(|group| group.interval.is_none()) {
        let (_, plural) = crate::summary::nouns(Some(index), &index.name);
        notes.push(format!(
            "I did not use the groups by time: {plural} have no usual date. Name one (\u{201c}by month of \u{2026}\u{201d})."
        ));
    }
    let lost = !request.sort.is_empty() && structure.sort.is_empty();
    if lost && structure.group_by.is_empty() == structure.measures.is_empty() {
        let said = request.aggregation_keywords.last().cloned();
        notes.push(format!(
            "I did not use the order{}: groups are ordered by their own figures only.",
            said.map_or_else(String::new, |said| format!(" (\u{201c}{said}\u{201d})"))
        ));
    }
    notes
}

/// Why records cannot be chosen by a thing that the request names: they have no field for it.
fn elsewhere(
    job: &Job<'_>,
    mapping: &FieldMapping,
    source: &SourceDescription,
    index: &IndexDescription,
) -> Option<String> {
    let resolved = job
        .found::<Resolved>(meanings::ENTITY_RESOLUTION, None)?
        .resolved;
    let without_field = |entity: &&ResolvedEntity| {
        let mut unmapped = mapping.unmapped.iter();
        unmapped.any(|term| term.role == TermRole::Filter && term.term == entity.mention)
    };
    let entity = resolved.iter().find(without_field)?;
    let (_, plural) = crate::summary::nouns(Some(index), &index.name);
    let mut others = source.indices.iter();
    let other = others.find(|other| {
        let mut fields = other.fields.iter();
        other.name != index.name
            && fields.any(|field| field.entity_type.as_ref() == Some(&entity.entity_type))
    });
    let instead = other.map_or_else(String::new, |other| {
        let (_, others) = crate::summary::nouns(Some(other), &other.name);
        format!(" Ask for the {others} of {} instead.", entity.name)
    });
    Some(format!(
        "I cannot choose {plural} by \u{201c}{}\u{201d}: they have no field for a {}.{instead}",
        entity.mention,
        words::label(&entity.entity_type)
    ))
}

/// Why "how many pianos?" is not answered where pianos are one category: there is one of it, and
/// nothing says which records of it are to be counted.
fn counts_one_thing(
    job: &Job<'_>,
    mapping: &FieldMapping,
    source: &SourceDescription,
    index: &IndexDescription,
) -> Option<String> {
    if job.previous().is_some() {
        return None;
    }
    let request = job.request();
    let counts = matches!(request.measures.as_slice(), [one] if one.term.is_none());
    let names_records = request.indices.iter().any(|known| !known.noun.is_empty());
    let entity = mapping.entities.first()?;
    if !counts || names_records || Some(&entity.field) != index.id_field.as_ref() {
        return None;
    }
    let (singular, _) = crate::summary::nouns(Some(index), &index.name);
    let named = [entity.mention.as_str(), entity.name.as_str()];
    if let Some(unknown) = request.unused(&named).first() {
        return Some(format!(
            "I know nothing about \u{201c}{unknown}\u{201d} of a {singular}, so I cannot count it."
        ));
    }
    let kind = index.entity_type.as_ref();
    let has_field = |other: &&IndexDescription| {
        let mut fields = other.fields.iter();
        other.name != index.name && fields.any(|field| field.entity_type.as_ref() == kind)
    };
    let others = source.indices.iter().filter(has_field);
    let others =
        words::either(others.map(|other| crate::summary::nouns(Some(other), &other.name).1));
    let of = if others.is_empty() {
        String::new()
    } else {
        format!(" ({others})")
    };
    Some(format!(
        "\u{201c}{}\u{201d} is one {singular}. Name the records of it that are to be counted{of}.",
        entity.mention
    ))
}

/// The earlier query with the change, and what changed; why there is no such query, where the
/// change has a condition that was not read.
fn changed(
    job: &Job<'_>,
    previous: &Previous,
    mapping: &FieldMapping,
    (source, index): (&SourceDescription, &IndexDescription),
) -> Result<(QueryStructure, Vec<String>), String> {
    let mut change = job.change(previous);
    change.request.read_comparison();
    let mut edited = language::apply(&previous.structure, &change, mapping, index);
    if let Some(why) = edited.refusal.take() {
        return Err(why);
    }
    // "To or from Hamburg".
    let text = job.words();
    let read = language::join_alternatives(text, &change.request, mapping, &mut edited.structure);
    change.request.read_alternatives(&read);
    let note = match edited.changes.as_slice() {
        _ if previous.back => Some("This is the query before the last one again.".to_owned()),
        // "When did it arrive?" asks of what was found, and changes nothing.
        [] if asks(job.words()) => None,
        [] => Some(
            "I found nothing to change in the earlier query, so this is the same query again."
                .to_owned(),
        ),
        changes => Some(format!(
            "Changed against the earlier query: {}.",
            words::list(changes.iter().cloned())
        )),
    };
    let mut notes: Vec<String> = note.into_iter().collect();
    // The words that name an earlier query are used where that is asked again.
    if !(job.step.work.request.returns && edited.changes.is_empty()) {
        let left = unused(job, &change.request, mapping);
        // Words such as "or" and "there" leave the earlier conditions in place.
        let conditions = Left {
            words: left.words.clone(),
            ..Left::default()
        };
        let said = (job.words(), change.request.time_words.as_deref());
        let place = (source, index);
        let refusal = unread::refusal(&edited.structure, &conditions, mapping, place, said);
        match refusal.filter(|_| edited.changes.is_empty()) {
            Some(why) => return Err(why),
            None => notes.extend(left.told()),
        }
    }
    Ok((edited.structure, notes))
}

/// Whether a message asks something of the record that was found.
fn asks(text: &str) -> bool {
    let first = text.split_whitespace().find(|word| {
        let word = word.to_lowercase();
        !["and", "so", "ok", "okay", "but", "then"].contains(&word.as_str())
    });
    let asks = ["which", "what", "who", "whose", "when", "where", "how"];
    first.is_some_and(|word| asks.contains(&word.to_lowercase().as_str()))
}

/// Has the query built; what is not accepted is repaired once.
async fn build(
    job: &mut Job<'_>,
    mut arguments: QueryBuilderArguments,
) -> Result<BuiltQuery, Failure> {
    let mut repaired = false;
    loop {
        let called = job.call(names::QUERY_BUILDER, &arguments).await;
        let build: QueryBuild = called.any_result().unwrap_or_default();
        if let Some(built) = called.result::<QueryBuild>().and_then(|build| build.query) {
            return Ok(built);
        }
        job.step
            .state
            .query
            .validation_errors
            .clone_from(&build.problems);
        if build.problems.is_empty() {
            return Err(Failure::of(&called));
        }
        let repair = repair(&arguments.structure, &build.problems);
        match repair.filter(|_| !repaired) {
            Some(structure) => arguments.structure = structure,
            None => return Err(refused(&build.problems)),
        }
        repaired = true;
    }
}

fn refused(problems: &[QueryProblem]) -> Failure {
    let each = problems.iter().take(3).map(|problem| {
        let suggested = words::either(problem.suggestions.iter().take(3).cloned());
        let message = problem.message.trim_end_matches('.');
        if suggested.is_empty() {
            message.to_owned()
        } else {
            format!("{message} (did you mean {suggested}?)")
        }
    });
    Failure::because(format!(
        "The query was not accepted: {}.",
        words::list(each)
    ))
}

/// The query with what was probably meant; `None` where nothing is suggested, or a condition would
/// be lost.
fn repair(structure: &QueryStructure, problems: &[QueryProblem]) -> Option<QueryStructure> {
    let mut whole = serde_json::to_value(structure).ok()?;
    let mut changed = false;
    for problem in problems {
        let pointer = problem
            .pointer
            .strip_prefix("/structure")
            .unwrap_or(&problem.pointer);
        if pointer == "/limit"
            && let Value::Object(members) = &mut whole
        {
            changed |= members.remove("limit").is_some();
            continue;
        }
        let meant = problem.suggestions.first();
        if let (Some(Value::String(text)), Some(meant)) = (whole.pointer_mut(pointer), meant) {
            text.clone_from(meant);
            changed = true;
        }
    }
    changed
        .then(|| serde_json::from_value(whole).ok())
        .flatten()
}

/// What of the request the query does not use.
fn unused(job: &Job<'_>, request: &language::Request, mapping: &FieldMapping) -> Left {
    let resolved = job
        .found::<Resolved>(meanings::ENTITY_RESOLUTION, None)
        .map(|found| found.resolved)
        .unwrap_or_default();
    let mut mentions: Vec<&str> = Vec::new();
    for entity in &resolved {
        mentions.extend([entity.mention.as_str(), entity.name.as_str()]);
    }
    let mut notes: Vec<String> = request.time_problem.iter().cloned().collect();
    notes.extend(request.remarks.iter().cloned());
    if let Some(noun) = request
        .other_records
        .as_ref()
        .filter(|_| request.measures.is_empty())
    {
        let sources = job.step.sources();
        let index = index_of(&sources, &mapping.source, &mapping.index);
        let (_, plural) = crate::summary::nouns(index.map(|(_, index)| index), &mapping.index);
        notes.push(format!(
            "What you ask of \u{201c}{noun}\u{201d} is known of {plural}, so these are {plural}."
        ));
    }
    let unresolved = &job.step.state.resolution.unresolved;
    let unused: Vec<String> = request
        .unused(&mentions)
        .into_iter()
        .filter(|words| {
            !unresolved
                .iter()
                .any(|known| known.eq_ignore_ascii_case(words))
        })
        .filter(|words| !says_field(words, mapping))
        .map(|words| format!("\u{201c}{words}\u{201d}"))
        .collect();
    let operators = unread(job.words(), request, mapping)
        .into_iter()
        .map(|word| format!("\u{201c}{word}\u{201d}"))
        .filter(|word| !unused.contains(word))
        .collect();
    Left {
        notes,
        words: unused,
        operators,
    }
}

/// Whether the words only say which field a name belongs to: "picked" of "picked up at Alster",
/// where the pickup branch is compared.
fn says_field(words: &str, mapping: &FieldMapping) -> bool {
    let parts: Vec<String> = mapping
        .entities
        .iter()
        .flat_map(|entity| entity.field.split('_'))
        .map(language::stem)
        .collect();
    let of_field = |word: &str| {
        let stem = language::stem(&word.to_lowercase());
        parts.iter().any(|part| {
            let rest = part.strip_prefix(stem.as_str());
            rest.is_some_and(|rest| ["", "up", "off", "out", "in"].contains(&rest))
        })
    };
    let mut said = words
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    said.peek().is_some() && said.all(of_field)
}

/// Words that change the meaning of others and that the query does not have.
fn unread(text: &str, request: &language::Request, mapping: &FieldMapping) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut places: Vec<(std::ops::Range<usize>, &str)> = Vec::new();
    for entity in &mapping.entities {
        let mention = entity.mention.to_ascii_lowercase();
        if mention.is_empty() {
            continue;
        }
        let found = lower.match_indices(&mention);
        places.extend(found.map(|(at, said)| (at..at + said.len(), entity.field.as_str())));
    }
    let names: Vec<_> = places.iter().map(|(place, _)| place.clone()).collect();
    let field = |name: &std::ops::Range<usize>| {
        let mut places = places.iter();
        places
            .find(|(place, _)| place == name)
            .map(|(_, field)| *field)
    };
    request.unread(&names, |one, another| field(one) == field(another))
}

fn note(job: &mut Job<'_>, built: &BuiltQuery) {
    let context = &mut job.step.state.query;
    context.query_type = Some(built.query_type);
    match built.query_type {
        QueryType::Elasticsearch => context.es_query = Some(built.query.clone()),
        QueryType::Graphql => context.graphql_query = Some(built.query.clone()),
    }
    context.validation_errors.clear();
    context.estimated_records = built.estimated_records;
    context.needs_approval |= built.needs_approval;
}

#[cfg(test)]
mod tests {
    use contracts::tools::search::SortBy;

    use super::*;

    fn problem(pointer: &str, suggestions: &[&str]) -> QueryProblem {
        QueryProblem {
            pointer: pointer.to_owned(),
            code: "unknown_field".to_owned(),
            message: "There is no such field.".to_owned(),
            suggestions: suggestions.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn what_was_probably_meant_takes_the_place_and_nothing_else_changes() {
        let structure = QueryStructure {
            index: "shipments".to_owned(),
            sort: vec![SortBy {
                by: "delay".to_owned(),
                descending: true,
            }],
            limit: Some(9_999),
            ..QueryStructure::default()
        };
        let repaired = repair(
            &structure,
            &[
                problem("/structure/sort/0/by", &["delay_hours"]),
                problem("/limit", &[]),
            ],
        )
        .unwrap();
        assert_eq!(repaired.sort[0].by, "delay_hours");
        assert_eq!(repaired.limit, None);
        assert_eq!(repair(&structure, &[problem("/sort/0/by", &[])]), None);
        assert_eq!(
            repair(&structure, &[problem("/filters/7/field", &["x"])]),
            None
        );
    }
}
