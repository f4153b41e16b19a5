//! `confirm_question`: keeps a question with the query that answers it.

use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{ConfirmQuestionArguments, ConfirmedQuestion};
use service_kit::identity::Identity;

use super::past_questions::{New, confirm};
use super::question::Question;
use super::{SqlTools, findings, unanswered, words_of};
use crate::error::Error;

/// The scope that it needs: what is confirmed is run again for others.
const SCOPE: &str = "questions:write";

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: ConfirmQuestionArguments,
) -> Result<ToolEnvelope<ConfirmedQuestion>, Error> {
    caller.require_scope(SCOPE).map_err(Error::Forbidden)?;
    let tenant = &caller.tenant;
    let target = tools.target(tenant, arguments.target.as_deref())?;
    if arguments.question.trim().is_empty() {
        return Err(Error::invalid("/question", "is empty"));
    }
    for (pointer, text) in [("/question", &arguments.question), ("/sql", &arguments.sql)] {
        // PostgreSQL has no place for it in a text.
        if text.contains('\0') {
            return Err(Error::invalid(pointer, "contains a zero character"));
        }
    }
    let indexed = tools.indexed(&target).await?;
    let checked = target
        .check(&arguments.sql, tenant, 1)
        .await
        .map_err(|error| unanswered(target.name(), &error))?
        .map_err(|found| Error::impossible(words_of(&findings(&indexed.catalogue, found))))?;
    let meaning = tools.meaning.of_question(&arguments.question).await;
    let model = tools.meaning.model();
    let confirmed = confirm(
        &tools.pool,
        &New {
            tenant,
            target: target.name(),
            question: arguments.question.trim(),
            normalised: &Question::new(&arguments.question, &indexed.vocabulary).normalised,
            sql: &arguments.sql,
            tables: &checked.tables,
            meaning: meaning.as_deref().zip(model.as_deref()),
            confirmed_by: &caller.subject,
            confirmed_at: tools.clock.now(),
        },
    )
    .await?;
    Ok(ToolEnvelope::ok(ConfirmedQuestion {
        id: confirmed.question_id.to_string(),
        created: confirmed.created,
    }))
}
