//! Questions for the devices that send data, and their number.

use crate::language::When;
use crate::language::classify::device_hints;
use crate::language::keywords::{Concept as C, Keywords, concept};

use super::ranked::counts_devices;
use super::silence::{lasting, silent_for};

/// The devices that send data now, or sent some today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reporting {
    /// Whether it is about the readings of today, and not about whether they still come.
    pub(crate) today: bool,
    /// Whether those are asked for that send nothing.
    pub(crate) silent: bool,
    /// Whether whole sites are asked for.
    pub(crate) sites: bool,
}

/// "How many of my devices report?", "who sent data today?", "how many are silent?": about devices
/// that are not named.
pub(in crate::language) fn reporting(keywords: &Keywords<'_>) -> Option<Reporting> {
    const PAST: &[&str] = &["was", "were", "did", "sent", "reported"];
    let today = keywords.word(&["today", "tonight"]);
    if !is_about_reporting(keywords) || lasting(keywords).is_some() || is_of_the_past(keywords) {
        return None;
    }
    // "Which devices did not report?" is about all days.
    let past = keywords.word(PAST) && !keywords.word(&["have", "has", "haven't", "hasn't"]);
    if past && !today {
        return None;
    }
    let silent = keywords.word(SILENT) != denies(keywords);
    let sites = counts_sites(keywords);
    let none = keywords.word(&["nobody", "none"]);
    // Of others that are silent, the longest silence comes first.
    let counted = counts_devices(keywords) || sites || none || today;
    (counted || !silent || silent_for(keywords).is_none()).then_some(Reporting {
        today,
        silent,
        sites,
    })
}

/// "How many inverters sent data yesterday?", "which devices reported on 3 June?".
pub(in crate::language) fn asks_who_reported(keywords: &Keywords<'_>) -> bool {
    is_about_reporting(keywords)
        && lasting(keywords).is_none()
        && is_of_the_past(keywords)
        && keywords.when().is_some()
}

const SILENT: &[&str] = &["silent", "quiet", "mute"];

const ONLINE: &[&str] = &["online", "connected", "reachable"];

/// Whether the words ask which devices, or how many, send data.
fn is_about_reporting(keywords: &Keywords<'_>) -> bool {
    const OTHERS: &[&str] = &[
        "why", "error", "errors", "alarm", "alarms", "fault", "faults", "code", "codes", "cost",
        "costs", "lost", "me", "us", "longer", "stopped", "since", "often", "times", "days",
        "first", "last",
    ];
    const SUBJECTS: &[&str] = &[
        "who",
        "which",
        "any",
        "anybody",
        "anyone",
        "nobody",
        "none",
        "all",
        "every",
        "everyone",
        "everybody",
        "each",
        "both",
        "some",
        "one",
        "least",
    ];
    let other = [C::Forecast, C::Money, C::Compare, C::Production, C::Curve]
        .iter()
        .any(|concept| keywords.has(*concept));
    let counts = counts_devices(keywords) || counts_sites(keywords);
    let asked = counts
        || keywords.word(SUBJECTS) && (keywords.has(C::Device) || is_subject(keywords, SUBJECTS));
    let of_silence = counts || keywords.word(&["nobody", "none"]);
    // Who was online on a day sent data on it; who is online now has a state of its own.
    let was_online = keywords.word(ONLINE) && is_of_the_past(keywords);
    let says_it = sends(keywords) || of_silence && keywords.word(SILENT) || was_online;
    says_it && asked && !other && !keywords.word(OTHERS) && device_hints(&keywords.tokens) == 0
}

/// "How many sites report?", "which plants send data?".
fn counts_sites(keywords: &Keywords<'_>) -> bool {
    const SITES: &[&str] = &["site", "sites", "plant", "plants", "parks"];
    let asks = |word: &str| {
        matches!(
            word,
            "many" | "which" | "all" | "every" | "any" | "my" | "both" | "what"
        )
    };
    let mut words = keywords.words.windows(2);
    words.any(|pair| asks(pair[0]) && SITES.contains(&pair[1]))
}

/// Whether one of `words` begins the question: "who reports?", "does any of them send data?".
fn is_subject(keywords: &Keywords<'_>, words: &[&str]) -> bool {
    let mut first = keywords.words.iter().take(3);
    first.any(|word| words.contains(word))
}

/// Whether a verb says that data come.
fn sends(keywords: &Keywords<'_>) -> bool {
    const DATA: &[&str] = &[
        "data",
        "reading",
        "readings",
        "anything",
        "nothing",
        "something",
    ];
    // "The report", "a health report", "which report".
    let noun = |at: usize| {
        at.checked_sub(1).is_some_and(|before| {
            let word = keywords.words[before];
            let of_report = concept(word, true).is_some_and(|(it, _)| {
                matches!(
                    it,
                    C::Health | C::Money | C::Performance | C::Briefing | C::Status
                )
            });
            of_report
                || matches!(
                    word,
                    "a" | "the" | "my" | "this" | "that" | "which" | "many" | "of" | "me" | "daily"
                )
        })
    };
    keywords.words.iter().enumerate().any(|(at, word)| {
        let next = keywords.words.get(at + 1);
        match *word {
            "reporting" | "reported" | "transmitting" | "communicating" => true,
            "report" | "reports" => !noun(at),
            "send" | "sends" | "sent" | "sending" => next
                .is_none_or(|next| DATA.contains(next) || matches!(*next, "today" | "any" | "no")),
            _ => false,
        }
    })
}

/// "Which did not report?", "which send no data?".
pub(super) fn denies(keywords: &Keywords<'_>) -> bool {
    keywords.words.iter().any(|word| {
        matches!(*word, "not" | "no" | "never" | "nothing" | "without")
            || word.ends_with("n't")
            || matches!(
                *word,
                "didnt" | "dont" | "doesnt" | "arent" | "isnt" | "hasnt" | "havent"
            )
    })
}

/// Whether days before today are named.
fn is_of_the_past(keywords: &Keywords<'_>) -> bool {
    let named = matches!(keywords.when(), Some((When::Day(_) | When::Range(_), _)));
    named && !keywords.word(&["today", "tonight", "now"])
}
