//! Schedules: questions that are asked at set times and alerts, each with where the result goes.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::tools::AlertCondition;

/// A day of the week.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Weekday {
    /// Monday.
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
    /// Sunday.
    Sunday,
}

impl Weekday {
    /// Every day, Monday first.
    pub const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// In English, in lower case as on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Tuesday => "tuesday",
            Self::Wednesday => "wednesday",
            Self::Thursday => "thursday",
            Self::Friday => "friday",
            Self::Saturday => "saturday",
            Self::Sunday => "sunday",
        }
    }
}

/// When a question is asked: a time of day, or several with the same interval, on some days of the
/// week, in a time zone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleTiming {
    /// The local time, `07:00`; with `every_minutes`, that of the first question of a day. On a day
    /// on which it does not exist, because the clocks go forward, the question is asked when they
    /// have; where it exists twice, the first counts.
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "07:00")]
    pub time: String,
    /// The interval, in minutes, in which the question is asked again on the same day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 15, maximum = 720)]
    pub every_minutes: Option<u32>,
    /// With `every_minutes`: the local time after which the question is not asked on that day; the
    /// end of the day when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "18:00")]
    pub until: Option<String>,
    /// The days of the week; every day when empty or absent.
    #[serde(default)]
    #[schema(max_items = 7)]
    pub days: Vec<Weekday>,
    /// IANA time zone.
    #[schema(max_length = 64, example = "Europe/Zurich")]
    pub timezone: String,
}

impl ScheduleTiming {
    /// The shortest and the longest interval, in minutes.
    pub const INTERVALS: std::ops::RangeInclusive<u32> = 15..=720;

    /// In words: `every weekday at 07:00 (Europe/Zurich)`, or `every 2 hours from 08:00 to 18:00,
    /// every weekday (Europe/Zurich)`.
    pub fn words(&self) -> String {
        let days = days_words(&self.days);
        let zone = &self.timezone;
        let Some(minutes) = self.every_minutes else {
            return format!("{days} at {} ({zone})", self.time);
        };
        let interval = interval_words(minutes);
        let between = match (self.time.as_str(), &self.until) {
            ("00:00", None) => String::new(),
            (from, None) => format!(" from {from}"),
            (from, Some(until)) => format!(" from {from} to {until}"),
        };
        let days = match days.as_str() {
            "every day" => String::new(),
            some => format!(", {some}"),
        };
        format!("{interval}{between}{days} ({zone})")
    }
}

/// The recipient of the result.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(tag = "channel", rename_all = "snake_case", deny_unknown_fields)]
pub enum ScheduleDelivery {
    /// A mail.
    Email {
        /// The address.
        #[schema(max_length = 254, example = "ops@example.com")]
        to: String,
    },
    /// A signed webhook ([Standard Webhooks](https://www.standardwebhooks.com)).
    Webhook {
        /// An https URL at a public address.
        #[schema(max_length = 2000, example = "https://example.com/hooks/heliograph")]
        url: String,
    },
}

impl ScheduleDelivery {
    /// The address or the URL.
    pub fn target(&self) -> &str {
        match self {
            Self::Email { to } => to,
            Self::Webhook { url } => url,
        }
    }
}

/// The body of `POST /v1/schedules`: a question with its timing, or an alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSchedule {
    /// A name for lists and subjects; made of the task when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 120)]
    pub title: Option<String>,
    /// The message that is asked at the set times. Either this, with `timing`, or `alert`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 2000)]
    pub question: Option<String>,
    /// Who is asked; `site` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64)]
    pub assistant: Option<String>,
    /// When the question is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<ScheduleTiming>,
    /// The condition that is watched, in place of a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert: Option<AlertCondition>,
    /// The recipient of the result.
    pub delivery: ScheduleDelivery,
}

