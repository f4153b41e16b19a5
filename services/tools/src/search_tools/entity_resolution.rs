//! `entity_resolution`: which things a request names, or the question that has to be asked first.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use contracts::tools::ToolEnvelope;
use contracts::tools::choices::RememberedChoice;
use contracts::tools::meanings::{EntityResolution, EntityResolutionArguments, MatchedBy};
use entities::{
    Candidate, Decision, Mention, Names, Vocabulary, candidates, decide, members, mention_of,
    merge, of_type, resolution, same_words, scan, taken,
};
use futures::future::join_all;
use search_sources::{EntityIndex, Source, SourceError};
use service_kit::identity::Identity;
use service_kit::problem::chain;

use super::known_things::{Indexed, Known};
use super::remembered_choices::{self, Choice};
use super::{SearchTools, answered, lookup, unanswered};
use crate::error::Error;

/// Maximum number of things in one request.
const MOST: usize = 32;

pub(super) async fn run(
    tools: &SearchTools,
    caller: &Identity,
    arguments: EntityResolutionArguments,
) -> Result<ToolEnvelope<EntityResolution>, Error> {
    for (place, mention) in arguments.mentions.iter().enumerate() {
        // PostgreSQL has no place for it in a text.
        if mention.text.contains('\0') {
            let pointer = format!("/mentions/{place}/text");
            return Err(Error::invalid(&pointer, "contains a zero character"));
        }
    }
    for (place, mention) in arguments.forget.iter().enumerate() {
        if mention.contains('\0') {
            let pointer = format!("/forget/{place}");
            return Err(Error::invalid(&pointer, "contains a zero character"));
        }
    }
    remembered_choices::forget(&tools.pool, caller, &arguments.forget).await?;
    let told = if arguments.remembered {
        choices(tools, caller).await?
    } else {
        Vec::new()
    };
    let sources = tools.sources(&caller.tenant, arguments.source.as_deref())?;
    let known = Knowledge::read(tools, &caller.tenant, &sources).await;
    if known.indexed.is_empty() && known.uncounted.is_empty() {
        known.away?;
        return Ok(ToolEnvelope::ok(EntityResolution {
            remembered: told,
            ..EntityResolution::default()
        }));
    }
    let mentions = mentions(&arguments, &known);
    let chosen = remembered(tools, caller, &mentions).await;
    let mut decisions = Vec::new();
    for mention in &mentions {
        let answers = answered::about(&arguments.answers, &mention.text);
        let decided = answered::decide(tools, caller, &known, mention, &answers).await;
        let of_group = if decided.is_empty() && !chosen.contains_key(&entities::key(&mention.text))
        {
            members(&mention.text, &known.names())
        } else {
            Vec::new()
        };
        let all = of_group
            .iter()
            .map(|member| taken(&mention.text, member, MatchedBy::Group));
        decisions.extend(all);
        if decided.is_empty() && of_group.is_empty() {
            let guess = arguments.best_guess;
            decisions.push(of_words(tools, &known, mention, &chosen, guess).await?);
        }
        decisions.extend(decided);
    }
    let resolution = EntityResolution {
        remembered: told,
        ..resolution(decisions)
    };
    if resolution.clarification.is_some() {
        // What is not known here may be known to the source that is away.
        known.away?;
    }
    Ok(ToolEnvelope::ok(resolution))
}

/// The person's earlier choices, with the names that the things have now. A name whose source is
/// unavailable is left out.
pub(super) async fn choices(
    tools: &SearchTools,
    caller: &Identity,
) -> Result<Vec<RememberedChoice>, sqlx::Error> {
    let kept = remembered_choices::all(&tools.pool, caller).await?;
    let sources = tools.sources.for_tenant(&caller.tenant);
    let known = if kept.is_empty() {
        None
    } else {
        Some(Knowledge::read(tools, &caller.tenant, &sources).await)
    };
    let mut told = Vec::new();
    for (choice, chosen_at) in kept {
        let there = match &known {
            Some(known) => known.still_there(&choice).await.unwrap_or_default(),
            None => None,
        };
        told.push(RememberedChoice {
            mention: choice.mention,
            source: choice.source,
            entity_type: choice.entity_type,
            id: choice.entity_id,
            name: there.map(|thing| thing.entity.name),
            chosen_at,
        });
    }
    Ok(told)
}

