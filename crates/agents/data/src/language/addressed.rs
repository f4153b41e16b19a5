//! The database that a message names: "in erp", "erp: …", "does erp have …", "@erp", "erp
//! customers".

mod cut;
mod several;
mod unknown;

use super::names::{mentions, stems};

use cut::settled;
pub(crate) use several::{Several, several};
use several::{other_than, without_negated};
pub(crate) use unknown::unknown;

/// A message and the one database that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Addressed {
    /// The name of the database.
    pub(crate) target: String,
    /// The message without it; empty where nothing else was said.
    pub(crate) rest: String,
}

/// Words beside which a name is a database's.
const KIND: [&str; 5] = ["database", "db", "target", "schema", "databases"];

/// Words after which a name is a database's, wherever they stand.
const PLACE: [&str; 7] = ["in", "from", "on", "using", "within", "at", "inside"];

/// Words after which it is one where the message, or what is before a comma, ends with it.
const CLOSING: [&str; 4] = ["for", "of", "with", "to"];

/// Words that may precede a name with which the message begins.
const BEFORE: [&str; 33] = [
    "please",
    "no",
    "sorry",
    "actually",
    "rather",
    "i",
    "mean",
    "meant",
    "hi",
    "hello",
    "hey",
    "ok",
    "okay",
    "now",
    "in",
    "on",
    "for",
    "from",
    "using",
    "use",
    "with",
    "within",
    "at",
    "to",
    "ask",
    "run",
    "execute",
    "try",
    "check",
    "this",
    "following",
    "query",
    "against",
];

/// Words that say nothing else beside a name: "what about erp?"
const FILLING: [&str; 18] = [
    "and", "what", "how", "about", "same", "again", "then", "or", "but", "one", "it", "that",
    "question", "switch", "take", "there", "instead", "is",
];

/// A word of a message.
struct Word {
    text: String,
    start: usize,
    end: usize,
}

/// The place in a message that names a database.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Which of the names.
    name: usize,
    /// Its first word, and the one after its last.
    from: usize,
    to: usize,
}

/// What of a message goes with the name, and what is said in its place.
struct Cut {
    start: usize,
    end: usize,
    instead: &'static str,
}

/// The database that a message names, unless it names several. `tables` are the existing tables: a
/// word that names one of them means its contents.
pub(crate) fn addressed(text: &str, names: &[&str], tables: &[&str]) -> Option<Addressed> {
    if let Some((rest, negated)) = without_negated(text, names) {
        return leading(&rest, names, tables)
            .or_else(|| addressed(&rest, names, tables))
            .or_else(|| other_than(&negated, names, &rest));
    }
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables,
    };
    let mut named = places(&words, names).into_iter().filter_map(|place| {
        let cut = message.cut(place, names[place.name])?;
        Some((place, cut))
    });
    let (first, cut) = named.next()?;
    let is_one = named.all(|(place, _)| place.name == first.name);
    is_one.then(|| message.without(&cut, names[first.name]))
}

/// The database that a message begins with, whatever else is named in it: "erp: …". What follows
/// may be a query.
pub(crate) fn leading(text: &str, names: &[&str], tables: &[&str]) -> Option<Addressed> {
    let words = split(text);
    let message = Message {
        text,
        words: &words,
        tables,
    };
    places(&words, names).into_iter().find_map(|place| {
        let name = names[place.name];
        let cut = message.leading_cut(place, name)?;
        Some(message.without(&cut, name))
    })
}

fn split(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut goes_on = false;
    for (at, c) in text.char_indices() {
        if !c.is_alphanumeric() {
            goes_on = false;
            continue;
        }
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if goes_on => {
                word.text.extend(c.to_lowercase());
                word.end = end;
            }
            _ => words.push(Word {
                text: c.to_lowercase().collect(),
                start: at,
                end,
            }),
        }
        goes_on = true;
    }
    words
}

/// The places of the names, a longer one before those within it.
fn places(words: &[Word], names: &[&str]) -> Vec<Place> {
    let mut places = Vec::new();
    for (name, text) in names.iter().enumerate() {
        let wanted: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        for from in 0..words.len() {
            let mut said = String::new();
            for (at, word) in words.iter().enumerate().skip(from) {
                said.push_str(&word.text);
                if said.len() >= wanted.len() {
                    if said == wanted {
                        let to = at + 1;
                        places.push(Place { name, from, to });
                    }
                    break;
                }
            }
        }
    }
    let is_within = |one: &Place, other: &Place| {
        one.name != other.name && other.from <= one.from && one.to <= other.to
    };
    let longest: Vec<Place> = places
        .iter()
        .filter(|one| !places.iter().any(|other| is_within(one, other)))
        .copied()
        .collect();
    longest
}

struct Message<'m> {
    text: &'m str,
    words: &'m [Word],
    tables: &'m [&'m str],
}

impl Message<'_> {
    fn word(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.words.get(at))
            .map_or("", |word| &word.text)
    }

    /// The text between the word before this one and it.
    fn gap(&self, before: usize) -> &str {
        let start = before.checked_sub(1).map_or(0, |at| self.words[at].end);
        let end = self
            .words
            .get(before)
            .map_or(self.text.len(), |word| word.start);
        self.text.get(start..end).unwrap_or_default()
    }

    /// The place with "the" and "database" beside the name, and whether "database" is there.
    fn whole(&self, place: Place) -> (usize, usize, bool) {
        let (mut from, mut to, mut is_kind) = (place.from, place.to, false);
        let joins = |gap: &str| !gap.contains([',', '.', ':', ';', '?', '!', '(', ')', '\n']);
        if KIND.contains(&self.word(Some(to))) && joins(self.gap(to)) {
            (to, is_kind) = (to + 1, true);
        } else if KIND.contains(&self.word(from.checked_sub(1))) && joins(self.gap(from)) {
            (from, is_kind) = (from - 1, true);
        }
        let quoted = self.word(from.checked_sub(1));
        if matches!(quoted, "the" | "our" | "my" | "your") && joins(self.gap(from)) {
            from -= 1;
        }
        (from, to, is_kind)
    }

    /// The message without what goes with the name.
    fn without(&self, cut: &Cut, name: &str) -> Addressed {
        let (before, after) = (&self.text[..cut.start], &self.text[cut.end..]);
        Addressed {
            target: name.to_owned(),
            rest: settled(&format!("{before}{}{after}", cut.instead)),
        }
    }

    fn is_marked(&self, place: Place) -> bool {
        self.gap(place.from).ends_with('@')
    }

    /// Whether what the name says is what a table holds.
    fn is_thing(&self, name: &str) -> bool {
        let said = stems(name);
        self.tables.iter().any(|table| mentions(&said, table))
    }
}

#[cfg(test)]
mod tests;
