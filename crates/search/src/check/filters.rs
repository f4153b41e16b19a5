//! Validation of conditions: fields, types and values.

use contracts::tools::search::{FieldType, Filter, FilterOp, TimeRange};
use serde_json::Value;

use super::Checker;
use crate::fields::Field;
use crate::value::{When, next_day, typed};

/// Maximum number of values of a condition.
const MAX_VALUES: usize = 100;

/// Maximum number of conditions beside one.
const MAX_ALTERNATIVES: usize = 8;

impl Checker<'_> {
    /// The conditions in their normal form, positive ones before negated ones. A condition that
    /// means a whole day becomes the time range if there is none.
    pub(super) fn filters(
        &mut self,
        filters: &[Filter],
        time_range: &mut Option<TimeRange>,
    ) -> Vec<Filter> {
        let mut done = Vec::new();
        for (position, filter) in filters.iter().enumerate() {
            let pointer = format!("/filters/{position}");
            if filter.or.is_empty() {
                done.extend(self.filter(filter, &pointer, time_range));
            } else {
                done.extend(self.any_of(filter, &pointer));
            }
        }
        done.sort_by_key(|filter| matches!(filter.op, FilterOp::IsNot | FilterOp::Missing));
        done
    }

    /// Conditions one of which is enough: each is one comparison that excludes nothing.
    fn any_of(&mut self, filter: &Filter, pointer: &str) -> Option<Filter> {
        if filter.or.len() > MAX_ALTERNATIVES {
            self.report(
                format!("{pointer}/or"),
                "too_large",
                format!(
                    "The condition has {} alternatives; the maximum is {MAX_ALTERNATIVES}.",
                    filter.or.len()
                ),
            );
            return None;
        }
        let mut all = Vec::new();
        for (position, one) in filter.alternatives().iter().enumerate() {
            let at = match position.checked_sub(1) {
                Some(place) => format!("{pointer}/or/{place}"),
                None => pointer.to_owned(),
            };
            if matches!(one.op, FilterOp::IsNot | FilterOp::Missing) {
                let at = format!("{at}/op");
                self.report(at, "unsupported", "An alternative excludes nothing.");
                return None;
            }
            // With days already, a day is a pair of bounds instead of the time range.
            let day = chrono::NaiveDate::MIN;
            let mut days = Some(TimeRange {
                field: None,
                start: day,
                end: day,
                kind: None,
            });
            let mut checked = self.filter(one, &at, &mut days);
            match (checked.pop(), checked.is_empty()) {
                (Some(only), true) => all.push(only),
                (None, _) => return None,
                _ => {
                    self.report(at, "unsupported", "An alternative has one bound of a date.");
                    return None;
                }
            }
        }
        Filter::any_of(all)
    }

    fn filter(
        &mut self,
        filter: &Filter,
        pointer: &str,
        time_range: &mut Option<TimeRange>,
    ) -> Vec<Filter> {
        let at_field = format!("{pointer}/field");
        let field = match filter.op {
            FilterOp::Is | FilterOp::IsNot => self.exact_field(&filter.field, &at_field),
            _ => self.field(&filter.field, &at_field),
        };
        let Some(field) = field else {
            return Vec::new();
        };
        let Some(values) = self.values(filter, field, pointer) else {
            return Vec::new();
        };
        let like = |name: &str, op, values| Filter {
            field: name.to_owned(),
            op,
            values,
            label: filter.label.clone(),
            or: Vec::new(),
        };
        match filter.op {
            FilterOp::Is | FilterOp::IsNot if field.field_type == FieldType::Date => {
                self.on_day(filter, field, &values, pointer, time_range)
            }
            FilterOp::Is | FilterOp::IsNot | FilterOp::Exists | FilterOp::Missing => {
                vec![like(field.name, filter.op, values)]
            }
            FilterOp::Gt | FilterOp::Gte | FilterOp::Lt | FilterOp::Lte => {
                let Some(value) = values.into_iter().next() else {
                    return Vec::new();
                };
                let (op, value) = whole_days(filter.op, value, field.field_type);
                vec![like(field.name, op, vec![value])]
            }
            FilterOp::Matches => match self.searchable(field, &at_field) {
                Some(name) => vec![like(name, FilterOp::Matches, values)],
                None => Vec::new(),
            },
        }
    }

    /// The values in the form of the field's type. Checks their number, and whether the type
    /// supports the comparison.
    fn values(&mut self, filter: &Filter, field: Field<'_>, pointer: &str) -> Option<Vec<Value>> {
        let at = format!("{pointer}/values");
        let count = filter.values.len();
        let fits = match filter.op {
            FilterOp::Is | FilterOp::IsNot => count >= 1,
            FilterOp::Exists | FilterOp::Missing => count == 0,
            _ => count == 1,
        };
        if !fits {
            self.report(
                at,
                "invalid",
                "The condition has the wrong number of values.",
            );
            return None;
        }
        if count > MAX_VALUES {
            self.report(
                at,
                "too_large",
                format!("The condition has {count} values; the maximum is {MAX_VALUES}."),
            );
            return None;
        }
        let compares = matches!(
            filter.op,
            FilterOp::Gt | FilterOp::Gte | FilterOp::Lt | FilterOp::Lte
        );
        if compares && !(field.field_type.is_number() || field.field_type == FieldType::Date) {
            self.report(
                format!("{pointer}/op"),
                "wrong_type",
                format!("'{}' is neither a number nor a date.", field.name),
            );
            return None;
        }
        let mut values = Vec::with_capacity(count);
        for (position, value) in filter.values.iter().enumerate() {
            match typed(value, field.field_type) {
                Ok(value) => {
                    let value = self.as_listed(value, field);
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                Err(message) => self.report(
                    format!("{at}/{position}"),
                    "wrong_type",
                    format!("'{}': {message}", field.name),
                ),
            }
        }
        (!values.is_empty() || count == 0).then_some(values)
    }

    /// The value as spelt in the field's list of values, if only the case differs.
    fn as_listed(&mut self, value: Value, field: Field<'_>) -> Value {
        let listed = &field.described.values;
        let Some(text) = value.as_str() else {
            return value;
        };
        if listed.iter().any(|listed| listed == text) {
            return value;
        }
        let alike = |listed: &&String| listed.to_lowercase() == text.to_lowercase();
        match listed.iter().find(alike) {
            Some(listed) => {
                self.note(true, format!("'{text}' was read as '{listed}'."));
                listed.clone().into()
            }
            None => value,
        }
    }

    /// Turns a date condition that means a day into the time range.
    fn on_day(
        &mut self,
        filter: &Filter,
        field: Field<'_>,
        values: &[Value],
        pointer: &str,
        time_range: &mut Option<TimeRange>,
    ) -> Vec<Filter> {
        let whens: Vec<When> = values
            .iter()
            .filter_map(|value| When::read(value.as_str()?))
            .collect();
        let (FilterOp::Is, [When::Day(day)]) = (filter.op, whens.as_slice()) else {
            self.report(
                pointer,
                "unsupported",
                format!("'{}' is a date: use a time range.", field.name),
            );
            return Vec::new();
        };
        if time_range.is_none() {
            *time_range = Some(TimeRange {
                field: Some(field.name.to_owned()),
                start: *day,
                end: *day,
                kind: None,
            });
            return Vec::new();
        }
        let bound = |op, day| Filter {
            field: field.name.to_owned(),
            op,
            values: vec![When::Day(day).value()],
            label: None,
            or: Vec::new(),
        };
        vec![
            bound(FilterOp::Gte, *day),
            bound(FilterOp::Lt, next_day(*day)),
        ]
    }

    /// The name of the field whose words are searched. For an exact subfield, that is its text
    /// field.
    fn searchable<'a>(&mut self, field: Field<'a>, pointer: &str) -> Option<&'a str> {
        let is_text = field.described.field_type == FieldType::Text;
        let is_keyword = field.field_type == FieldType::Keyword;
        if is_text || (is_keyword && self.limits.words_in_keywords) {
            return Some(&field.described.name);
        }
        let message = if is_keyword {
            format!(
                "'{}' is compared as a whole: use 'is' with its value.",
                field.name
            )
        } else {
            format!("'{}' is not a text field.", field.name)
        };
        self.report(pointer, "wrong_type", message);
        None
    }
}

/// `after` a day becomes `from` the next day; `until` a day becomes `before` the next day. Whole
/// days then have the same meaning in every engine.
fn whole_days(op: FilterOp, value: Value, field_type: FieldType) -> (FilterOp, Value) {
    let day = match value.as_str().and_then(When::read) {
        Some(When::Day(day)) if field_type == FieldType::Date => day,
        _ => return (op, value),
    };
    match op {
        FilterOp::Gt => (FilterOp::Gte, When::Day(next_day(day)).value()),
        FilterOp::Lte => (FilterOp::Lt, When::Day(next_day(day)).value()),
        _ => (op, value),
    }
}
