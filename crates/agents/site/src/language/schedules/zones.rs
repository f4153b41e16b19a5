//! Time zones as people name them: "Europe/Zurich", "in Tokyo", "Tokyo time", "CET".

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use chrono_tz::{TZ_VARIANTS, Tz};
use regex::Regex;

use super::{pattern, times};

/// Words of the longest name, such as "Port of Spain".
const LONGEST: usize = 3;

/// The zone that a sentence names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The zone, or the words that are none.
    pub(super) zone: Result<&'static str, String>,
    /// The place of the words in the sentence.
    pub(super) place: Range<usize>,
}

/// Short names that mean one zone, beside those of the database. `None`: they mean several.
const SHORT: &[(&str, Option<Tz>)] = &[
    ("CEST", Some(Tz::CET)),
    ("MEZ", Some(Tz::CET)),
    ("MESZ", Some(Tz::CET)),
    ("EEST", Some(Tz::EET)),
    ("JST", Some(Tz::Asia__Tokyo)),
    ("KST", Some(Tz::Asia__Seoul)),
    ("ET", Some(Tz::America__New_York)),
    ("EST", Some(Tz::America__New_York)),
    ("EDT", Some(Tz::America__New_York)),
    ("CDT", Some(Tz::America__Chicago)),
    ("MST", Some(Tz::America__Denver)),
    ("MDT", Some(Tz::America__Denver)),
    ("PT", Some(Tz::America__Los_Angeles)),
    ("PST", Some(Tz::America__Los_Angeles)),
    ("PDT", Some(Tz::America__Los_Angeles)),
    ("AEST", Some(Tz::Australia__Sydney)),
    ("AEDT", Some(Tz::Australia__Sydney)),
    ("BST", None),
    ("CST", None),
    ("IST", None),
];

/// Last parts of names in the database that are directions, not places.
const DIRECTIONS: &[&str] = &["north", "south", "east", "west", "center", "general"];

/// Names by their words in lower case: whole ones, and the places that zones are named after.
static NAMES: LazyLock<HashMap<String, Tz>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for zone in TZ_VARIANTS {
        let name = zone.name();
        let place = name.rsplit('/').next().unwrap_or(name);
        let place = place.replace('_', " ").to_lowercase();
        if place.len() > 3 && !DIRECTIONS.contains(&place.as_str()) {
            names.entry(place).or_insert(zone);
        }
        names.insert(name.to_lowercase(), zone);
    }
    names
});

