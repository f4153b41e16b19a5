//! The operations of owners on their schedules, through any interface: checked here, once.

use chrono::TimeDelta;
use contracts::schedules::{
    CreateSchedule, Schedule, ScheduleDelivery, ScheduleMessage, ScheduleStatus, UpdateSchedule,
};
use conversations::schedules::{NewSchedule, OpenEvent, Saved, SchedulePatch, Task};
use conversations::{Error, Owner, schedules as stored};
use secrecy::SecretString;
use uuid::Uuid;

use super::checks::{self, check_delivery, checked_title, title_of};
use super::watching;
use crate::state::State;

/// Messages of a schedule that are listed.
const MESSAGES: u32 = 50;

/// Why something was not done.
#[derive(Debug)]
pub(crate) enum Refused {
    /// A member is wrong: pointer, and what is wrong with it.
    Invalid(String, String),
    /// It does not fit to how things are.
    Conflict(String),
    /// This installation sends nothing by this channel.
    NoChannel(String),
    /// The store failed.
    Stored(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Stored(error)
    }
}

impl Refused {
    /// In a sentence for the person.
    pub(crate) fn for_people(&self) -> String {
        match self {
            Self::Invalid(pointer, detail) => {
                let member = pointer.trim_start_matches('/').replace('/', " ");
                format!("The {member} {detail}.")
            }
            Self::Conflict(detail) | Self::NoChannel(detail) => detail.clone(),
            Self::Stored(Error::NotFound) => "There is no such schedule.".to_owned(),
            Self::Stored(_) => "Schedules cannot be read or stored at the moment.".to_owned(),
        }
    }

    /// Whether another address may be taken.
    pub(crate) fn is_about_the_address(&self) -> bool {
        match self {
            Self::Invalid(pointer, _) => pointer.starts_with("/delivery"),
            Self::NoChannel(_) => true,
            Self::Conflict(_) | Self::Stored(_) => false,
        }
    }
}

pub(super) fn invalid(pointer: &str, detail: impl Into<String>) -> Refused {
    Refused::Invalid(pointer.to_owned(), detail.into())
}

/// Creates a schedule, unless its owner has the same already. The same `request_key` again finds
/// what was made with it.
pub(crate) async fn create(
    state: &State,
    owner: &Owner,
    wanted: CreateSchedule,
    request_key: Option<String>,
) -> Result<Schedule, Refused> {
    if !state.identities.can_issue() {
        return Err(Refused::Conflict(
            "Schedules are not available: this installation has no issuer of identities for work without its user \
             (identity_renewal)."
                .to_owned(),
        ));
    }
    let now = state.clock.now();
    check_delivery(state, &wanted.delivery).await?;
    let (task, next_at) = checks::created(state, &wanted, now)?;
    if let Task::Alert { alert } = &task {
        watching::check_devices(state, owner, alert).await?;
    }
    watching::check_question(state, owner, &task).await?;
    let title = match &wanted.title {
        Some(title) => checked_title(title)?,
        None => title_of(&task),
    };
    let new = NewSchedule {
        id: state.ids.new_id(),
        title,
        task,
        timing: wanted.timing,
        delivery: wanted.delivery,
        next_at,
        request_key,
    };
    let most = state.config.schedules.most_per_person;
    let made = state
        .store
        .create_schedule(owner, &new, most, now, checks::is_same)
        .await?;
    let schedule = saved(state, made)?;
    state.wake_schedules.notify_waiters();
    Ok(told(schedule, &[]))
}

/// The schedule that was saved, or why none was.
fn saved(state: &State, saved: Saved) -> Result<stored::Schedule, Refused> {
    let same = match saved {
        Saved::Done(schedule) => return Ok(schedule),
        Saved::Same(same) => same,
        Saved::Full => {
            let most = state.config.schedules.most_per_person;
            return Err(Refused::Conflict(format!(
                "You have {most} schedules, which is as many as there can be; delete one first."
            )));
        }
    };
    let status = match same.status {
        ScheduleStatus::Active => "",
        ScheduleStatus::Paused => " and is paused",
        ScheduleStatus::Stopped => " and was stopped",
    };
    Err(Refused::Conflict(format!(
        "The same exists already{status}: schedule {}, \"{}\".",
        same.number, same.title
    )))
}

/// The owner's schedules.
pub(crate) async fn list(state: &State, owner: &Owner) -> Result<Vec<Schedule>, Refused> {
    let schedules = state.store.schedules(owner).await?;
    let events = state.store.open_events(owner, None).await?;
    Ok(schedules
        .into_iter()
        .map(|schedule| told(schedule, &events))
        .collect())
}

/// One of them.
pub(crate) async fn find(state: &State, owner: &Owner, id: &str) -> Result<Schedule, Refused> {
    let schedule = stored_one(state, owner, id).await?;
    let events = state.store.open_events(owner, Some(schedule.id)).await?;
    Ok(told(schedule, &events))
}

async fn stored_one(state: &State, owner: &Owner, id: &str) -> Result<stored::Schedule, Refused> {
    Ok(state.store.schedule(owner, parse(id)?).await?)
}

pub(super) fn parse(id: &str) -> Result<Uuid, Refused> {
    Uuid::parse_str(id).map_err(|_not_an_id| Refused::Stored(Error::NotFound))
}

