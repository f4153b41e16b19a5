//! The operations of owners on their schedules, through any interface: checked here, once.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::schedules::{
    CreateSchedule, Schedule, ScheduleDelivery, ScheduleMessage, ScheduleStatus, UpdateSchedule,
};
use contracts::tools::{AlertCondition, AlertKind};
use conversations::schedules::{NewSchedule, OpenEvent, SchedulePatch, Task};
use conversations::{Error, Owner, schedules as stored};
use secrecy::SecretString;
use uuid::Uuid;

use super::timing::Timing;
use super::watching;
use crate::runs::accept::known_assistant;
use crate::state::State;

/// The assistant of a question that names none.
const ASSISTANT: &str = "site";

/// Maximum length of a title, in characters.
const LONGEST_TITLE: usize = 120;

/// Maximum length of a question, in characters.
const LONGEST_QUESTION: usize = 2_000;

/// Messages of a schedule that are listed.
const MESSAGES: u32 = 50;

/// Why something was not done.
#[derive(Debug)]
pub(crate) enum Refused {
    /// A member is wrong: pointer, and what is wrong with it.
    Invalid(String, String),
    /// It does not fit to how things are.
    Conflict(String),
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
            Self::Conflict(detail) => detail.clone(),
            Self::Stored(Error::NotFound) => "There is no such schedule.".to_owned(),
            Self::Stored(_) => "Schedules cannot be read or stored at the moment.".to_owned(),
        }
    }
}

fn invalid(pointer: &str, detail: impl Into<String>) -> Refused {
    Refused::Invalid(pointer.to_owned(), detail.into())
}

/// Creates a schedule. The same `request_key` again finds what was made with it.
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
    check_delivery(state, &wanted.delivery)?;
    let (task, next_at) = task(state, &wanted, now)?;
    let title = match wanted.title {
        Some(title) => checked_title(&title)?,
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
    let made = state.store.create_schedule(owner, &new, most, now).await;
    match made {
        Ok(schedule) => {
            state.wake_schedules.notify_waiters();
            Ok(told(schedule, &[]))
        }
        Err(Error::Exists) => Err(Refused::Conflict(format!(
            "You have {most} schedules, which is as many as there can be; delete one first."
        ))),
        Err(error) => Err(error.into()),
    }
}

fn task(
    state: &State,
    wanted: &CreateSchedule,
    now: DateTime<Utc>,
) -> Result<(Task, DateTime<Utc>), Refused> {
    match (&wanted.question, &wanted.timing, &wanted.alert) {
        (Some(question), Some(timing), None) => {
            let timing = checked_timing(timing)?;
            let question = question.trim();
            if question.is_empty() || question.chars().count() > LONGEST_QUESTION {
                let detail = format!("must have 1 to {LONGEST_QUESTION} characters");
                return Err(invalid("/question", detail));
            }
            let assistant = wanted.assistant.as_deref().unwrap_or(ASSISTANT);
            known_assistant(state, assistant).map_err(|_unknown| {
                invalid("/assistant", "is not an assistant of this installation")
            })?;
            let task = Task::Question {
                question: question.to_owned(),
                assistant: assistant.to_owned(),
            };
            Ok((task, timing.next_after(now)))
        }
        (None, None, Some(alert)) => {
            if wanted.assistant.is_some() {
                return Err(invalid("/assistant", "is for questions only"));
            }
            check_condition(alert)?;
            let task = Task::Alert {
                alert: alert.clone(),
            };
            Ok((task, now))
        }
        (Some(_), None, None) => Err(invalid("/timing", "is missing beside `question`")),
        (None, Some(_), None) => Err(invalid("/question", "is missing beside `timing`")),
        _ => Err(invalid(
            "/question",
            "and `timing`, or `alert` in their place, must be given",
        )),
    }
}

fn check_condition(alert: &AlertCondition) -> Result<(), Refused> {
    let kind = alert.kind;
    for (pointer, given, of, least, most) in [
        (
            "/alert/minutes",
            alert.minutes,
            AlertKind::DeviceOut,
            5,
            10_080,
        ),
        (
            "/alert/percent",
            alert.percent,
            AlertKind::LowEnergy,
            1,
            100,
        ),
        ("/alert/hours", alert.hours, AlertKind::NoData, 1, 720),
    ] {
        let Some(given) = given else { continue };
        if kind != of {
            return Err(invalid(pointer, "does not belong to this kind of alert"));
        }
        if !(least..=most).contains(&given) {
            return Err(invalid(pointer, format!("must be {least} to {most}")));
        }
    }
    for (pointer, id) in [
        ("/alert/logger_id", &alert.logger_id),
        ("/alert/site_id", &alert.site_id),
    ] {
        if let Some(id) = id
            && !(1..=64).contains(&id.chars().count())
        {
            return Err(invalid(pointer, "must have 1 to 64 characters"));
        }
    }
    Ok(())
}

fn check_delivery(state: &State, delivery: &ScheduleDelivery) -> Result<(), Refused> {
    match delivery {
        ScheduleDelivery::Email { to } => match &state.delivery.mail {
            Some(mail) => mail
                .check_address(to)
                .map(drop)
                .map_err(|wrong| invalid("/delivery/to", wrong)),
            None => Err(Refused::Conflict(
                "Mail is not available: this installation has no mail server (delivery.email).".to_owned(),
            )),
        },
        ScheduleDelivery::Webhook { url } => match &state.delivery.webhooks {
            Some(webhooks) => webhooks
                .check_url(url)
                .map(drop)
                .map_err(|wrong| invalid("/delivery/url", wrong)),
            None => Err(Refused::Conflict(
                "Webhooks are not available: this installation has no key to sign them with (delivery.webhooks).".to_owned(),
            )),
        },
    }
}

fn checked_timing(timing: &contracts::schedules::ScheduleTiming) -> Result<Timing, Refused> {
    Timing::of(timing).map_err(|(member, detail)| invalid(&format!("/timing{member}"), detail))
}

fn checked_title(title: &str) -> Result<String, Refused> {
    let length = title.trim().chars().count();
    if (1..=LONGEST_TITLE).contains(&length) && !title.chars().any(char::is_control) {
        return Ok(title.trim().to_owned());
    }
    let detail = format!("must have 1 to {LONGEST_TITLE} characters, in one line");
    Err(invalid("/title", detail))
}

/// The name of a schedule whose owner gave it none.
fn title_of(task: &Task) -> String {
    let whole = match task {
        Task::Question { question, .. } => question.clone(),
        Task::Alert { alert } => alert.words(),
    };
    let line: String = whole
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST_TITLE)
        .collect();
    let mut letters = line.trim().chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
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

fn parse(id: &str) -> Result<Uuid, Refused> {
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
    if wanted.timing.is_some() && schedule.timing.is_none() {
        return Err(invalid("/timing", "is for questions only"));
    }
    let timing = wanted.timing.as_ref().or(schedule.timing.as_ref());
    let next = match timing {
        Some(timing) => checked_timing(timing)?.next_after(now),
        None => now,
    };
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
    let patch = SchedulePatch {
        status,
        title: wanted.title.as_deref().map(checked_title).transpose()?,
        next_at: wanted.timing.is_some().then_some(next),
        timing: wanted.timing,
    };
    let changed = state
        .store
        .patch_schedule(owner, schedule.id, &patch)
        .await?;
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
