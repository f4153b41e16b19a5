//! Validation of a query against an index, and completion of its open parts.

mod filters;
mod order;
mod shape;

use contracts::tools::search::{
    FieldType, IndexDescription, QueryProblem, QueryStructure, TimeRange,
};

use crate::fields::{Field, Fields};
use crate::problem::{nearest, problem};
use crate::value::is_usual;

/// The limits of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of records.
    pub max_rows: u32,
    /// Number of records or groups if the query names none.
    pub default_rows: u32,
    /// Maximum number of groups.
    pub max_groups: u32,
    /// Whether words can be searched in keywords. Elasticsearch compares keywords as a whole.
    pub words_in_keywords: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_rows: 1_000,
            default_rows: 100,
            max_groups: 1_000,
            words_in_keywords: true,
        }
    }
}

/// A validated query.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The complete query. Checking it again changes nothing.
    pub structure: QueryStructure,
    /// The changes made to the query, as sentences.
    pub notes: Vec<String>,
}

/// Checks a query against an index and fills in open parts. Otherwise returns all problems, with
/// pointers into the structure.
pub fn check(
    structure: &QueryStructure,
    index: &IndexDescription,
    limits: &Limits,
) -> Result<Checked, Vec<QueryProblem>> {
    if structure.index != index.name {
        let mut unknown = problem(
            "/index",
            "unknown_index",
            format!("There is no index '{}'.", structure.index),
        );
        unknown.suggestions = nearest(&structure.index, [index.name.as_str()]);
        return Err(vec![unknown]);
    }
    let mut checker = Checker {
        index,
        fields: Fields::of(index),
        limits,
        problems: Vec::new(),
        notes: Vec::new(),
    };
    checker.sizes(structure);
    let mut time_range = checker.time_range(structure.time_range.as_ref());
    let filters = checker.filters(&structure.filters, &mut time_range);
    let mut done = QueryStructure {
        index: index.name.clone(),
        filters,
        time_range,
        ..QueryStructure::default()
    };
    if structure.group_by.is_empty() && structure.measures.is_empty() {
        done.fields = checker.shown(&structure.fields);
        done.sort = checker.record_order(&structure.sort);
        done.limit = checker.limit(structure.limit, Some(limits.default_rows), limits.max_rows);
    } else {
        checker.note(
            !structure.fields.is_empty(),
            "'fields' is ignored: an aggregation returns groups, not records.",
        );
        done.group_by = checker.groups(&structure.group_by);
        done.measures = checker.measures(&structure.measures);
        done.sort = checker.group_order(&structure.sort, &done.group_by, &done.measures);
        done.limit = checker.group_limit(structure.limit, &done.group_by);
    }
    if checker.problems.is_empty() {
        Ok(Checked {
            structure: done,
            notes: checker.notes,
        })
    } else {
        Err(checker.problems)
    }
}

struct Checker<'a> {
    index: &'a IndexDescription,
    fields: Fields<'a>,
    limits: &'a Limits,
    problems: Vec<QueryProblem>,
    notes: Vec<String>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, pointer: impl Into<String>, code: &str, message: impl Into<String>) {
        self.problems.push(problem(pointer, code, message));
    }

    fn note(&mut self, applies: bool, note: impl Into<String>) {
        if applies {
            self.notes.push(note.into());
        }
    }

    /// The sizes of the contract. A structure does not necessarily come through its
    /// deserialization.
    fn sizes(&mut self, structure: &QueryStructure) {
        let sizes = [
            ("filters", structure.filters.len(), 32),
            ("fields", structure.fields.len(), 64),
            ("group_by", structure.group_by.len(), 3),
            ("measures", structure.measures.len(), 8),
            ("sort", structure.sort.len(), 4),
        ];
        for (member, size, most) in sizes {
            if size > most {
                self.report(
                    format!("/{member}"),
                    "too_large",
                    format!("The query has {size} {member}; the maximum is {most}."),
                );
            }
        }
    }

    /// The field with this name; otherwise reports a problem with the nearest names.
    fn field(&mut self, name: &str, pointer: &str) -> Option<Field<'a>> {
        let found = self.fields.find(name);
        if found.is_none() {
            let mut unknown = problem(
                pointer,
                "unknown_field",
                format!("The index '{}' has no field '{name}'.", self.index.name),
            );
            unknown.suggestions = self.fields.nearest(name);
            self.problems.push(unknown);
        }
        found
    }

    /// [`Self::field`] in the form that supports comparing, sorting and grouping whole values.
    fn exact_field(&mut self, name: &str, pointer: &str) -> Option<Field<'a>> {
        let field = self.field(name, pointer)?;
        let exact = field.exact();
        if exact.is_none() {
            self.report(
                pointer,
                "wrong_type",
                format!("'{name}' is a text field. It can only be searched by its words."),
            );
        }
        exact
    }

    fn time_range(&mut self, range: Option<&TimeRange>) -> Option<TimeRange> {
        let range = range?;
        let pointer = "/time_range";
        let Some(name) = range.field.as_ref().or(self.index.date_field.as_ref()) else {
            self.report(
                pointer,
                "invalid",
                format!(
                    "The index '{}' has no default date field: name a field.",
                    self.index.name
                ),
            );
            return None;
        };
        let field = self.field(name, "/time_range/field")?;
        if field.field_type != FieldType::Date {
            let mut wrong = problem(
                "/time_range/field",
                "wrong_type",
                format!("'{name}' is not a date field."),
            );
            wrong.suggestions = self.date_fields();
            self.problems.push(wrong);
        }
        if range.start > range.end {
            self.report(pointer, "invalid", "The start is after the end.");
        }
        if !is_usual(range.start) || !is_usual(range.end) {
            self.report(pointer, "invalid", "Years must have four digits.");
        }
        Some(TimeRange {
            field: Some(field.name.to_owned()),
            ..range.clone()
        })
    }

    fn date_fields(&self) -> Vec<String> {
        let dates = self
            .index
            .fields
            .iter()
            .filter(|field| field.field_type == FieldType::Date);
        dates.take(5).map(|field| field.name.clone()).collect()
    }

    /// A limit within the allowed maximum.
    fn limit(&mut self, asked: Option<u32>, default: Option<u32>, most: u32) -> Option<u32> {
        if asked == Some(0) {
            self.report("/limit", "invalid", "The limit must be at least 1.");
        }
        let limit = asked.or(default)?;
        self.note(
            asked.is_some_and(|asked| asked > most),
            format!("The limit was lowered from {limit} to {most}."),
        );
        Some(limit.min(most))
    }
}