/// The body of `PATCH /v1/schedules/{schedule_id}`. What is absent stays. An alert becomes a
/// question by `question` and `timing`, and a question an alert by `alert`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateSchedule {
    /// `true` pauses it; `false` continues it, also after it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 120)]
    pub title: Option<String>,
    /// Another message that is asked at the set times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 2000)]
    pub question: Option<String>,
    /// Another assistant, for a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64)]
    pub assistant: Option<String>,
    /// Another time, for a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<ScheduleTiming>,
    /// Another condition. What it found so far is forgotten, and it is checked at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert: Option<AlertCondition>,
    /// Another recipient, also of messages that have not arrived yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<ScheduleDelivery>,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Schedule {
    /// The id of the schedule, a UUID.
    pub schedule_id: String,
    /// The number by which its owner refers to it in words ("delete schedule 2"). It stays the
    /// same, and is not given again after the schedule was deleted.
    #[schema(minimum = 1)]
    pub number: u32,
    /// The name of the schedule, for lists and subjects.
    pub title: String,
    /// The message that is asked; `null` for an alert.
    pub question: Option<String>,
    /// Who is asked; `null` for an alert.
    pub assistant: Option<String>,
    /// When; `null` for an alert.
    pub timing: Option<ScheduleTiming>,
    /// The condition that is watched; `null` for a question.
    pub alert: Option<AlertCondition>,
    /// The recipient of the result.
    pub delivery: ScheduleDelivery,
    /// Whether it works.
    pub status: ScheduleStatus,
    /// Why it was stopped, or why its last run or check failed.
    pub note: Option<String>,
    /// The next time; `null` unless it is active.
    pub next_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// The events of an alert that are the case now: one sentence each.
    pub open_events: Vec<String>,
}

/// A schedule that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CreatedSchedule {
    /// The schedule.
    pub schedule: Schedule,
    /// The secret that the receiver of a webhook verifies signatures with (`whsec_…`); `null` for
    /// mail. `GET /v1/schedules/{schedule_id}/secret` shows it again.
    pub webhook_secret: Option<String>,
}

/// The secret that signatures of a webhook are verified with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookSecret {
    /// `whsec_` and Base64.
    pub webhook_secret: String,
}

/// Whether a schedule works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleStatus {
    /// It works.
    Active,
    /// Its owner paused it.
    Paused,
    /// The service stopped it, because its owner may not have it any more, or the link in its mails
    /// was used; `note` says which.
    Stopped,
}

/// The caller's schedules, the oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScheduleList {
    /// The schedules.
    pub schedules: Vec<Schedule>,
    /// Maximum number of schedules that their owner can have.
    pub limit: u32,
}

/// A message of a schedule, and whether it has arrived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScheduleMessage {
    /// Its id: `webhook-id` of the webhook, the beginning of the mail's `Message-ID`.
    pub message_id: String,
    /// The occasion for the message.
    pub kind: ScheduleMessageKind,
    /// The subject of the mail.
    pub subject: String,
    /// Whether it has arrived.
    pub status: ScheduleMessageStatus,
    /// Attempts at delivering it.
    pub attempts: u32,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it was delivered.
    pub sent_at: Option<DateTime<Utc>>,
}

/// The occasion for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleMessageKind {
    /// The answer to a question.
    Answer,
    /// Something that an alert watches for has begun.
    AlertBegun,
    /// It is over.
    AlertOver,
    /// A test.
    Test,
}

/// Whether a message has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleMessageStatus {
    /// It is on its way, or waits for another attempt.
    Pending,
    /// The receiver or the mail server took it.
    Sent,
    /// It was given up.
    Failed,
}

/// The newest messages of a schedule, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScheduleMessageList {
    /// At most 50.
    pub messages: Vec<ScheduleMessage>,
}

/// What `POST /v1/schedules/{schedule_id}/test` began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScheduleTest {
    /// What happens now.
    pub detail: String,
}

/// The body of `POST /v1/schedules/stop-link`: the link in a mail that stops its schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UseStopLink {
    /// The signed part of the link.
    #[schema(max_length = 2000)]
    pub token: String,
    /// `true` stops the schedule; `false` only says what would be stopped.
    pub stop: bool,
}

/// The signed part of a link that stops a schedule:
/// `<tenant, hexadecimal>.<owner>.<schedule>.<end, seconds since 1970>.<signature>`. Its parts
/// name the schedule; only the signature proves that they are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopToken {
    /// The tenant of the schedule's owner.
    pub tenant: String,
    /// The schedule's owner.
    pub owner: String,
    /// The schedule.
    pub schedule_id: String,
    /// The time after which the link is not accepted, in seconds since 1970.
    pub expires_at: i64,
    /// The signature.
    pub signature: String,
}

impl StopToken {
    /// The text that is signed, without the recipient, which is part of it, too.
    pub fn unsigned(&self) -> String {
        let tenant: Vec<String> = self.tenant.bytes().map(|b| format!("{b:02x}")).collect();
        let tenant = tenant.concat();
        let (owner, id, end) = (&self.owner, &self.schedule_id, self.expires_at);
        format!("{tenant}.{owner}.{id}.{end}")
    }
}

impl fmt::Display for StopToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.unsigned(), self.signature)
    }
}

impl FromStr for StopToken {
    type Err = NotAStopToken;

