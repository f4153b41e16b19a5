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
    /// The same in their order, each with whether it is written in capitals.
    sequence: Vec<(String, bool)>,
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
/// Forms of "be", without their endings.
const BE: [&str; 4] = ["is", "are", "was", "were"];
/// Words before a noun that say nothing of the thing, without their endings.
const SMALL: [&str; 56] = [
    "the", "a", "an", "his", "her", "their", "its", "it", "my", "our", "your", "any", "some", "no",
    "all", "each", "every", "many", "much", "few", "several", "how", "of", "with", "and", "or",
    "both", "is", "are", "was", "were", "be", "been", "do", "doe", "did", "have", "ha", "has",
    "had", "who", "which", "that", "whose", "what", "s", "as", "to", "by", "in", "other",
    "another", "most", "than", "list", "find",
];
/// Minimum length of a word that can match the beginning of another.
const BEGINNING: usize = 4;

impl QuestionWords {
    /// Splits a text into words.
    pub fn new(text: &str) -> QuestionWords {
        let said: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let words: HashSet<String> = said.iter().map(|word| word.to_lowercase()).collect();
        let stems = words.iter().map(|word| trunk(word)).collect();
        let sequence = said
            .iter()
            .map(|word| (trunk(word), word.starts_with(char::is_uppercase)))
            .collect();
        QuestionWords {
            words,
            stems,
            sequence,
        }
    }

    /// Number of times that the question has a form of the word.
    fn count(&self, word: &str) -> usize {
        let word = trunk(word);
        self.sequence
            .iter()
            .filter(|(said, _)| *said == word)
            .count()
    }

    /// Whether the question says something about the things of a word: "student friends", "a friend
    /// that is from Oslo".
    fn describes(&self, word: &str) -> bool {
        let word = trunk(word);
        self.sequence.iter().enumerate().any(|(at, (said, _))| {
            let before = at.checked_sub(1).and_then(|at| self.sequence.get(at));
            let described = before.is_some_and(|(before, capital)| {
                !capital && !SMALL.contains(&before.as_str()) && before.parse::<u64>().is_err()
            });
            let behind = |more: usize, words: &[&str]| {
                let word = self.sequence.get(at + more);
                word.is_some_and(|(said, _)| words.contains(&said.as_str()))
            };
            let qualified = behind(1, &["that", "who", "whose", "which"]) && behind(2, &BE)
                || behind(1, &["whose"]);
            *said == word && (described || qualified)
        })
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
        if let Some(role) = self.described(question, group, &names) {
            return role;
        }
        let scores: Vec<usize> = names.iter().map(score).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let mut at_best = (0..scores.len()).filter(|way| scores[*way] == best);
        match (best, at_best.next(), at_best.next()) {
            (1.., Some(way), None) => way,
            _ => 0,
        }
    }
}

impl Graph {
    /// The way of the role whose things the question describes, where the role has named the table
    /// of the references too: of `person_friend.name` and `person_friend.friend` the second for
    /// "the female friends of Alice", because they are the persons that are female.
    fn described(
        &self,
        question: &QuestionWords,
        group: u32,
        names: &[HashSet<String>],
    ) -> Option<usize> {
        let (.., Some(one)) = self.ends(group) else {
            return None;
        };
        let ((first, second), ..) = self.ends(group);
        let referring = if one == first { second } else { first };
        let table: HashSet<String> = words(self.name(referring))
            .iter()
            .map(|word| trunk(word))
            .collect();
        let referred: HashSet<String> = words(self.name(one))
            .iter()
            .map(|word| trunk(word))
            .collect();
        let mut described = (0..names.len()).filter(|way| {
            names[*way].iter().any(|word| {
                let of_one_way = names.iter().filter(|names| names.contains(word)).count() == 1;
                of_one_way
                    && table.contains(&trunk(word))
                    && !referred.contains(&trunk(word))
                    && question.describes(word)
            })
        });
        let first = described.next()?;
        described.next().is_none().then_some(first)
    }

    /// The ways of a group that the question names, each by words of its own: two or more are as
    /// many roles of the referenced table. "Who authorised the destruction, and who destroyed it".
    pub(crate) fn roles(&self, question: &QuestionWords, group: u32) -> Vec<usize> {
        let ways = self.ways_of(group as usize);
        let (.., Some(one)) = self.ends(group) else {
            return Vec::new();
        };
        if ways.len() < 2 || question.words.is_empty() {
            return Vec::new();
        }
        let names: Vec<HashSet<String>> = ways
            .iter()
            .map(|way| column_words(self.way(*way)))
            .collect();
        let of_table = |id: u32| -> HashSet<String> {
            let words = words(self.name(id));
            words.iter().map(|word| trunk(word)).collect()
        };
        let ((first, second), ..) = self.ends(group);
        let referring = of_table(if one == first { second } else { first });
        let referred = of_table(one);
        let is_named_twice = words(self.name(one))
            .iter()
            .any(|word| question.count(word) > 1);
        let is_named = |way: &usize| {
            let others = || (0..names.len()).filter(|other| other != way);
            let own: Vec<&String> = names[*way]
                .iter()
                .filter(|word| {
                    !PLAIN.contains(&word.as_str())
                        && !referred.contains(&trunk(word))
                        && !others().any(|other| names[other].contains(*word))
                })
                .collect();
            // A word that the table of the references has too may be said of that table.
            let distinct =
                is_named_twice || own.iter().any(|word| !referring.contains(&trunk(word)));
            !own.is_empty() && distinct && own.iter().all(|word| question.has(word))
        };
        let named: Vec<usize> = (0..names.len()).filter(is_named).collect();
        if named.len() > 1 { named } else { Vec::new() }
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
