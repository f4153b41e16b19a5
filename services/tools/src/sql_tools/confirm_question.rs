//! `confirm_question`: keeps a question with the query that answers it, for the person who confirms
//! it.

use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{ConfirmQuestionArguments, ConfirmedQuestion, StandingQuestion};
use service_kit::identity::Identity;

use super::SqlTools;
use super::keeping::{Unfit, prepare};
use super::past_questions::{confirm, standing};
use crate::error::Error;

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: ConfirmQuestionArguments,
) -> Result<ToolEnvelope<ConfirmedQuestion>, Error> {
    let tenant = &caller.tenant;
    let target = tools.target(tenant, arguments.target.as_deref()).await?;
    for (pointer, text) in [("/question", &arguments.question), ("/sql", &arguments.sql)] {
        // PostgreSQL has no place for it in a text.
        if text.contains('\0') {
            return Err(Error::invalid(pointer, "contains a zero character"));
        }
    }
    let now = tools.clock.now();
    // What was written tomorrow is a mistake of some clock.
    let written_at = arguments.written_at.map_or(now, |written| written.min(now));
    let question = (arguments.question.as_str(), arguments.sql.as_str());
    let new = prepare(tools, tenant, &target, question, written_at)
        .await
        .map_err(Unfit::into_error)?;
    let confirmed = confirm(&tools.pool, caller, &new, now).await?;
    let standing = standing(
        &tools.pool,
        tenant,
        &new.target,
        &new.normalised,
        Some(confirmed.question_id),
    )
    .await?;
    Ok(ToolEnvelope::ok(ConfirmedQuestion {
        id: confirmed.question_id.to_string(),
        created: confirmed.created,
        periods: new.periods,
        standing: standing.map(|kept| StandingQuestion {
            id: kept.question_id.to_string(),
            own: kept.is_of(caller),
            confirmed_by: kept.confirmed_by_name,
        }),
    }))
}
