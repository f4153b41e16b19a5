//! Groups by the year, quarter, month, week or day of a date.

use std::sync::LazyLock;

use contracts::tools::sql::SqlDialect;
use regex::Regex;

use super::{
    super::catalogue::{is_date, named_date, usual_date},
    Field, Query,
    groups::Dimension,
};

static PERIOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?P<unit>year|quarter|month|(?:calendar )?week|day)(?: of (?:the )?(?P<of>[\w ]+))?|(?P<before>[\w ]+?) (?P<last>year|quarter|month|week|day))$").ok()
});

/// The length of the periods that groups are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interval {
    Year,
    Quarter,
    Month,
    Week,
    Day,
}

impl Interval {
    fn of(word: &str) -> Option<Self> {
        Some(match &*word.to_lowercase() {
            "year" => Self::Year,
            "quarter" => Self::Quarter,
            "month" => Self::Month,
            "week" | "calendar week" => Self::Week,
            "day" => Self::Day,
            _ => return None,
        })
    }
}

impl Query<'_> {
    /// A period of a date: of the one that is named, or of the usual one.
    pub(super) fn period(&self, by: &str) -> Option<Dimension> {
        let found = PERIOD.as_ref()?.captures(by)?;
        let unit = found.name("unit").or_else(|| found.name("last"))?;
        let unit = Interval::of(unit.as_str())?;
        let said = found.name("of").or_else(|| found.name("before"));
        let column = match said {
            Some(said) => {
                let dates = self.table.columns.iter().filter(|column| is_date(column));
                named_date(said.as_str(), dates)?
            }
            None => usual_date(self.table)?,
        };
        Some(Dimension::Period(Field::Own(column.name.clone()), unit))
    }

    /// A period of a column as the query writes it: each part with what it is called.
    pub(super) fn parts_of_period(&self, field: &Field, unit: Interval) -> Vec<(String, String)> {
        let column = self.of(field);
        let (Field::Own(of) | Field::Joined(_, of)) = field;
        let part = |part: &str| {
            let sql = format!("EXTRACT({} FROM {column})", part.to_uppercase());
            (sql, format!("{of}_{part}"))
        };
        match unit {
            Interval::Year => vec![part("year")],
            Interval::Quarter => vec![part("year"), part("quarter")],
            Interval::Month => vec![part("year"), part("month")],
            // By its Monday: the number of a week is not the same in every database.
            Interval::Week => {
                let sql = match self.dialect {
                    SqlDialect::Mysql => {
                        format!("DATE_SUB(DATE({column}), INTERVAL WEEKDAY({column}) DAY)")
                    }
                    SqlDialect::Postgresql => format!("CAST(DATE_TRUNC('week', {column}) AS DATE)"),
                };
                vec![(sql, "week_from".to_owned())]
            }
            Interval::Day => vec![(format!("CAST({column} AS DATE)"), format!("{of}_day"))],
        }
    }
}
