//! `field_mapping`: the request's terms and the things that were resolved in; the fields of an
//! index out, or a question.

use contracts::tools::{
    clarification::ClarificationAnswer,
    meanings::{FieldMapping, FieldMappingArguments, FieldTerm, ResolvedEntity, TermRole, names},
    search::{Filter, QueryType},
};
use serde::Deserialize;

use super::{Failure, Job, Outcome, Previous, with_notes};
use crate::{language, nodes::choose, step::index_of, words};

/// What `entity_resolution` left.
#[derive(Deserialize)]
struct Resolved {
    resolved: Vec<ResolvedEntity>,
}

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let mut arguments = arguments(job);
    let called = job.call(names::FIELD_MAPPING, &arguments).await;
    let Some(mut mapping) = called.result::<FieldMapping>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    let Some(clarification) = mapping.clarification.take() else {
        return mapped(job, mapping, &[], arguments.time_words.as_deref());
    };
    if !job.best_guess {
        return Outcome::Question(clarification);
    }
    let request = &job.list.rewritten_request;
    let chosen = choose::choose(job.step, request, &clarification).await;
    arguments.answers.extend(chosen);
    arguments.best_guess = true;
    let called = job.call(names::FIELD_MAPPING, &arguments).await;
    let Some(mapping) = called.result::<FieldMapping>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    let parts = clarification.parts.into_iter();
    let guessed: Vec<String> = parts.map(|part| part.mention).collect();
    mapped(job, mapping, &guessed, arguments.time_words.as_deref())
}

fn arguments(job: &Job<'_>) -> FieldMappingArguments {
    let query_type = job.query_type();
    let mut entities = job
        .found::<Resolved>(names::ENTITY_RESOLUTION, None)
        .map(|found| found.resolved)
        .unwrap_or_default();
    let previous = job.previous();
    let mut answers = Vec::new();
    if let Some(previous) = &previous {
        let words = job.words();
        let (old, new): (Vec<ResolvedEntity>, _) = entities
            .into_iter()
            .partition(|entity| language::is_replaced(words, &entity.mention));
        answers = kept_fields(job, previous, &old, &new);
        entities = new;
    }
    answers.extend(job.answers());
    let (request, place) = if let Some(previous) = &previous {
        let index = previous.structure.index.clone();
        let request = job.change(previous).request;
        (request, Some((previous.source.clone(), index)))
    } else {
        let request = job.request();
        let place = place(job, &request, query_type);
        (request, place)
    };
    let time_words = request.time_words.clone().or_else(|| {
        let range = request.time_range.as_ref()?;
        range.kind.clone()
    });
    let (source, index) = place.unzip();
    let mentions: Vec<&str> = entities
        .iter()
        .map(|known| known.mention.as_str())
        .collect();
    let text = language::between_places(job.words(), &mentions);
    FieldMappingArguments {
        text: words::within(&text),
        source,
        query_type,
        index,
        terms: terms(request.terms, &entities),
        entities,
        time_words,
        answers,
        best_guess: false,
    }
}

/// Answers that compare names in a change with the field of the earlier query, unless the change
/// says another: a settled question is not asked again, and a name replaces the one before. The
/// person's new answers come last, and count. `replaced` are things that the change no longer asks
/// for.
fn kept_fields(
    job: &Job<'_>,
    previous: &Previous,
    replaced: &[ResolvedEntity],
    entities: &[ResolvedEntity],
) -> Vec<ClarificationAnswer> {
    let sources = job.step.sources();
    let mut structure = previous.structure.clone();
    let has_replaced = |filter: &Filter| {
        let mut replaced = replaced.iter();
        replaced.any(|entity| {
            let mut values = filter.values.iter();
            values.any(|value| *value == entity.id || *value == entity.name)
        })
    };
    if structure.filters.iter().any(has_replaced) {
        structure.filters.retain(has_replaced);
    }
    let Some((_, index)) = index_of(&sources, &previous.source, &structure.index) else {
        return Vec::new();
    };
    let kept = entities.iter().filter_map(|entity| {
        let (mention, kind) = (&entity.mention, &entity.entity_type);
        let field = language::kept_field(job.words(), mention, kind, &structure, index)?;
        Some(ClarificationAnswer {
            about: format!("field:{mention}"),
            option_id: Some(field.to_owned()),
            text: words::label(field),
        })
    });
    kept.collect()
}

/// The index whose records the request names, of a source that is asked this way.
fn place(
    job: &Job<'_>,
    request: &crate::language::Request,
    query_type: Option<QueryType>,
) -> Option<(String, String)> {
    let sources = job.step.sources();
    let asked_so = |name: &str| {
        let mut sources = sources.sources.iter();
        sources.any(|source| {
            source.name == name && query_type.is_none_or(|kind| source.query_types.contains(&kind))
        })
    };
    let mut indices = request.indices.iter();
    let index = indices.find(|index| asked_so(&index.source))?;
    Some((index.source.clone(), index.index.clone()))
}

/// The terms without those that turned out to be names of things.
fn terms(terms: Vec<FieldTerm>, entities: &[ResolvedEntity]) -> Vec<FieldTerm> {
    let is_name = |term: &FieldTerm| {
        term.role == TermRole::Filter
            && term.value.is_none()
            && entities
                .iter()
                .any(|entity| entity.mention.eq_ignore_ascii_case(&term.text))
    };
    terms.into_iter().filter(|term| !is_name(term)).collect()
}

fn mapped(
    job: &mut Job<'_>,
    mut mapping: FieldMapping,
    guessed: &[String],
    time_words: Option<&str>,
) -> Outcome {
    mapping.clarification = None;
    let context = &mut job.step.state.resolution.field_mappings;
    context.clear();
    for field in &mapping.fields {
        context.insert(field.term.clone(), field.field.clone());
    }
    for entity in &mapping.entities {
        context.insert(entity.mention.clone(), entity.field.clone());
    }
    let mut notes: Vec<String> = guessed
        .iter()
        .filter_map(|mention| {
            let field = context.get(mention)?;
            Some(format!(
                "I took \u{201c}{mention}\u{201d} to be the field {}, my best guess.",
                words::label(field)
            ))
        })
        .collect();
    // That there is no date for the days is reported where the query is built without them.
    let unmapped = mapping.unmapped.iter();
    for term in unmapped.filter(|term| Some(term.term.as_str()) != time_words) {
        let nearest = term.nearest.iter().take(3).map(|field| words::label(field));
        let names = words::either(nearest);
        let did_you = if names.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {names}?")
        };
        notes.push(format!(
            "No field of {} is called \u{201c}{}\u{201d}, so I left it out.{did_you}",
            words::label(&mapping.index),
            term.term
        ));
    }
    let action = action(&mapping);
    Outcome::success(&with_notes(&mapping, &notes), action)
}

fn action(mapping: &FieldMapping) -> String {
    let entities = mapping
        .entities
        .iter()
        .map(|entity| format!("{} to {}", entity.name, entity.field));
    let fields = mapping
        .fields
        .iter()
        .map(|field| format!("{} to {}", field.term, field.field));
    let date = mapping
        .date_field
        .iter()
        .map(|field| format!("the days to {field}"));
    let each: Vec<String> = entities.chain(fields).chain(date).collect();
    if each.is_empty() {
        return format!("Chose {}.", mapping.index);
    }
    format!("Mapped {} in {}.", words::list(each), mapping.index)
}