static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|US|Canada|Etc)(/[A-Za-z0-9_+-]*[A-Za-z0-9])+",
    )
});
static ZONE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\btime ?zone(?: of| is|:)? (?P<names>[\w/ '+-]+)"));
static TIME: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i) (?:local )?time\b"));
static IN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^[ ,(]*(?P<in>in (?:the )?)?(?P<names>.*)$"));
static OFFSET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^(?:(?:UTC|GMT) ?[+\u{2212}-] ?\d{1,2}(?::?\d{2})?|[+\u{2212}-]\d{2}:?\d{2})\b")
});
static IN_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\bin (?P<names>[\p{L}. '-]+)[ ,]+$"));
/// The words around a name that belong to it.
static BEFORE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)[ ,(]*(?:\bin )?(?:\bthe )?(?:\btime ?zone(?: of| is|:)? )?$"));
static BEHIND: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^(?: (?:local )?time\b)?\)?"));

/// The zone that a sentence names, in one line with single spaces.
pub(super) fn find(text: &str) -> Option<Named> {
    let whole = WHOLE.find(text).map(|found| {
        let zone = NAMES.get(&found.as_str().to_lowercase());
        named(text, found.range(), zone.map(|zone| zone.name()))
    });
    whole
        .or_else(|| beside_a_time(text))
        .or_else(|| before_the_word_time(text))
        .or_else(|| behind_the_word_zone(text))
}

/// "At 7 in Tokyo", "at 7 CET", "in Tokyo at 7".
fn beside_a_time(text: &str) -> Option<Named> {
    times::places(text).into_iter().find_map(|time| {
        let behind = &text[time.end..];
        let found = IN.captures(behind)?;
        let names = found.name("names")?;
        let start = time.end + names.start();
        let is_in = found.name("in").is_some();
        // An offset is of no place, and does not follow the clocks of one.
        if let Some(offset) = OFFSET.find(names.as_str()) {
            return Some(named(text, start..start + offset.end(), None));
        }
        if let Some(short) = first_word(names.as_str())
            && let Some((_, zone)) = SHORT.iter().find(|(name, _)| *name == short)
        {
            let place = start..start + short.len();
            return Some(named(text, place, zone.map(Tz::name)));
        }
        if let Some((zone, length)) = at_start(names.as_str()) {
            let place = start..start + length;
            // A word behind a time is a zone only if that is said: "at 7 Jersey cows".
            let is_said = is_in
                || BEHIND
                    .find(&text[place.end..])
                    .is_some_and(|it| !it.is_empty())
                || text[place.clone()].chars().all(|c| !c.is_lowercase());
            if is_said {
                return Some(named(text, place, Some(zone.name())));
            }
        }
        let capitals = capitals(names.as_str());
        if is_in && capitals > 0 {
            return Some(named(text, start..start + capitals, None));
        }
        let before = IN_BEFORE.captures(&text[..time.start])?.name("names")?;
        let zone = NAMES.get(&folded(before.as_str()))?;
        Some(named(text, before.range(), Some(zone.name())))
    })
}

/// "Tokyo time".
fn before_the_word_time(text: &str) -> Option<Named> {
    TIME.find_iter(text).find_map(|time| {
        let before = &text[..time.start()];
        let starts = before.match_indices(' ').map(|(at, _)| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
        starts.drain(..starts.len().saturating_sub(LONGEST));
        starts.into_iter().find_map(|start| {
            let words = before[start..].trim_start_matches('(');
            let place = before.len() - words.len()..before.len();
            let short = SHORT.iter().find(|(name, _)| *name == words);
            match (short, NAMES.get(&folded(words))) {
                (Some((_, zone)), _) => Some(named(text, place, zone.map(Tz::name))),
                (None, zone) => Some(named(text, place, Some(zone?.name()))),
            }
        })
    })
}

/// "Time zone Tokyo".
fn behind_the_word_zone(text: &str) -> Option<Named> {
    let names = ZONE.captures(text)?.name("names")?;
    let (start, said) = (names.start(), names.as_str());
    if let Some((zone, length)) = at_start(said) {
        return Some(named(text, start..start + length, Some(zone.name())));
    }
    let length = first_word(said)?.len();
    Some(named(text, start..start + length, None))
}

/// The zone that the longest name at the start of a text means, and the length of that name.
fn at_start(text: &str) -> Option<(Tz, usize)> {
    let ends = text
        .char_indices()
        .filter(|(_, c)| !c.is_alphanumeric() && !matches!(c, '-' | '\''))
        .map(|(at, _)| at);
    let ends: Vec<usize> = ends.chain([text.len()]).take(LONGEST).collect();
    ends.into_iter().rev().find_map(|end| {
        let zone = NAMES.get(&folded(&text[..end]))?;
        Some((*zone, end))
    })
}

/// The length of the words at the start of a text that begin with a capital letter.
fn capitals(text: &str) -> usize {
    let mut length = 0;
    for word in text.split_inclusive(' ').take(LONGEST) {
        if !word.starts_with(char::is_uppercase) {
            break;
        }
        length += word.len();
    }
    text[..length].trim_end_matches([' ', ',', '.', ')']).len()
}

fn first_word(text: &str) -> Option<&str> {
    text.split([' ', ',', ')', '.', ';'])
        .next()
        .filter(|word| !word.is_empty())
}

/// In lower case, without the accents that the names of the database lack.
fn folded(name: &str) -> String {
    let plain = |c: char| match c {
        'á' | 'à' | 'ã' | 'ä' | 'â' | 'å' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' => 'i',
        'ó' | 'ò' | 'õ' | 'ö' | 'ô' => 'o',
        'ú' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    };
    name.to_lowercase().chars().map(plain).collect()
}

/// A name at a place, with the words around it that belong to it.
fn named(text: &str, place: Range<usize>, zone: Option<&'static str>) -> Named {
    let said = text[place.clone()].to_owned();
    let start = BEFORE
        .find(&text[..place.start])
        .map_or(place.start, |before| before.start());
    let end = BEHIND
        .find(&text[place.end..])
        .map_or(place.end, |behind| place.end + behind.end());
    Named {
        zone: zone.ok_or(said),
        place: start..end,
    }
}
