//! The person's answers to a question about a thing. An answer decides.

use contracts::tools::clarification::ClarificationAnswer;
use contracts::tools::meanings::MatchedBy;
use entities::{Candidate, Decision, Mention, mention_of, option_of, same_words, taken};
use service_kit::identity::Identity;
use service_kit::problem::chain;

use super::entity_resolution::Knowledge;
use super::{SearchTools, remembered_choices};

/// The answers about some words that count: what was said instead of choosing if that is the last,
/// otherwise every option chosen since ("both").
pub(super) fn about<'a>(
    answers: &'a [ClarificationAnswer],
    mention: &str,
) -> Vec<&'a ClarificationAnswer> {
    let is_about = |answer: &&ClarificationAnswer| {
        mention_of(&answer.about)
            .is_some_and(|about| about == mention || same_words(about, mention))
    };
    let answers = answers.iter().filter(is_about).rev();
    let mut options: Vec<&ClarificationAnswer> = Vec::new();
    for answer in answers {
        if answer.option_id.is_some() {
            options.insert(0, answer);
        } else if options.is_empty() {
            return vec![answer];
        } else {
            break;
        }
    }
    options
}

/// The meaning of the words by the answers: each option that was chosen, of which a single one is
/// remembered, or the person's own words instead. `None` when they mean nothing that is known: then
/// the question is still open.
pub(super) async fn decide(
    tools: &SearchTools,
    caller: &Identity,
    known: &Knowledge<'_>,
    mention: &Mention,
    answers: &[&ClarificationAnswer],
) -> Vec<Decision> {
    let mut found: Vec<Candidate> = Vec::new();
    for answer in answers {
        let Some(option) = &answer.option_id else {
            continue;
        };
        if let Some(chosen) = chosen(known, mention, option, &answer.text).await
            && !found.iter().any(|other| other.is_same(&chosen))
        {
            found.push(chosen);
        }
    }
    if let ([only], [_]) = (found.as_slice(), answers) {
        remember(tools, caller, mention, only).await;
    }
    if found.is_empty()
        && let Some(answer) = answers.last()
    {
        let said = said(tools, known, mention, &answer.text).await;
        return said.into_iter().collect();
    }
    let meant = found.iter();
    meant
        .map(|chosen| taken(&mention.text, chosen, MatchedBy::Answer))
        .collect()
}

/// Keeps what words mean to the person, for the next time.
async fn remember(tools: &SearchTools, caller: &Identity, mention: &Mention, chosen: &Candidate) {
    let now = tools.clock.now();
    let kept = remembered_choices::keep(&tools.pool, caller, &mention.text, chosen, now).await;
    if let Err(error) = kept {
        tracing::warn!(error = %chain(&error), "a choice is not remembered");
    }
}

/// The thing that an option represents.
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
        // Several things have the id: the one with the name, otherwise the one that was offered.
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

/// The person's words in place of a choice: one of the options, or something else.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_counts_or_the_last_words() {
        let answer = |about: &str, option: Option<&str>, text: &str| ClarificationAnswer {
            about: format!("entity:{about}"),
            option_id: option.map(str::to_owned),
            text: text.to_owned(),
        };
        let both = [
            answer("Miami", Some("P-1"), "both"),
            answer("Anna", Some("V-1"), "the first"),
            answer("miami", Some("P-2"), "both"),
        ];
        let options = |answers: &[ClarificationAnswer]| -> Vec<String> {
            let about = about(answers, "Miami").into_iter();
            about
                .map(|answer| answer.option_id.clone().unwrap_or(answer.text.clone()))
                .collect()
        };
        assert_eq!(options(&both), ["P-1", "P-2"]);
        let mut otherwise = both.to_vec();
        otherwise.push(answer("Miami", None, "no, Shanghai"));
        assert_eq!(options(&otherwise), ["no, Shanghai"]);
        otherwise.push(answer("Miami", Some("P-2"), "the terminal after all"));
        assert_eq!(options(&otherwise), ["P-2"]);
        assert!(about(&both, "Rome").is_empty());
    }
}
