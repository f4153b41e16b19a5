//! Rows as typed columns.

use analytics::column::Column;
use analytics::labels::Labels;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;
use contracts::tools::search::{FieldType, ResultColumn};
use serde_json::{Map, Value};

use super::data::{MOST_COLUMNS, Rows};
use crate::sql_tools::words::stems;

/// Longer values are cut before they name a group.
const LONGEST_NAME: usize = 80;

/// Rows as typed columns.
pub(super) struct Table {
    pub(super) fields: Vec<Field>,
    pub(super) count: usize,
}

/// A column.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) unit: Option<String>,
    /// The stems of its name and label, and of its other names.
    pub(super) words: Vec<String>,
    pub(super) other_words: Vec<String>,
    pub(super) values: Values,
}

/// The values of a column, one per row.
pub(super) enum Values {
    Number(Column),
    Date(Vec<Option<DateTime<Utc>>>),
    Group {
        labels: Labels,
        is_boolean: bool,
    },
    /// Lists, objects, nothing at all.
    Other,
}

impl Table {
    /// The table of some rows. Days and times without a zone are of `zone`.
    pub(super) fn of(data: &Rows, zone: Tz) -> Self {
        let mut columns = data.columns.clone();
        if columns.is_empty() {
            columns = members(&data.records);
        }
        columns.truncate(MOST_COLUMNS);
        let field = |column: ResultColumn| Field::of(column, data, zone);
        Self {
            fields: columns.into_iter().map(field).collect(),
            count: data.records.len(),
        }
    }

    /// The labels that identify a row: the first of the groups that has as many names as rows.
    pub(super) fn ids(&self) -> Option<&Labels> {
        self.fields.iter().find_map(|field| match &field.values {
            Values::Group { labels, .. } if labels.count() == self.count => Some(labels),
            _ => None,
        })
    }
}

impl Field {
    fn of(column: ResultColumn, data: &Rows, zone: Tz) -> Self {
        let values = data
            .records
            .iter()
            .map(|row| row.get(&column.name).unwrap_or(&Value::Null));
        let values: Vec<&Value> = values.collect();
        let field_type = column.field_type.or_else(|| looks_like(&values, zone));
        let other_words = data.synonyms.get(&column.name).into_iter().flatten();
        Self {
            words: stems(&format!("{} {}", column.name, column.label)),
            other_words: other_words.flat_map(|words| stems(words)).collect(),
            values: Values::of(&values, field_type, zone),
            name: column.name,
            label: column.label,
            unit: column.unit,
        }
    }

    /// Whether it names things instead of measuring or grouping them.
    pub(super) fn is_id(&self) -> bool {
        self.words.iter().any(|word| word == "id")
    }
}

impl Values {
    fn of(values: &[&Value], field_type: Option<FieldType>, zone: Tz) -> Self {
        match field_type {
            Some(FieldType::Long | FieldType::Double) => {
                let numbers = values.iter().map(|value| number(value).unwrap_or(f64::NAN));
                Self::Number(Column::new(numbers.collect()))
            }
            Some(FieldType::Date) => {
                Self::Date(values.iter().map(|value| date(value, zone)).collect())
            }
            Some(FieldType::Boolean) => Self::Group {
                labels: Labels::new(values.iter().map(|value| truth(value))),
                is_boolean: true,
            },
            Some(FieldType::Keyword | FieldType::Text) => Self::Group {
                labels: Labels::new(values.iter().map(|value| name(value))),
                is_boolean: false,
            },
            None => Self::Other,
        }
    }
}

/// The members of rows, in the order in which they come.
fn members(rows: &[Map<String, Value>]) -> Vec<ResultColumn> {
    let mut columns: Vec<ResultColumn> = Vec::new();
    for row in rows {
        for name in row.keys() {
            if columns.len() < MOST_COLUMNS && !columns.iter().any(|column| column.name == *name) {
                columns.push(ResultColumn {
                    name: name.clone(),
                    label: name.replace(['_', '.'], " "),
                    field_type: None,
                    unit: None,
                });
            }
        }
    }
    columns
}

