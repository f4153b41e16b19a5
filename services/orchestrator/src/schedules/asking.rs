//! Asking a question that is due. Its run has a key that every replica makes alike, so that however
//! often this begins there is one run, and one message about it.

use agent_kit::UserInput;
use chrono::TimeDelta;
use contracts::threads::{Dialect, MessageRole, Multitask};
use conversations::schedules::{Occurrence, Task};
use conversations::{Idempotency, IfMissing, MessagePage, Question, RunStatus};
use llm::ModelOptions;
use service_kit::problem::{ApiError, chain};
use uuid::Uuid;

use super::rights::{self, NoRights};
use super::{metrics, words};
use crate::export;
use crate::requests::Key;
use crate::runs::RunInput;
use crate::runs::accept::{MessageRequest, start_absent};
use crate::state::State;
use crate::threads;

/// The pause before a question is asked again whose run could not begin.
const PAUSE: TimeDelta = TimeDelta::minutes(1);

/// Newest messages among which the answer is.
const NEWEST: u32 = 10;

/// The result of a question.
struct Outcome {
    text: String,
    ok: bool,
    run_id: Option<Uuid>,
}

/// Why there is nothing to send yet.
enum NotNow {
    /// The owner lost the right to it.
    Stopped(String),
    /// Another attempt may succeed.
    Later(String),
    /// The process ends; another one continues.
    Ending,
}

/// Asks the question, and stores the message with its answer.
pub(super) async fn ask(state: &State, occurrence: &Occurrence) {
    let schedule = &occurrence.schedule;
    let now = state.clock.now();
    let thread = format!("schedule-{}", schedule.id);
    let (outcome, note) = match answered(state, occurrence, &thread).await {
        Ok(outcome) => {
            let note = (!outcome.ok).then(|| outcome.text.clone());
            (outcome, note)
        }
        Err(NotNow::Ending) => return,
        Err(NotNow::Stopped(reason)) => {
            tracing::info!(schedule_id = %schedule.id, reason, "a schedule is stopped");
            metrics::stopped();
            let stopped = state
                .store
                .stop_schedule(&schedule.owner, schedule.id, &reason);
            return log(stopped.await);
        }
        Err(NotNow::Later(reason)) if occurrence.attempts < state.config.schedules.max_attempts => {
            let later = now + PAUSE;
            let postponed = state.store.postpone_occurrence(occurrence, later, &reason);
            return log(postponed.await);
        }
        Err(NotNow::Later(reason)) => {
            let text = format!("The question could not be asked. {reason}");
            let outcome = Outcome {
                text,
                ok: false,
                run_id: None,
            };
            (outcome, Some(reason))
        }
    };
    let answer = words::ScheduledAnswer {
        text: &outcome.text,
        ok: outcome.ok,
        thread_id: &thread,
        run_id: outcome.run_id.map(|id| id.simple().to_string()),
    };
    let message = words::answer(&state.ids, occurrence, &answer, state.clock.now());
    let concluded = state
        .store
        .conclude_occurrence(
            occurrence,
            outcome.run_id,
            note.as_deref(),
            &message,
            state.clock.now(),
        )
        .await;
    if matches!(concluded, Ok(true)) {
        metrics::asked(occurrence.due_at, now);
        state.wake_schedules.notify_waiters();
    }
    log(concluded.map(drop));
}

async fn answered(state: &State, occurrence: &Occurrence, thread: &str) -> Result<Outcome, NotNow> {
    let schedule = &occurrence.schedule;
    let Task::Question {
        question,
        assistant,
    } = &schedule.task
    else {
        return Err(NotNow::Stopped("It has no question.".to_owned()));
    };
    let caller =
        rights::now(state, &schedule.owner)
            .await
            .map_err(|no_rights| match no_rights {
                NoRights::Lost(reason) => NotNow::Stopped(reason),
                NoRights::Unknown(reason) => NotNow::Later(reason),
            })?;
    let wanted = MessageRequest {
        dialect: Dialect::UiMessages,
        thread: Some(thread.to_owned()),
        if_missing: IfMissing::Create,
        multitask: Multitask::Enqueue,
        assistant: Some(assistant.clone()),
        input: RunInput {
            input: UserInput::Text(question.clone()),
            continued_message: None,
            gave_up: None,
            timezone: schedule
                .timing
                .as_ref()
                .map(|timing| timing.timezone.clone()),
            model_options: ModelOptions::default(),
            unattended: true,
        },
        question: Some(Question {
            id: None,
            text: question.clone(),
        }),
        context_defaults: None,
        context: None,
        delegated: None,
    };
    let name = format!(
        "schedule:{}:{}",
        schedule.id,
        occurrence.due_at.timestamp_micros()
    );
    let key =
        Idempotency::new(name, &schedule.id).map_err(|error| NotNow::Later(error.to_string()))?;
    let mut follow = start_absent(state, caller, wanted, Key(key))
        .await
        .map_err(|error| refused(&error))?;
    let run_id = follow.run().id;
    loop {
        let next = tokio::select! {
            () = state.stopping.cancelled() => return Err(NotNow::Ending),
            next = follow.next() => next,
        };
        match next {
            Ok(Some(_events)) => {}
            Ok(None) => break,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "the run of a schedule cannot be followed");
                return Err(NotNow::Later(
                    "Its answer cannot be read at the moment.".to_owned(),
                ));
            }
        }
    }
    outcome(state, occurrence, run_id).await
}

/// The stored answer of a run that is over.
async fn outcome(state: &State, occurrence: &Occurrence, run_id: Uuid) -> Result<Outcome, NotNow> {
    let unreadable = |error: conversations::Error| {
        tracing::warn!(error = %chain(&error), "the answer of a schedule cannot be read");
        NotNow::Later("Its answer cannot be read at the moment.".to_owned())
    };
    let owner = &occurrence.schedule.owner;
    let run = state.store.run(owner, run_id).await.map_err(unreadable)?;
    let page = MessagePage::Newest;
    let (messages, _more) = threads::messages(state, owner, run.thread_id, page, NEWEST)
        .await
        .map_err(unreadable)?;
    let answer = messages
        .iter()
        .find(|message| {
            message.role == MessageRole::Assistant && message.message_id == run.message_id
        })
        .map(export::answer)
        .unwrap_or_default();
    let ok = run.status == RunStatus::Completed && !answer.is_empty();
    let text = if ok {
        answer
    } else if answer.is_empty() {
        "The question could not be answered.".to_owned()
    } else {
        format!("The question could not be answered completely.\n\n{answer}")
    };
    Ok(Outcome {
        text,
        ok,
        run_id: Some(run_id),
    })
}

fn refused(error: &ApiError) -> NotNow {
    let detail = error.problem().detail.clone();
    tracing::info!(detail, "the run of a schedule cannot begin");
    NotNow::Later(detail.unwrap_or_else(|| "It could not be asked.".to_owned()))
}

fn log(stored: Result<(), conversations::Error>) {
    if let Err(error) = stored {
        tracing::warn!(error = %chain(&error), "what came of a schedule cannot be stored; it is done again");
    }
}
