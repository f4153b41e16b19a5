//! Times that come again: "every weekday at 6:30", "each Monday at 8 pm", "every 2 hours between 8
//! and 18".

use std::sync::LazyLock;

use contracts::schedules::{ScheduleTiming, Weekday};
use regex::{Captures, Regex};

use super::{Draft, Half, Impossible, pattern};

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

const TIME: &str = r"(?:noon|midday|midnight|\d{1,2}(?:[:.]\d{2})?(?: ?(?:a\.?m\b\.?|p\.?m\b\.?))?(?: ?o'?clock)?)";

/// An interval shorter than a day.
static WITHIN_DAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:(?:every|each) (?:(?P<count>{COUNT}) )?(?P<unit>minute|hour)s?|hourly|(?P<times>once|twice|(?:two|three|four|\d+) times) (?:a|an|per|every) hour)\b"
    ))
});
/// The hours of a day in which an interval is counted: "between 8 and 18".
static HOURS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i),? ?\b(?:between|from|starting at|beginning at|starting|since) (?P<from>{TIME})(?: ?(?:and|to|until|till|-|\u{{2013}}) ?(?P<until>{TIME}))?(?: in the (?:morning|afternoon|evening)\b)?"
    ))
});
/// The hours of a day in words that are not times.
static PART_OF_DAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:every|each|in the|during the|at) )?(?:morning|afternoon|evening|night|daylight|day ?time|working hours|business hours|office hours)s?\b|\b(?:during|while|as long as|between|from|until)\b.*$",
    )
});

const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// A time in words: "half past six", "quarter to 8", "at seven thirty".
static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let numbers = NUMBERS.join("|");
    pattern(&format!(
        r"(?i)\b(?:(?:at )?(?:an? )?(?P<minutes>half|quarter|five|ten|twenty-five|twenty five|twenty|5|10|20|25)(?: minutes?)? (?P<way>past|to|before|after) (?P<near>{numbers}|\d{{1,2}})|at (?P<hour>{numbers})(?:[ -](?P<extra>fifteen|thirty|forty[ -]five))?(?P<behind> ?o'?clock\b| ?[ap]\.?m\b| in the\b| on\b| every\b| each\b| the\b| send\b| e?-?mail\b| to\b| and\b| local\b|[,.;]|$))(?P<end>\b|$)?"
    ))
});
/// "Half seven", which is 6:30 for some and 7:30 for others.
static HALF_AN_HOUR: LazyLock<Regex> = LazyLock::new(|| {
    let numbers = NUMBERS.join("|");
    pattern(&format!(
        r"(?i)\bat (?P<said>half (?:{numbers}|\d{{1,2}}))\b"
    ))
});

/// Times that come again on the same day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Often {
    pub(super) every_minutes: u32,
    pub(super) from: String,
    pub(super) until: Option<String>,
}

impl Often {
    /// The draft with these times.
    pub(super) fn add_to(self, draft: &mut Draft) {
        draft.time = Some(self.from);
        draft.every_minutes = Some(self.every_minutes);
        draft.until = self.until;
    }
}

/// The times of a sentence with an interval, or why there cannot be such a schedule.
pub(super) fn often(plain: &str, half: Option<Half>) -> Result<Often, Impossible> {
    let refused = || {
        let said = interval(plain).map(|found| found.as_str().to_owned());
        Impossible::Interval(said.unwrap_or_default())
    };
    let found = WITHIN_DAY.captures(plain).ok_or_else(refused)?;
    // "Every 2 days", "weekly": the first interval is another one.
    let place = found.get(0).map(|found| found.start());
    if place != interval(plain).map(|found| found.start()) {
        return Err(refused());
    }
    let minutes = minutes(&found).filter(|minutes| ScheduleTiming::INTERVALS.contains(minutes));
    let every_minutes = minutes.ok_or_else(refused)?;
    let rest = WITHIN_DAY.replace(plain, " ");
    let (from, until) = hours(&rest, half)?;
    Ok(Often {
        every_minutes,
        from,
        until,
    })
}

fn minutes(found: &Captures<'_>) -> Option<u32> {
    if let Some(times) = found.name("times") {
        let count = match times.as_str() {
            "once" => 1,
            "twice" => 2,
            times => number(times.trim_end_matches(" times"))?,
        };
        return (count > 0 && 60 % count == 0).then(|| 60 / count);
    }
    // "Hourly" has no unit.
    let unit = found.name("unit").map_or("hour", |unit| unit.as_str());
    let unit = if unit == "hour" { 60.0 } else { 1.0 };
    let count = match found.name("count").map(|count| count.as_str()) {
        None => 1.0,
        Some("half an" | "half a" | "half") => 0.5,
        Some("quarter of an") => 0.25,
        Some("other" | "second" | "couple of") => 2.0,
        Some("third") => 3.0,
        Some(count) => {
            let digits = count.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            if let Some(count) = number(count) {
                f64::from(count)
            } else {
                digits.replace(',', ".").parse().ok()?
            }
        }
    };
    let minutes = count * unit;
    let is_whole = minutes.fract() == 0.0 && (1.0..=100_000.0).contains(&minutes);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, and within the range"
    )]
    is_whole.then_some(minutes as u32)
}

