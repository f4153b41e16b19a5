//! Checking the condition of an alert, by the tool `check_alert`. An event is reported once when
//! it begins and once when it is over.

use std::collections::HashSet;
use std::sync::Arc;

use agent_kit::Tools;
use chrono::TimeDelta;
use contracts::schedules::ScheduleMessageKind;
use contracts::tools::sql::{TableList, names as sql_names};
use contracts::tools::{AlertCheck, AlertCondition, ToolEnvelope, ToolStatus, names};
use conversations::Owner;
use conversations::schedules::{AlertChange, Due, OpenEvent, Schedule, Task};
use serde::Deserialize;
use serde_json::json;
use service_kit::problem::chain;

use super::offer::{Refused, invalid};
use super::rights::{self, NoRights};
use super::{metrics, words};
use crate::callers_tools::CallersTools;
use crate::state::State;

/// The assistant that asks databases.
const DATA: &str = "data";

/// Why a condition could not be checked.
enum Unchecked {
    Stopped(String),
    Failed(String),
}

/// Checks an alert that is due.
pub(super) async fn check(state: &State, due: &Due) {
    let schedule = &due.schedule;
    let Task::Alert { alert } = &schedule.task else {
        return;
    };
    let checked = ask(state, schedule, alert).await;
    let stored = match checked {
        Ok(found) => record(state, due, Some(&found), None).await,
        Err(Unchecked::Failed(note)) => record(state, due, None, Some(note)).await,
        Err(Unchecked::Stopped(reason)) => {
            tracing::info!(schedule_id = %schedule.id, reason, "an alert is stopped");
            metrics::stopped();
            state
                .store
                .stop_schedule(&schedule.owner, schedule.id, &reason)
                .await
        }
    };
    if let Err(error) = stored {
        tracing::warn!(error = %chain(&error), "the check of an alert cannot be stored; it is done again");
    }
}

/// Sends what is the case now, whether it is new or not.
pub(super) async fn test(
    state: &State,
    schedule: &Schedule,
    alert: &AlertCondition,
) -> Result<(), Refused> {
    let found = ask(state, schedule, alert).await.map_err(conflict)?;
    let texts: Vec<String> = found
        .events
        .iter()
        .map(|event| event.text.clone())
        .collect();
    let now = state.clock.now();
    let message = words::test(&state.ids, schedule, &found.summary, &texts, now);
    Ok(state.store.add_message(schedule, &message, now).await?)
}

/// Refuses an alert for a device or a site that its owner does not have.
pub(super) async fn check_devices(
    state: &State,
    owner: &Owner,
    alert: &AlertCondition,
) -> Result<(), Refused> {
    let (pointer, detail) = match (&alert.logger_id, &alert.site_id) {
        (Some(_), _) => ("/alert/logger_id", "is not a device that you have"),
        (None, Some(_)) => ("/alert/site_id", "is not a site that you have"),
        (None, None) => return Ok(()),
    };
    let envelope = call(state, owner, alert).await.map_err(conflict)?;
    if envelope.status == ToolStatus::NoData {
        return Err(invalid(pointer, detail));
    }
    Ok(())
}

/// Refuses a question that its assistant could not answer without asking the person back.
pub(super) async fn check_question(
    state: &State,
    owner: &Owner,
    task: &Task,
) -> Result<(), Refused> {
    let Task::Question {
        question,
        assistant,
    } = task
    else {
        return Ok(());
    };
    let name = assistant;
    let Some(assistant) = state.assistants.get(assistant) else {
        return Ok(());
    };
    let tools = tools_of(state, owner).await.map_err(conflict)?;
    let objection = assistant.objection(question, &tools, state.clock.now());
    let Some(objection) = objection.await else {
        return Ok(());
    };
    let reason = objection.reason;
    if objection.is_of_another_subject
        && name != DATA
        && state.assistants.get(DATA).is_some()
        && let Some(target) = first_target(&tools).await
    {
        return Err(invalid(
            "/question",
            format!(
                "{reason}. If it is about the database `{target}`, ask the assistant `{DATA}` (on the command line: --assistant {DATA})"
            ),
        ));
    }
    Err(invalid("/question", reason))
}

/// A database that the owner of the tools may ask; `None` where none is known now.
async fn first_target(tools: &CallersTools) -> Option<String> {
    let one = json!({ "limit": 1 });
    let listed = tools.call(sql_names::LIST_TABLES, one).await.ok()?;
    let list = TableList::deserialize(listed.result?).ok()?;
    (list.total > 0).then_some(list.target)
}

