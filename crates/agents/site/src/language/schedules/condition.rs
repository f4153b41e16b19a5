//! Conditions of alerts: "when a device is out for an hour", "if there is no data for 3 hours".

use std::sync::LazyLock;

use agent_kit::number_words;
use contracts::tools::{AlertCondition, AlertKind};
use regex::Regex;

use super::{Impossible, pattern};

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
/// The share of a forecast that a device delivers less than.
static BELOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:below|under|less than|lower than|beneath|falls? short of)\b(?P<share>.*?)\b(?:expect|forecast|predict)",
    )
});
static EXPECTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:expect|forecast|predict)"));
/// An amount of time: "1 hour", "an hour and a half", "1h20", "half a day".
static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<count>half an?|(?:a )?quarter of an|three quarters of an|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty-five|forty|sixty|ninety|\d{1,5}(?:[.,]\d{1,2})?)(?P<and> and a (?:half|quarter))?[ -]?(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?)(?:\b|(?P<rest>\d{1,2}))(?P<more> and a (?:half|quarter)\b)?",
    )
});
static LONG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:for|longer than|more than|at least|over)(?: (?:more than|longer than|at least|over|about))* ",
    )
});
static JOINT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:,? and |, ?| )"));
/// A length of time whose amount is not read.
static UNREAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[^\s,]+ ){0,3}?(?:long time|seconds?|minutes?|mins?|hours?|days?|weeks?|months?|while|long|ages)\b",
    )
});
/// A number without a unit.
static BARE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ ?\d+(?:[.,]\d+)?(?: |$)"));
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
/// may be such an alert is for those to say who check it. An error has the words of a limit that
/// are not understood. `addressed`: the sentence has an address.
pub(super) fn condition(
    words: &str,
    plain: &str,
    addressed: bool,
) -> Option<Result<AlertCondition, Impossible>> {
    let found = TELL.captures(plain)?;
    let rest = found.name("rest")?.as_str();
    let read = minutes(rest);
    let minutes = read.as_ref().ok().copied().flatten();
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
        match share(rest) {
            Ok(percent) => alert.percent = percent,
            Err(unclear) => return Some(Err(Impossible::Share(unclear))),
        }
        alert
    } else if OUT.is_match(rest) {
        let mut alert = AlertCondition::of(AlertKind::DeviceOut);
        alert.minutes = minutes;
        alert
    } else {
        return None;
    };
    if alert.kind != AlertKind::LowEnergy
        && let Err(unclear) = read
    {
        return Some(Err(Impossible::Duration(unclear)));
    }
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
    Some(Ok(alert))
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

/// Words before and behind a share that are none of it.
const AROUND_SHARES: [&str; 10] = [
    "the", "of", "its", "their", "a", "what", "is", "was", "it", "daily",
];

/// The share of the forecast in a sentence, in percent; an error has its words, if they are not
/// understood.
fn share(rest: &str) -> Result<Option<u32>, String> {
    if let Some(found) = PERCENT.captures(rest) {
        return Ok(found[1].parse().ok());
    }
    let said = BELOW.captures(rest).map(|found| found["share"].to_owned());
    let said = said.unwrap_or_default();
    let words = said.split_whitespace();
    let words: Vec<&str> = words.filter(|word| !AROUND_SHARES.contains(word)).collect();
    match words.join(" ").as_str() {
        "" => Ok(None),
        "half" => Ok(Some(50)),
        "third" => Ok(Some(33)),
        "quarter" => Ok(Some(25)),
        "two thirds" => Ok(Some(67)),
        "three quarters" => Ok(Some(75)),
        other => Err(other.to_owned()),
    }
}

/// The length of time in a sentence, in minutes; an error has its words, if they are not
/// understood.
fn minutes(rest: &str) -> Result<Option<u32>, String> {
    let said = || LONG.find_iter(rest).map(|lead| &rest[lead.end()..]);
    if let Some((seconds, behind)) = said().find_map(amounts) {
        // "2 hours 30" has an amount without a unit.
        if let Some(bare) = BARE.find(behind) {
            return Err(bare.as_str().trim().to_owned());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast ends at limits that are far from what an alert can have"
        )]
        return Ok(Some((seconds / 60.0).ceil() as u32));
    }
    let unread = |said| UNREAD.find(said).or_else(|| BARE.find(said));
    match said().find_map(unread) {
        Some(unread) => Err(unread.as_str().to_owned()),
        None => Ok(None),
    }
}

/// The sum of the amounts at the start of a text, in seconds, and the text behind them.
fn amounts(text: &str) -> Option<(f64, &str)> {
    let (mut seconds, mut rest) = amount(text)?;
    while let Some(joint) = JOINT.find(rest)
        && let Some((more, behind)) = amount(&rest[joint.end()..])
    {
        seconds += more;
        rest = behind;
    }
    Some((seconds, rest))
}

/// The amount at the start of a text in seconds, and the text behind it.
fn amount(text: &str) -> Option<(f64, &str)> {
    let found = AMOUNT.captures(text)?;
    let whole = found.get(0).filter(|whole| whole.start() == 0)?;
    let unit = match &found["unit"] {
        unit if unit.starts_with("mo") => 30.0 * 24.0 * 60.0 * 60.0,
        unit if unit.starts_with('w') => 7.0 * 24.0 * 60.0 * 60.0,
        unit if unit.starts_with('d') => 24.0 * 60.0 * 60.0,
        unit if unit.starts_with('h') => 60.0 * 60.0,
        unit if unit.starts_with('s') => 1.0,
        _ => 60.0,
    };
    let count = match &found["count"] {
        half if half.starts_with("half") => 0.5,
        part if part.starts_with("three quarters") => 0.75,
        part if part.contains("quarter") => 0.25,
        "a" | "an" | "one" => 1.0,
        word => match number_words::value(word) {
            Some(number) => f64::from(number),
            None => word.replace(',', ".").parse().ok()?,
        },
    };
    let parts = [found.name("and"), found.name("more")];
    let more: f64 = parts
        .into_iter()
        .flatten()
        .map(|part| {
            if part.as_str().contains("half") {
                0.5
            } else {
                0.25
            }
        })
        .sum();
    // The minutes of "1h20".
    let minutes: f64 = match found.name("rest") {
        Some(rest) => rest.as_str().parse().ok()?,
        None => 0.0,
    };
    Some(((count + more) * unit + minutes * 60.0, &text[whole.end()..]))
}
