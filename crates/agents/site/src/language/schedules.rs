//! Sentences about schedules: "every morning at 7 the briefing to ops@example.com", "alert me when
//! a device is out for an hour", "delete schedule 2".
//!
//! A sentence counts only if it is plainly one of these; everything else is a question about the
//! site, such as "the energy of every day in June" or "let me know if a device is out".

mod condition;
mod times;
mod zones;

use std::sync::LazyLock;

use contracts::schedules::{ScheduleDelivery, ScheduleTiming, Weekday};
use contracts::tools::AlertCondition;
use regex::Regex;
use serde::{Deserialize, Serialize};

use condition::condition;
use times::{Recurrence, recurrence};

/// The question of a briefing.
const BRIEFING: &str = "Morning briefing";

/// The longest sentence that is read as one about schedules, in bytes.
const LONGEST: usize = 1_000;

/// A sentence about schedules.
#[derive(Debug, Clone, PartialEq)]
pub enum ScheduleRequest {
    /// Make one of this; something may be missing.
    Create(Box<Draft>),
    /// Make one that there cannot be, or that is not understood.
    Impossible(Impossible),
    /// List all.
    List,
    /// Do something with one.
    Change(Change, Which),
}

/// A change of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Pause it.
    Pause,
    /// Continue it.
    Resume,
    /// Delete it.
    Delete,
    /// Send it now.
    SendNow,
}

/// Which schedules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The schedules of these numbers.
    Numbers(Vec<u32>),
    /// The schedule with these words in its title; the only one if there are no words.
    Words {
        /// The words.
        words: Vec<String>,
        /// Whether it has to be an alert.
        alerts: bool,
    },
    /// All schedules.
    All {
        /// Whether it has to be an alert.
        alerts: bool,
    },
    /// Something beside numbers that is not understood, such as a condition.
    Unclear,
}

/// The part of a sentence that keeps a schedule from being made, in the person's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Impossible {
    /// A time zone that is none, or several.
    Zone(String),
    /// Times in an interval that no schedule has.
    Interval(String),
    /// Hours of a day that are not understood, or that are not of one day.
    Hours(String),
    /// A time of day that is not understood.
    Time(String),
    /// A time of day without the days on which it comes again.
    Once(String),
    /// A length of time that is not understood.
    Duration(String),
    /// A share of the forecast that is not understood.
    Share(String),
}

/// A schedule as far as it was said. Threads keep it while something is missing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// The question that is asked at the set times.
    pub question: Option<String>,
    /// The condition that is watched, in place of a question.
    pub alert: Option<AlertCondition>,
    /// The local time.
    pub time: Option<String>,
    /// The interval, in minutes, of further times on the same day.
    pub every_minutes: Option<u32>,
    /// With an interval, the last local time.
    pub until: Option<String>,
    /// The days of the week; empty: every day.
    pub days: Vec<Weekday>,
    /// IANA zone, where the person named one.
    pub timezone: Option<String>,
    /// The address that the result is sent to.
    pub delivery: Option<ScheduleDelivery>,
    /// The person said "in the morning" or "in the evening", which a bare hour is read with.
    pub half: Option<Half>,
}

/// Half of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// Before noon.
    Morning,
    /// After noon.
    Evening,
}

/// A missing part of a draft, in the order in which it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacks {
    /// The question whose answer is sent.
    Question,
    /// The time of day.
    Time,
    /// The address.
    Delivery,
}

impl Draft {
    /// The parts that are missing.
    pub fn lacks(&self) -> Vec<Lacks> {
        let mut lacks = Vec::new();
        if self.alert.is_none() {
            if self.question.is_none() {
                lacks.push(Lacks::Question);
            }
            if self.time.is_none() {
                lacks.push(Lacks::Time);
            }
        }
        if self.delivery.is_none() {
            lacks.push(Lacks::Delivery);
        }
        lacks
    }

    /// The timing of a question, on this clock unless the person named another.
    pub fn timing(&self, zone: &str) -> Option<ScheduleTiming> {
        if self.alert.is_some() {
            return None;
        }
        Some(ScheduleTiming {
            time: self.time.clone()?,
            every_minutes: self.every_minutes,
            until: self.until.clone(),
            days: self.days.clone(),
            timezone: self.timezone.clone().unwrap_or_else(|| zone.to_owned()),
        })
    }