fn conflict(unchecked: Unchecked) -> Refused {
    match unchecked {
        Unchecked::Stopped(reason) | Unchecked::Failed(reason) => Refused::Conflict(reason),
    }
}

/// The tools, with the rights that the owner of a schedule has now.
async fn tools_of(state: &State, owner: &Owner) -> Result<CallersTools, Unchecked> {
    let caller = rights::now(state, owner)
        .await
        .map_err(|no_rights| match no_rights {
            NoRights::Lost(reason) => Unchecked::Stopped(reason),
            NoRights::Unknown(reason) => Unchecked::Failed(reason),
        })?;
    Ok(CallersTools::new(Arc::clone(&state.tools), caller))
}

async fn call(
    state: &State,
    owner: &Owner,
    alert: &AlertCondition,
) -> Result<ToolEnvelope, Unchecked> {
    let tools = tools_of(state, owner).await?;
    tools
        .call(names::CHECK_ALERT, json!(alert))
        .await
        .map_err(|error| Unchecked::Failed(error.for_people()))
}

async fn ask(
    state: &State,
    schedule: &Schedule,
    alert: &AlertCondition,
) -> Result<AlertCheck, Unchecked> {
    let envelope = call(state, &schedule.owner, alert).await?;
    let not_checked = || "The condition could not be checked.".to_owned();
    if envelope.status != ToolStatus::Ok {
        return Err(Unchecked::Failed(
            envelope.message.unwrap_or_else(not_checked),
        ));
    }
    let result = envelope.result.unwrap_or_default();
    AlertCheck::deserialize(&result).map_err(|error| {
        tracing::error!(%error, "the result of an alert's check is not of its contract");
        Unchecked::Failed(not_checked())
    })
}

async fn record(
    state: &State,
    due: &Due,
    found: Option<&AlertCheck>,
    note: Option<String>,
) -> Result<(), conversations::Error> {
    let schedule = &due.schedule;
    let open = state
        .store
        .open_events(&schedule.owner, Some(schedule.id))
        .await?;
    let now = state.clock.now();
    let (begun, over) = match found {
        Some(found) => differences(&open, found),
        None => (Vec::new(), Vec::new()),
    };
    let message = |kind, texts: Vec<String>| {
        let wanted = !texts.is_empty();
        wanted.then(|| words::events(&state.ids, schedule, kind, &texts, now))
    };
    let texts = begun.iter().map(|(_, text)| text.clone()).collect();
    let over_texts = over.iter().map(|event| ended(schedule, event)).collect();
    let messages = [
        message(ScheduleMessageKind::AlertBegun, texts),
        message(ScheduleMessageKind::AlertOver, over_texts),
    ];
    let change = AlertChange {
        begun,
        over: over.into_iter().map(|event| event.key.clone()).collect(),
        messages: messages.into_iter().flatten().collect(),
        note,
    };
    let every = i64::from(state.config.schedules.check_alerts_every_seconds);
    let next = now + TimeDelta::seconds(every);
    let stored = state.store.record_check(due, &change, next, now).await?;
    if stored && !change.messages.is_empty() {
        state.wake_schedules.notify_waiters();
    }
    Ok(())
}

/// The sentence about an event that is over.
fn ended(schedule: &Schedule, event: &OpenEvent) -> String {
    let device = event.key.rsplit('/').next().unwrap_or(&event.key);
    match &schedule.task {
        Task::Alert { alert } => words::over(device, alert.kind, &event.text),
        Task::Question { .. } => event.text.clone(),
    }
}

/// The events that have begun, and the events that are over. What could not be judged stays
/// as it was.
fn differences<'a>(
    open: &'a [OpenEvent],
    found: &AlertCheck,
) -> (Vec<(String, String)>, Vec<&'a OpenEvent>) {
    let known: HashSet<&str> = open.iter().map(|event| event.key.as_str()).collect();
    let held: HashSet<&str> = found
        .events
        .iter()
        .map(|event| event.key.as_str())
        .chain(found.undecided.iter().map(String::as_str))
        .collect();
    let begun = found
        .events
        .iter()
        .filter(|event| !known.contains(event.key.as_str()))
        .map(|event| (event.key.clone(), event.text.clone()))
        .collect();
    let over = open
        .iter()
        .filter(|event| !held.contains(event.key.as_str()))
        .collect();
    (begun, over)
}
