//! Words of a question that nothing in its query is of.
//!
//! `untested` knows words that limit: states, times, values. Any other noun, verb or name limits,
//! too: "women" of a query that counts all employees. A word is accounted for by a table, a column,
//! a value or a function of the query, by a word for one of them, or because it is a word of
//! asking. The names that a query gives its results account for nothing: a model chooses them. A
//! condition, a joined table or a shown column without a word of the question may say some of its
//! words in other ones.

use std::ops::Range;

use contracts::tools::sql::TableDescription;

mod words;

use self::words::{ASKING, FUNCTIONS, SYNONYMS};
use super::{
    columns::is_grammar,
    conditions::tests,
    made_up::{KEYWORDS, Token, columns, is_word, named, tokens},
    names::{singular, stems, words},
    untested::{Asked, STEM, UNITS, asked, is_alike, is_time, limits},
};

/// Columns that are shown for any question.
const GENERIC: &[&str] = &[
    "code",
    "description",
    "first",
    "id",
    "key",
    "label",
    "last",
    "name",
    "no",
    "number",
    "title",
];

/// Units of amounts, as the names of their columns have them.
const MEASURES: &[&str] = &["cent", "chf", "eur", "gbp", "kg", "km", "kwh", "pct", "usd"];

/// The words of a question that nothing in the query is of, those that follow each other together.
pub(crate) fn unapplied(
    sql: &str,
    question: &str,
    is_mysql: bool,
    schemas: &[TableDescription],
) -> Vec<String> {
    let (groups, others) = left(sql, question, is_mysql, schemas);
    if groups.len() <= others {
        return Vec::new();
    }
    groups
}

/// Such words of a question for which parts of the query in other words may stand.
pub(super) fn excused(
    sql: &str,
    question: &str,
    is_mysql: bool,
    schemas: &[TableDescription],
) -> Vec<String> {
    let (groups, others) = left(sql, question, is_mysql, schemas);
    if groups.len() > others {
        return Vec::new();
    }
    groups
}

/// The words of a question that nothing in the query is of, and the number of the query's parts
/// that may say some of them.
fn left(
    sql: &str,
    question: &str,
    is_mysql: bool,
    schemas: &[TableDescription],
) -> (Vec<String>, usize) {
    let tokens = tokens(sql, is_mysql);
    let asked = asked(question);
    let says_time = asked
        .iter()
        .any(|one| is_time(&one.word) || UNITS.contains(&singular(&one.word).as_str()));
    let query = Query::of(&tokens, schemas, says_time);
    let mut groups: Vec<Range<usize>> = Vec::new();
    for at in 0..asked.len() {
        if is_asking(&asked, at) || query.accounts_for(&asked[at]) {
            continue;
        }
        match groups.last_mut() {
            Some(group) if group.end == at => group.end += 1,
            _ => groups.push(at..at + 1),
        }
    }
    let said: Vec<String> = asked.iter().flat_map(|one| stems(&one.word)).collect();
    let others = query.others(&said);
    let text = |group: Range<usize>| {
        let words = asked[group].iter().map(|one| one.text.as_str());
        words.collect::<Vec<_>>().join(" ")
    };
    (groups.into_iter().map(text).collect(), others)
}

/// Whether two words are for the same.
pub(super) fn is_synonym(one: &str, other: &str) -> bool {
    SYNONYMS.iter().any(|same| {
        same.iter().any(|word| is_alike(one, word)) && same.iter().any(|word| is_alike(other, word))
    })
}

/// Whether a word asks, counts, compares or says a time: such words are of other checks.
fn is_asking(asked: &[Asked], at: usize) -> bool {
    let one = &asked[at];
    let stem = singular(&one.word);
    let is = |list: &[&str]| {
        list.binary_search(&one.word.as_str()).is_ok() || list.binary_search(&&*stem).is_ok()
    };
    limits(asked, at).is_some()
        || one.word.chars().count() < 3
        || one.word.contains(|c: char| c.is_ascii_digit())
        || agent_kit::number_words::value(&one.word).is_some()
        || is(ASKING)
        || is_time(&one.word)
        || UNITS.contains(&stem.as_str())
        || one.word.ends_with("est") && one.word.len() > 5
        || one.word.ends_with("n't")
        || one.word.ends_with("n\u{2019}t")
}

/// The parts of a query that words are compared with.
struct Query<'a> {
    /// The words of its tables, columns, values and functions, and of the comments of these.
    names: Vec<String>,
    functions: Vec<&'a str>,
    /// The words of each condition and of each shown column.
    parts: Vec<Vec<String>>,
    /// Values of one whole word, in letters.
    texts: Vec<String>,
    /// The longer ones of them.
    values: Vec<String>,
    /// The number of words that joins, groups and queries within may say.
    relations: usize,
}

