//! Generated rows before they are stored. The same parameters always give the same rows.

use chrono::{NaiveDate, NaiveDateTime};

/// Rows of one table.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The name of the table.
    pub table: &'static str,
    /// The columns of each row.
    pub columns: &'static [&'static str],
    /// One list of values per row, in the order of the columns.
    pub rows: Vec<Vec<Value>>,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Value {
    Null,
    Integer(i64),
    /// An amount in hundredths.
    Decimal(Hundredths),
    Flag(bool),
    Text(String),
    /// A text that is encrypted when it is stored.
    Secret(String),
    Day(NaiveDate),
    Moment(NaiveDateTime),
}

/// Exact hundredths of an hour, of a euro, of a degree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hundredths(pub i64);

/// A text that is encrypted when it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub String);

impl Rows {
    pub(crate) fn of(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self {
            table,
            columns,
            rows: Vec::new(),
        }
    }

    pub(crate) fn push<const N: usize>(&mut self, row: [Value; N]) {
        debug_assert_eq!(N, self.columns.len(), "columns of {}", self.table);
        self.rows.push(row.into());
    }
}

/// Converts to a value. The name is short because it is used so often.
pub(crate) fn v(value: impl Into<Value>) -> Value {
    value.into()
}

impl std::fmt::Display for Hundredths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", self.0.abs() / 100, self.0.abs() % 100)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<Hundredths> for Value {
    fn from(value: Hundredths) -> Self {
        Self::Decimal(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Secret> for Value {
    fn from(value: Secret) -> Self {
        Self::Secret(value.0)
    }
}

impl From<NaiveDate> for Value {
    fn from(value: NaiveDate) -> Self {
        Self::Day(value)
    }
}

impl From<NaiveDateTime> for Value {
    fn from(value: NaiveDateTime) -> Self {
        Self::Moment(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_are_written_as_decimals() {
        let written = [Hundredths(1234), Hundredths(-5), Hundredths(700)].map(|h| h.to_string());
        assert_eq!(written, ["12.34", "-0.05", "7.00"]);
    }
}