    fn from_str(text: &str) -> Result<Self, NotAStopToken> {
        let parts: Vec<&str> = text.split('.').collect();
        let [tenant, owner, schedule_id, end, signature] = parts[..] else {
            return Err(NotAStopToken);
        };
        let bytes: Option<Vec<u8>> = (0..tenant.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(tenant.get(at..at + 2)?, 16).ok())
            .collect();
        let tenant = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(Self {
            tenant: tenant.ok_or(NotAStopToken)?,
            owner: owner.to_owned(),
            schedule_id: schedule_id.to_owned(),
            expires_at: end.parse().map_err(|_error| NotAStopToken)?,
            signature: signature.to_owned(),
        })
    }
}

/// A text that is not a [`StopToken`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAStopToken;

/// The schedule that a link in a mail stops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StopLink {
    /// The id of the schedule.
    pub schedule_id: String,
    /// The name of the schedule, for lists and subjects.
    pub title: String,
    /// The address that its mails go to.
    pub recipient: String,
    /// Whether it works now.
    pub status: ScheduleStatus,
}

/// The body of a webhook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WebhookBody {
    /// `schedule.answer`, `schedule.alert_begun`, `schedule.alert_over` or `schedule.test`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When the message was written.
    pub timestamp: DateTime<Utc>,
    /// What happened.
    #[schema(value_type = Object)]
    pub data: Value,
}

/// `every hour`, `every 2 hours`, `every 90 minutes`.
fn interval_words(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (1, 0) => "every hour".to_owned(),
        (hours, 0) => format!("every {hours} hours"),
        _ => format!("every {minutes} minutes"),
    }
}

fn days_words(days: &[Weekday]) -> String {
    let mut days = days.to_vec();
    days.sort_unstable();
    days.dedup();
    match days.as_slice() {
        [] => "every day".to_owned(),
        all if all.len() == Weekday::ALL.len() => "every day".to_owned(),
        five if *five == Weekday::ALL[..5] => "every weekday".to_owned(),
        two if *two == Weekday::ALL[5..] => "every Saturday and Sunday".to_owned(),
        some => {
            let names: Vec<String> = some.iter().map(|day| capital(day.name())).collect();
            match names.split_last() {
                Some((last, before)) if !before.is_empty() => {
                    format!("every {} and {last}", before.join(", "))
                }
                _ => format!("every {}", names.concat()),
            }
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_was_written() {
        let token = StopToken {
            tenant: "Zürich.1".to_owned(),
            owner: "0815".to_owned(),
            schedule_id: "s-1".to_owned(),
            expires_at: 1_800_000_000,
            signature: "a_b-c".to_owned(),
        };
        assert_eq!(token.to_string().parse(), Ok(token.clone()));
        for text in [
            "",
            "a.b.c",
            "zz.b.c.1.d",
            "7a7.b.c.1.d",
            "7a.b.c.x.d",
            "é.b.c.1.d",
        ] {
            assert_eq!(text.parse::<StopToken>(), Err(NotAStopToken), "{text}");
        }
    }

    #[test]
    fn intervals_are_said_with_what_limits_them() {
        let words = |time: &str, minutes, until: Option<&str>, days: &[Weekday]| {
            let timing = ScheduleTiming {
                time: time.to_owned(),
                every_minutes: Some(minutes),
                until: until.map(str::to_owned),
                days: days.to_vec(),
                timezone: "UTC".to_owned(),
            };
            timing.words()
        };
        assert_eq!(words("00:00", 60, None, &[]), "every hour (UTC)");
        assert_eq!(words("00:00", 90, None, &[]), "every 90 minutes (UTC)");
        assert_eq!(
            words("08:00", 120, Some("18:00"), &Weekday::ALL[..5]),
            "every 2 hours from 08:00 to 18:00, every weekday (UTC)"
        );
        assert_eq!(words("06:00", 60, None, &[]), "every hour from 06:00 (UTC)");
    }

    #[test]
    fn days_are_named_as_people_name_them() {
        use Weekday::{Friday, Monday, Saturday, Sunday, Wednesday};
        assert_eq!(days_words(&[]), "every day");
        assert_eq!(days_words(&Weekday::ALL[..5]), "every weekday");
        assert_eq!(days_words(&[Sunday, Saturday]), "every Saturday and Sunday");
        assert_eq!(days_words(&[Monday]), "every Monday");
        assert_eq!(
            days_words(&[Friday, Monday, Wednesday]),
            "every Monday, Wednesday and Friday"
        );
    }
}
