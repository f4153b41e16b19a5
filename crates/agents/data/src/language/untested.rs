//! Conditions of a question that a query does not test.
//!
//! States ("unpaid invoices", "orders cancelled"), times ("last month") and places of an order
//! ("the second lowest") limit what is asked. The query tests them with a condition on a column
//! or a value of that name, in the same sense: `paid = 0` is "unpaid". A condition without a word
//! of the question may be any one of them in other words: `status = 2` for "open". Nor is a value
//! left out that the question states: "over 500", "in Berlin". Other words that limit are not
//! looked for: joins and columns say them in too many other words.

use agent_kit::{calendar, number_words};

use super::{
    columns::{opposite, tables},
    conditions::{Test, said_in, tests},
    made_up::{Token, columns, is_word, named, tokens},
    names::{singular, words},
    stated::stated,
};

/// States that things have for a while, without those that turn another one round. Sorted.
const STATES: &[&str] = &[
    "accepted",
    "active",
    "answered",
    "approved",
    "archived",
    "assigned",
    "blocked",
    "canceled",
    "cancelled",
    "closed",
    "completed",
    "confirmed",
    "damaged",
    "delayed",
    "deleted",
    "delivered",
    "disabled",
    "due",
    "enabled",
    "expired",
    "failed",
    "finished",
    "late",
    "locked",
    "open",
    "outstanding",
    "overdue",
    "paid",
    "pending",
    "refunded",
    "rejected",
    "resolved",
    "retired",
    "returned",
    "shipped",
    "sold",
    "suspended",
    "terminated",
    "verified",
];

pub(super) const UNITS: &[&str] = &["day", "hour", "minute", "month", "quarter", "week", "year"];
const BEFORE_UNITS: &[&str] = &["current", "last", "next", "past", "previous", "this"];

/// Beginnings that turn a word round.
const TURNING: [&str; 3] = ["un", "in", "non"];

/// Letters of a word and of a name that have to be the same.
pub(super) const STEM: usize = 4;

/// A word of a question.
pub(super) struct Asked {
    /// With the signs around it.
    pub(super) raw: String,
    pub(super) text: String,
    pub(super) word: String,
    pub(super) is_capital: bool,
}

impl Asked {
    pub(super) fn is(&self, list: &[&str]) -> bool {
        list.contains(&self.word.as_str())
    }
}

/// The parts of a query that words are compared with.
struct Query {
    tests: Vec<Test>,
    tables: Vec<String>,
    /// The words of the columns that are shown.
    shown: Vec<String>,
    /// The number of rows that are skipped before the result.
    skipped: Option<usize>,
    /// Whether rows are numbered or compared with an extreme of others.
    places: bool,
}

/// The words of a question whose condition a query does not test, in order.
pub(crate) fn untested(sql: &str, question: &str, is_mysql: bool) -> Vec<String> {
    left(sql, question, is_mysql).0
}

/// Such words for which a condition of the query in other words may stand.
pub(super) fn excused(sql: &str, question: &str, is_mysql: bool) -> Vec<String> {
    left(sql, question, is_mysql).1
}

/// The words whose condition a query does not test, and those that a condition in other words may
/// be for.
fn left(sql: &str, question: &str, is_mysql: bool) -> (Vec<String>, Vec<String>) {
    let tokens = tokens(sql, is_mysql);
    let query = Query::of(&tokens);
    let asked = asked(question);
    let mut open: Vec<usize> = query.open_tests();
    let mut groups: Vec<(Vec<usize>, bool)> = Vec::new();
    let mut used_time = false;
    for at in 0..asked.len() {
        let Some(kind) = limits(&asked, at) else {
            continue;
        };
        let is_time = kind == Limit::Time;
        if is_time && query.tests.iter().any(|test| test.is_time) {
            used_time = true;
            continue;
        }
        if kind == Limit::Place {
            if !place(&asked[at].word).is_some_and(|place| query.has_place(place)) {
                groups.push((vec![at], true));
            }
            continue;
        }
        let contradicted = match query.verdict(&asked, at) {
            Verdict::Tested(tests) => {
                open.retain(|one| !tests.contains(one));
                continue;
            }
            Verdict::Contradicted => true,
            Verdict::Untested => false,
        };
        match groups.last_mut() {
            Some((group, _)) if group.last() == Some(&(at - 1)) && !contradicted => group.push(at),
            _ => groups.push((vec![at], contradicted)),
        }
    }
    for one in stated(&asked) {
        let says = |test: &usize| {
            let mut words = query.tests[*test].words.iter();
            words.any(|word| one.value.is_said_by(word))
        };
        let is_limit = |at: &usize| groups.iter().any(|(group, _)| group.contains(at));
        if one.value.is_in(&tokens) {
            open.retain(|test| !says(test));
        } else if !one.places.iter().any(is_limit) {
            groups.push((one.places, false));
        }
    }
    groups.sort_by_key(|(group, _)| group.first().copied());
    let mut left = open
        .iter()
        .filter(|at| !(used_time && query.tests[**at].is_time))
        .count();
    let (excused, groups): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, contradicted)| {
        let is_said = !contradicted && left > 0;
        left -= usize::from(is_said);
        is_said
    });
    let text = |group: &Vec<usize>| -> String {
        let words: Vec<&str> = group.iter().map(|at| asked[*at].text.as_str()).collect();
        words.join(" ")
    };
    let mut told: Vec<String> = Vec::new();
    for (group, _) in &groups {
        let text = text(group);
        // In small letters, if the question has them anywhere.
        match told.iter_mut().find(|one| one.eq_ignore_ascii_case(&text)) {
            Some(first) if text.starts_with(char::is_lowercase) => *first = text,
            Some(_) => {}
            None => told.push(text),
        }
    }
    let excused = excused.iter().map(|(group, _)| text(group)).collect();
    (told, excused)
}

