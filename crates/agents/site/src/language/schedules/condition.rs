//! Conditions of alerts: "when a device is out for an hour", "if there is no data for 3 hours".

use std::sync::LazyLock;

use contracts::tools::{AlertCondition, AlertKind};
use regex::Regex;

use super::pattern;

static TELL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:please |can you |could you )*(?P<verb>tell|notify|alert|warn|inform|message|mail|e-?mail|text|ping|write|let|send)\b(?:[^.?!]{0,60}?)\b(?P<when>when(?:ever)?|as soon as|once|if)\b(?P<rest>.+)$",
    )
});
static OUT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:is|are|goes|go|gets|get|has been|have been|stays|stay|falls|fall)\b[a-z ]{0,12}\b(?:out|offline|down|off|dead|unreachable|not (?:working|producing|delivering))\b|\b(?:stops?|quits?) (?:working|producing|delivering)\b|\bfails?\b|\bdelivers? nothing\b",
    )
});
static SILENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:no|without|missing) (?:more |new |any )?(?:data|readings?|measurements?)\b|\bstops? (?:sending|reporting)\b|\b(?:does not|doesn't|do not|don't) (?:send|report)\b|\b(?:data|readings?) (?:is|are|stay) missing\b|\b(?:is|are|has been|have been|goes|go) silent\b",
    )
});
static LOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:energy|production|yield|output|delivers?|produces?|generates?|generation)\b.*\b(?:below|under|less than|lower than|beneath|falls? short)\b",
    )
});
static PERCENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(\d{1,3}) ?(?:%|percent|per cent)"));
static EXPECTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:expect|forecast|predict)"));
static LONG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bfor (?:more than |at least |over |longer than |about )?(?P<count>half an?|an?|one|two|three|four|five|six|eight|ten|twelve|\d{1,5})[ -]?(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?)\b(?P<more> and a half)?",
    )
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:device|inverter|logger|meter)\s+(?P<id>[A-Za-z_-]*\d[\w-]*)\b")
});
static AT_SITE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:site|plant|park)\s+(?P<id>[\w-]+)\b"));

static OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:energy|production|yield|output|data|readings?|measurements?)\b (?:of|from|by) (?P<of>(?:the |a |any )?[\w-]+)",
    )
});

/// Words that mean any device or any day.
const GENERIC: &[&str] = &[
    "a",
    "an",
    "any",
    "one",
    "some",
    "of",
    "my",
    "our",
    "the",
    "these",
    "those",
    "all",
    "device",
    "devices",
    "inverter",
    "inverters",
    "logger",
    "loggers",
    "meter",
    "meters",
    "day",
    "days",
    "there",
    "it",
    "site",
    "plant",
    "park",
    "daily",
    "every",
    "each",
    "is",
    "are",
    "has",
    "have",
    "been",
    "sends",
    "send",
    "gives",
    "give",
    "gets",
    "get",
    "we",
    "i",
    "receive",
    "ever",
    "again",
    "suddenly",
];

/// Words that follow "site" and are not its name.
const VERBS: [&str; 12] = [
    "is", "are", "has", "goes", "stays", "sends", "delivers", "produces", "stops", "fails", "for",
    "falls",
];

/// The condition of a sentence that asks for an alert, with the limit that it says; whether there
/// may be such an alert is for those to say who check it. `addressed`: the sentence has an address.
pub(super) fn condition(words: &str, plain: &str, addressed: bool) -> Option<AlertCondition> {
    let found = TELL.captures(plain)?;
    let rest = found.name("rest")?.as_str();
    let minutes = minutes(rest);
    // "Tell me if a device is out" asks for now; "alert me if …", or "… for an hour", does not.
    let later = &found["when"] != "if"
        || minutes.is_some()
        || addressed
        || matches!(&found["verb"], "notify" | "alert" | "warn" | "ping");
    if !later {
        return None;
    }
    let mut alert = if SILENT.is_match(rest) {
        let mut alert = AlertCondition::of(AlertKind::NoData);
        alert.hours = minutes.map(|minutes| minutes.div_ceil(60));
        alert
    } else if LOW.is_match(rest) && (PERCENT.is_match(rest) || EXPECTED.is_match(rest)) {
        let mut alert = AlertCondition::of(AlertKind::LowEnergy);
        let percent = PERCENT
            .captures(rest)
            .and_then(|found| found[1].parse().ok());
        alert.percent = percent;
        alert
    } else if OUT.is_match(rest) {
        let mut alert = AlertCondition::of(AlertKind::DeviceOut);
        alert.minutes = minutes;
        alert
    } else {
        return None;
    };
    alert.logger_id = NAMED.captures(words).map(|found| found["id"].to_owned());
    if alert.logger_id.is_none() {
        alert.site_id = AT_SITE
            .captures(words)
            .map(|found| found["id"].to_owned())
            .filter(|id| !VERBS.contains(&id.to_lowercase().as_str()));
    }
    if alert.logger_id.is_none() && alert.site_id.is_none() {
        alert.logger_id = subject(rest);
    }
    Some(alert)
}

/// The subject of the condition, if that is more than "a device". Whether there is such a thing is
/// for those to say who know the devices.
fn subject(rest: &str) -> Option<String> {
    let verb = [&*SILENT, &*LOW, &*OUT]
        .into_iter()
        .filter_map(|pattern| pattern.find(rest))
        .map(|found| found.start())
        .min()?;
    let before = &rest[..verb];
    let behind = OF.captures(rest).map_or("", |found| {
        found.name("of").map_or("", |named| named.as_str())
    });
    let named: Vec<&str> = before
        .split_whitespace()
        .chain(behind.split_whitespace())
        .map(|word| word.trim_end_matches("'s").trim_matches([',', '.']))
        .filter(|word| !word.is_empty() && !GENERIC.contains(word))
        .collect();
    (!named.is_empty()).then(|| named.join(" "))
}

/// The length of time in a sentence, in minutes.
fn minutes(rest: &str) -> Option<u32> {
    let found = LONG.captures(rest)?;
    // In seconds.
    let unit: u32 = match &found["unit"] {
        unit if unit.starts_with("mo") => 30 * 24 * 60 * 60,
        unit if unit.starts_with('w') => 7 * 24 * 60 * 60,
        unit if unit.starts_with('d') => 24 * 60 * 60,
        unit if unit.starts_with('h') => 60 * 60,
        unit if unit.starts_with('s') => 1,
        _ => 60,
    };
    let count = match &found["count"] {
        half if half.starts_with("half") => return Some(unit.div_ceil(2 * 60)),
        "a" | "an" | "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "eight" => 8,
        "ten" => 10,
        "twelve" => 12,
        digits => digits.parse().ok()?,
    };
    let more = found.name("more").map_or(0, |_| unit / 2);
    let seconds = u32::saturating_mul(count, unit).saturating_add(more);
    Some(seconds.div_ceil(60))
}
