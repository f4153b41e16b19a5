//! The checks of what owners ask for, once for new schedules and for changes.

use chrono::{DateTime, Utc};
use contracts::names;
use contracts::schedules::{CreateSchedule, ScheduleDelivery, ScheduleTiming, UpdateSchedule};
use contracts::tools::{AlertCondition, AlertKind};
use conversations::schedules::{Content, Schedule, Task};

use super::offer::{Refused, invalid};
use super::timing::Timing;
use crate::runs::accept::known_assistant;
use crate::state::State;

/// The assistant of a question that names none.
const ASSISTANT: &str = "site";

/// Maximum length of a title, in characters.
const LONGEST_TITLE: usize = 120;

/// Maximum length of a question, in characters.
const LONGEST_QUESTION: usize = 2_000;

/// The parts of a task: a question with its timing, or an alert.
struct Wanted<'a> {
    question: Option<&'a str>,
    assistant: Option<&'a str>,
    timing: Option<&'a ScheduleTiming>,
    alert: Option<&'a AlertCondition>,
}

impl<'a> Wanted<'a> {
    /// The parts of a schedule after a change. An alert in place of a question, or the reverse,
    /// takes over nothing.
    fn changed(schedule: &'a Schedule, wanted: &'a UpdateSchedule) -> Self {
        let mut of = Self {
            question: wanted.question.as_deref(),
            assistant: wanted.assistant.as_deref(),
            timing: wanted.timing.as_ref(),
            alert: wanted.alert.as_ref(),
        };
        match &schedule.task {
            Task::Question {
                question,
                assistant,
            } if of.alert.is_none() => {
                of.question = of.question.or(Some(question));
                of.assistant = of.assistant.or(Some(assistant));
                of.timing = of.timing.or(schedule.timing.as_ref());
            }
            Task::Alert { alert } if of.question.is_none() && of.timing.is_none() => {
                of.alert = of.alert.or(Some(alert));
            }
            _ => {}
        }
        of
    }
}

/// The task of a new schedule, and when it is due first.
pub(super) fn created(
    state: &State,
    wanted: &CreateSchedule,
    now: DateTime<Utc>,
) -> Result<(Task, DateTime<Utc>), Refused> {
    let wanted = Wanted {
        question: wanted.question.as_deref(),
        assistant: wanted.assistant.as_deref(),
        timing: wanted.timing.as_ref(),
        alert: wanted.alert.as_ref(),
    };
    task(state, &wanted, now)
}

/// The task and the times of a schedule after a change, and when it is due next. A task that stays
/// is not checked again: its owner can always pause it.
pub(super) fn changed(
    state: &State,
    schedule: &Schedule,
    wanted: &UpdateSchedule,
    now: DateTime<Utc>,
) -> Result<(Task, Option<ScheduleTiming>, DateTime<Utc>), Refused> {
    let stays = wanted.question.is_none()
        && wanted.assistant.is_none()
        && wanted.timing.is_none()
        && wanted.alert.is_none();
    if stays {
        let timing = schedule.timing.clone();
        let next = match &timing {
            Some(timing) => checked_timing(timing)?.next_after(now),
            None => now,
        };
        return Ok((schedule.task.clone(), timing, next));
    }
    let wanted = Wanted::changed(schedule, wanted);
    let (task, next) = task(state, &wanted, now)?;
    Ok((task, wanted.timing.cloned(), next))
}

fn task(
    state: &State,
    wanted: &Wanted<'_>,
    now: DateTime<Utc>,
) -> Result<(Task, DateTime<Utc>), Refused> {
    match (wanted.question, wanted.timing, wanted.alert) {
        (Some(question), Some(timing), None) => {
            let timing = checked_timing(timing)?;
            let question = question.trim();
            if question.is_empty() || question.chars().count() > LONGEST_QUESTION {
                let detail = format!("must have 1 to {LONGEST_QUESTION} characters");
                return Err(invalid("/question", detail));
            }
            let assistant = wanted.assistant.unwrap_or(ASSISTANT);
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

/// Whether a schedule has this content: the same task at the same times to the same address.
pub(super) fn is_same(schedule: &Schedule, content: &Content<'_>) -> bool {
    is_same_task(&schedule.task, content.task)
        && is_same_timing(schedule.timing.as_ref(), content.timing)
        && schedule.delivery == *content.delivery
}

/// Whether two tasks are the same, also where one of them leaves a limit at its default.
fn is_same_task(one: &Task, other: &Task) -> bool {
    let (Task::Alert { alert: one }, Task::Alert { alert: other }) = (one, other) else {
        return one == other;
    };
    let limit = |alert: &AlertCondition| match alert.kind {
        AlertKind::DeviceOut => alert.minutes(),
        AlertKind::LowEnergy => alert.percent(),
        AlertKind::NoData => alert.hours(),
    };
    one.kind == other.kind
        && limit(one) == limit(other)
        && one.logger_id == other.logger_id
        && one.site_id == other.site_id
}

/// Whether two timings are the same times.
fn is_same_timing(one: Option<&ScheduleTiming>, other: Option<&ScheduleTiming>) -> bool {
    let times = |timing: Option<&ScheduleTiming>| timing.and_then(|timing| Timing::of(timing).ok());
    times(one) == times(other)
}

pub(super) async fn check_delivery(
    state: &State,
    delivery: &ScheduleDelivery,
) -> Result<(), Refused> {
    match delivery {
        ScheduleDelivery::Email { to } => match &state.delivery.mail {
            Some(mail) => mail
                .check_address(to)
                .map(drop)
                .map_err(|wrong| invalid("/delivery/to", wrong)),
            None => Err(Refused::NoChannel(
                "Mail is not available: this installation has no mail server (delivery.email).".to_owned(),
            )),
        },
        ScheduleDelivery::Webhook { url } => match &state.delivery.webhooks {
            Some(webhooks) => webhooks
                .check_new_url(url)
                .await
                .map_err(|wrong| invalid("/delivery/url", wrong)),
            None => Err(Refused::NoChannel(
                "Webhooks are not available: this installation has no key to sign them with (delivery.webhooks).".to_owned(),
            )),
        },
    }
}

fn checked_timing(timing: &ScheduleTiming) -> Result<Timing, Refused> {
    Timing::of(timing).map_err(|(member, detail)| invalid(&format!("/timing{member}"), detail))
}

pub(super) fn checked_title(title: &str) -> Result<String, Refused> {
    let title = names::checked(title).map_err(|fault| invalid("/title", fault.to_string()))?;
    if (1..=LONGEST_TITLE).contains(&title.chars().count()) {
        return Ok(title);
    }
    let detail = format!("must have 1 to {LONGEST_TITLE} characters, in one line");
    Err(invalid("/title", detail))
}

/// The name of a schedule whose owner gave it none.
pub(super) fn title_of(task: &Task) -> String {
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
