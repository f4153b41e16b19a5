//! The share of a message that the grammar explains.
//!
//! A rule needs one keyword to match, and a device's name is enough for the weakest of them. So
//! that the rest of the message counts, too, each of its words has to be explained: by a device, a
//! day or a rate, by a concept of [`super::keywords`], or as a word that only carries the sentence
//! ([`super::vocabulary`]). A word that is left over where the sentence has its verb or its matter,
//! and left-over words that outweigh what was understood, mean that the message asks for something
//! else.

use super::classify::{chain_end, chain_is_id, is_brand, is_error_code};
use super::keywords::{Concept as C, Keywords, concept};
use super::loggers::Finder;
use super::text::{Kind, Message};
use super::{dates, figures, vocabulary};
use contracts::tools::LoggerSummary;

/// Number of words that are weighed; typed requests are short, and the ask of a pasted text is at
/// its beginning.
const WEIGHED: usize = 60;

/// Maximum number of mentions of days in one message.
const MENTIONS: usize = 4;

/// The kind of a part of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A device, a day, a rate: no words of their own any more.
    Slot,
    /// A word that the grammar knows.
    Known,
    /// A word of a concept.
    Concept(C),
    /// A word that nothing explains.
    Unexplained,
}

/// The explained part of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// The words that nothing explains, in the order of the message.
    pub(super) unexplained: Vec<String>,
    /// One of them stands where the sentence has its verb or its matter.
    pub(super) head: bool,
    /// Different concepts that a flow can be chosen by.
    pub(super) concepts: usize,
    /// Devices, days and rates named.
    pub(super) slots: usize,
    /// The first word after the polite ones.
    pub(super) first: Option<String>,
    /// The word behind it.
    pub(super) second: Option<String>,
    /// Words that are known, by a concept or not.
    pub(super) known: usize,
    /// Unexplained words where a site, a device or a day is named: behind "of", "at", "in".
    pub(super) placed: Option<String>,
}

impl Coverage {
    /// Whether what was not understood outweighs what was.
    pub(super) fn is_doubtful(&self) -> bool {
        let left = self.unexplained.len();
        left > 0 && (self.head || self.concepts == 0 || left >= self.concepts + self.slots)
    }
}

/// Weighs `message`. With the devices that exist, their names and those of their sites are
/// explained; without, what looks like one.
pub(super) fn of(message: &str, loggers: &[LoggerSummary]) -> Coverage {
    let mut message = Message::new(message);
    let mut slots = 0;
    let mut finder = Finder::new(loggers);
    finder.ids(&mut message);
    slots += usize::from(figures::take_capacity(&mut message).is_some());
    slots += usize::from(figures::take_rate(&mut message).is_some());
    mask_days(&mut message, &mut slots);
    finder.rest(&mut message);
    let text = message.text().to_owned();
    let parts = parts(&text);
    weigh(&parts, slots)
}

/// Masks the days of a message.
pub(super) fn mask_days(message: &mut Message<'_>, slots: &mut usize) {
    // A day of no meaning: only where days stand is asked.
    let (anchor, _) = super::limits::meaningless();
    for forecasting in [true, false] {
        if let Some((_, span)) = dates::find_ahead(message, anchor, forecasting) {
            message.mask(span);
            *slots += 1;
        }
    }
    for _ in 0..MENTIONS {
        let Some(found) = dates::find(message, anchor, anchor) else {
            break;
        };
        for span in std::iter::once(found.span).chain(found.more) {
            message.mask(span);
            *slots += 1;
        }
    }
}

