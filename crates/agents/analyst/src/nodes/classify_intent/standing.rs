//! The open question or plan of a list when a message comes.

use contracts::todo::{AskedClarification, TaskStatus, TodoList};

use crate::{
    language::{Reply, ReplyContext},
    nodes::approve_plan,
    state::{OpenQuestion, QuestionAbout, Work},
};

/// The facts that the rules know when they read a message.
pub(super) fn of<'s>(work: &Work, asked: Option<&'s AskedClarification>) -> ReplyContext<'s> {
    let failed = work.plan.list.as_ref().is_some_and(|list| {
        let task = list
            .current_task_key
            .as_ref()
            .and_then(|key| list.tasks.get(key));
        task.is_some_and(|task| task.status == TaskStatus::Error)
    });
    ReplyContext {
        open: asked,
        active: work.plan.list.is_some(),
        last_task_failed: failed,
        has_results: work.recalled.newest_query.is_some(),
    }
}

/// The question that the list waits with.
pub(super) fn question(list: &TodoList) -> Option<OpenQuestion> {
    if list.approved == Some(false) {
        return Some(approve_plan::question(list));
    }
    let key = list.current_task_key.as_ref()?;
    let task = list.tasks.get(key)?;
    let asked = task.clarifications.last()?;
    let waits = task.status == TaskStatus::ClarificationNeeded && asked.answered_at.is_none();
    waits.then(|| of_task(list, key, asked))
}

/// The question of a task.
pub(crate) fn of_task(list: &TodoList, key: &str, asked: &AskedClarification) -> OpenQuestion {
    OpenQuestion {
        call_id: asked.id.clone(),
        question: asked.clarification.question.clone(),
        about: QuestionAbout::Clarification,
        list_id: list.id.clone(),
        task_key: Some(key.to_owned()),
        parts: asked.clarification.parts.clone(),
    }
}

/// Whether the question was asked with options to pick.
pub(crate) fn has_picker(question: &OpenQuestion) -> bool {
    match question.about {
        QuestionAbout::Approval => true,
        QuestionAbout::Change => false,
        QuestionAbout::Clarification => question.parts.iter().any(|part| !part.options.is_empty()),
    }
}

/// The last question of the next task, if it was not settled: open, or given up after too many
/// answers that decided nothing.
pub(super) fn asked(list: &TodoList) -> Option<&AskedClarification> {
    let task = list.tasks.get(list.current_task_key.as_ref()?)?;
    let unsettled = matches!(
        task.status,
        TaskStatus::ClarificationNeeded | TaskStatus::Error
    );
    task.clarifications.last().filter(|_| unsettled)
}

/// The same, to be answered.
pub(super) fn asked_mut(list: &mut TodoList) -> Option<&mut AskedClarification> {
    let task = list.tasks.get_mut(list.current_task_key.as_ref()?)?;
    task.clarifications.last_mut()
}

/// What cannot be is a new request. A question that was given up is still answered by one of its
/// options, and by nothing else.
pub(super) fn corrected(
    reply: Reply,
    work: &Work,
    asked: Option<&AskedClarification>,
    open: bool,
    text: &str,
) -> Reply {
    let new_request = || Reply::NewRequest {
        text: text.to_owned(),
    };
    match reply {
        Reply::Exact(answers) => match asked {
            Some(asked) if exist(asked, &answers) => Reply::Exact(answers),
            _ => new_request(),
        },
        Reply::FreeAnswer(_) if !open => new_request(),
        Reply::Modification { .. } if work.plan.list.is_none() => new_request(),
        reply => reply,
    }
}

/// Whether all that was chosen was offered.
fn exist(
    asked: &AskedClarification,
    answers: &[contracts::tools::clarification::ClarificationAnswer],
) -> bool {
    !answers.is_empty()
        && answers.iter().all(|answer| {
            let mut parts = asked.clarification.parts.iter();
            let part = parts.find(|part| part.about == answer.about);
            part.is_some_and(|part| {
                answer
                    .option_id
                    .as_ref()
                    .is_none_or(|id| part.options.iter().any(|option| option.id == *id))
            })
        })
}
