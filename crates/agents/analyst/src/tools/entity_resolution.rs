//! `entity_resolution`: the request and what was answered in; the things that are intended out, or
//! a question.

use contracts::todo::AskedClarification;
use contracts::tools::{
    clarification::{Clarification, ClarificationAnswer},
    meanings::{EntityResolution, EntityResolutionArguments, MatchedBy, ResolvedEntity, names},
};
use serde_json::json;

use super::{Failure, Job, Outcome, Previous, unread, with_notes};
use crate::{language, nodes::choose, step::index_of, words};

/// Maximum number of members of a group that are named.
const NAMED: usize = 8;

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let previous = job.previous();
    let request = match &previous {
        Some(previous) => job.change(previous).request,
        None => job.request(),
    };
    let source = match &previous {
        Some(previous) => Some(previous.source.clone()),
        None => source_of(&request),
    };
    let mut arguments = EntityResolutionArguments {
        text: words::within(&without_told(job.words(), &request)),
        mentions: request.entity_hints.clone(),
        source,
        answers: job.answers(),
        best_guess: false,
        forget: job.step.work.request.forget.clone(),
        remembered: false,
    };
    let called = job.call(names::ENTITY_RESOLUTION, &arguments).await;
    let Some(mut resolution) = called.result::<EntityResolution>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    let free = job.previous().filter(|previous| job.takes_values(previous));
    if free.is_some() {
        // A word that does not name a known thing is a value of the field that the earlier query
        // has.
        resolution.unresolved.clear();
        if resolution.ambiguous.is_empty() {
            resolution.clarification = None;
        }
    }
    let Some(clarification) = resolution.clarification.take() else {
        return resolved(job, &resolution, &[]);
    };
    if let Some(why) = without_field(job, &request, previous.as_ref(), &clarification) {
        return Outcome::Refusal(why);
    }
    let rechoose = job.step.work.request.rechoose.take();
    if let Some((before, said)) = rechoose
        && let Some(answer) = rechosen(&clarification, &before, said.as_deref())
    {
        arguments.forget.clear();
        arguments.answers.push(answer);
        let called = job.call(names::ENTITY_RESOLUTION, &arguments).await;
        let Some(resolution) = called.result::<EntityResolution>() else {
            return Outcome::Failure(Failure::of(&called));
        };
        return match resolution.clarification.clone() {
            Some(clarification) => Outcome::Question(clarification),
            None => resolved(job, &resolution, &[]),
        };
    }
    if !job.best_guess {
        let ambiguous = resolution.ambiguous.into_iter();
        job.step.state.resolution.ambiguous = ambiguous
            .map(|ambiguous| ambiguous.original_value)
            .collect();
        return Outcome::Question(clarification);
    }
    // What several things fit is known now, so that a model can choose among them.
    let chosen = choices(job, &resolution, &clarification).await;
    arguments.best_guess = true;
    let called = job.call(names::ENTITY_RESOLUTION, &arguments).await;
    let Some(mut resolution) = called.result::<EntityResolution>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    for (mention, entity) in &chosen {
        replace(job, &mut resolution.resolved, mention, entity);
    }
    let parts = clarification.parts.into_iter();
    let guessed: Vec<String> = parts.map(|part| part.mention).collect();
    resolved(job, &resolution, &guessed)
}

/// Why none of the names in question is looked for.
fn without_field(
    job: &Job<'_>,
    request: &language::Request,
    previous: Option<&Previous>,
    clarification: &Clarification,
) -> Option<String> {
    let sources = job.step.sources();
    let (source, index) = if let Some(previous) = previous {
        (&previous.source, &previous.structure.index)
    } else {
        let first = request.indices.first()?;
        (&first.source, &first.index)
    };
    let (_, index) = index_of(&sources, source, index)?;
    let mut parts = clarification.parts.iter();
    parts.find_map(|part| unread::of_name(request, index, (job.words(), &part.mention)))
}