/// The known things of a tenant.
pub(super) struct Knowledge<'a> {
    pub(super) tenant: &'a str,
    indexed: Vec<Arc<Indexed>>,
    /// Indices with too many things to know their names.
    uncounted: Vec<(Arc<Source>, EntityIndex)>,
    vocabulary: Vocabulary,
    /// A source that did not answer.
    away: Result<(), Error>,
}

impl<'a> Knowledge<'a> {
    async fn read(tools: &SearchTools, tenant: &'a str, sources: &[Arc<Source>]) -> Self {
        let read = sources.iter().map(|source| async move {
            let description = source.describe(tenant).await?;
            let indices = source.entity_indices();
            let things = indices
                .iter()
                .map(|index| tools.things.of(tenant, source, index));
            let things: Vec<Known> = join_all(things)
                .await
                .into_iter()
                .collect::<Result<_, SourceError>>()?;
            Ok::<_, SourceError>((description, indices, things))
        });
        let read = join_all(read).await;
        let (mut indexed, mut uncounted, mut descriptions, mut away) =
            (Vec::new(), Vec::new(), Vec::new(), Ok(()));
        for (source, read) in sources.iter().zip(read) {
            match read {
                Ok((description, indices, things)) => {
                    descriptions.push(description);
                    for (index, things) in indices.into_iter().zip(things) {
                        match things {
                            Known::All(names) => indexed.push(names),
                            Known::TooMany => uncounted.push((Arc::clone(source), index)),
                        }
                    }
                }
                Err(error) => away = away.and(Err(unanswered(source.name(), &error))),
            }
        }
        let vocabulary = Vocabulary::of(
            descriptions
                .iter()
                .flat_map(|description| &description.indices),
        );
        Self {
            tenant,
            indexed,
            uncounted,
            vocabulary,
            away,
        }
    }

    pub(super) fn names(&self) -> Vec<&Names> {
        self.indexed.iter().map(|indexed| &indexed.names).collect()
    }

    /// The words of a text that name something.
    pub(super) fn mentions_in(&self, text: &str) -> Vec<Mention> {
        scan(text, &self.names(), &self.vocabulary)
    }

    /// What words can mean by their letters, and by looking them up where not all names are known.
    pub(super) async fn candidates(
        &self,
        words: &str,
        entity_type: Option<&str>,
    ) -> Result<Vec<Candidate>, Error> {
        let mut found = candidates(words, None, &self.names());
        let exact = |candidate: &Candidate| candidate.entity.confidence >= 1.0;
        if !found.iter().any(exact) {
            found.extend(self.looked_up(words).await?);
        }
        Ok(of_type(merge(found), entity_type))
    }

    /// Things of indices whose names are not all known.
    pub(super) async fn looked_up(&self, words: &str) -> Result<Vec<Candidate>, Error> {
        let asked = self.uncounted.iter().map(|(source, index)| async move {
            let found = lookup::exact(source, self.tenant, index, words).await;
            found.map_err(|error| unanswered(source.name(), &error))
        });
        let found: Vec<Vec<Candidate>> = join_all(asked)
            .await
            .into_iter()
            .collect::<Result<_, Error>>()?;
        Ok(found.concat())
    }

    /// The thing that was chosen once, if it is still there.
    async fn still_there(&self, choice: &Choice) -> Result<Option<Candidate>, Error> {
        let fits = |names: &&Names| {
            names.source() == choice.source && names.entity_type() == choice.entity_type
        };
        let known = self.names().into_iter().filter(fits).find_map(|names| {
            let place = names.place(&choice.entity_id)?;
            Candidate::of(names, place, 1.0, MatchedBy::Remembered)
        });
        if known.is_some() {
            return Ok(known);
        }
        let found = self.looked_up(&choice.entity_id).await?;
        Ok(found.into_iter().find(|candidate| {
            let entity = &candidate.entity;
            entity.id == choice.entity_id
                && entity.source == choice.source
                && entity.entity_type == choice.entity_type
        }))
    }
}

