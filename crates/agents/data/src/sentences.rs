//! Sentences of the rules.

mod catalogue;
mod endings;
mod offers;
mod remembering;
mod results;

pub(crate) use {
    catalogue::{columns, databases, having, no_such_place, no_such_table, tables, which_target},
    endings::{away, ending, only_english},
    offers::{OFFERS, abilities, addressed, offered},
    remembering::{
        NOTHING_TO_FORGET, NOTHING_TO_REMEMBER, WHICH_QUESTION, forgotten, nothing_remembered_for,
        remembered,
    },
    results::{CUT_LIST, contradicted, empty, untested},
};

use crate::language::names::spoken_plural;

/// Characters of a question that are quoted.
const QUOTED: usize = 120;

/// A query returned nothing, not even an empty result.
pub(crate) const NOTHING_CAME: &str = "There was no answer to that. Please ask again.";

/// The picker that was answered is not open.
pub(crate) const NOTHING_OPEN: &str =
    "That question is not open any more. What would you like to know?";

/// The name of the person's own query.
pub(crate) const OWN_QUERY: &str = "Your query";

/// The query was not accepted, and the tools do not say why.
pub(crate) const DOES_NOT_FIT: &str = "The query does not fit what the database holds.";

/// A model's query states its values itself.
pub(crate) const NOT_FROM_TABLES: &str =
    "The language model's query states values itself instead of reading them from the tables.";

/// A model's query counts the rows of other tables than the question's.
pub(crate) fn counts_another(table: &str) -> String {
    format!(
        "The language model's query does not read the {} that the question counts.",
        spoken_plural(table)
    )
}

/// The model wrote none.
pub(crate) const NO_QUERY_CAME: &str = "The language model wrote no query.";

/// It would read too much, and the tools do not say how much.
pub(crate) const TOO_MUCH: &str = "The database would have to read too much for this.";

#[cfg(test)]
mod tests;
