//! The devices that send data, and those that no longer do, by their newest readings.

use chrono::{DateTime, FixedOffset, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use contracts::tools::LoggerSummary;

use super::format;
use crate::language::Reporting;

/// Most devices that are named.
const MOST_NAMED: usize = 12;

/// Data older than this are those of the past: their end is the "now" of the devices.
const CURRENT: TimeDelta = TimeDelta::days(7);

/// Which of the `asked` devices are silent for longer than some hours, longest first. The silence
/// counts until now, or until the newest reading of all `known` devices if that is old.
pub(crate) fn silences(
    asked: &[LoggerSummary],
    known: &[LoggerSummary],
    hours: u32,
    now: DateTime<Utc>,
) -> String {
    let newest = known.iter().filter_map(|one| one.latest_data).max();
    let past = newest.filter(|newest| now - newest.to_utc() > CURRENT);
    let until = past.map_or(now, |newest| newest.to_utc());
    let longest = TimeDelta::hours(hours.into());
    let mut silent: Vec<(&str, DateTime<FixedOffset>)> = asked
        .iter()
        .filter_map(|one| Some((one.logger_id.as_str(), one.latest_data?)))
        .filter(|(_, last)| until - last.to_utc() > longest)
        .collect();
    silent.sort_by_key(|(_, last)| *last);
    let never: Vec<&str> = asked
        .iter()
        .filter(|one| one.latest_data.is_none())
        .map(|one| one.logger_id.as_str())
        .collect();
    let age =
        |last: &DateTime<FixedOffset>| format::age((until - last.to_utc()).as_seconds_f64() / 60.0);
    let at = |last: &DateTime<FixedOffset>| {
        format!(
            "{} on {}",
            format::clock(*last),
            format::date(last.date_naive())
        )
    };
    let bound = duration(hours);
    let mut sentences = Vec::new();
    if let ([one], Some(last)) = (asked, asked.first().and_then(|one| one.latest_data)) {
        let (id, age, at) = (&one.logger_id, age(&last), at(&last));
        sentences.push(if silent.is_empty() {
            format!(
                "{id} has not been silent for more than {bound}: its newest reading is of {at}."
            )
        } else {
            format!("{id} has sent nothing since {at}, for {age}.")
        });
    } else {
        let all = format::count(asked.len() as u64, "device");
        let named: Vec<String> = silent
            .iter()
            .map(|(id, last)| format!("{id} since {}, for {}", at(last), age(last)))
            .collect();
        match silent.len() {
            0 if never.len() == asked.len() => {}
            0 => sentences.push(format!(
                "None of your {all} with readings has been silent for more than {bound}."
            )),
            count => sentences.push(format!(
                "{count} of your {all} {} been silent for more than {bound}: {}.",
                if count == 1 { "has" } else { "have" },
                listed(&named)
            )),
        }
    }
    if !never.is_empty() {
        sentences.push(format!(
            "{} {} not sent a reading yet.",
            format::list_most(&never, MOST_NAMED),
            if never.len() == 1 { "has" } else { "have" }
        ));
    }
    if let Some(newest) = past.filter(|_| never.len() < asked.len()) {
        sentences.push(format!(
            "The newest reading of all is of {}, and I count to that.",
            at(&newest)
        ));
    }
    sentences.join(" ")
}

/// Hours of silence after which a device no longer reports: no night is longer.
const SILENT_AFTER: i64 = 24;

/// What sends data: a device, or a site with all of its devices.
struct Sender<'a> {
    name: &'a str,
    last: Option<DateTime<FixedOffset>>,
    /// Today where it is.
    today: NaiveDate,
}

impl<'a> Sender<'a> {
    fn of(one: &'a LoggerSummary, now: DateTime<Utc>) -> Self {
        let zone = one.timezone.parse::<Tz>().unwrap_or(Tz::UTC);
        Self {
            name: &one.logger_id,
            last: one.latest_data,
            today: now.with_timezone(&zone).date_naive(),
        }
    }

    /// The sites of some devices.
    fn sites(devices: &'a [LoggerSummary], now: DateTime<Utc>) -> Vec<Self> {
        let mut sites: Vec<Self> = Vec::new();
        for one in devices {
            let own = Self {
                name: &one.site_name,
                ..Self::of(one, now)
            };
            match sites.iter_mut().find(|site| site.name == own.name) {
                Some(site) => site.last = site.last.max(own.last),
                None => sites.push(own),
            }
        }
        sites
    }
}

