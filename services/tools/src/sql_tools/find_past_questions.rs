//! `find_past_questions`: the tenant's confirmed questions that resemble one.

use std::collections::HashSet;

use chrono::DateTime;
use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{FindPastQuestionsArguments, PastQuestion, PastQuestions};

use super::catalogue_index::Indexed;
use super::past_questions::{Kept, newest};
use super::question::Question;
use super::words::cosine;
use super::{SqlTools, unanswered};
use crate::error::Error;

pub(super) async fn run(
    tools: &SqlTools,
    tenant: &str,
    arguments: FindPastQuestionsArguments,
) -> Result<ToolEnvelope<PastQuestions>, Error> {
    let target = tools.target(tenant, arguments.target.as_deref())?;
    let indexed = tools.indexed(&target).await?;
    let asked = Question::new(&arguments.question, &indexed.vocabulary);
    let meaning = tools.meaning.of_question(&arguments.question).await;
    let model = meaning.is_some().then(|| tools.meaning.model()).flatten();
    let kept = newest(
        &tools.pool,
        (tenant, target.name()),
        &asked.normalised,
        model.as_deref(),
        tools.settings.past_questions_compared,
    )
    .await?;
    let by_meaning = meaning.is_some() && kept.iter().any(|kept| kept.vector.is_some());
    let mut forms = HashSet::new();
    let mut scored = Vec::new();
    for kept in kept {
        let other = Question::new(&kept.question, &indexed.vocabulary);
        let score = match meaning.as_deref().zip(kept.vector.as_deref()) {
            Some((one, another)) => asked.likeness_with_meaning(&other, cosine(one, another)),
            None => asked.likeness(&other),
        };
        scored.push(past_question(kept, score, asked.is_same(&other)));
        forms.insert(other.normalised);
    }
    scored.extend(curated(&indexed, &asked, &forms));
    scored.retain(|past| past.same || past.score >= tools.settings.past_questions_min_score);
    scored.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(b.confirmed_at.cmp(&a.confirmed_at))
    });
    let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    let mut matches = Vec::new();
    for past in scored {
        if matches.len() == limit {
            break;
        }
        // A query whose tables or columns are gone, or are not the tenant's any more, answers nothing.
        let checked = target
            .check(&past.sql, tenant, 1)
            .await
            .map_err(|error| unanswered(target.name(), &error))?;
        if let Ok(checked) = checked {
            matches.push(PastQuestion {
                tables: checked.tables,
                ..past
            });
        }
    }
    Ok(ToolEnvelope::ok(PastQuestions {
        target: target.name().to_owned(),
        by_meaning,
        matches,
    }))
}

/// Questions that come with the target, as far as the tenant has none of the same form.
fn curated<'a>(
    indexed: &'a Indexed,
    asked: &'a Question,
    kept: &'a HashSet<String>,
) -> impl Iterator<Item = PastQuestion> + 'a {
    let questions = indexed.catalogue.questions.iter().zip(&indexed.questions);
    questions
        .enumerate()
        .filter(|(_, (_, other))| !kept.contains(&other.normalised))
        .map(|(number, (curated, other))| PastQuestion {
            id: format!("target:{number}"),
            question: curated.question.clone(),
            sql: curated.sql.clone(),
            tables: Vec::new(),
            score: rounded(asked.likeness(other)),
            same: asked.is_same(other),
            confirmed_at: DateTime::UNIX_EPOCH,
        })
}

fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

fn past_question(kept: Kept, score: f64, same: bool) -> PastQuestion {
    PastQuestion {
        id: kept.question_id.to_string(),
        question: kept.question,
        sql: kept.sql,
        tables: kept.tables,
        score: rounded(score),
        same,
        confirmed_at: kept.confirmed_at,
    }
}
