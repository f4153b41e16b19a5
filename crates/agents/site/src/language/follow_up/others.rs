//! More or fewer devices in the question before: "add MEIER", "leave out LTI".

use contracts::tools::{LoggerRole, LoggerSummary};

use super::{Before, Slots, replaced};
use crate::language::coverage;
use crate::language::keywords::Keywords;
use crate::language::text::{Message, normalize, tokens};
use crate::language::{LoggerMention, Question, understand};
use crate::narrative::format;

/// Words that add devices to those before.
const ADDING: &[&[&str]] = &[
    &["add"],
    &["include"],
    &["plus"],
    &["adding"],
    &["including"],
    &["put", "in"],
    &["throw", "in"],
];

/// Words that take devices away.
const TAKING: &[&[&str]] = &[
    &["remove"],
    &["drop"],
    &["exclude"],
    &["without"],
    &["except"],
    &["leave", "out"],
    &["take", "out"],
    &["minus"],
    &["ignore"],
    &["skip"],
    &["not"],
    &["but", "not"],
    &["excluding"],
    &["disregard"],
    &["all", "but"],
    &["all", "except"],
    &["everything", "but"],
    &["everything", "except"],
    &["everyone", "but"],
    &["everyone", "except"],
    &["all", "of", "them", "but"],
    &["all", "of", "them", "except"],
];

/// Verbs that take devices away with an "out" behind the names: "leave MILL-2 out".
const TAKING_APART: &[&str] = &["leave", "take", "keep", "drop"];

/// Words beside the names: "add MEIER to the comparison as well, please".
const BESIDE: &[&str] = &[
    "the",
    "to",
    "it",
    "that",
    "this",
    "them",
    "those",
    "these",
    "comparison",
    "ranking",
    "chart",
    "list",
    "report",
    "as",
    "well",
    "too",
    "also",
    "please",
    "and",
    "in",
    "from",
    "of",
    "can",
    "could",
    "you",
    "now",
    "again",
    "device",
    "inverter",
    "devices",
    "inverters",
    "out",
    "both",
];

/// The question before with the devices that `message` adds or takes away; `None` when it does
/// neither, or when the question before names none of its own to change.
pub(super) fn changed(
    message: &str,
    before: &Before<'_>,
    loggers: &[LoggerSummary],
) -> Option<String> {
    let text = normalize(message);
    let said = tokens(&text);
    let words: Vec<&str> = said.iter().map(|token| token.text).collect();
    let longest = |ways: &[&[&str]]| {
        let ends = ways.iter().filter_map(|way| begins_with(&words, way));
        ends.max()
    };
    let adds = longest(ADDING);
    let takes = longest(TAKING).or_else(|| {
        let apart = TAKING_APART
            .iter()
            .find_map(|verb| begins_with(&words, &[verb]));
        apart.filter(|_| words.contains(&"out"))
    });
    // Behind "without" the names are those of the others, so they are read without it.
    let names = adds.or(takes)?;
    let names = said.get(names).map_or("", |token| &text[token.start..]);
    let adds = adds.is_some();
    let named = devices(Slots::of(names, loggers).mention)?;
    if !is_only_names(&text, loggers) {
        return None;
    }
    let mut meant = if before.loggers.is_empty() {
        devices_of(before.request, loggers)?
    } else {
        before.loggers.to_vec()
    };
    if adds {
        for id in named {
            if !meant.contains(&id) {
                meant.push(id);
            }
        }
    } else {
        meant.retain(|id| !named.contains(id));
    }
    (!meant.is_empty()).then(|| replaced(&format::list(&meant), before, loggers))
}

/// The place behind `way` where the words begin with it, behind words that ask politely.
fn begins_with(words: &[&str], way: &[&str]) -> Option<usize> {
    let first = words
        .iter()
        .position(|word| !matches!(*word, "please" | "can" | "could" | "you" | "also"))?;
    words[first..].starts_with(way).then_some(first + way.len())
}

/// The devices of a mention of some.
fn devices(mention: LoggerMention) -> Option<Vec<String>> {
    match mention {
        LoggerMention::One(id) => Some(vec![id]),
        LoggerMention::Several(ids) => Some(ids),
        _ => None,
    }
}

/// The devices that a request names: some, the inverters of a site, or all inverters.
fn devices_of(request: &str, loggers: &[LoggerSummary]) -> Option<Vec<String>> {
    let slots = Slots::of(request, loggers);
    let inverters = |site: Option<&str>| -> Vec<String> {
        loggers
            .iter()
            .filter(|one| one.role == LoggerRole::Inverter)
            .filter(|one| site.is_none_or(|site| one.site_id == site))
            .map(|one| one.logger_id.clone())
            .collect()
    };
    match (slots.mention, slots.site) {
        (LoggerMention::One(id), _) => Some(vec![id]),
        (LoggerMention::Several(ids), _) => Some(ids),
        (LoggerMention::None | LoggerMention::All, Some(site)) => Some(inverters(Some(&site))),
        (LoggerMention::All, None) => Some(inverters(None)),
        // "Which inverter made the most?" is asked of all.
        (LoggerMention::None, None) if is_about_all(request, loggers) => Some(inverters(None)),
        _ => None,
    }
}

/// Whether a request that names no device is about all of them.
fn is_about_all(request: &str, loggers: &[LoggerSummary]) -> bool {
    matches!(
        understand(request, loggers).question,
        Question::Compare | Question::Savings | Question::Health
    )
}

/// Whether the message says only what is changed and the names.
fn is_only_names(text: &str, loggers: &[LoggerSummary]) -> bool {
    let mut rest = Message::new(text);
    let mut finder = super::Finder::new(loggers);
    finder.ids(&mut rest);
    finder.rest(&mut rest);
    let of_change = |word: &str| {
        let ways = ADDING.iter().chain(TAKING);
        ways.flat_map(|way| way.iter()).any(|said| *said == word) || TAKING_APART.contains(&word)
    };
    let shown = rest.text().replace('\u{1}', " ");
    Keywords::of(&shown)
        .words
        .iter()
        .all(|word| BESIDE.contains(word) || of_change(word))
        && coverage::of(text, loggers).concepts <= 2
}
