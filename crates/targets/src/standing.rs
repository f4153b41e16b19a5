//! The status of a target: whether its database accepts the login, whether the role may be used,
//! and whether there is anything to ask.

use std::fmt;

use crate::error::Away;
use crate::{Catalogue, FoundTable, Introspection, TargetError};

/// The status of a target when it was last looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetStatus {
    /// In a word.
    pub state: State,
    /// The problem, in words that any user may read; absent if there is none.
    pub problem: Option<String>,
}

/// How a target stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It can be asked.
    Ready,
    /// Its database does not answer.
    Away,
    /// Its database refuses the target's login.
    LoginRefused,
    /// The role may do more than read.
    RoleRefused,
    /// There is no table that the role may read.
    Empty,
    /// The policy hides all tables.
    Hidden,
    /// A file of its configuration cannot be used.
    Misconfigured,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Ready => "answers",
            State::Away => "is away",
            State::LoginRefused => "refuses our login",
            State::RoleRefused => "is not asked: its role may do more than read",
            State::Empty => "has no tables that its role may read",
            State::Hidden => "has a policy that hides all tables",
            State::Misconfigured => "is not set up properly",
        })
    }
}

impl TargetStatus {
    /// How a target stands by the result of reading its catalogue.
    pub(crate) fn of(outcome: Result<&Catalogue, &TargetError>) -> TargetStatus {
        let (state, problem) = match outcome {
            Ok(catalogue) => match &catalogue.nothing {
                None => (State::Ready, None),
                Some(Nothing::Empty(why)) => (State::Empty, Some(why.clone())),
                Some(Nothing::Hidden(why)) => (State::Hidden, Some(why.clone())),
            },
            Err(error) => {
                let state = match error {
                    TargetError::Unavailable {
                        reason: Away::LoginRefused | Away::NoPrivilege,
                        ..
                    } => State::LoginRefused,
                    TargetError::Role { .. } => State::RoleRefused,
                    TargetError::Policy { .. } => State::Misconfigured,
                    _ => State::Away,
                };
                // The words of a policy are the operator's: they may name files and views.
                let told = (state != State::Misconfigured).then(|| error.to_string());
                (state, told)
            }
        };
        TargetStatus { state, problem }
    }
}

/// The schemas of the settings without tables, as the end of a sentence.
fn missing(schemas: &[String]) -> String {
    match schemas {
        [] => String::new(),
        [one] => format!(": the schema '{one}' does not exist, or the role may not use it"),
        several => format!(
            ": the schemas '{}' do not exist, or the role may not use them",
            several.join("', '")
        ),
    }
}

/// Why a target offers no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nothing {
    /// There is none that the role may read.
    Empty(String),
    /// The policy hides all.
    Hidden(String),
}

impl Nothing {
    /// The reason for an empty catalogue of a database with `found` tables.
    pub(crate) fn of(
        catalogue: &Catalogue,
        target: &str,
        found: &Introspection,
    ) -> Option<Nothing> {
        if !catalogue.tables.is_empty() {
            return None;
        }
        let missing = missing(&found.missing_schemas);
        let found = &found.tables;
        let count = found.len();
        let is_readable = |table: &FoundTable| table.columns.iter().any(|column| column.readable);
        Some(if count > 0 && !found.iter().any(is_readable) {
            Nothing::Empty(format!(
                "The database '{target}' has {count} {}, and the role that it is read with may read none: it has SELECT on no table or view.",
                if count == 1 { "table" } else { "tables" },
            ))
        } else if count == 0 {
            Nothing::Empty(format!(
                "The database '{target}' has no tables that its role may read{missing}."
            ))
        } else {
            Nothing::Hidden(format!(
                "The database '{target}' has {count} {}, and its policy and the rights of its role hide {}.",
                if count == 1 { "table" } else { "tables" },
                if count == 1 { "it" } else { "all of them" },
            ))
        })
    }

    /// In words.
    pub fn why(&self) -> &str {
        match self {
            Nothing::Empty(why) | Nothing::Hidden(why) => why,
        }
    }
}