/// The type of values without a declared one: one that all of them can be read as.
fn looks_like(values: &[&Value], zone: Tz) -> Option<FieldType> {
    let known: Vec<&Value> = values
        .iter()
        .copied()
        .filter(|value| !value.is_null())
        .collect();
    let all =
        |is: &dyn Fn(&Value) -> bool| !known.is_empty() && known.iter().all(|value| is(value));
    if all(&Value::is_number) {
        Some(FieldType::Double)
    } else if all(&Value::is_boolean) {
        Some(FieldType::Boolean)
    } else if all(&|value| value.is_string() && date(value, zone).is_some()) {
        Some(FieldType::Date)
    } else if all(&|value| name(value).is_some()) {
        Some(FieldType::Keyword)
    } else {
        None
    }
}

/// Numbers that are texts are what sources make of decimals.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    }
}

fn truth(value: &Value) -> Option<&'static str> {
    let truth = match value {
        Value::Bool(truth) => *truth,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    Some(if truth { "true" } else { "false" })
}

fn name(value: &Value) -> Option<String> {
    let name = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return None,
    };
    if name.is_empty() {
        return None;
    }
    Some(match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    })
}

/// A time with a zone, a time or a day of the zone, or milliseconds since 1970.
fn date(value: &Value, zone: Tz) -> Option<DateTime<Utc>> {
    let text = match value {
        Value::String(text) => text.trim(),
        value => return DateTime::from_timestamp_millis(value.as_i64()?),
    };
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    let local = text
        .parse::<NaiveDateTime>()
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f"))
        .or_else(|_| {
            text.parse::<NaiveDate>()
                .map(|day| day.and_time(NaiveTime::MIN))
        })
        .ok()?;
    // A time that clocks skip is intended as the one before they did.
    let time = zone.from_local_datetime(&local).earliest();
    Some(time.map_or_else(|| local.and_utc(), |time| time.to_utc()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(rows: Value) -> Table {
        let rows = serde_json::from_value(rows).unwrap();
        Table::of(
            &Rows {
                records: rows,
                ..Rows::default()
            },
            Tz::Europe__Berlin,
        )
    }

    #[test]
    fn rows_tell_what_their_members_are() {
        let table = table(json!([
            {"id": "S-1", "delay_hours": 4, "late": true, "due": "2025-01-15", "tags": ["a"]},
            {"id": "S-2", "delay_hours": null, "late": false, "due": "2025-01-16T08:00:00Z"},
        ]));
        assert_eq!(table.fields.len(), 5);
        assert!(matches!(&table.fields[1].values, Values::Number(column) if column.count() == 1));
        assert!(matches!(
            &table.fields[2].values,
            Values::Group {
                is_boolean: true,
                ..
            }
        ));
        let Values::Date(due) = &table.fields[3].values else {
            panic!("no dates");
        };
        assert_eq!(due[0].unwrap().to_rfc3339(), "2025-01-14T23:00:00+00:00");
        assert!(matches!(table.fields[4].values, Values::Other));
        assert_eq!(table.ids().unwrap().name(1), "S-2");
        assert!(table.fields[0].is_id());
        assert_eq!(table.fields[1].words[0], "delay");
    }

    #[test]
    fn decimals_in_texts_are_numbers_where_the_column_says_so() {
        let column = ResultColumn {
            name: "x".to_owned(),
            label: "x".to_owned(),
            field_type: Some(FieldType::Double),
            unit: None,
        };
        let rows = serde_json::from_value(json!([{"x": "1.50"}, {"x": "no"}, {}])).unwrap();
        let data = Rows {
            records: rows,
            columns: vec![column],
            ..Rows::default()
        };
        let table = Table::of(&data, Tz::UTC);
        assert!(
            matches!(&table.fields[0].values, Values::Number(column) if column.get(0) == Some(1.5) && column.count() == 1)
        );
    }

    #[test]
    fn times_that_clocks_skip_are_times_all_the_same() {
        assert!(date(&json!("2025-03-30T02:30:00"), Tz::Europe__Berlin).is_some());
        assert_eq!(
            date(&json!(1_736_899_200_000_i64), Tz::UTC)
                .unwrap()
                .to_rfc3339(),
            "2025-01-15T00:00:00+00:00"
        );
        assert_eq!(date(&json!("soon"), Tz::UTC), None);
        assert_eq!(date(&json!(true), Tz::UTC), None);
    }
}