/// The message as its parts: words with what they are, and one slot for each run of masks.
fn parts(text: &str) -> Vec<(&str, Part)> {
    let keywords = Keywords::of(text);
    let tokens = &keywords.tokens;
    let mut parts: Vec<(&str, Part)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() && parts.len() < WEIGHED {
        let token = &tokens[at];
        let end = chain_end(tokens, at);
        match token.kind {
            Kind::Mark if token.is("\u{1}") => {
                // The bytes of one mask touch one another.
                let inside = token.glued && at > 0 && tokens[at - 1].is("\u{1}");
                if !inside {
                    parts.push(("", Part::Slot));
                }
                at += 1;
            }
            Kind::Word => {
                let chain = &tokens[at..end];
                let whole = &text[token.start..tokens[end - 1].end];
                if chain.iter().any(|token| token.kind == Kind::Number) {
                    let part = match concept(whole, true) {
                        Some((found, _)) => Part::Concept(found),
                        None if chain_is_id(chain) || is_error_code(chain) => Part::Slot,
                        None => word(token.text),
                    };
                    parts.push((whole, part));
                } else {
                    let words = chain.iter().filter(|token| token.kind == Kind::Word);
                    parts.extend(words.map(|token| (token.text, word(token.text))));
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    parts
}

/// The kind of a word.
fn word(text: &str) -> Part {
    let bare = bare(text);
    if let Some((found, true)) = concept(bare, false) {
        return Part::Concept(found);
    }
    if vocabulary::knows(text) || vocabulary::knows(bare) || super::limits::knows(bare) {
        return Part::Known;
    }
    if is_brand(bare) {
        return Part::Slot;
    }
    match concept(bare, true) {
        Some((found, _)) => Part::Concept(found),
        None if bare.chars().count() < 2 || vocabulary::nearly_knows(bare) => Part::Known,
        None => Part::Unexplained,
    }
}

/// A word without what is put behind an apostrophe.
fn bare(word: &str) -> &str {
    word.split_once('\'')
        .filter(|(_, end)| matches!(*end, "s" | "re" | "ll" | "d" | "ve"))
        .map_or(word, |(head, _)| head)
}

fn weigh(parts: &[(&str, Part)], named: usize) -> Coverage {
    let begin = after_politeness(parts);
    let mut concepts: Vec<C> = Vec::new();
    let mut coverage = Coverage {
        first: parts.get(begin).map(|(text, _)| (*text).to_owned()),
        second: parts.get(begin + 1).map(|(text, _)| (*text).to_owned()),
        ..Coverage::default()
    };
    for (at, (text, part)) in parts.iter().enumerate() {
        match part {
            Part::Slot => coverage.slots += 1,
            Part::Known => coverage.known += 1,
            Part::Concept(found) => {
                coverage.known += 1;
                let chooses = !matches!(found, C::Device | C::Site | C::List | C::Service);
                if chooses && !concepts.contains(found) {
                    concepts.push(*found);
                }
            }
            Part::Unexplained => {
                coverage.head |= at == begin || is_head(parts, begin, at);
                coverage.unexplained.push((*text).to_owned());
            }
        }
    }
    coverage.placed = placed(parts);
    coverage.concepts = concepts.len();
    coverage.slots = coverage.slots.max(named);
    coverage
}

/// The first unexplained words behind "of", "at", "in", "for", "on" or "from": a name of something.
fn placed(parts: &[(&str, Part)]) -> Option<String> {
    // A building behind such a word is a name.
    const BUILDINGS: &[&str] = &["garage", "barn", "house", "building", "shed", "stable"];
    let unexplained = |at: usize| {
        parts
            .get(at)
            .filter(|(text, part)| {
                let on = at
                    .checked_sub(2)
                    .is_some_and(|before| parts[before..at].iter().any(|(text, _)| *text == "on"));
                *part == Part::Unexplained || BUILDINGS.contains(text) && !on
            })
            .map(|(text, _)| *text)
    };
    (0..parts.len()).find_map(|at| {
        // What follows "last" and the like is a length of time.
        let preposition = matches!(
            parts[at].0,
            "of" | "at" | "in" | "for" | "on" | "from" | "during" | "last" | "previous" | "past"
        );
        let determiners = parts[at + 1..].iter().take_while(|(text, _)| {
            matches!(
                *text,
                "the" | "all" | "my" | "our" | "every" | "each" | "this" | "that"
            )
        });
        let next = at + 1 + determiners.count();
        let words: Vec<&str> = (next..).map_while(unexplained).collect();
        (preposition && !words.is_empty()).then(|| words.join(" "))
    })
}

/// The index of the first part after polite words: "could you please", "I'd like you to", "hi,
/// could you".
fn after_politeness(parts: &[(&str, Part)]) -> usize {
    const ALONE: &[&str] = &[
        "please",
        "hey",
        "hi",
        "hello",
        "ok",
        "okay",
        "so",
        "well",
        "now",
        "then",
        "and",
        "but",
        "also",
        "just",
        "kindly",
        "sunny",
        "thanks",
        "maybe",
        "quickly",
        "oh",
        "sure",
        "yes",
        "alright",
        "pls",
        "plz",
        "actually",
        "sorry",
        "no",
        "afterwards",
        "again",
    ];
    const BEFORE: &[&[&str]] = &[
        &["can", "you"],
        &["could", "you"],
        &["would", "you"],
        &["will", "you"],
        &["can", "we"],
        &["can", "i"],
        &["could", "we"],
        &["could", "i"],
        &["may", "i"],
        &["are", "you", "able", "to"],
        &["is", "it", "possible", "to"],
        &["is", "it", "possible", "for", "you", "to"],
        &["i", "want", "you", "to"],
        &["i", "want", "to"],
        &["i", "need", "you", "to"],
        &["i", "need", "to"],
        &["i'd", "like", "you", "to"],
        &["i'd", "like", "to"],
        &["i", "would", "like", "you", "to"],
        &["i", "would", "like", "to"],
        &["i'd", "love", "to"],
        &["we", "want", "to"],
        &["we", "need", "to"],
        &["let's"],
        &["lets"],
        &["let", "us"],
        &["let", "me"],
        &["help", "me", "to"],
        &["help", "me"],
        &["try", "to"],
        &["do", "you", "mind"],
        &["would", "you", "mind"],
        &["make", "sure", "to"],
        &["you", "should"],
        &["you", "must"],
        &["go", "and"],
        &["i", "wonder", "if", "you", "could"],
        &["i", "was", "wondering", "if", "you", "could"],
        &["how", "do", "i"],
        &["how", "do", "we"],
        &["how", "can", "i"],
        &["how", "can", "we"],
        &["how", "to"],
        &["should", "i"],
        &["should", "we"],
    ];
    let mut at = 0;
    loop {
        let rest = &parts[at.min(parts.len())..];
        let starts = |words: &&&[&str]| {
            rest.len() > words.len() && words.iter().zip(rest).all(|(word, (text, _))| word == text)
        };
        if let Some(words) = BEFORE.iter().filter(starts).max_by_key(|words| words.len()) {
            at += words.len();
        } else if rest.len() > 1 && ALONE.contains(&rest[0].0) {
            at += 1;
        } else {
            return at;
        }
    }
}

/// Whether the part stands where a sentence has its verb or its matter: behind a question word, a
/// subject, "to" or an auxiliary, or at the end of a yes-or-no question.
fn is_head(parts: &[(&str, Part)], begin: usize, at: usize) -> bool {
    const WH: &[&str] = &[
        "what", "which", "who", "whom", "whose", "how", "why", "when", "where",
    ];
    const SUBJECTS: &[&str] = &["i", "we", "you", "it", "they", "he", "she", "one", "to"];
    const AUXILIARIES: &[&str] = &[
        "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could",
        "will", "would", "should", "shall", "must", "may", "might", "isn't", "isnt", "aren't",
        "wasn't", "weren't", "doesn't", "don't", "didn't", "won't", "can't", "cannot",
    ];
    let before = at.checked_sub(1).and_then(|before| parts.get(before));
    let Some((text, part)) = before else {
        return true;
    };
    if WH.contains(text) || SUBJECTS.contains(text) || AUXILIARIES.contains(text) {
        return true;
    }
    // "Does LTI leak", "has MEIER been hacked": behind a device that is the subject of an
    // auxiliary.
    let subject = *part == Part::Slot
        && at
            .checked_sub(2)
            .and_then(|at| parts.get(at))
            .is_some_and(|(text, _)| AUXILIARIES.contains(text));
    let asks = parts
        .get(begin)
        .is_some_and(|(text, _)| AUXILIARIES.contains(text));
    let describes = parts
        .get(at + 1)
        .is_some_and(|(_, part)| matches!(part, Part::Slot | Part::Concept(_)));
    subject || asks && !describes
}
