//! Times that come again: "every weekday at 6:30", "each Monday at 8 pm".

use std::sync::LazyLock;

use contracts::schedules::Weekday;
use regex::Regex;

use super::{Half, pattern};

/// Days that come again.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recurrence {
    /// Empty: every day.
    pub(super) days: Vec<Weekday>,
    pub(super) half: Option<Half>,
    /// The place of its words in the sentence.
    pub(super) start: usize,
}

const COUNT: &str = r"(?:\d+(?:[.,]\d+)?|a few|few|half an|half a|half|quarter of an|other|second|third|couple of|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|\d+(?:st|nd|rd|th)|first|last)";

const DAY: &str = r"(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?)";

static AGAIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:on )?(?:(?:every|each)(?: single)? (?P<what>morning|day|evening|night|weekday|working day|workday|weekend|{DAY}(?:(?:,? and |, ?){DAY})*)|(?P<plural>weekdays|workdays|weekends|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)|(?P<daily>daily|once (?:a|per) day))\b(?: (?P<half>morning|evening)s?\b)?"
    ))
});
static INTERVAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:(?:every|each) (?:(?:{COUNT}) (?:days?|weekdays?|{DAY})|(?:{COUNT} )?(?:seconds?|minutes?|hours?|weeks?|fortnights?|months?|quarters?|years?))|hourly|weekly|fortnightly|monthly|quarterly|yearly|(?:once|twice|(?:two|three|four|\d+) times) (?:a|an|per|every) (?:minute|hour|week|month|quarter|year)|(?:twice|(?:two|three|four|\d+) times) (?:a|per) day)\b"
    ))
});
static AT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:at|@) ?(?:(?P<noon>noon|midday)|(?P<midnight>midnight)|(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?(?: ?(?P<half>a\.?m\b\.?|p\.?m\b\.?))?(?: ?(?:o'?clock|h)\b)?)(?: in the (?P<part>morning|afternoon|evening)\b)?(?: local time\b)?",
    )
});
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[^0-9]{0,12}\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?(?: ?(?P<half>a\.?m\b\.?|p\.?m\b\.?))?(?: ?(?:o'?clock|h)\b)?[ .!]*$",
    )
});

/// The days that come again in a sentence.
pub(super) fn recurrence(plain: &str) -> Option<Recurrence> {
    let found = AGAIN.captures(plain)?;
    let whole = found.get(0)?;
    let what = ["what", "plural", "daily"]
        .iter()
        .find_map(|name| found.name(name))?
        .as_str();
    let days = match what {
        "morning" | "day" | "evening" | "night" => Vec::new(),
        _ if found.name("daily").is_some() => Vec::new(),
        "weekday" | "working day" | "workday" | "weekdays" | "workdays" => {
            Weekday::ALL[..5].to_vec()
        }
        "weekend" | "weekends" => Weekday::ALL[5..].to_vec(),
        named => Weekday::ALL
            .into_iter()
            .filter(|day| named.contains(day.name()))
            .collect(),
    };
    let part = found.name("half").map_or(what, |half| half.as_str());
    let half = match part {
        "morning" => Some(Half::Morning),
        "evening" | "night" => Some(Half::Evening),
        _ => None,
    };
    Some(Recurrence {
        days,
        half,
        start: whole.start(),
    })
}

/// The time of day in a sentence, `07:00`, and its place.
pub(super) fn time_of(plain: &str, half: Option<Half>) -> Option<(String, std::ops::Range<usize>)> {
    let found = AT.captures(plain)?;
    let place = found.get(0)?.range();
    if found.name("noon").is_some() {
        return Some(("12:00".to_owned(), place));
    }
    if found.name("midnight").is_some() {
        return Some(("00:00".to_owned(), place));
    }
    let half = match found.name("part").map(|part| part.as_str()) {
        Some("morning") => Some(Half::Morning),
        Some(_) => Some(Half::Evening),
        None => half,
    };
    Some((clock(&found, half)?, place))
}

/// The places of the times of day in a sentence.
pub(super) fn places(text: &str) -> Vec<std::ops::Range<usize>> {
    let times = AT.captures_iter(text);
    let times = times.filter(|found| found.name("hour").is_none() || clock(found, None).is_some());
    times
        .filter_map(|found| found.get(0))
        .map(|found| found.range())
        .collect()
}

/// The words of an interval that no schedule has: "every 2 hours", "monthly".
pub(super) fn interval(plain: &str) -> Option<regex::Match<'_>> {
    INTERVAL.find(plain)
}

/// The time of day in a sentence that names one; a schedule has no two.
pub(super) fn only_time_of(plain: &str, half: Option<Half>) -> Option<String> {
    let (time, place) = time_of(plain, half)?;
    let another = time_of(&plain[place.end..], half);
    another.is_none().then_some(time)
}

/// The time of day as an answer: "at 7", "7:30", "07:30 am".
pub(super) fn answer(words: &str, half: Option<Half>) -> Option<String> {
    let plain = words.trim().to_lowercase();
    if let Some((time, _)) = time_of(&plain, half) {
        return Some(time);
    }
    clock(&BARE.captures(&plain)?, half)
}

fn clock(found: &regex::Captures<'_>, half: Option<Half>) -> Option<String> {
    let hour: u32 = found.name("hour")?.as_str().parse().ok()?;
    let minute: u32 = match found.name("minute") {
        Some(minute) => minute.as_str().parse().ok()?,
        None => 0,
    };
    let said = found.name("half").map(|half| half.as_str().to_lowercase());
    let hour = match said.as_deref().map(|half| half.starts_with('p')) {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
        None if half == Some(Half::Evening) && (1..12).contains(&hour) => hour + 12,
        None => hour,
    };
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

/// The sentence without its times.
pub(super) fn without(text: &str, found: &Recurrence) -> String {
    let text = AGAIN.replace(text, " ");
    let without = AT.replace_all(&text, |time: &regex::Captures<'_>| {
        let is_time = time.name("hour").is_none() || clock(time, found.half).is_some();
        if is_time {
            " ".to_owned()
        } else {
            time[0].to_owned()
        }
    });
    without.into_owned()
}