/// Which of the `asked` devices or sites send data, how many they are, and since when the others
/// are silent. The silence counts until now, or until the newest reading of all `known` devices if
/// that is old.
pub(crate) fn reporting(
    asked: &[LoggerSummary],
    known: &[LoggerSummary],
    question: Reporting,
    now: DateTime<Utc>,
) -> String {
    let newest = known.iter().filter_map(|one| one.latest_data).max();
    let past = newest.filter(|newest| now - newest.to_utc() > CURRENT);
    let until = past.map_or(now, |newest| newest.to_utc());
    let senders = if question.sites {
        Sender::sites(asked, now)
    } else {
        asked.iter().map(|one| Sender::of(one, now)).collect()
    };
    let reports = |one: &&Sender<'_>| {
        one.last.is_some_and(|last| {
            if question.today {
                // A stamp ends its step, so midnight belongs to the day before.
                (last - TimeDelta::seconds(1)).date_naive() == one.today
            } else {
                until - last.to_utc() <= TimeDelta::hours(SILENT_AFTER)
            }
        })
    };
    let (here, absent): (Vec<&Sender<'_>>, Vec<&Sender<'_>>) = senders.iter().partition(reports);
    let mut sentences = vec![counted(&here, &absent, question)];
    let mut last: Vec<(&str, DateTime<FixedOffset>)> = absent
        .iter()
        .filter_map(|one| Some((one.name, one.last?)))
        .collect();
    last.sort_by_key(|(_, last)| *last);
    let at = |last: DateTime<FixedOffset>| {
        format!(
            "{} on {}",
            format::clock(last),
            format::date(last.date_naive())
        )
    };
    let told: Vec<String> = last
        .iter()
        .map(|(id, last)| format!("{id} at {}", at(*last)))
        .collect();
    if !told.is_empty() {
        let s = if told.len() == 1 { "" } else { "s" };
        sentences.push(format!("Last reading{s}: {}.", listed(&told)));
    }
    let never = absent.iter().filter(|one| one.last.is_none());
    let never: Vec<&str> = never.map(|one| one.name).collect();
    if !never.is_empty() {
        sentences.push(format!(
            "{} {} not sent a reading yet.",
            format::list_most(&never, MOST_NAMED),
            if never.len() == 1 { "has" } else { "have" }
        ));
    }
    if let Some(newest) = past.filter(|_| !question.today) {
        sentences.push(format!(
            "The newest reading of all is of {}, and I count to that.",
            at(newest)
        ));
    }
    sentences.join(" ")
}

/// The number of those that are asked for, with their names.
fn counted(here: &[&Sender<'_>], absent: &[&Sender<'_>], question: Reporting) -> String {
    let total = here.len() + absent.len();
    let noun = if question.sites { "site" } else { "device" };
    let all = format::count(total as u64, noun);
    let (shown, one, several) = match (question.silent, question.today) {
        (true, true) => (absent, "has sent nothing", "have sent nothing"),
        (true, false) => (absent, "is silent", "are silent"),
        (false, true) => (here, "has sent data", "have sent data"),
        (false, false) => (here, "reports", "report"),
    };
    let first = here.iter().chain(absent).next();
    let when = first
        .filter(|_| question.today)
        .map_or_else(String::new, |one| {
            format!(" today, {}", format::date(one.today))
        });
    let ids: Vec<&str> = shown.iter().map(|one| one.name).collect();
    let ids = format::list_most(&ids, MOST_NAMED);
    match shown.len() {
        // If none is silent, the devices that report are named.
        0 if question.silent && total > 0 => {
            let reporting = Reporting {
                silent: false,
                ..question
            };
            counted(here, absent, reporting)
        }
        0 => format!("None of your {all} {one}{when}."),
        1 if total == 1 => format!("{ids} {one}{when}."),
        count if count == total => format!("All of your {all} {several}{when}: {ids}."),
        1 => format!("1 of your {all} {one}{when}: {ids}."),
        count => format!("{count} of your {all} {several}{when}: {ids}."),
    }
}

/// Silences with their times, one behind the other.
fn listed(named: &[String]) -> String {
    let shown = named.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>();
    match named.len().saturating_sub(MOST_NAMED) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

/// `a week` or `24 hours`.
fn duration(hours: u32) -> String {
    const DAY: u32 = 24;
    match hours {
        hours if hours % (7 * DAY) == 0 => format::count((hours / (7 * DAY)).into(), "week"),
        hours if hours % DAY == 0 && hours > DAY => format::count((hours / DAY).into(), "day"),
        hours => format::count(hours.into(), "hour"),
    }
}