    /// The draft with what an answer adds, or why it cannot be added; `None` if the answer has
    /// nothing of what is missing.
    pub fn completed(&self, answer: &str) -> Option<Result<Self, Impossible>> {
        if answer.len() > LONGEST {
            return None;
        }
        let given = delivery(answer);
        let words = times::with_digits(&without_addresses(answer));
        let plain = lower(&words);
        let mut draft = self.clone();
        let lacks = self.lacks();
        let mut added = false;
        if times::interval(&plain).is_some() {
            if !wants_interval(&plain, given.is_some()) {
                // A request for something else that comes again.
                return None;
            }
            match times::often(&plain, self.half) {
                // A time that is there already is not replaced without a word.
                Ok(often) if lacks.contains(&Lacks::Time) => {
                    often.add_to(&mut draft);
                    added = true;
                }
                Ok(_) => return None,
                Err(impossible) => return Some(Err(impossible)),
            }
        }
        if lacks.contains(&Lacks::Delivery) && given.is_some() {
            draft.delivery = given;
            added = true;
        }
        if lacks.contains(&Lacks::Time) && draft.time.is_none() {
            if let Some(wrong) = times::wrong_time(&plain, self.half) {
                return Some(Err(Impossible::Time(wrong)));
            }
            let (words, zone) = with_zone_apart(&words);
            if let Some(time) = times::answer(&words, self.half) {
                draft.time = Some(time);
                draft.timezone = match zone {
                    Some(Err(unknown)) => return Some(Err(unknown)),
                    Some(Ok(zone)) => Some(zone),
                    None => draft.timezone,
                };
                added = true;
            }
        }
        if lacks.first() == Some(&Lacks::Question) && !added {
            draft.question = task_of(&words);
            added = draft.question.is_some();
        }
        added.then_some(Ok(draft))
    }
}

static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)[^\s<>()\[\],;:"'@]+@[a-z0-9-]+(\.[a-z0-9-]+)+"#));
static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?i)\bhttps?://[^\s<>"']+"#));
static SENDS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(send|e-?mail|mail|deliver|post|schedule|subscribe)\b"));
static NEGATES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(please )?(do not|don't|dont|never|no longer)\b|\b(do not|don't|dont|never|no longer) (want|need|send|mail|e-?mail|give|report|post|deliver)",
    )
});
/// The beginning of a sentence that asks for something to be sent later.
static MAILS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(please |can you |could you |would you |i want you to |i'd like you to )*(e-?mail|mail|schedule|subscribe)\b",
    )
});
/// The beginning of a sentence that asks for something to be sent, and for nothing else.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(please |can you |could you |would you |i want you to |i'd like you to )*(send|e-?mail|mail|post|schedule|subscribe)\b|^(every|each)\b|^(hourly|weekly|fortnightly|monthly|quarterly|yearly)$",
    )
});
static LISTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(please )?((show|list|give|tell)( me)?( all)?( of)?|what are|which are)( all)?( of)?( my| the| our)? ?(schedules?|alerts?|scheduled [a-z ]+)\??$|^(my )?(schedules|alerts)\??$|^what (is|do i have|have i|is there) scheduled\??$|^which (schedules|alerts) (are there|do i have|have i)\??$",
    )
});
static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(please )?(?P<verb>stop|pause|suspend|resume|continue|restart|unpause|delete|remove|cancel|end|send|test|try|run) (?P<rest>.*)$",
    )
});
static KIND: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(schedules?|scheduled|alerts?|subscriptions?)\b"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:schedules?|scheduled|alerts?|subscriptions?|number|no\.?|nr\.?) ?#? ?|#)(\d{1,6})\b",
    )
});
static ALERTS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\balerts?\b"));
static SCHEDULES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(schedules?|scheduled|subscriptions?)\b"));

/// Words beside those that say which schedules.
const FILLING: &[&str] = &[
    "the", "my", "our", "for", "of", "a", "an", "now", "it", "please", "about",
];
const BETWEEN_NUMBERS: &[&str] = &["and", "no", "no.", "nr", "nr.", "number", "numbers"];
const ALL: &[&str] = &["all", "both", "each", "every"];

#[expect(
    clippy::expect_used,
    reason = "patterns are constants, and each is used by a test"
)]
fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern that is valid")
}