/// The way in which a word limits what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    State,
    Time,
    /// "The second lowest".
    Place,
}

/// The relation of a query to a word that limits.
enum Verdict {
    /// These tests are of it, or a table or a column has it.
    Tested(Vec<usize>),
    /// The contrary is tested.
    Contradicted,
    /// Nothing in it is of the word.
    Untested,
}

/// The place that a word says.
fn place(word: &str) -> Option<usize> {
    let words = [
        "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    ];
    let figures = [
        "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th",
    ];
    let mut known = [words, figures].into_iter();
    known.find_map(|list| Some(list.iter().position(|one| *one == word)? + 2))
}

/// "Lowest", "most".
fn is_superlative(word: &str) -> bool {
    word.len() > 4 && word.ends_with("est")
        || ["best", "last", "least", "most", "worst"].contains(&word)
}

/// Whether a word names a month, a weekday or a day beside today.
pub(super) fn is_time(word: &str) -> bool {
    calendar::is_name(word) || matches!(word, "today" | "tomorrow" | "yesterday")
}

/// How the word at a place limits what is asked.
pub(super) fn limits(asked: &[Asked], at: usize) -> Option<Limit> {
    let one = &asked[at];
    let is_next = |fits: fn(&str) -> bool| asked.get(at + 1).is_some_and(|next| fits(&next.word));
    let unit = |at: usize| {
        let word = asked.get(at).map(|one| singular(&one.word));
        word.is_some_and(|word| UNITS.contains(&word.as_str()))
    };
    let is_figure = |one: &Asked| {
        one.word.bytes().all(|byte| byte.is_ascii_digit())
            || number_words::value(&one.word).is_some()
    };
    let counts_units = asked.get(at + 1).is_some_and(is_figure) && unit(at + 2);
    if place(&one.word).is_some() && is_next(is_superlative) {
        return Some(Limit::Place);
    }
    let earlier = |steps: usize| {
        at.checked_sub(steps)
            .is_some_and(|at| asked[at].is(BEFORE_UNITS))
    };
    if is_time(&one.word) && (one.is_capital || one.word != "march")
        || one.is(BEFORE_UNITS) && (unit(at + 1) || counts_units)
        || unit(at) && (earlier(1) || earlier(2) && is_figure(&asked[at - 1]))
        || is_figure(one) && unit(at + 1) && earlier(1)
    {
        return Some(Limit::Time);
    }
    let is_state = |word: &str| STATES.binary_search(&word).is_ok();
    let turned = TURNING
        .iter()
        .filter_map(|prefix| one.word.strip_prefix(prefix));
    let is_state = is_state(&one.word) || turned.into_iter().any(is_state);
    is_state.then_some(Limit::State)
}

impl Query {
    fn of(tokens: &[Token]) -> Self {
        let tables = tables(tokens);
        let mut tests = tests(tokens);
        let mut shown = Vec::new();
        for (at, _) in tokens
            .iter()
            .enumerate()
            .filter(|(_, one)| is_word(one, "select"))
        {
            for column in columns(&tokens[at + 1..]).0 {
                let compares = column
                    .iter()
                    .any(|one| matches!(one, Token::Sign('=' | '<' | '>')) || is_word(one, "when"));
                let aggregates = column.iter().any(|one| {
                    ["sum", "count", "avg"]
                        .iter()
                        .any(|name| is_word(one, name))
                });
                let (value, _) = named(column);
                let said = said_in(value);
                // `SUM(paid)` is of the paid ones.
                let filters = column.iter().any(|one| is_word(one, "filter"));
                if compares && !filters || aggregates && said.len() < 2 {
                    tests.push(Test {
                        words: said.clone(),
                        is_open: compares,
                        ..Test::default()
                    });
                }
                shown.extend(said);
            }
        }
        let has = |list: &[&str]| {
            tokens
                .iter()
                .any(|one| list.iter().any(|word| is_word(one, word)))
        };
        Self {
            tables: tables
                .iter()
                .flat_map(|(_, table)| words(table))
                .map(|word| singular(&word))
                .collect(),
            shown,
            skipped: skipped(tokens),
            places: has(&["dense_rank", "nth_value", "rank", "row_number"])
                || tokens.iter().filter(|one| is_word(one, "select")).count() > 1
                    && has(&["max", "min"]),
            tests,
        }
    }

    /// Whether the result is of a place of an order, or has that place in its rows.
    fn has_place(&self, place: usize) -> bool {
        self.places || self.skipped.is_some_and(|skipped| skipped + 1 == place)
    }

    fn open_tests(&self) -> Vec<usize> {
        (0..self.tests.len())
            .filter(|at| self.tests[*at].is_open)
            .collect()
    }

    /// Whether "not" or a prefix turns a word round, and the word without it.
    fn sense(asked: &[Asked], at: usize) -> (Vec<(String, bool)>, bool) {
        let word = singular(&asked[at].word);
        let mut earlier = asked[..at].iter().rev().take(2);
        let is_denied = earlier.any(|one| one.is(&["not", "never"]));
        let mut senses = vec![(word.clone(), false)];
        for prefix in TURNING {
            let rest = word.strip_prefix(prefix).filter(|rest| rest.len() >= STEM);
            senses.extend(rest.map(|rest| (rest.to_owned(), true)));
        }
        (senses, is_denied)
    }

    /// Whether the query tests a word, and in its sense.
    fn verdict(&self, asked: &[Asked], at: usize) -> Verdict {
        let (senses, is_denied) = Self::sense(asked, at);
        let is_it = |(word, _): &&(String, bool), name: &String| is_alike(word, name);
        let mut tests = Vec::new();
        let mut is_contradicted = false;
        for (number, test) in self.tests.iter().enumerate() {
            for sense in &senses {
                if !test.words.iter().any(|name| is_it(&sense, name)) {
                    continue;
                }
                match test.denies {
                    Some(denies) if denies == (is_denied == sense.1) => is_contradicted = true,
                    _ => tests.push(number),
                }
            }
        }
        // A table of such things, or a column that shows the state.
        let mut names = self.tables.iter().chain(&self.shown);
        if !tests.is_empty() {
            Verdict::Tested(tests)
        } else if is_contradicted {
            Verdict::Contradicted
        } else if names.any(|name| senses.iter().any(|sense| is_it(&sense, name))) {
            Verdict::Tested(Vec::new())
        } else {
            Verdict::Untested
        }
    }
}

/// Whether a word is a name in another form: "cancelled" of `cancel`, "overdue" of `due`.
pub(super) fn is_alike(word: &str, name: &str) -> bool {
    let same = word
        .bytes()
        .zip(name.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let least = word.len().min(name.len());
    let bare = |name: &'_ str| {
        ["is", "has"]
            .iter()
            .any(|start| name.strip_prefix(start) == Some(word))
    };
    // `workorder` of a table `workOrder`.
    let ends = || word.len() >= STEM && name.ends_with(word) && !opposite(name, word);
    word == name
        || word == "overdue" && name.starts_with("due")
        || bare(name)
        || ends()
        || least >= STEM && same >= STEM && same + 2 >= least
}

/// The words of a question.
pub(super) fn asked(question: &str) -> Vec<Asked> {
    let pieces = question
        .split_whitespace()
        .map(|piece| (piece, piece.trim_matches(|c: char| !c.is_alphanumeric())));
    pieces
        .filter(|(_, text)| !text.is_empty())
        .map(|(raw, text)| Asked {
            raw: raw.to_owned(),
            is_capital: text.starts_with(char::is_uppercase),
            text: text.to_owned(),
            word: text.to_lowercase(),
        })
        .collect()
}

/// The number of rows that a query skips: `OFFSET 1`, `LIMIT 1, 1`.
fn skipped(tokens: &[Token]) -> Option<usize> {
    let number = |at: usize| match tokens.get(at) {
        Some(Token::Number(number)) => number.parse().ok(),
        _ => None,
    };
    (0..tokens.len()).rev().find_map(|at| {
        let is_pair =
            is_word(&tokens[at], "limit") && tokens.get(at + 2) == Some(&Token::Sign(','));
        (is_word(&tokens[at], "offset") || is_pair).then(|| number(at + 1))?
    })
}

#[cfg(test)]
mod tests;
