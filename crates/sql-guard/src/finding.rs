//! The faults of a statement.

use std::fmt;

use serde::Serialize;

/// One thing that is wrong. [`Finding::message`] is for the writer of the statement, mostly a
/// model; [`Finding::for_person`] for the person who asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What sort of thing.
    pub kind: Kind,
    /// In words, with what to write instead.
    pub message: String,
    /// For an unknown column, tables that have it, otherwise columns of a similar name; for an
    /// unknown table, tables of a similar name; for an ambiguous column, its qualified names.
    pub suggestions: Vec<String>,
}

impl Finding {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Finding {
        Finding {
            kind,
            message: message.into(),
            suggestions: Vec::new(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Sorts of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// It does not parse.
    Syntax,
    /// The statement does not read.
    NotARead,
    /// It is more than one statement.
    SeveralStatements,
    /// It is longer or deeper than is looked at.
    TooLarge,
    /// A table does not exist, or is not in scope where it is named.
    UnknownTable,
    /// A column does not exist where it is used.
    UnknownColumn,
    /// A column that several tables have, without saying whose is intended.
    AmbiguousColumn,
    /// A table of another schema or database.
    OtherSchema,
    /// A table of the database's own catalogue.
    Catalogue,
    /// The policy does not give this table to the tenant.
    NotPermitted,
    /// A session or system variable, or a placeholder.
    Variable,
    /// It writes its result somewhere.
    Into,
    /// It locks rows.
    Locking,
    /// A comment that the database would execute.
    ExecutableComment,
    /// A function that is dangerous or not known.
    Function,
    /// It makes up more rows, or longer texts, than it may: by crossing lists, by recursion, by
    /// padding.
    Unbounded,
    /// Something the guard does not know to be harmless.
    Unsupported,
}