/// The message as a sentence about schedules; `None` for everything else.
pub fn schedule_request(message: &str) -> Option<ScheduleRequest> {
    if message.len() > LONGEST {
        return None;
    }
    let text = lower(message);
    if LISTS.is_match(&text) {
        return Some(ScheduleRequest::List);
    }
    if let Some(change) = change(&text) {
        return Some(change);
    }
    let delivery = delivery(message);
    let words = times::with_digits(&without_addresses(message));
    let plain = lower(&words);
    match condition(&words, &plain, delivery.is_some()) {
        Some(Ok(alert)) => {
            return Some(ScheduleRequest::Create(Box::new(Draft {
                alert: Some(alert),
                delivery,
                ..Draft::default()
            })));
        }
        Some(Err(impossible)) => return Some(ScheduleRequest::Impossible(impossible)),
        None => {}
    }
    // "Do not send me the briefing every morning" makes none.
    if NEGATES.is_match(&plain) {
        return None;
    }
    let found = recurrence(&plain);
    if wants_interval(&plain, delivery.is_some()) && interval_leads(&plain, found.as_ref()) {
        return Some(match often(&words, &plain, found.as_ref(), delivery) {
            Ok(draft) => ScheduleRequest::Create(Box::new(draft)),
            Err(impossible) => ScheduleRequest::Impossible(impossible),
        });
    }
    let Some(found) = found else {
        return once(&words, &plain, delivery.is_some()).map(ScheduleRequest::Impossible);
    };
    let time = times::only_time_of(&plain, found.half);
    let sends = SENDS.is_match(&plain) || delivery.is_some();
    // "Every day at 7 the briefing" sends something; "every day in June" does not.
    let begins = found.start == 0 && time.is_some();
    if !sends && !begins {
        return None;
    }
    if let Some(wrong) = times::wrong_time(&plain, found.half) {
        return Some(ScheduleRequest::Impossible(Impossible::Time(wrong)));
    }
    let (words, zone) = with_zone_apart(&words);
    let timezone = match zone.transpose() {
        Ok(zone) => zone,
        Err(unknown) => return Some(ScheduleRequest::Impossible(unknown)),
    };
    Some(ScheduleRequest::Create(Box::new(Draft {
        question: task_of(&times::without(&words, &found)),
        alert: None,
        time,
        timezone,
        half: found.half,
        days: found.days,
        delivery,
        ..Draft::default()
    })))
}

/// The schedule of a sentence with an interval.
fn often(
    words: &str,
    plain: &str,
    found: Option<&Recurrence>,
    delivery: Option<ScheduleDelivery>,
) -> Result<Draft, Impossible> {
    let half = found.and_then(|found| found.half);
    let often = times::often(plain, half)?;
    let (words, zone) = with_zone_apart(words);
    let words = times::without_interval(&words);
    let words = match found {
        Some(found) => times::without(&words, found),
        None => times::without_times(&words),
    };
    let mut draft = Draft {
        question: task_of(&words),
        timezone: zone.transpose()?,
        days: found.map(|found| found.days.clone()).unwrap_or_default(),
        delivery,
        ..Draft::default()
    };
    often.add_to(&mut draft);
    Ok(draft)
}

/// Something that is to be sent at a time of day, without the days on which it comes again: "at 7
/// the briefing to ops@example.com".
fn once(words: &str, plain: &str, addressed: bool) -> Option<Impossible> {
    let (_, place) = times::time_of(plain, None)?;
    let task = task_of(&times::without_times(words))?;
    let sends = addressed
        || task == BRIEFING
        || MAILS.is_match(plain)
        || place.start == 0 && plain.contains(" send ");
    sends.then(|| Impossible::Once(plain[place].trim().to_owned()))
}

/// Whether a sentence asks for something to be sent in an interval.
fn wants_interval(plain: &str, addressed: bool) -> bool {
    let asks = addressed || ASKS.is_match(plain);
    let interval = times::interval(plain).filter(|_| asks);
    // "Every hour of yesterday" is a part of a question.
    interval.is_some_and(|found| !plain[found.end()..].starts_with(" of "))
}

/// Whether the interval is that of the sending, and not a part of the question.
fn interval_leads(plain: &str, found: Option<&Recurrence>) -> bool {
    let Some(found) = found else {
        return true;
    };
    let has_time = times::only_time_of(plain, found.half).is_some();
    times::interval(plain).is_some_and(|interval| interval.start() <= found.start || !has_time)
}

