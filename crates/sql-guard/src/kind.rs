//! What columns hold, as far as it decides whether a comparison can fail.

use crate::fold;
use crate::guard::Dialect;

/// The type of a column's values. A column without a kind may be read and tested for `NULL`;
/// nothing else is assumed about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Exact numbers with a fraction.
    Decimal,
    /// Floating-point numbers.
    Float,
    /// Text.
    Text,
    /// True and false.
    Boolean,
    /// Dates, and dates with a time.
    Date,
    /// Times of day.
    Time,
    /// Universally unique identifiers.
    Uuid,
    /// A value that is computed when it is read, as columns of views are: reading it may fail.
    Computed,
}

impl ColumnKind {
    /// The kind of a type, by the name that the database gives it.
    pub fn of(data_type: &str, dialect: Dialect) -> Option<ColumnKind> {
        let folded = fold(data_type);
        let name = folded.split('(').next().unwrap_or_default().trim();
        let zoned = folded.contains(" zone");
        let word = name.split_whitespace().next().unwrap_or_default();
        if folded.contains('[') {
            return None;
        }
        Some(match (word, dialect) {
            ("int" | "integer" | "bigint" | "smallint", _)
            | ("tinyint" | "mediumint" | "year", Dialect::MySql) => ColumnKind::Integer,
            ("decimal" | "numeric", _) => ColumnKind::Decimal,
            ("double" | "real", _) | ("float", Dialect::MySql) => ColumnKind::Float,
            ("text" | "character", Dialect::PostgreSql)
            | (
                "text" | "char" | "varchar" | "tinytext" | "mediumtext" | "longtext" | "enum",
                Dialect::MySql,
            ) => ColumnKind::Text,
            ("boolean", Dialect::PostgreSql) => ColumnKind::Boolean,
            ("date", _) | ("datetime" | "timestamp", Dialect::MySql) => ColumnKind::Date,
            ("timestamp", Dialect::PostgreSql) if zoned => ColumnKind::Date,
            ("time", Dialect::MySql) => ColumnKind::Time,
            ("time", Dialect::PostgreSql) if zoned => ColumnKind::Time,
            ("uuid", Dialect::PostgreSql) => ColumnKind::Uuid,
            _ => return None,
        })
    }

    pub(crate) fn is_number(self) -> bool {
        matches!(
            self,
            ColumnKind::Integer | ColumnKind::Decimal | ColumnKind::Float
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known_by_the_names_databases_give_them() {
        for (data_type, kind) in [
            ("int(11)", Some(ColumnKind::Integer)),
            ("bigint(20) unsigned", Some(ColumnKind::Integer)),
            ("tinyint(1)", Some(ColumnKind::Integer)),
            ("decimal(8,2)", Some(ColumnKind::Decimal)),
            ("varchar(40)", Some(ColumnKind::Text)),
            ("enum('a','b')", Some(ColumnKind::Text)),
            ("datetime(6)", Some(ColumnKind::Date)),
            ("varbinary(200)", None),
            ("geometry", None),
        ] {
            assert_eq!(
                ColumnKind::of(data_type, Dialect::MySql),
                kind,
                "{data_type}"
            );
        }
        for (data_type, kind) in [
            ("integer", Some(ColumnKind::Integer)),
            ("numeric(8,2)", Some(ColumnKind::Decimal)),
            ("double precision", Some(ColumnKind::Float)),
            ("character varying(40)", Some(ColumnKind::Text)),
            ("timestamp(3) without time zone", Some(ColumnKind::Date)),
            ("timestamp with time zone", Some(ColumnKind::Date)),
            ("boolean", Some(ColumnKind::Boolean)),
            ("integer[]", None),
            ("citext", None),
            ("jsonb", None),
            ("\"char\"", None),
        ] {
            assert_eq!(
                ColumnKind::of(data_type, Dialect::PostgreSql),
                kind,
                "{data_type}"
            );
        }
    }
}