/// Changes one of them.
pub(crate) async fn change(
    state: &State,
    owner: &Owner,
    id: &str,
    wanted: UpdateSchedule,
) -> Result<Schedule, Refused> {
    let schedule = stored_one(state, owner, id).await?;
    let now = state.clock.now();
    if let Some(delivery) = &wanted.delivery {
        check_delivery(state, delivery).await?;
    }
    let (task, timing, next) = checks::changed(state, &schedule, &wanted, now)?;
    if let (Some(alert), Task::Alert { .. }) = (&wanted.alert, &task) {
        watching::check_devices(state, owner, alert).await?;
    }
    if wanted.question.is_some() || wanted.assistant.is_some() {
        watching::check_question(state, owner, &task).await?;
    }
    let status = match wanted.paused {
        Some(true) if schedule.status == ScheduleStatus::Stopped => {
            return Err(Refused::Conflict("The schedule is stopped.".to_owned()));
        }
        Some(true) => Some((ScheduleStatus::Paused, None)),
        // One that works already keeps its next time.
        Some(false) if schedule.status == ScheduleStatus::Active => None,
        Some(false) => Some((ScheduleStatus::Active, Some(next))),
        None => None,
    };
    let is_other = task != schedule.task;
    // A name that its owner did not choose follows the task.
    let unnamed = is_other && schedule.title == title_of(&schedule.task);
    let title = match &wanted.title {
        Some(title) => Some(checked_title(title)?),
        None => unnamed.then(|| title_of(&task)),
    };
    let is_at_other_times = timing != schedule.timing;
    let patch = SchedulePatch {
        status,
        title,
        next_at: (is_other || is_at_other_times).then_some(next),
        task: is_other.then_some(task),
        timing: is_at_other_times.then_some(timing),
        delivery: wanted.delivery,
    };
    let changed = state
        .store
        .patch_schedule(owner, schedule.id, &patch, checks::is_same)
        .await?;
    let changed = saved(state, changed)?;
    let events = state.store.open_events(owner, Some(schedule.id)).await?;
    state.wake_schedules.notify_waiters();
    Ok(told(changed, &events))
}

/// Deletes one of them.
pub(crate) async fn delete(state: &State, owner: &Owner, id: &str) -> Result<(), Refused> {
    Ok(state.store.delete_schedule(owner, parse(id)?).await?)
}

/// Has one of them sent now.
pub(crate) async fn send_now(state: &State, owner: &Owner, id: &str) -> Result<String, Refused> {
    let schedule = stored_one(state, owner, id).await?;
    if schedule.status != ScheduleStatus::Active {
        return Err(Refused::Conflict(
            "The schedule is not active; continue it first.".to_owned(),
        ));
    }
    let to = schedule.delivery.target().to_owned();
    let detail = match &schedule.task {
        Task::Question { .. } => {
            // Two requests within a second are one.
            let now = state.clock.now();
            let second = now - TimeDelta::nanoseconds(i64::from(now.timestamp_subsec_nanos()));
            state.store.ask_now(&schedule, second).await?;
            format!("The question is asked now, and the answer goes to {to}.")
        }
        Task::Alert { alert } => {
            watching::test(state, &schedule, alert).await?;
            format!("What is the case now goes to {to}.")
        }
    };
    state.wake_schedules.notify_waiters();
    Ok(detail)
}

/// The secret that the receiver of a schedule's webhook verifies signatures with.
pub(crate) async fn secret(
    state: &State,
    owner: &Owner,
    id: &str,
) -> Result<SecretString, Refused> {
    let schedule = stored_one(state, owner, id).await?;
    secret_of(state, owner, &schedule.delivery, schedule.id)
        .ok_or_else(|| Refused::Conflict("Its messages are not sent by webhook.".to_owned()))
}

pub(crate) fn secret_of(
    state: &State,
    owner: &Owner,
    delivery: &ScheduleDelivery,
    id: Uuid,
) -> Option<SecretString> {
    match (delivery, &state.delivery.webhooks) {
        (ScheduleDelivery::Webhook { .. }, Some(webhooks)) => {
            Some(webhooks.secret(&webhook_name(owner, id)))
        }
        _ => None,
    }
}

/// The name from which the secret of a webhook is derived.
pub(super) fn webhook_name(owner: &Owner, id: Uuid) -> String {
    format!("{}\n{id}", owner.tenant)
}

/// The newest messages of one of them.
pub(crate) async fn messages(
    state: &State,
    owner: &Owner,
    id: &str,
) -> Result<Vec<ScheduleMessage>, Refused> {
    let schedule = stored_one(state, owner, id).await?;
    let messages = state
        .store
        .schedule_messages(owner, schedule.id, MESSAGES)
        .await?;
    let told = messages.into_iter().map(|message| ScheduleMessage {
        message_id: message.id.to_string(),
        kind: message.kind,
        subject: message.subject,
        status: message.status,
        attempts: message.attempts,
        error: message.error,
        created_at: message.created_at,
        sent_at: message.sent_at,
    });
    Ok(told.collect())
}

fn told(schedule: stored::Schedule, events: &[OpenEvent]) -> Schedule {
    let open = events
        .iter()
        .filter(|event| event.schedule_id == schedule.id)
        .map(|event| event.text.clone());
    let (question, assistant, alert) = match schedule.task {
        Task::Question {
            question,
            assistant,
        } => (Some(question), Some(assistant), None),
        Task::Alert { alert } => (None, None, Some(alert)),
    };
    Schedule {
        schedule_id: schedule.id.to_string(),
        number: schedule.number,
        title: schedule.title,
        question,
        assistant,
        timing: schedule.timing,
        alert,
        delivery: schedule.delivery,
        status: schedule.status,
        note: schedule.note,
        next_at: schedule.next_at,
        created_at: schedule.created_at,
        open_events: open.collect(),
    }
}
