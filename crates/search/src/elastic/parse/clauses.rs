//! Parsing of the query part: positive and negated conditions.

use contracts::tools::search::{FieldType, Filter, FilterOp, TimeRange};
use serde_json::{Map, Value};

use super::Reader;
use crate::problem::segment;
use crate::value::{When, next_day};

/// Maximum nesting depth of conditions.
const MAX_DEPTH: usize = 6;

/// Maximum number of conditions that the parser reads; checking allows fewer.
const MAX_CLAUSES: usize = 64;

impl Reader<'_> {
    pub(super) fn query(&mut self, query: &Value, at: &str) {
        self.holds(query, at, 0);
    }

    /// A positive clause.
    fn holds(&mut self, clause: &Value, at: &str, depth: usize) {
        if depth > MAX_DEPTH || self.structure.filters.len() > MAX_CLAUSES {
            return self.report(at, "too_large", "There are too many conditions.");
        }
        let Some((kind, options)) = self.single(clause, at) else {
            return;
        };
        let inner = format!("{at}/{}", segment(kind));
        match kind.as_str() {
            "match_all" => self.nothing_in(options, &inner),
            "bool" => self.bool_query(options, &inner, depth),
            "constant_score" => {
                if let Some((key, filter)) = self.single(options, &inner) {
                    match key.as_str() {
                        "filter" => self.holds(filter, &format!("{inner}/filter"), depth + 1),
                        other => self.unknown(other, &inner),
                    }
                }
            }
            "range" => self.range(options, &inner),
            _ => {
                if let Some(filter) = self.leaf(kind, options, &inner) {
                    self.push(filter, &inner);
                }
            }
        }
    }

    fn nothing_in(&mut self, options: &Value, at: &str) {
        if let Some(options) = self.object(options, at)
            && let Some(key) = options.keys().next()
        {
            self.unknown(key, &format!("{at}/{}", segment(key)));
        }
    }

    fn bool_query(&mut self, options: &Value, at: &str, depth: usize) {
        let Some(options) = self.object(options, at) else {
            return;
        };
        let must_choose = options
            .get("minimum_should_match")
            .is_some_and(|number| number == 1 || number == "1");
        for (key, value) in options {
            let at = format!("{at}/{}", segment(key));
            match key.as_str() {
                "filter" | "must" => {
                    for (clause, at) in clauses(value, &at) {
                        self.holds(clause, &at, depth + 1);
                    }
                }
                "must_not" => {
                    for (clause, at) in clauses(value, &at) {
                        self.fails(clause, &at);
                    }
                }
                "should" if must_choose || options.len() == 1 => self.any_of(value, &at),
                "should" => self.report(
                    at,
                    "unsupported",
                    "'should' beside other conditions needs 'minimum_should_match': 1.",
                ),
                "minimum_should_match" if must_choose => {}
                _ => self.unknown(key, &at),
            }
        }
    }

    /// A negated clause.
    fn fails(&mut self, clause: &Value, at: &str) {
        let Some((kind, options)) = self.single(clause, at) else {
            return;
        };
        let inner = format!("{at}/{}", segment(kind));
        let Some(filter) = self.leaf(kind, options, &inner) else {
            return;
        };
        let op = match filter.op {
            FilterOp::Is => FilterOp::IsNot,
            FilterOp::Exists => FilterOp::Missing,
            _ => {
                return self.report(
                    inner,
                    "unsupported",
                    "Only values and 'exists' can be excluded.",
                );
            }
        };
        self.push(Filter { op, ..filter }, &inner);
    }

    /// Alternatives: values of one field, or conditions on several.
    fn any_of(&mut self, value: &Value, at: &str) {
        let mut all: Vec<Filter> = Vec::new();
        for (clause, at) in clauses(value, at) {
            let Some((kind, options)) = self.single(clause, &at) else {
                return;
            };
            let inner = format!("{at}/{}", segment(kind));
            let filter = if kind == "range" {
                self.one_bound(options, &inner)
            } else {
                self.leaf(kind, options, &inner)
            };
            let Some(filter) = filter else {
                return;
            };
            let same = all.iter_mut().find(|known| {
                known.field == filter.field && known.op == FilterOp::Is && filter.op == FilterOp::Is
            });
            match same {
                Some(known) => known.values.extend(filter.values),
                None => all.push(filter),
            }
        }
        match Filter::any_of(all) {
            Some(filter) => self.push(filter, at),
            None => self.report(at, "invalid", "The list of alternatives is empty."),
        }
    }

    /// A range with one bound.
    fn one_bound(&mut self, options: &Value, at: &str) -> Option<Filter> {
        let (_, mut bounds) = self.bounds(options, at)?;
        let bound = bounds.pop();
        if bound.is_none() || !bounds.is_empty() {
            self.report(
                at,
                "unsupported",
                "A range among alternatives has one bound.",
            );
            return None;
        }
        bound
    }

    /// A condition on one field that is not a range.
    fn leaf(&mut self, kind: &str, options: &Value, at: &str) -> Option<Filter> {
        match kind {
            "exists" => {
                let (key, field) = self.single(options, at)?;
                let field = field.as_str().filter(|_| key == "field");
                if field.is_none() {
                    self.report(at, "invalid", "'exists' has one member, 'field'.");
                }
                Some(filter(field?, FilterOp::Exists, Vec::new()))
            }
            "term" => {
                let (field, value) = self.single(options, at)?;
                let at = format!("{at}/{}", segment(field));
                let value = match value {
                    Value::Object(long) => self.only(long, "value", &at)?,
                    short => short,
                };
                Some(filter(field, FilterOp::Is, vec![value.clone()]))
            }
            "terms" => {
                let (field, values) = self.single(options, at)?;
                let at = format!("{at}/{}", segment(field));
                if let Value::Array(values) = values {
                    return Some(filter(field, FilterOp::Is, values.clone()));
                }
                // An object would look up the values in another index.
                self.report(at, "not_allowed", "'terms' takes a list of values.");
                None
            }
            "match" | "match_phrase" => self.words(kind, options, at),
            "range" => {
                self.report(at, "unsupported", "A range is not supported here.");
                None
            }
            _ => {
                self.unknown(kind, at);
                None
            }
        }
    }

    /// `match`: all words of a text. For other types, the whole value, as in the engine.
    fn words(&mut self, kind: &str, options: &Value, at: &str) -> Option<Filter> {
        let (field, value) = self.single(options, at)?;
        let at = format!("{at}/{}", segment(field));
        let (words, all_of_them) = match value {
            Value::Object(long) => {
                for key in long.keys() {
                    if key != "query" && (key != "operator" || kind != "match") {
                        self.unknown(key, &format!("{at}/{}", segment(key)));
                        return None;
                    }
                }
                let operator = long.get("operator").and_then(Value::as_str);
                let all = operator.is_some_and(|operator| operator.eq_ignore_ascii_case("and"));
                (long.get("query")?, all)
            }
            short => (short, false),
        };
        let is_one = words
            .as_str()
            .is_none_or(|words| words.split_whitespace().count() < 2);
        let is_text = self.field_type(field) == Some(FieldType::Text);
        if all_of_them || (is_text && is_one) {
            return Some(filter(field, FilterOp::Matches, vec![words.clone()]));
        }
        if is_text {
            self.report(
                at,
                "unsupported",
                "To search words of a text, use 'match' with the 'operator' 'and'.",
            );
            return None;
        }
        Some(filter(field, FilterOp::Is, vec![words.clone()]))
    }

    /// The field and the bounds of a range.
    fn bounds<'v>(&mut self, options: &'v Value, at: &str) -> Option<(&'v String, Vec<Filter>)> {
        let (field, bounds) = self.single(options, at)?;
        let at = format!("{at}/{}", segment(field));
        let bounds = self.object(bounds, &at)?;
        let mut made: Vec<Filter> = Vec::new();
        for (key, value) in bounds {
            let at = format!("{at}/{}", segment(key));
            let op = match key.as_str() {
                "gt" => FilterOp::Gt,
                "gte" => FilterOp::Gte,
                "lt" => FilterOp::Lt,
                "lte" => FilterOp::Lte,
                "time_zone" => {
                    self.zone(Some(value), &at);
                    continue;
                }
                "format" if is_usual_format(value) => continue,
                _ => {
                    self.unknown(key, &at);
                    continue;
                }
            };
            made.push(filter(field, op, vec![value.clone()]));
        }
        Some((field, made))
    }

    fn range(&mut self, options: &Value, at: &str) {
        let Some((field, made)) = self.bounds(options, at) else {
            return;
        };
        let at = format!("{at}/{}", segment(field));
        if made.is_empty() {
            return self.report(at, "invalid", "A range needs a bound.");
        }
        if self.field_type(field) == Some(FieldType::Date)
            && self.structure.time_range.is_none()
            && let Some(range) = whole_days(field, &made)
        {
            self.origin("/time_range", at);
            self.structure.time_range = Some(range);
            return;
        }
        for filter in made {
            self.push(filter, &at);
        }
    }

    fn push(&mut self, filter: Filter, at: &str) {
        self.origin(format!("/filters/{}", self.structure.filters.len()), at);
        self.structure.filters.push(filter);
    }

    /// The value of the only member of an object, if it has this name.
    pub(super) fn only<'v>(
        &mut self,
        object: &'v Map<String, Value>,
        name: &str,
        at: &str,
    ) -> Option<&'v Value> {
        if let Some(other) = object.keys().find(|key| *key != name) {
            self.unknown(other, &format!("{at}/{}", segment(other)));
            return None;
        }
        let value = object.get(name);
        if value.is_none() {
            self.report(at, "invalid", format!("'{name}' is missing."));
        }
        value
    }
}