/// The sentence without the time zone that it names, and that zone.
fn with_zone_apart(words: &str) -> (String, Option<Result<String, Impossible>>) {
    let mut text = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(named) = zones::find(&text) else {
        return (text, None);
    };
    text.replace_range(named.place, " ");
    let zone = named.zone.map(str::to_owned).map_err(Impossible::Zone);
    (text, Some(zone))
}

/// The change that a sentence requests of one schedule.
fn change(text: &str) -> Option<ScheduleRequest> {
    let found = CHANGES.captures(text)?;
    let rest = found["rest"].trim_end_matches(['.', '!', '?']).to_owned();
    if !KIND.is_match(&rest) || EMAIL.is_match(&rest) || URL.is_match(&rest) {
        return None;
    }
    let change = match &found["verb"] {
        "pause" | "suspend" => Change::Pause,
        "resume" | "continue" | "restart" | "unpause" => Change::Resume,
        "stop" | "delete" | "remove" | "cancel" | "end" => Change::Delete,
        _ => Change::SendNow,
    };
    if change == Change::SendNow && recurrence(&rest).is_some() {
        return None;
    }
    Some(ScheduleRequest::Change(change, which(&rest)))
}

/// The schedules that the words behind a verb are about.
fn which(rest: &str) -> Which {
    let alerts = ALERTS.is_match(rest) && !SCHEDULES.is_match(rest);
    let words = rest
        .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.')
        .filter(|word| !word.is_empty() && !KIND.is_match(word) && !FILLING.contains(word));
    let mut words: Vec<&str> = words.collect();
    if NUMBER.is_match(rest) {
        words.retain(|word| !BETWEEN_NUMBERS.contains(word));
        let numbers: Option<Vec<u32>> = words.iter().map(|word| word.parse().ok()).collect();
        return numbers.map_or(Which::Unclear, Which::Numbers);
    }
    let count = words.len();
    words.retain(|word| !ALL.contains(word));
    if words.is_empty() && count > 0 {
        return Which::All { alerts };
    }
    let words = words.into_iter().map(str::to_owned).collect();
    Which::Words { words, alerts }
}

fn delivery(message: &str) -> Option<ScheduleDelivery> {
    let trimmed = |text: &str| {
        text.trim_end_matches(['.', ',', ';', '!', '?', ')'])
            .to_owned()
    };
    // Of several addresses none is left out without a word: one is asked for.
    if URL.find_iter(message).count() + EMAIL.find_iter(message).count() > 1 {
        return None;
    }
    if let Some(url) = URL.find(message) {
        let url = trimmed(url.as_str());
        return Some(ScheduleDelivery::Webhook { url });
    }
    let email = EMAIL.find(message)?;
    let to = trimmed(email.as_str());
    Some(ScheduleDelivery::Email { to })
}

fn without_addresses(message: &str) -> String {
    let message = URL.replace_all(message, " ");
    EMAIL.replace_all(&message, " ").into_owned()
}

fn lower(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase().replace('\u{2019}', "'")
}

/// Words around a task that are not part of it.
static AROUND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[\s,.:;-]*((please|can you|could you|would you|i want you to|i'd like you to|i would like|i want|send|e-?mail|mail|deliver|post|schedule|subscribe|give|get|show|report|and|then|me|us|to me|to us|to|it|a|an|the|by|via|with|e-mail|email|webhook|web hook)\b[\s,.:;]*)*",
    )
});
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)([\s,.:;!?-]*\b(please|to|to me|to us|me|us|by|via|as|with|an?|the|e-?mail|mail|webhook|web hook|address|at|and|in)\b)*[\s,.:;!?-]*$",
    )
});

/// The question that is asked each time. A report is asked for by its name.
fn task_of(words: &str) -> Option<String> {
    let text = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = AROUND.replace(&text, "");
    let text = BEHIND.replace(&text, "");
    let text = text.trim();
    if text.chars().filter(|c| c.is_alphabetic()).count() < 3 {
        return None;
    }
    let plain = text.to_lowercase();
    let report = [
        ("briefing", BRIEFING),
        ("morning report", BRIEFING),
        ("daily report", BRIEFING),
    ];
    let named = report.iter().find(|(name, _)| {
        plain == *name || plain == format!("morning {name}") || plain == format!("daily {name}")
    });
    Some(match named {
        Some((_, question)) => (*question).to_owned(),
        None => capital(text),
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