impl<'a> Query<'a> {
    fn of(tokens: &'a [Token], schemas: &[TableDescription], says_time: bool) -> Self {
        let mut names = Vec::new();
        let mut functions = Vec::new();
        let (mut texts, mut values) = (Vec::new(), Vec::new());
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Word(word) if tokens.get(at + 1) == Some(&Token::Sign('(')) => {
                    functions.push(word.as_str());
                }
                Token::Word(word) if !is_alias(tokens, at) => {
                    names.extend(stems(word));
                    names.push(word.clone());
                    if KEYWORDS.contains(&word.as_str()) || is_grammar(word) {
                        functions.push(word.as_str());
                    }
                }
                Token::Text(text) => {
                    names.extend(stems(text));
                    if text.len() > 2 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
                        let word = singular(&text.to_lowercase());
                        values.extend((text.len() > STEM).then(|| word.clone()));
                        texts.push(word);
                    }
                }
                _ => {}
            }
        }
        let read = |name: &str| {
            let name = name.rsplit('.').next().unwrap_or(name).to_lowercase();
            tokens
                .iter()
                .any(|one| matches!(one, Token::Word(word) if *word == name))
        };
        for table in schemas.iter().filter(|table| read(&table.name)) {
            names.extend(table.description.iter().flat_map(|text| stems(text)));
            let columns = table.columns.iter().filter(|column| read(&column.name));
            names.extend(
                columns
                    .filter_map(|column| column.description.as_deref())
                    .flat_map(stems),
            );
        }
        let mut parts: Vec<Vec<String>> = Vec::new();
        for test in tests(tokens).into_iter().filter(|test| test.is_open) {
            if !(says_time && test.is_time) {
                parts.push(test.words);
            }
        }
        let count = |word: &str| tokens.iter().filter(|one| is_word(one, word)).count();
        let relations = 2 * (count("join") + count("select").saturating_sub(1)) + count("group");
        let selects = tokens.iter().enumerate();
        for (at, _) in selects.filter(|(_, one)| is_word(one, "select")) {
            for column in columns(&tokens[at + 1..]).0 {
                let said = super::conditions::said_in(named(column).0);
                let is_generic = said.iter().all(|word| GENERIC.contains(&word.as_str()));
                if !is_generic {
                    parts.push(said);
                }
            }
        }
        Self {
            names,
            functions,
            parts,
            texts,
            values,
            relations,
        }
    }

    /// Whether a word is one of the query's, or for one of them.
    fn accounts_for(&self, one: &Asked) -> bool {
        // "Work-order's" is of two words.
        let pieces = words(&one.word);
        pieces.iter().all(|piece| {
            let bare = piece.strip_suffix('s').unwrap_or(piece);
            self.has(&singular(piece)) || self.has(bare)
        })
    }

    fn has(&self, word: &str) -> bool {
        let is_it =
            |name: &String| is_alike(word, name) || contains(name, word) || shortens(name, word);
        if word.len() < 3 || ASKING.binary_search(&word).is_ok() || self.names.iter().any(is_it) {
            return true;
        }
        let of_function = FUNCTIONS.iter().any(|(name, words)| {
            self.functions.contains(name) && words.iter().any(|one| is_alike(word, one))
        });
        let alike = |one: &&str| is_alike(word, one);
        of_function
            || SYNONYMS.iter().any(|same| {
                same.iter().any(alike)
                    && same.iter().any(|other| {
                        let mut names = self.names.iter();
                        names.any(|name| name == other || contains(name, other))
                    })
            })
    }

    /// The number of words that the query may say in other ones: each part with a word that the
    /// question does not have says one.
    fn others(&self, said: &[String]) -> usize {
        let is_said = |word: &String| {
            word.chars().all(|c| c.is_ascii_digit())
                || MEASURES.contains(&word.as_str())
                || said
                    .iter()
                    .any(|one| is_alike(one, word) || shortens(word, one))
        };
        // `'repair'` is not another word for "emergency", as `'F'` may be for "women".
        let is_foreign = |word: &String| self.values.contains(word) && !is_said(word);
        let parts = self
            .parts
            .iter()
            .filter(|words| !words.iter().any(is_foreign));
        // `type = 'vacation'` of "vacation" says nothing more: its column is of no name.
        let has_said_value = |words: &Vec<String>| {
            words
                .iter()
                .any(|word| self.texts.contains(word) && is_said(word))
        };
        let unsaid = parts.filter(|words| !words.iter().all(is_said) && !has_said_value(words));
        unsaid.count() + self.relations
    }
}

/// `dept` of "department".
fn shortens(name: &str, word: &str) -> bool {
    let mut rest = word.chars();
    (3..=5).contains(&name.len())
        && name.len() < word.len()
        && word.starts_with(&name[..name.ceil_char_boundary(1)])
        && name.chars().all(|c| rest.any(|other| other == c))
}

/// `hasallergy` of "allergy".
fn contains(name: &str, word: &str) -> bool {
    word.len() > STEM && name.contains(word) && !super::columns::opposite(name, word)
}

/// Whether the word at a place is a name that the query gives to a table or a result.
pub(super) fn is_alias(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let names = match before {
        Some(Token::Word(word)) => word == "as" || !is_grammar(word),
        Some(Token::Text(_) | Token::Number(_)) => true,
        before => before == Some(&Token::Sign(')')),
    };
    let is_grammar = match &tokens[at] {
        Token::Word(word) => is_grammar(word),
        Token::Text(_) | Token::Number(_) | Token::Sign(_) => false,
    };
    !is_grammar && (names || tokens.get(at + 1) == Some(&Token::Sign('.')))
}

#[cfg(test)]
mod tests;
