//! The messages of schedules: what people read, and what programs get.

use chrono::{DateTime, Utc};
use contracts::schedules::{ScheduleMessageKind, WebhookBody};
use contracts::tools::AlertKind;
use conversations::schedules::{NewMessage, Occurrence, Schedule, Task, kind_name};
use serde_json::{Value, json};
use service_kit::clock::SharedIds;

use super::timing::Timing;

/// The answer to a question.
pub(super) struct ScheduledAnswer<'a> {
    /// The text of the answer, as Markdown.
    pub(super) text: &'a str,
    /// Whether it is an answer, and not the reason why there is none.
    pub(super) ok: bool,
    pub(super) thread_id: &'a str,
    pub(super) run_id: Option<String>,
}

/// The message with an answer.
pub(super) fn answer(
    ids: &SharedIds,
    occurrence: &Occurrence,
    answer: &ScheduledAnswer<'_>,
    now: DateTime<Utc>,
) -> NewMessage {
    let schedule = &occurrence.schedule;
    let mut text = String::new();
    if let Some(missed) = missed(occurrence) {
        text.push_str(&missed);
        text.push_str("\n\n");
    }
    text.push_str(answer.text.trim());
    text.push_str(&footer(schedule));
    let data = json!({
        "schedule_id": schedule.id.to_string(),
        "title": schedule.title,
        "question": question(&schedule.task),
        "due_at": occurrence.due_at,
        "missed": occurrence.missed,
        "missed_since": occurrence.missed_since,
        "status": if answer.ok { "answered" } else { "failed" },
        "text": answer.text.trim(),
        "thread_id": answer.thread_id,
        "run_id": answer.run_id,
    });
    let day = timing_of(schedule).map(|timing| timing.local(occurrence.due_at));
    let subject = match (day, answer.ok) {
        (Some(day), true) => format!("{}: {day}", schedule.title),
        (Some(day), false) => format!("{}: {day}, not answered", schedule.title),
        (None, _) => schedule.title.clone(),
    };
    message(ids, ScheduleMessageKind::Answer, subject, text, data, now)
}

/// The message about events of an alert that have begun, or are over.
pub(super) fn events(
    ids: &SharedIds,
    schedule: &Schedule,
    kind: ScheduleMessageKind,
    sentences: &[String],
    now: DateTime<Utc>,
) -> NewMessage {
    let is_over = kind == ScheduleMessageKind::AlertOver;
    let what = if is_over { "over" } else { "begun" };
    let (subject, text) = match sentences {
        [one] => {
            let head = one.split_inclusive(". ").next().unwrap_or(one);
            (head.trim_end_matches(['.', ' ']).to_owned(), one.clone())
        }
        several => {
            let count = several.len();
            let now = if is_over { "over" } else { "the case" };
            let heading = format!("This is {now} for {count} devices:");
            let lines: Vec<String> = several.iter().map(|one| format!("- {one}")).collect();
            let subject = format!("{} ({count})", schedule.title);
            (subject, format!("{heading}\n\n{}", lines.join("\n")))
        }
    };
    let subject = if is_over {
        format!("Over: {subject}")
    } else {
        format!("Alert: {subject}")
    };
    let text = text + &footer(schedule);
    let data = json!({
        "schedule_id": schedule.id.to_string(),
        "title": schedule.title,
        "alert": alert(&schedule.task),
        "state": what,
        "events": sentences,
    });
    message(ids, kind, subject, text, data, now)
}

/// The sentence about an event that is over. `text` is that of its beginning.
pub(super) fn over(device: &str, kind: AlertKind, text: &str) -> String {
    let now = match kind {
        AlertKind::DeviceOut => "delivers again",
        AlertKind::LowEnergy => "is no longer below the forecast",
        AlertKind::NoData => "sends data again",
    };
    let before = match text
        .strip_prefix(device)
        .and_then(|of| of.strip_prefix(" has "))
    {
        Some(since) => {
            let (since, _remark) = since.split_once(", although ").unwrap_or((since, ""));
            format!("It had {}.", since.trim_end_matches('.'))
        }
        None => format!("Before: {text}"),
    };
    format!("{device} {now}. {before}")
}

/// A test of an alert: what is the case now.
pub(super) fn test(
    ids: &SharedIds,
    schedule: &Schedule,
    summary: &str,
    sentences: &[String],
    now: DateTime<Utc>,
) -> NewMessage {
    let mut text = format!("This is a test that you asked for. {summary}");
    if !sentences.is_empty() {
        let lines: Vec<String> = sentences.iter().map(|one| format!("- {one}")).collect();
        text.push_str("\n\n");
        text.push_str(&lines.join("\n"));
    }
    text.push_str(&footer(schedule));
    let data = json!({
        "schedule_id": schedule.id.to_string(),
        "title": schedule.title,
        "alert": alert(&schedule.task),
        "summary": summary,
        "events": sentences,
    });
    let subject = format!("Test: {}", schedule.title);
    message(ids, ScheduleMessageKind::Test, subject, text, data, now)
}

fn message(
    ids: &SharedIds,
    kind: ScheduleMessageKind,
    subject: String,
    text: String,
    data: Value,
    now: DateTime<Utc>,
) -> NewMessage {
    let body = WebhookBody {
        kind: format!("schedule.{}", kind_name(kind)),
        timestamp: now,
        data,
    };
    NewMessage {
        id: ids.new_id(),
        kind,
        subject,
        text,
        payload: json!(body),
    }
}

/// Says which times were missed.
fn missed(occurrence: &Occurrence) -> Option<String> {
    let since = occurrence.missed_since?;
    let timing = timing_of(&occurrence.schedule)?;
    Some(match occurrence.missed {
        0 => return None,
        1 => format!(
            "The time before, {}, was missed because the service was not running.",
            timing.local(since)
        ),
        count => format!(
            "{count} earlier times, the first on {}, were missed because the service was not running.",
            timing.local(since)
        ),
    })
}

fn timing_of(schedule: &Schedule) -> Option<Timing> {
    schedule
        .timing
        .as_ref()
        .and_then(|timing| Timing::of(timing).ok())
}

fn footer(schedule: &Schedule) -> String {
    let what = match &schedule.timing {
        Some(timing) => format!("\"{}\", {}", schedule.title, timing.words()),
        None => format!("the alert \"{}\"", schedule.title),
    };
    format!(
        "\n\n---\n\nHeliograph sends this because of {what}.\nTo stop it: heliograph schedules delete {}\nOr ask the site assistant: show my schedules\n",
        schedule.id
    )
}

fn question(task: &Task) -> Option<&str> {
    match task {
        Task::Question { question, .. } => Some(question),
        Task::Alert { .. } => None,
    }
}

fn alert(task: &Task) -> Value {
    match task {
        Task::Question { .. } => Value::Null,
        Task::Alert { alert } => json!(alert),
    }
}