/// The source of the records that a request names: names of other sources are not meant.
fn source_of(request: &language::Request) -> Option<String> {
    let first = request.indices.first()?;
    let mut others = request.indices.iter();
    let alone = others.all(|other| other.source == first.source || other.noun != first.noun);
    (alone && !first.noun.is_empty()).then(|| first.source.clone())
}

/// The text with spaces for the values that were read with their field: of "ships registered in
/// Panama" no port is intended.
fn without_told(text: &str, request: &language::Request) -> String {
    let mut text = text.to_owned();
    for told in &request.told {
        if text.get(told.clone()).is_some() {
            text.replace_range(told.clone(), &" ".repeat(told.len()));
        }
    }
    text
}

/// The option that is intended now: the one that was named, or of two the one that was not chosen
/// before.
fn rechosen(
    clarification: &Clarification,
    before: &str,
    said: Option<&str>,
) -> Option<ClarificationAnswer> {
    let [part] = clarification.parts.as_slice() else {
        return None;
    };
    let asked = AskedClarification {
        id: String::new(),
        clarification: clarification.clone(),
        answers: Vec::new(),
        answered_at: None,
    };
    if let Some(said) = said {
        let answers = language::chosen(said, &asked);
        return (answers.len() == 1).then(|| answers.into_iter().next())?;
    }
    let mut others = part.options.iter().filter(|option| option.label != before);
    let other = others.next()?;
    others.next().is_none().then(|| ClarificationAnswer {
        about: part.about.clone(),
        option_id: Some(other.id.clone()),
        text: other.label.clone(),
    })
}

/// The model's choices among the candidates: mention and candidate.
async fn choices(
    job: &mut Job<'_>,
    resolution: &EntityResolution,
    clarification: &Clarification,
) -> Vec<(String, contracts::tools::meanings::EntityCandidate)> {
    let answers = choose::choose(job.step, &job.list.rewritten_request, clarification).await;
    let chosen = answers.into_iter().filter_map(|answer| {
        let mut parts = clarification.parts.iter();
        let part = parts.find(|part| part.about == answer.about)?;
        let mut ambiguous = resolution.ambiguous.iter();
        let ambiguous = ambiguous.find(|known| known.original_value == part.mention)?;
        let id = answer.option_id?;
        let mut candidates = ambiguous.candidates.iter();
        // Of several candidates with one id, the option also has source and type.
        let candidate = candidates.find(|candidate| {
            let (source, kind) = (&candidate.source, &candidate.entity_type);
            id == candidate.id || id == format!("{source}/{kind}/{}", candidate.id)
        })?;
        Some((part.mention.clone(), candidate.clone()))
    });
    chosen.collect()
}

/// Puts what the model chose in the place of what the tool took; both exist.
fn replace(
    job: &Job<'_>,
    resolved: &mut [ResolvedEntity],
    mention: &str,
    candidate: &contracts::tools::meanings::EntityCandidate,
) {
    let sources = job.step.sources();
    for entity in resolved
        .iter_mut()
        .filter(|entity| entity.mention == mention)
    {
        let index = if entity.entity_type == candidate.entity_type {
            Some(entity.index.clone())
        } else {
            let mut indices = sources
                .sources
                .iter()
                .filter(|source| source.name == candidate.source)
                .flat_map(|source| &source.indices);
            indices
                .find(|index| index.entity_type.as_ref() == Some(&candidate.entity_type))
                .map(|index| index.name.clone())
        };
        let Some(index) = index else { continue };
        *entity = ResolvedEntity {
            mention: mention.to_owned(),
            entity_type: candidate.entity_type.clone(),
            id: candidate.id.clone(),
            name: candidate.name.clone(),
            confidence: candidate.confidence,
            matched_by: candidate.matched_by,
            source: candidate.source.clone(),
            index,
        };
    }
}

