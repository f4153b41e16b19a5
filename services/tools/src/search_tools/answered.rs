//! What the person answered to a question about a thing. An answer decides.

use contracts::tools::clarification::ClarificationAnswer;
use contracts::tools::meanings::MatchedBy;
use entities::{Candidate, Decision, Mention, mention_of, option_of, same_words, taken};
use service_kit::identity::Identity;
use service_kit::problem::chain;

use super::entity_resolution::Knowledge;
use super::{SearchTools, remembered_choices};

/// The last answer about some words.
pub(super) fn answer<'a>(
    answers: &'a [ClarificationAnswer],
    mention: &str,
) -> Option<&'a ClarificationAnswer> {
    answers.iter().rev().find(|answer| {
        mention_of(&answer.about)
            .is_some_and(|about| about == mention || same_words(about, mention))
    })
}

/// What the words mean by the answer: the option, which is remembered, or what the person said instead. None when it says nothing that is
/// known: then the question is still open.
pub(super) async fn decide(
    tools: &SearchTools,
    caller: &Identity,
    known: &Knowledge<'_>,
    mention: &Mention,
    answer: &ClarificationAnswer,
) -> Option<Decision> {
    if let Some(option) = &answer.option_id
        && let Some(chosen) = chosen(known, mention, option, &answer.text).await
    {
        let kept = remembered_choices::keep(
            &tools.pool,
            caller,
            &mention.text,
            &chosen,
            tools.clock.now(),
        )
        .await;
        if let Err(error) = kept {
            tracing::warn!(error = %chain(&error), "a choice is not remembered");
        }
        return Some(taken(&mention.text, &chosen, MatchedBy::Answer));
    }
    said(tools, known, mention, &answer.text).await
}

/// The thing that an option stands for.
async fn chosen(
    known: &Knowledge<'_>,
    mention: &Mention,
    option: &str,
    text: &str,
) -> Option<Candidate> {
    let mut found = option_of(option, &known.names());
    if found.is_empty() {
        let looked_up = known.looked_up(option).await.unwrap_or_default();
        found = looked_up
            .into_iter()
            .filter(|candidate| candidate.entity.id == option)
            .collect();
    }
    if found.len() > 1 {
        // Several things have the id: the one with the name, else the one that was offered.
        let offered = known
            .candidates(&mention.text, mention.entity_type.as_deref())
            .await
            .unwrap_or_default();
        let named = found
            .iter()
            .position(|candidate| same_words(&candidate.entity.name, text));
        let was_offered = || {
            found
                .iter()
                .position(|candidate| offered.iter().any(|other| other.is_same(candidate)))
        };
        let place = named.or_else(was_offered).unwrap_or(0);
        return Some(found.swap_remove(place));
    }
    found.pop()
}

/// What the person said instead of choosing: one of what was offered, or something else.
async fn said(
    tools: &SearchTools,
    known: &Knowledge<'_>,
    mention: &Mention,
    text: &str,
) -> Option<Decision> {
    let thresholds = tools.settings.thresholds();
    // Of `no, the one in Shanghai` the name counts.
    let named = known.mentions_in(text);
    let words = match named.as_slice() {
        [only] => only.text.as_str(),
        _ => text,
    };
    let meant = known.candidates(words, None).await.ok()?;
    let offered = known
        .candidates(&mention.text, mention.entity_type.as_deref())
        .await
        .ok()?;
    let floor = |candidate: &&Candidate| candidate.entity.confidence >= thresholds.floor;
    let narrowed: Vec<Candidate> = meant
        .iter()
        .filter(|candidate| {
            offered
                .iter()
                .filter(floor)
                .any(|other| other.is_same(candidate))
        })
        .filter(floor)
        .cloned()
        .collect();
    let decision = match narrowed.as_slice() {
        [only] => taken(&mention.text, only, MatchedBy::Answer),
        [] => entities::decide(&mention.text, &meant, None, &thresholds, false),
        several => entities::decide(&mention.text, several, None, &thresholds, false),
    };
    match decision {
        Decision::Resolved(mut entity) => {
            entity.matched_by = MatchedBy::Answer;
            entity.confidence = 1.0;
            Some(Decision::Resolved(entity))
        }
        Decision::Ambiguous(_) => Some(decision),
        Decision::Unresolved(_) => None,
    }
}
