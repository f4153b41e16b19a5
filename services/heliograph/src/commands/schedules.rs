//! `heliograph schedules …`: questions at set times, and alerts, over HTTP.

mod edit;

use std::path::Path;

use contracts::schedules::{
    CreateSchedule, CreatedSchedule, Schedule, ScheduleDelivery, ScheduleList, ScheduleMessage,
    ScheduleMessageList, ScheduleMessageStatus, ScheduleStatus, ScheduleTest, ScheduleTiming,
    WebhookSecret, Weekday,
};
use contracts::tools::{AlertCondition, AlertKind};
use reqwest::Method;
use serde_json::json;

use super::account::escaped;
use super::client::print_lines;
use crate::chat::ChatClient;
use crate::cli::{Condition, Day, Recipient, SchedulesCommand};
use crate::terminal;

/// Runs a command.
pub(super) async fn run(
    folder: Option<&Path>,
    command: SchedulesCommand,
    place: (Option<&str>, Option<&str>),
) -> anyhow::Result<()> {
    print_lines(folder, place, async |client| {
        carry_out(client, command).await
    })
    .await
}

/// Runs a command and returns the lines to print.
pub async fn carry_out(
    client: &ChatClient,
    command: SchedulesCommand,
) -> anyhow::Result<Vec<String>> {
    match command {
        SchedulesCommand::List => {
            let answer = client.request(Method::GET, "/api/schedules", None).await?;
            let list: ScheduleList = answer.json().await?;
            if list.schedules.is_empty() {
                return Ok(vec!["nothing is scheduled".to_owned()]);
            }
            Ok(list.schedules.iter().flat_map(lines).collect())
        }
        SchedulesCommand::Ask {
            question,
            at,
            every,
            until,
            days,
            timezone,
            assistant,
            title,
            to,
        } => {
            let wanted = CreateSchedule {
                title,
                question: Some(question),
                assistant: Some(assistant),
                timing: Some(ScheduleTiming {
                    // The options require one of the two.
                    time: at.unwrap_or_default(),
                    every_minutes: every,
                    until,
                    days: days.into_iter().map(weekday).collect(),
                    timezone: zone(timezone)?,
                }),
                alert: None,
                delivery: delivery(to),
            };
            create(client, &wanted).await
        }
        SchedulesCommand::Alert {
            condition,
            limit,
            logger,
            site,
            title,
            to,
        } => {
            let mut alert = AlertCondition::of(kind(condition));
            if let Some(limit) = limit {
                set_limit(&mut alert, limit);
            }
            (alert.logger_id, alert.site_id) = (logger, site);
            let wanted = CreateSchedule {
                title,
                question: None,
                assistant: None,
                timing: None,
                alert: Some(alert),
                delivery: delivery(to),
            };
            create(client, &wanted).await
        }
        SchedulesCommand::Edit(edit) => {
            let path = path(&edit.id);
            let answer = client.request(Method::GET, &path, None).await?;
            let change = json!(edit::change(&answer.json().await?, *edit, || zone(None))?);
            let answer = client.request(Method::PATCH, &path, Some(&change)).await?;
            let schedule: Schedule = answer.json().await?;
            Ok(lines(&schedule))
        }
        SchedulesCommand::Pause { id } => change(client, &id, true).await,
        SchedulesCommand::Resume { id } => change(client, &id, false).await,
        SchedulesCommand::Delete { id } => {
            client.request(Method::DELETE, &path(&id), None).await?;
            Ok(vec![format!("{id} is deleted")])
        }
        SchedulesCommand::Send { id } => {
            let path = format!("{}/test", path(&id));
            let answer = client
                .request(Method::POST, &path, Some(&json!({})))
                .await?;
            let test: ScheduleTest = answer.json().await?;
            Ok(vec![test.detail])
        }
        SchedulesCommand::Messages { id } => {
            let path = format!("{}/messages", path(&id));
            let answer = client.request(Method::GET, &path, None).await?;
            let list: ScheduleMessageList = answer.json().await?;
            if list.messages.is_empty() {
                return Ok(vec!["no messages yet".to_owned()]);
            }
            Ok(list.messages.iter().map(message).collect())
        }
        SchedulesCommand::Secret { id } => {
            let path = format!("{}/secret", path(&id));
            let answer = client.request(Method::GET, &path, None).await?;
            let secret: WebhookSecret = answer.json().await?;
            Ok(vec![secret.webhook_secret])
        }
    }
}

