//! The words of a question as hints for joins. A path through a table that the question names is
//! preferred to one through another table. Where two tables can be joined in more than one way, the
//! way whose columns the question names is used.

use std::collections::HashSet;

use crate::document::Relationship;
use crate::graph::Graph;
use crate::names::{singular, words};

/// The words of a question, as hints for joins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionWords {
    /// The words in lower case.
    words: HashSet<String>,
    /// The words without their endings.
    stems: HashSet<String>,
}

/// Words in names that do not distinguish one column from another.
const PLAIN: [&str; 23] = [
    "id", "ids", "key", "code", "no", "nr", "num", "by", "of", "in", "the", "and", "at", "on",
    "to", "from", "is", "a", "name", "number", "date", "type", "has",
];
/// Words for an origin.
const ORIGIN: [&str; 16] = [
    "from",
    "source",
    "src",
    "origin",
    "start",
    "starts",
    "starting",
    "depart",
    "departs",
    "departing",
    "departure",
    "leave",
    "leaves",
    "leaving",
    "sender",
    "begin",
];
/// Words for a destination.
const GOAL: [&str; 16] = [
    "dest",
    "destination",
    "arrive",
    "arrives",
    "arriving",
    "arrival",
    "end",
    "ends",
    "ending",
    "target",
    "receiver",
    "recipient",
    "land",
    "lands",
    "landing",
    "goal",
];
/// Minimum length of a word that can match the beginning of another.
const BEGINNING: usize = 4;

impl QuestionWords {
    /// Splits a text into words.
    pub fn new(text: &str) -> QuestionWords {
        let words: HashSet<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let stems = words.iter().map(|word| trunk(word)).collect();
        QuestionWords { words, stems }
    }

    /// Whether the question has a form of the word.
    fn has(&self, word: &str) -> bool {
        let word = trunk(word);
        self.stems.contains(&word)
            || (word.len() >= BEGINNING
                && self.stems.iter().any(|other| {
                    other.len() >= BEGINNING
                        && (other.starts_with(&word) || word.starts_with(other.as_str()))
                }))
    }

    fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.words.contains(*word))
    }
}

impl Graph {
    /// Whether a question names a table by words that the requested tables do not have.
    pub(crate) fn names_table(&self, question: &QuestionWords, table: u32, asked: &[u32]) -> bool {
        if question.words.is_empty() {
            return false;
        }
        let known: HashSet<String> = asked
            .iter()
            .flat_map(|id| words(self.name(*id)))
            .map(|word| trunk(&word))
            .collect();
        let mut own = words(self.name(table))
            .into_iter()
            .filter(|word| !PLAIN.contains(&word.as_str()) && !known.contains(&trunk(word)))
            .peekable();
        own.peek().is_some() && own.all(|word| question.has(&word))
    }

    /// The way of a group that the question names; the preferred way if the question names none or
    /// several.
    pub(crate) fn meant(&self, question: &QuestionWords, group: u32) -> usize {
        let ways = self.ways_of(group as usize);
        if ways.len() < 2 || question.words.is_empty() {
            return 0;
        }
        let names: Vec<HashSet<String>> = ways
            .iter()
            .map(|way| column_words(self.way(*way)))
            .collect();
        let ((one, other), ..) = self.ends(group);
        let tables: HashSet<String> = [one, other]
            .iter()
            .flat_map(|id| words(self.name(*id)))
            .map(|word| trunk(&word))
            .collect();
        let is_common = |word: &String| {
            tables.contains(&trunk(word)) || names.iter().all(|names| names.contains(word))
        };
        let score = |names: &HashSet<String>| {
            let own: Vec<&String> = names.iter().filter(|word| !is_common(word)).collect();
            let named = own
                .iter()
                .filter(|word| !PLAIN.contains(&word.as_str()) && question.has(word));
            let direction = [&ORIGIN[..], &GOAL[..]].into_iter().filter(|direction| {
                own.iter().any(|word| direction.contains(&word.as_str()))
                    && question.has_any(direction)
            });
            2 * named.count() + direction.count()
        };
        let scores: Vec<usize> = names.iter().map(score).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let mut at_best = (0..scores.len()).filter(|way| scores[*way] == best);
        match (best, at_best.next(), at_best.next()) {
            (1.., Some(way), None) => way,
            _ => 0,
        }
    }
}

fn column_words(way: &[Relationship]) -> HashSet<String> {
    way.iter()
        .flat_map(|pair| [words(&pair.from_column), words(&pair.to_column)])
        .flatten()
        .collect()
}

/// A word without its inflection endings.
fn trunk(word: &str) -> String {
    let word = singular(&word.to_lowercase());
    for ending in ["ing", "ed", "es", "ion", "s", "e"] {
        if let Some(rest) = word
            .strip_suffix(ending)
            .filter(|rest| rest.len() >= BEGINNING)
        {
            return rest.to_owned();
        }
    }
    word
}
