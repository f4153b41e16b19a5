//! The meaning of a message, as far as rules can determine it: plain functions.

use regex::Regex;

pub(crate) mod about_tables;
pub(crate) mod addressed;
pub(crate) mod claims;
pub(crate) mod columns;
mod conditions;
pub(crate) mod contradicted;
pub(crate) mod counted;
pub(crate) mod made_up;
pub(crate) mod names;
pub(crate) mod phrases;
pub(crate) mod route;
mod stated;
pub(crate) mod statement;
pub(crate) mod unapplied;
pub(crate) mod untested;
pub(crate) mod variants;

/// A fixed pattern; one that does not compile matches nothing, and the tests would fail.
pub(crate) fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}