async fn create(client: &ChatClient, wanted: &CreateSchedule) -> anyhow::Result<Vec<String>> {
    let answer = client
        .request(Method::POST, "/api/schedules", Some(&json!(wanted)))
        .await?;
    let created: CreatedSchedule = answer.json().await?;
    let mut said = lines(&created.schedule);
    if let Some(secret) = created.webhook_secret {
        said.push(format!("    verify signatures with {secret}"));
    }
    Ok(said)
}

async fn change(client: &ChatClient, id: &str, paused: bool) -> anyhow::Result<Vec<String>> {
    let body = json!({ "paused": paused });
    let answer = client
        .request(Method::PATCH, &path(id), Some(&body))
        .await?;
    let schedule: Schedule = answer.json().await?;
    Ok(lines(&schedule))
}

fn path(id: &str) -> String {
    format!("/api/schedules/{}", escaped(id))
}

/// A schedule, and what is the case by it.
fn lines(schedule: &Schedule) -> Vec<String> {
    let when = match (&schedule.timing, &schedule.alert) {
        (Some(timing), _) => timing.words(),
        (None, Some(alert)) => format!("when {}", alert.words()),
        (None, None) => String::new(),
    };
    let status = match (schedule.status, schedule.next_at, &schedule.timing) {
        (ScheduleStatus::Active, Some(next), Some(_)) => {
            format!("next at {} UTC", next.format("%Y-%m-%d %H:%M"))
        }
        (ScheduleStatus::Active, ..) => "active".to_owned(),
        (ScheduleStatus::Paused, ..) => "paused".to_owned(),
        (ScheduleStatus::Stopped, ..) => "stopped".to_owned(),
    };
    let mut said = vec![format!(
        "{}  #{} {}  {when}  to {}  {status}",
        schedule.schedule_id,
        schedule.number,
        schedule.title,
        schedule.delivery.target(),
    )];
    said.extend(schedule.note.iter().map(|note| format!("    {note}")));
    said.extend(
        schedule
            .open_events
            .iter()
            .map(|event| format!("    {event}")),
    );
    said
}

fn message(message: &ScheduleMessage) -> String {
    let status = match message.status {
        ScheduleMessageStatus::Pending => "on its way",
        ScheduleMessageStatus::Sent => "sent",
        ScheduleMessageStatus::Failed => "given up",
    };
    let error = message
        .error
        .as_ref()
        .map(|error| format!("  {error}"))
        .unwrap_or_default();
    format!(
        "{}  {status} after {} {}  {}{error}",
        message.created_at.format("%Y-%m-%d %H:%M"),
        message.attempts,
        if message.attempts == 1 {
            "attempt"
        } else {
            "attempts"
        },
        message.subject,
    )
}

/// The zone that was given, otherwise that of the terminal.
fn zone(given: Option<String>) -> anyhow::Result<String> {
    let zone = match given {
        Some(zone) => Some(zone),
        None => terminal::time_zone()?,
    };
    Ok(zone.unwrap_or_else(|| "UTC".to_owned()))
}

fn delivery(to: Recipient) -> ScheduleDelivery {
    match (to.email, to.webhook) {
        (Some(to), _) => ScheduleDelivery::Email { to },
        (None, url) => ScheduleDelivery::Webhook {
            url: url.unwrap_or_default(),
        },
    }
}

fn kind(condition: Condition) -> AlertKind {
    match condition {
        Condition::DeviceOut => AlertKind::DeviceOut,
        Condition::LowEnergy => AlertKind::LowEnergy,
        Condition::NoData => AlertKind::NoData,
    }
}

/// Sets the limit of a condition, whose unit depends on its kind.
fn set_limit(alert: &mut AlertCondition, limit: u32) {
    match alert.kind {
        AlertKind::DeviceOut => alert.minutes = Some(limit),
        AlertKind::LowEnergy => alert.percent = Some(limit),
        AlertKind::NoData => alert.hours = Some(limit),
    }
}

fn weekday(day: Day) -> Weekday {
    match day {
        Day::Monday => Weekday::Monday,
        Day::Tuesday => Weekday::Tuesday,
        Day::Wednesday => Weekday::Wednesday,
        Day::Thursday => Weekday::Thursday,
        Day::Friday => Weekday::Friday,
        Day::Saturday => Weekday::Saturday,
        Day::Sunday => Weekday::Sunday,
    }
}
