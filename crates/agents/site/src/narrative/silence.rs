//! The devices that no longer send anything, by their newest readings.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use contracts::tools::LoggerSummary;

use super::format;

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
