//! Contradictions between a query and the words of its question.
//!
//! `untested` looks for conditions that a query does not have. Here a query has one, and it says
//! something else: `< 500` for "over 500", April for "March", the cheapest for "the most
//! expensive", `currency <> 'USD'` for "in USD". Only what is clear in both is compared: where a
//! question or a query may be read in two ways, nothing is found.

mod absence;
mod amounts;
mod comparisons;
mod counted;
mod doubled;
mod extremes;
mod joins;
mod numbers;
mod parsed;
mod periods;
mod siblings;
mod unsaid;
mod values;

use chrono::NaiveDate;
use contracts::tools::sql::{JoinEdge, TableDescription};

use super::{
    columns::tables,
    made_up::tokens,
    untested::{Asked, asked},
};
use parsed::Parsed;
pub(crate) use unsaid::{Unsaid, conditions, unsaid};

/// A contradiction between a query and its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Contradiction {
    /// These words of the question, and what the query has for them.
    Words { said: String, reads: String },
    /// Two tables are joined by a part of their key; the condition that is missing.
    PartOfKey {
        from: String,
        to: String,
        missing: String,
    },
    /// Rows of a table are counted or added once for each row of another that belongs to them.
    Doubled { of: String, by: String },
    /// Amounts are added, and the column that says in which currency each one is.
    Currencies { amount: String, currency: String },
}

impl Contradiction {
    /// The words of the question.
    pub(crate) fn said(&self) -> Option<&str> {
        match self {
            Self::Words { said, .. } => Some(said),
            Self::PartOfKey { .. } | Self::Doubled { .. } | Self::Currencies { .. } => None,
        }
    }

    /// The text with which a model can write another query.
    pub(crate) fn finding(&self) -> String {
        match self {
            Self::Words { said, reads } => {
                format!("The question says {said:?}, but the query has: {reads}.")
            }
            Self::PartOfKey { from, to, missing } => format!(
                "The query joins {from} and {to} by a part of their key only. Add: {missing}."
            ),
            Self::Doubled { of, by } => format!(
                "The query joins {of} with {by}, of which several may belong to each: rows of {of} are counted or added several times. Leave {by} out, or aggregate it in a subquery."
            ),
            Self::Currencies { amount, currency } => format!(
                "The query adds {amount} of rows in different currencies. Filter by {currency}, or group by it and select it."
            ),
        }
    }
}

/// A question, its query, and what is known of the tables.
pub(crate) struct Compared<'a> {
    pub(crate) question: &'a str,
    pub(crate) sql: &'a str,
    pub(crate) is_mysql: bool,
    /// "Last month" is compared where the day is known.
    pub(crate) today: Option<NaiveDate>,
    pub(crate) joins: Vec<&'a JoinEdge>,
    pub(crate) schemas: &'a [TableDescription],
}

/// The contradictions between a query and its question, in the order of the kinds.
pub(crate) fn contradicted(compared: &Compared<'_>) -> Vec<Contradiction> {
    let tokens = tokens(compared.sql, compared.is_mysql);
    let query = Parsed::of(&tokens);
    let asked = asked(compared.question);
    let mut found = comparisons::contradicted(&asked, &query);
    for one in numbers::contradicted(&asked, &query) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found.extend(values::contradicted(compared.question, &query));
    found.extend(values::others(
        compared.question,
        &asked,
        &query,
        compared.schemas,
    ));
    found.extend(periods::contradicted(&asked, &query, compared.today));
    found.extend(extremes::contradicted(&asked, &query));
    found.extend(absence::contradicted(&asked, &query));
    found.extend(counted::contradicted(&asked, &query));
    found.extend(siblings::contradicted(&asked, &query, compared.schemas));
    found.extend(joins::contradicted(&compared.joins, &query));
    found.extend(joins::by_name(compared.schemas, &query, &found));
    found.extend(doubled::contradicted(compared, &asked, &query));
    found.extend(amounts::contradicted(compared.schemas, &asked, &query));
    found
}

/// Words that deny something somewhere in a question.
fn denies(word: &str) -> bool {
    const DENIALS: &[&str] = &[
        "apart",
        "besides",
        "but",
        "different",
        "else",
        "except",
        "excluding",
        "excludes",
        "exclude",
        "false",
        "ignore",
        "ignoring",
        "lack",
        "lacking",
        "lacks",
        "minus",
        "missing",
        "neither",
        "never",
        "no",
        "non",
        "none",
        "nor",
        "not",
        "nothing",
        "other",
        "others",
        "outside",
        "rather",
        "remaining",
        "rest",
        "skip",
        "unlike",
        "without",
    ];
    DENIALS.contains(&word) || word.ends_with("n't") || word.ends_with("n\u{2019}t")
}

/// The text of some places of a question.
fn text(asked: &[Asked], places: std::ops::Range<usize>) -> String {
    let words = asked.get(places).unwrap_or_default().iter();
    words
        .map(|one| one.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests;
