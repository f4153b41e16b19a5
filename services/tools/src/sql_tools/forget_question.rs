//! `forget_question`: withdraws a confirmed question.

use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{ForgetQuestionArguments, ForgottenQuestion};
use service_kit::identity::Identity;

use super::past_questions::{APPROVE, get, withdraw};
use super::{MADE, OPERATORS, SqlTools};
use crate::error::Error;

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: ForgetQuestionArguments,
) -> Result<ToolEnvelope<ForgottenQuestion>, Error> {
    if arguments.id.starts_with(OPERATORS) {
        return Err(Error::impossible(
            "This question comes with the database: its operator keeps it in the target's questions_file, and takes it out there.",
        ));
    }
    if arguments.id.starts_with(MADE) {
        return Err(Error::impossible(
            "This question was made of the tables of the database: it is not remembered, and cannot be forgotten.",
        ));
    }
    let absent = || Error::no_data("There is no such question any more.");
    let id = arguments.id.parse().map_err(|_not_an_id| absent())?;
    let kept = get(&tools.pool, caller, id).await?.ok_or_else(absent)?;
    if !kept.is_of(caller) && !caller.has_scope(APPROVE) {
        return Err(Error::impossible(format!(
            "This question is {}'s and released for everyone. You need the scope {APPROVE} to withdraw it.",
            kept.confirmed_by_name.as_deref().unwrap_or("a colleague")
        )));
    }
    if !withdraw(&tools.pool, caller, id).await? {
        return Err(absent());
    }
    Ok(ToolEnvelope::ok(ForgottenQuestion {
        id: arguments.id,
        was_released: kept.is_released(),
        was_own: kept.is_of(caller),
        question: kept.question,
    }))
}