fn number(word: &str) -> Option<u32> {
    let more = [("fifteen", 15), ("twenty", 20), ("thirty", 30)];
    let named = NUMBERS.iter().position(|number| *number == word);
    let named = named.and_then(|place| u32::try_from(place + 1).ok());
    named
        .or_else(|| more.iter().find(|(name, _)| *name == word).map(|(_, n)| *n))
        .or_else(|| word.parse().ok())
}

/// The first and the last time of a day with an interval.
fn hours(rest: &str, half: Option<Half>) -> Result<(String, Option<String>), Impossible> {
    let wrong = |said: &str| Impossible::Hours(said.trim_matches([' ', ',']).to_owned());
    if let Some(found) = HOURS.captures(rest) {
        let said = &found[0];
        let from = answer(&found["from"], None).ok_or_else(|| wrong(said))?;
        let Some(until) = found.name("until") else {
            return Ok((from, None));
        };
        let until = answer(until.as_str(), None).ok_or_else(|| wrong(said))?;
        if until > from {
            return Ok((from, Some(until)));
        }
        // "From 8 to 6" is until the evening.
        let evening = answer(found["until"].trim(), Some(Half::Evening));
        let evening = evening.filter(|until| *until > from);
        return evening
            .map(|until| (from, Some(until)))
            .ok_or_else(|| wrong(said));
    }
    if let Some((time, place)) = time_of(rest, half) {
        return match time_of(&rest[place.end..], half) {
            None => Ok((time, None)),
            Some(_) => Err(wrong(&rest[place])),
        };
    }
    if let Some(found) = PART_OF_DAY.find(rest) {
        return Err(wrong(found.as_str()));
    }
    Ok(("00:00".to_owned(), None))
}

/// The sentence with digits in place of times in words.
pub(super) fn with_digits(text: &str) -> String {
    SPOKEN
        .replace_all(text, |found: &Captures<'_>| {
            spoken(found).unwrap_or_else(|| found[0].to_owned())
        })
        .into_owned()
}

fn spoken(found: &Captures<'_>) -> Option<String> {
    let lower = |name: &str| found.name(name).map(|word| word.as_str().to_lowercase());
    if let Some(hour) = lower("hour") {
        let minute = match lower("extra").as_deref() {
            None => "00",
            Some("fifteen") => "15",
            Some("thirty") => "30",
            Some(_) => "45",
        };
        let behind = found.name("behind").map_or("", |behind| behind.as_str());
        return Some(format!("at {}:{minute}{behind}", number(&hour)?));
    }
    let minutes = match lower("minutes")?.as_str() {
        "half" => 30,
        "quarter" => 15,
        "twenty-five" | "twenty five" => 25,
        minutes => number(minutes)?,
    };
    let near = number(&lower("near")?).filter(|hour| *hour <= 24)?;
    match lower("way")?.as_str() {
        "past" | "after" => Some(format!("at {near}:{minutes:02}")),
        // "Half to seven" is not a time.
        _ if minutes == 30 => None,
        _ => {
            let hour = (near + 23) % 24;
            // A quarter to one is after noon as one is.
            let hour = if near == 1 { 12 } else { hour };
            Some(format!("at {hour}:{:02}", 60 - minutes))
        }
    }
}

/// Words in the place of a time of day that are not one, where there is no other: "25:00", "half
/// seven".
pub(super) fn wrong_time(plain: &str, half: Option<Half>) -> Option<String> {
    if let Some(found) = HALF_AN_HOUR.captures(plain) {
        return Some(found["said"].to_owned());
    }
    if time_of(plain, half).is_some() {
        return None;
    }
    let found = AT.captures_iter(plain).find(|found| {
        let is_clock = found.name("minute").is_some()
            || found.name("half").is_some()
            || found[0].contains("clock");
        found.name("hour").is_some() && is_clock && clock(found, half).is_none()
    })?;
    let said = found[0].trim_start_matches("at").trim_start_matches('@');
    Some(said.trim().to_owned())
}

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

/// The places of the times of day and of an interval in a sentence.
pub(super) fn places(text: &str) -> Vec<std::ops::Range<usize>> {
    let often = [&*WITHIN_DAY, &*HOURS];
    let often = often.into_iter().filter_map(|times| times.find(text));
    let times = AT.captures_iter(text);
    let times = times.filter(|found| found.name("hour").is_none() || clock(found, None).is_some());
    times
        .filter_map(|found| found.get(0))
        .chain(often)
        .map(|found| found.range())
        .collect()
}

/// The words of an interval: "every 2 hours", "monthly".
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

fn clock(found: &Captures<'_>, half: Option<Half>) -> Option<String> {
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

/// The sentence without its days and times.
pub(super) fn without(text: &str, found: &Recurrence) -> String {
    without_clock(&AGAIN.replace(text, " "), found.half)
}

/// The sentence without its times.
pub(super) fn without_times(text: &str) -> String {
    without_clock(text, None)
}

fn without_clock(text: &str, half: Option<Half>) -> String {
    let without = AT.replace_all(text, |time: &Captures<'_>| {
        let is_time = time.name("hour").is_none() || clock(time, half).is_some();
        if is_time {
            " ".to_owned()
        } else {
            time[0].to_owned()
        }
    });
    without.into_owned()
}

/// The sentence without its interval, and without the hours in which it is counted.
pub(super) fn without_interval(text: &str) -> String {
    let text = WITHIN_DAY.replace(text, " ");
    HOURS.replace(&text, " ").into_owned()
}
