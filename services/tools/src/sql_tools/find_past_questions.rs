//! `find_past_questions`: the confirmed questions that resemble one, as far as they answer this
//! person: the person's own, those released for the tenant, and those that come with the database.

use std::collections::HashSet;

use chrono::DateTime;
use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{
    FindPastQuestionsArguments, PastQuestion, PastQuestions, QuestionSource,
};
use service_kit::identity::Identity;

use super::catalogue_index::Indexed;
use super::keeping::{Usability, Usable, judge, usable};
use super::past_questions::{Kept, newest};
use super::question::Question;
use super::words::cosine;
use super::{MADE, OPERATORS, SqlTools};
use crate::error::Error;

/// A question that may answer.
struct Candidate {
    score: f64,
    same: bool,
    normalised: String,
    what: What,
}

enum What {
    Kept(Box<Kept>),
    /// The place of one that comes with the database.
    Operators(usize),
}

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: FindPastQuestionsArguments,
) -> Result<ToolEnvelope<PastQuestions>, Error> {
    let tenant = &caller.tenant;
    let target = tools.target(tenant, arguments.target.as_deref()).await?;
    let indexed = tools.indexed(&target).await?;
    let asked = Question::new(&arguments.question, &indexed.vocabulary);
    let meaning = tools.meaning.of_question(&arguments.question).await;
    let model = meaning.is_some().then(|| tools.meaning.model()).flatten();
    let kept = newest(
        &tools.pool,
        caller,
        target.name(),
        &asked.normalised,
        model.as_deref(),
        tools.settings.past_questions_compared,
    )
    .await?;
    let by_meaning = meaning.is_some() && kept.iter().any(|kept| kept.vector.is_some());
    let mut candidates: Vec<Candidate> = kept
        .into_iter()
        .map(|kept| {
            let other = Question::new(&kept.question, &indexed.vocabulary);
            let score = match meaning.as_deref().zip(kept.vector.as_deref()) {
                Some((one, another)) => asked.likeness_with_meaning(&other, cosine(one, another)),
                None => asked.likeness(&other),
            };
            Candidate {
                score,
                same: asked.is_same(&other),
                normalised: other.normalised,
                what: What::Kept(Box::new(kept)),
            }
        })
        .collect();
    candidates.extend(operators(&indexed, &asked));
    candidates.retain(|past| past.same || past.score >= tools.settings.past_questions_min_score);
    candidates.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| rank(b, caller).cmp(&rank(a, caller)))
    });
    let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    let (mut matches, mut forms) = (Vec::new(), HashSet::new());
    for candidate in candidates {
        if matches.len() == limit {
            break;
        }
        // Of several that ask the same, the nearest to the person answers, as long as it may be
        // used.
        if forms.contains(&candidate.normalised) {
            continue;
        }
        let Candidate { score, same, .. } = candidate;
        let found = match candidate.what {
            What::Kept(mut kept) => {
                match judge(tools, tenant, &target, &indexed.catalogue, &mut kept).await? {
                    Usability::Ready(usable) => past_question(*kept, caller, usable),
                    Usability::Stale(_) => continue,
                }
            }
            What::Operators(number) => {
                let Some(question) = indexed.shipped(number) else {
                    continue;
                };
                let (text, sql) = (&question.question, &question.sql);
                match usable(tools, tenant, &target, &indexed.catalogue, text, sql).await? {
                    Ok(usable) => {
                        let is_made = target.is_kept() || indexed.is_made(number);
                        operators_question(number, text, is_made, usable)
                    }
                    Err(_) => continue,
                }
            }
        };
        forms.insert(candidate.normalised);
        matches.push(PastQuestion {
            score: rounded(score),
            same,
            ..found
        });
    }
    Ok(ToolEnvelope::ok(PastQuestions {
        target: target.name().to_owned(),
        by_meaning,
        matches,
    }))
}

/// Questions that come with the target.
fn operators<'a>(
    indexed: &'a Indexed,
    asked: &'a Question,
) -> impl Iterator<Item = Candidate> + 'a {
    indexed
        .questions
        .iter()
        .enumerate()
        .map(|(number, other)| Candidate {
            score: asked.likeness(other),
            same: asked.is_same(other),
            normalised: other.normalised.clone(),
            what: What::Operators(number),
        })
}

/// Of equal ones the person's own come first, then those that are released, then the database's;
/// the newest first.
fn rank(candidate: &Candidate, caller: &Identity) -> (u8, i64) {
    match &candidate.what {
        What::Kept(kept) => {
            let nearness = if kept.is_released() { 1 } else { 2 };
            let nearness = nearness + u8::from(kept.is_of(caller));
            (nearness, kept.confirmed_at.timestamp_micros())
        }
        What::Operators(_) => (0, 0),
    }
}

fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

fn past_question(kept: Kept, caller: &Identity, usable: Usable) -> PastQuestion {
    PastQuestion {
        id: kept.question_id.to_string(),
        source: if kept.is_of(caller) {
            QuestionSource::Own
        } else {
            QuestionSource::Colleague
        },
        question: kept.question,
        sql: usable.sql,
        tables: usable.tables,
        score: 0.0,
        same: false,
        confirmed_at: kept.confirmed_at,
        confirmed_by: kept.confirmed_by_name,
        released_by: kept.released_by_name,
        released_at: kept.released_at,
        edited_by: kept.edited_by_name,
        edited_at: kept.edited_at,
        periods: usable.periods,
    }
}

/// A question that comes with the target, or was made of its tables.
fn operators_question(
    number: usize,
    question: &str,
    is_made: bool,
    usable: Usable,
) -> PastQuestion {
    let begin = if is_made { MADE } else { OPERATORS };
    PastQuestion {
        id: format!("{begin}{number}"),
        source: QuestionSource::Operator,
        question: question.to_owned(),
        sql: usable.sql,
        tables: usable.tables,
        score: 0.0,
        same: false,
        confirmed_at: DateTime::UNIX_EPOCH,
        confirmed_by: None,
        released_by: None,
        released_at: None,
        edited_by: None,
        edited_at: None,
        periods: usable.periods,
    }
}