/// What words mean without an answer.
async fn of_words(
    tools: &SearchTools,
    known: &Knowledge<'_>,
    mention: &Mention,
    chosen: &HashMap<String, Choice>,
    best_guess: bool,
) -> Result<Decision, Error> {
    let thresholds = tools.settings.thresholds();
    let entity_type = mention.entity_type.as_deref();
    let mut found = known.candidates(&mention.text, entity_type).await?;
    if found
        .first()
        .is_none_or(|best| best.entity.confidence < thresholds.accept)
        && let Some(words) = tools.meaning.of_question(&mention.text).await
    {
        for indexed in &known.indexed {
            let near =
                indexed
                    .meanings
                    .nearest(&indexed.names, &words, &tools.meaning, thresholds.accept);
            found.extend(near.await);
        }
        found = of_type(merge(found), entity_type);
    }
    let remembered = match chosen.get(&entities::key(&mention.text)) {
        Some(choice) => known.still_there(choice).await?,
        None => None,
    };
    Ok(decide(
        &mention.text,
        &found,
        remembered.as_ref(),
        &thresholds,
        best_guess,
    ))
}

/// The person's earlier choices. Without the service's database nothing is remembered, and the
/// person is asked.
async fn remembered(
    tools: &SearchTools,
    caller: &Identity,
    mentions: &[Mention],
) -> HashMap<String, Choice> {
    let words: Vec<&str> = mentions
        .iter()
        .map(|mention| mention.text.as_str())
        .collect();
    match remembered_choices::of(&tools.pool, caller, &words).await {
        Ok(choices) => choices,
        Err(error) => {
            tracing::warn!(error = %chain(&error), "what was chosen before is not known; people are asked");
            HashMap::new()
        }
    }
}

/// The words that name something: those that are known to, those that were answered about, and
/// those that are found. Of two in one place the longer.
fn mentions(arguments: &EntityResolutionArguments, known: &Knowledge<'_>) -> Vec<Mention> {
    let text = &arguments.text;
    let names = known.names();
    let scanned = known.mentions_in(text);
    let given = arguments
        .mentions
        .iter()
        .map(|mention| (mention.text.as_str(), mention.entity_type.clone()));
    let asked = arguments
        .answers
        .iter()
        .filter_map(|answer| Some((mention_of(&answer.about)?, None)));
    let mut mentions: Vec<Mention> = Vec::new();
    for (place, (words, entity_type)) in given.chain(asked).enumerate() {
        let given = place < arguments.mentions.len();
        let range = place_of(words, text);
        let longer = range.as_ref().and_then(|range| {
            let around = |mention: &&Mention| {
                mention.range.start <= range.start && mention.range.end >= range.end
            };
            scanned.iter().find(around)
        });
        let mention = match (longer, range) {
            (Some(longer), _) => Mention {
                entity_type: entity_type.or_else(|| longer.entity_type.clone()),
                ..longer.clone()
            },
            (None, Some(range)) => Mention {
                text: words.to_owned(),
                range,
                entity_type,
            },
            (None, None) if given => Mention {
                text: words.to_owned(),
                range: text.len()..text.len(),
                entity_type,
            },
            // It was asked about another request.
            (None, None) => continue,
        };
        let exact = names.iter().any(|names| {
            names
                .find(&mention.text)
                .first()
                .is_some_and(|hit| hit.score >= 0.95)
        });
        if exact || !known.vocabulary.explains(&mention.text) {
            mentions.push(mention);
        }
    }
    let apart = |one: &Range<usize>, another: &Range<usize>| {
        one.end <= another.start || another.end <= one.start
    };
    for mention in scanned {
        if mentions
            .iter()
            .all(|other| apart(&mention.range, &other.range))
        {
            mentions.push(mention);
        }
    }
    // A mention says the same wherever it is.
    let mut once: Vec<Mention> = Vec::new();
    for mention in mentions {
        if once.len() < MOST
            && !once
                .iter()
                .any(|other| same_words(&other.text, &mention.text))
        {
            once.push(mention);
        }
    }
    once.sort_by_key(|mention| mention.range.start);
    once
}

/// The position of words in a text, whatever their case.
fn place_of(words: &str, text: &str) -> Option<Range<usize>> {
    let words = words.trim();
    if words.is_empty() {
        return None;
    }
    if let Some(at) = text.find(words) {
        return Some(at..at + words.len());
    }
    let at = text
        .to_ascii_lowercase()
        .find(&words.to_ascii_lowercase())?;
    Some(at..at + words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_place() {
        assert_eq!(place_of("Miami", "to miami"), Some(3..8));
        assert_eq!(place_of(" Malmö ", "nach Malmö"), Some(5..11));
        assert_eq!(place_of("", "x"), None);
        assert_eq!(place_of("Rome", "to miami"), None);
    }
}