fn filter(field: &str, op: FilterOp, values: Vec<Value>) -> Filter {
    Filter {
        field: field.to_owned(),
        op,
        values,
        label: None,
        or: Vec::new(),
    }
}

/// One clause, or each clause of a list.
fn clauses<'v>(value: &'v Value, at: &str) -> Vec<(&'v Value, String)> {
    match value {
        Value::Array(clauses) => {
            let clauses = clauses.iter().enumerate();
            clauses
                .map(|(position, clause)| (clause, format!("{at}/{position}")))
                .collect()
        }
        one => vec![(one, at.to_owned())],
    }
}

/// The formats in which days and times are always read.
fn is_usual_format(value: &Value) -> bool {
    let usual = [
        "yyyy-MM-dd",
        "date",
        "strict_date",
        "date_optional_time",
        "strict_date_optional_time",
    ];
    value.as_str().is_some_and(|text| usual.contains(&text))
}

/// Two bounds that are days, as one time range.
fn whole_days(field: &str, bounds: &[Filter]) -> Option<TimeRange> {
    let day = |filter: &Filter| match When::read(filter.values.first()?.as_str()?)? {
        When::Day(day) => Some(day),
        When::Moment(_) => None,
    };
    let [one, other] = bounds else { return None };
    let begins = |filter: &Filter| matches!(filter.op, FilterOp::Gt | FilterOp::Gte);
    let (lower, upper) = if begins(one) {
        (one, other)
    } else {
        (other, one)
    };
    if !begins(lower) || begins(upper) {
        return None;
    }
    let start = match lower.op {
        FilterOp::Gt => next_day(day(lower)?),
        _ => day(lower)?,
    };
    let end = match upper.op {
        FilterOp::Lt => day(upper)?.pred_opt()?,
        _ => day(upper)?,
    };
    (start <= end).then(|| TimeRange {
        field: Some(field.to_owned()),
        start,
        end,
        kind: None,
    })
}
