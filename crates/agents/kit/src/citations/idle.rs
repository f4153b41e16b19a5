//! Sentences that state nothing about the matter: courtesies, questions back, headings, and that
//! nothing was found.
//!
//! After its beginning such a sentence has words of the question and words that claim nothing, and
//! no finite verb but in an indirect question ("whether overtime is paid").

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::support::has_strange_marks;
use crate::{
    facts::FactRegistry,
    passages::{is_filler, words},
};

/// A sentence without a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idle {
    /// It says that something is not in the documents, or could not be read.
    Absence,
    /// Anything else.
    Talk,
}

/// How one says that something is not there, or could not be read.
static ABSENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let documents =
        r"(documents?|passages?|sources?|records?|results?|texts?|manuals?|inventor(y|ies))";
    let pattern = format!(
        r"(?ix)^\W*(
        (unfortunately,?\s)?(i|we)\s(could|can|did|do)\s?(not|n['’]t)\s(find|see|answer|tell|say|look|read|know)\b
        | (unfortunately,?\s)?i\s(cannot|can['’]t)\s(find|see|answer|tell|say|look|read)\b
        | (unfortunately,?\s)?i\s(found|find|have|know|see)\s(no|nothing)\b
        | (nothing|no\s{documents})\s(was|were|is|are)\s(found|there|available)\b
        | (the|your|my|these)\s(uploaded\s)?{documents}\s((do|does|did)\s?(not|n['’]t)\s(say|mention|contain|tell|cover|answer|describe|state|hold)|(say|says|contain|contains|mention|mentions|hold|holds)\s(no|nothing))\b
        | you\s(are|have)\snot\s(yet\s)?connected\b
        )"
    );
    Regex::new(&pattern).ok()
});

/// How a question back begins, and the line above a list.
static TALK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)^\W*(
        (please|could\syou|would\syou|do\syou\s(mean|want)|which|what\s(would|do)\syou)\b[^.!:]*\?$
        | (here\s(is|are)|in\sshort|in\sbrief|the\sdocuments\ssay|from\sthe\sdocuments)[^.!?]*:$
        )";
    Regex::new(pattern).ok()
});

/// Words beside those of the question. Sorted.
const WORDS: &[&str] = &[
    "access",
    "again",
    "answer",
    "available",
    "connect",
    "connected",
    "contain",
    "could",
    "data",
    "detail",
    "details",
    "document",
    "documents",
    "enough",
    "everything",
    "exact",
    "found",
    "further",
    "here",
    "information",
    "inventories",
    "inventory",
    "know",
    "matter",
    "mean",
    "mention",
    "name",
    "passage",
    "passages",
    "question",
    "read",
    "record",
    "records",
    "result",
    "results",
    "say",
    "see",
    "service",
    "source",
    "sources",
    "specific",
    "subject",
    "text",
    "them",
    "topic",
    "uploaded",
    "upstream",
    "yet",
    "your",
];

/// Verbs that make a statement.
const FINITE: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "must", "shall",
    "should", "was", "were", "will", "would",
];

/// Words that begin an indirect question.
const INDIRECT: &[&str] = &[
    "how", "if", "what", "when", "where", "whether", "which", "who", "why",
];

/// The kind of a sentence that states nothing; `None` where it states something. `other` are words
/// that a question may have, beside those of the person's own.
pub(super) fn idle(
    sentence: &str,
    question: &BTreeSet<String>,
    other: impl Fn(&str) -> bool,
) -> Option<Idle> {
    let plain = sentence.trim().trim_matches(['*', '_', '"', ' ']);
    let asked = |word: &str| words(word).iter().all(|stem| question.contains(stem));
    // The number of a part may be a word of the question.
    let mut numbers = plain.split_whitespace();
    let mut numbers = numbers
        .by_ref()
        .filter(|word| word.chars().any(char::is_numeric));
    if has_strange_marks(plain) || !numbers.all(asked) {
        return None;
    }
    if FactRegistry::default().is_courtesy(plain) {
        return Some(Idle::Talk);
    }
    let begin = |pattern: &LazyLock<Option<Regex>>| {
        let found = pattern.as_ref()?.find(plain)?;
        Some(plain[found.end()..].to_owned())
    };
    if let Some(rest) = begin(&ABSENCE) {
        return is_about(&rest, asked).then_some(Idle::Absence);
    }
    begin(&TALK)?;
    let lower = plain.to_lowercase();
    let known = |word: &str| {
        is_filler(word) || listed(word) || asked(word) || other(word) || FINITE.contains(&word)
    };
    split(&lower).all(known).then_some(Idle::Talk)
}

/// Whether the rest of a sentence only names what was asked.
fn is_about(rest: &str, asked: impl Fn(&str) -> bool) -> bool {
    let lower = rest.to_lowercase();
    let mut indirect = false;
    split(&lower).all(|word| {
        indirect |= INDIRECT.contains(&word);
        if FINITE.contains(&word) {
            return indirect;
        }
        is_filler(word) || listed(word) || asked(word)
    })
}

fn listed(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok() || INDIRECT.contains(&word)
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '\u{2019}'));
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sentence_that_states_nothing_is_idle() {
        assert!(WORDS.is_sorted());
        let question = words("How is overtime paid on Sundays?");
        let idle = |sentence: &str| idle(sentence, &question, |_| false);
        for sentence in [
            "I found nothing about that in the documents.",
            "The documents do not say whether overtime is paid on Sundays.",
            "I could not read them.",
            "Unfortunately, I can't find that.",
            "The documents say nothing about Sundays.",
        ] {
            assert_eq!(idle(sentence), Some(Idle::Absence), "{sentence}");
        }
        for sentence in [
            "Let me look.",
            "Hello!",
            "Which of the Sundays do you mean?",
            "Here is what the documents say:",
        ] {
            assert_eq!(idle(sentence), Some(Idle::Talk), "{sentence}");
        }
        for sentence in [
            "I found nothing, so overtime is paid on Sundays.",
            "There is no overtime on Sundays.",
            "Nothing is paid on Sundays.",
            "I can't believe how bad the pay is.",
            "The documents do not allow overtime.",
            "No documents are needed for a refund.",
            "Let me tell you that the boss is a thief.",
            "Which thief wrote this?",
            "I found nothing about the fraud of the boss.",
            "I found no overtime for 7 weeks.",
            "You are not connected to the Sundays of ACME.",
        ] {
            assert_eq!(idle(sentence), None, "{sentence}");
        }
    }
}
