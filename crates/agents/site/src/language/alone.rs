//! Messages that are only devices and days: "everything except LTI last week", "all but the roof".
//! With days they ask for the energy, and without days for the state of the devices.

use contracts::tools::LoggerSummary;

use super::coverage;
use super::keywords::{Concept, Keywords};
use super::loggers::{Finder, says_all};
use super::text::{Message, normalize};

/// Most words of such a message.
const LONGEST: usize = 16;

/// Words that leave devices out.
const WITHOUT: &[&str] = &[
    "apart",
    "besides",
    "but",
    "except",
    "excluding",
    "minus",
    "other",
    "without",
];

/// Further words beside names and days.
const BESIDE: &[&str] = &[
    "all",
    "and",
    "at",
    "aside",
    "each",
    "every",
    "everything",
    "for",
    "from",
    "in",
    "my",
    "of",
    "on",
    "or",
    "our",
    "please",
    "than",
    "the",
    "device",
    "devices",
    "inverter",
    "inverters",
    "logger",
    "loggers",
    "plant",
    "plants",
    "site",
    "sites",
];

/// Whether the words of `message` alone allow that it is such a message.
pub fn may_stand_alone(message: &str) -> bool {
    let text = normalize(message);
    let keywords = Keywords::of(&text);
    let hits = &mut keywords.hits.iter();
    let without = keywords.word(WITHOUT) && says_all(&keywords.words);
    keywords.words.len() <= LONGEST
        && hits.all(|hit| matches!(hit.concept, Concept::Device | Concept::Site))
        && (without || names_days(&text))
}

/// The request that such a message means; `None` for any other.
pub fn stands_alone(message: &str, loggers: &[LoggerSummary]) -> Option<String> {
    let text = normalize(message);
    let names_all = says_all(&Keywords::of(&text).words);
    let mut rest = Message::new(&text);
    let mut finder = Finder::new(loggers);
    finder.ids(&mut rest);
    let mut days = 0;
    coverage::mask_days(&mut rest, &mut days);
    let named = finder.places(&mut rest).len();
    let keywords = Keywords::of(rest.text());
    let without = keywords.word(WITHOUT);
    let words = &keywords.words;
    let is_it = words
        .iter()
        .all(|word| WITHOUT.contains(word) || BESIDE.contains(word));
    if !is_it || words.len() > LONGEST {
        return None;
    }
    let (_, site) = Finder::new(loggers).rest(&mut Message::new(&text));
    let message = message.trim().trim_end_matches(['.', '?', '!']);
    match (names_all, without) {
        // What is left out has to be known.
        (true, true) if named == 0 => None,
        (true, true) if days == 0 => Some(format!("check the health of {message}")),
        (true, _) if days > 0 => Some(format!("energy of {message}")),
        (false, false) if days > 0 && site.is_some() => Some(format!("energy of {message}")),
        _ => None,
    }
}

fn names_days(text: &str) -> bool {
    let mut days = 0;
    coverage::mask_days(&mut Message::new(text), &mut days);
    days > 0
}