fn resolved(job: &mut Job<'_>, resolution: &EntityResolution, guessed: &[String]) -> Outcome {
    let context = &mut job.step.state.resolution;
    context.ambiguous.clear();
    context.unresolved = resolution
        .unresolved
        .iter()
        .map(|unresolved| unresolved.original_value.clone())
        .collect();
    context.resolved.clear();
    for entity in &resolution.resolved {
        let of_type = context.resolved.entry(entity.entity_type.clone());
        of_type.or_default().push(entity.clone());
    }
    if let Some(chosen) = resolution
        .resolved
        .iter()
        .find(|known| matches!(known.matched_by, MatchedBy::Remembered | MatchedBy::Answer))
    {
        job.step.state.choice = Some(chosen.clone());
    }
    let notes = notes(resolution, guessed);
    let action = action(&resolution.resolved);
    let result = json!({ "resolved": resolution.resolved, "unresolved": context.unresolved });
    Outcome::success(&with_notes(&result, &notes), action)
}

fn action(resolved: &[ResolvedEntity]) -> String {
    if resolved.is_empty() {
        return "Found no names to resolve.".to_owned();
    }
    let each = resolved.iter().map(|entity| {
        if entity.mention.eq_ignore_ascii_case(&entity.name) {
            format!("{} ({})", entity.name, entity.entity_type)
        } else {
            format!(
                "{} to {} ({})",
                entity.mention, entity.name, entity.entity_type
            )
        }
    });
    format!("Resolved {}.", words::list(each))
}

/// Which things words were taken for that several things have in common.
fn groups(resolved: &[ResolvedEntity]) -> Vec<String> {
    let mut mentions: Vec<&str> = Vec::new();
    let of_group = resolved
        .iter()
        .filter(|entity| entity.matched_by == MatchedBy::Group);
    for entity in of_group.clone() {
        if !mentions.contains(&entity.mention.as_str()) {
            mentions.push(&entity.mention);
        }
    }
    let said = mentions.into_iter().map(|mention| {
        let mut all: Vec<&str> = Vec::new();
        for entity in of_group.clone().filter(|entity| entity.mention == mention) {
            if !all.contains(&entity.name.as_str()) {
                all.push(&entity.name);
            }
        }
        let named = words::list(all.iter().take(NAMED).map(|name| (*name).to_owned()));
        match all.len() {
            count if count > NAMED => format!(
                "I took \u{201c}{mention}\u{201d} to be {count} things there: {named}, and others."
            ),
            _ => format!("I took \u{201c}{mention}\u{201d} to be {named}."),
        }
    });
    said.collect()
}

/// Notes about decisions without the person.
fn notes(resolution: &EntityResolution, guessed: &[String]) -> Vec<String> {
    let mut notes: Vec<String> = groups(&resolution.resolved);
    for entity in &resolution.resolved {
        let (mention, name) = (&entity.mention, &entity.name);
        if guessed.contains(mention) {
            notes.push(format!(
                "I took \u{201c}{mention}\u{201d} to be {name}, my best guess."
            ));
            continue;
        }
        match entity.matched_by {
            MatchedBy::Remembered => notes.push(format!(
                "I took \u{201c}{mention}\u{201d} to be {name}, as you chose before; say \u{201c}the other one\u{201d} or \u{201c}forget that\u{201d} if that is wrong."
            )),
            MatchedBy::Trigram | MatchedBy::Embedding => notes.push(format!(
                "I took \u{201c}{mention}\u{201d} to be {name}, the nearest name."
            )),
            _ => {}
        }
    }
    for unresolved in &resolution.unresolved {
        let nearest = unresolved.nearest.iter().take(3);
        let names = words::either(nearest.map(|candidate| candidate.name.clone()));
        let did_you = if names.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {names}?")
        };
        notes.push(format!(
            "I know nothing called \u{201c}{}\u{201d}, so it is not part of the search.{did_you}",
            unresolved.original_value
        ));
    }
    notes
}
