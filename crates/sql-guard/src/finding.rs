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

impl Kind {
    /// Every sort.
    pub const ALL: [Self; 17] = [
        Self::Syntax,
        Self::NotARead,
        Self::SeveralStatements,
        Self::TooLarge,
        Self::UnknownTable,
        Self::UnknownColumn,
        Self::AmbiguousColumn,
        Self::OtherSchema,
        Self::Catalogue,
        Self::NotPermitted,
        Self::Variable,
        Self::Into,
        Self::Locking,
        Self::ExecutableComment,
        Self::Function,
        Self::Unbounded,
        Self::Unsupported,
    ];

    /// Its name, as it is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::NotARead => "not_a_read",
            Self::SeveralStatements => "several_statements",
            Self::TooLarge => "too_large",
            Self::UnknownTable => "unknown_table",
            Self::UnknownColumn => "unknown_column",
            Self::AmbiguousColumn => "ambiguous_column",
            Self::OtherSchema => "other_schema",
            Self::Catalogue => "catalogue",
            Self::NotPermitted => "not_permitted",
            Self::Variable => "variable",
            Self::Into => "into",
            Self::Locking => "locking",
            Self::ExecutableComment => "executable_comment",
            Self::Function => "function",
            Self::Unbounded => "unbounded",
            Self::Unsupported => "unsupported",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_under_its_name() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        // The last one: a new one is to be listed, too.
        assert_eq!(Kind::ALL.len(), Kind::Unsupported as usize + 1);
    }
}
