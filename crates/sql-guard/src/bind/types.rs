//! Names of types.

use sqlparser::ast::DataType;

use super::Binder;
use crate::fold;

impl Binder<'_> {
    /// Casting to a name of the catalogue looks things up in it, and types of a user's making are
    /// not known.
    pub(super) fn data_type(&mut self, data_type: &DataType) {
        let text = fold(&data_type.to_string());
        let punctuation = |c: char| " (),[]".contains(c);
        let known = |word: &str| {
            word.bytes().all(|byte| byte.is_ascii_digit())
                || TYPE_WORDS.binary_search(&word).is_ok()
        };
        if !text
            .split(punctuation)
            .filter(|word| !word.is_empty())
            .all(known)
        {
            self.unsupported("This type");
        }
    }
}

/// The words that names of built-in types are made of.
const TYPE_WORDS: &[&str] = &[
    "bigint",
    "binary",
    "bit",
    "blob",
    "bool",
    "boolean",
    "bytea",
    "char",
    "character",
    "citext",
    "date",
    "datetime",
    "day",
    "dec",
    "decimal",
    "double",
    "float",
    "float4",
    "float8",
    "hour",
    "inet",
    "int",
    "int2",
    "int4",
    "int8",
    "integer",
    "interval",
    "json",
    "jsonb",
    "longtext",
    "mediumint",
    "mediumtext",
    "minute",
    "money",
    "month",
    "name",
    "national",
    "nchar",
    "numeric",
    "nvarchar",
    "precision",
    "real",
    "second",
    "signed",
    "smallint",
    "text",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "tinyint",
    "tinytext",
    "to",
    "tsquery",
    "tsvector",
    "unsigned",
    "uuid",
    "varbinary",
    "varchar",
    "varying",
    "with",
    "without",
    "year",
    "zone",
];

#[cfg(test)]
mod tests {
    #[test]
    fn type_words_are_sorted() {
        assert!(super::TYPE_WORDS.is_sorted());
    }
}
