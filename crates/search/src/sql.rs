//! A checked structure as one PostgreSQL `SELECT`.
//!
//! Every value is bound; names of columns are those of the [`Table`], quoted. Each row is one JSON list, read by a [`RowReader`]. Days are
//! those of the zone; texts are ordered by their bytes, and what is missing comes last, as in Elasticsearch.

mod conditions;
mod groups;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use contracts::tools::search::{
    FieldType, Grouping, IndexDescription, QueryProblem, QueryStructure, ResultColumn,
};
use serde_json::{Map, Number, Value};

use crate::columns::{bucket_day, columns};
use crate::problem::problem;

/// A table that is an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// The columns that queries may name.
    pub columns: Vec<Column>,
    /// The column that has the tenant's name.
    pub tenant_column: Option<String>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name, also the field's.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A text.
    Text,
    /// Something that is compared by its text: an identifier, an enumeration.
    AsText,
    /// Texts.
    Texts,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// A day.
    Day,
    /// A time without a zone: one of the source's.
    LocalTime,
    /// A moment.
    Moment,
}

impl ColumnKind {
    /// What a field of it holds.
    pub fn field_type(self) -> FieldType {
        match self {
            ColumnKind::Text | ColumnKind::AsText | ColumnKind::Texts => FieldType::Keyword,
            ColumnKind::Integer => FieldType::Long,
            ColumnKind::Number => FieldType::Double,
            ColumnKind::Boolean => FieldType::Boolean,
            ColumnKind::Day | ColumnKind::LocalTime | ColumnKind::Moment => FieldType::Date,
        }
    }
}

/// A statement with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Its text, with `$1`, `$2`, … for the values.
    pub sql: String,
    /// The values.
    pub binds: Vec<Bind>,
}

/// A value of a statement.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Bind {
    Text(String),
    Texts(Vec<String>),
    Integer(i64),
    Integers(Vec<i64>),
    Number(f64),
    Numbers(Vec<f64>),
    Boolean(bool),
    Booleans(Vec<bool>),
    Day(NaiveDate),
    Moment(DateTime<Utc>),
}

/// The statement that brings the rows of a checked structure for a tenant: at most `max_rows` of them, and never more than its own limit.
pub fn compile(
    structure: &QueryStructure,
    table: &Table,
    tenant: Option<&str>,
    zone: Tz,
    max_rows: u32,
) -> Result<Statement, Vec<QueryProblem>> {
    let mut writer = Writer::new(table, zone);
    let sql = if structure.measures.is_empty() {
        writer.records(structure, tenant, max_rows)
    } else {
        writer.aggregation(structure, tenant, max_rows)
    };
    writer.done(sql)
}

/// The statement that counts the records which fit a checked structure.
pub fn count(
    structure: &QueryStructure,
    table: &Table,
    tenant: Option<&str>,
    zone: Tz,
) -> Result<Statement, Vec<QueryProblem>> {
    let mut writer = Writer::new(table, zone);
    let conditions = writer.conditions(structure, tenant);
    let sql = format!("SELECT count(*) FROM {}{conditions}", writer.from());
    writer.done(sql)
}

/// The statement that counts a tenant's records and makes a figure of what these columns hold, which is another when any of it is; one row
/// with the number and the figure, both as texts. `None` where a column is not there any more.
pub fn fingerprint(table: &Table, columns: &[String], tenant: Option<&str>) -> Option<Statement> {
    let mut writer = Writer::new(table, Tz::UTC);
    let conditions = writer.conditions(&QueryStructure::default(), tenant);
    let known = |name: &String| {
        let mut columns = table.columns.iter();
        columns.any(|column| column.name == *name)
    };
    if columns.is_empty() || !columns.iter().all(known) {
        return None;
    }
    let columns: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let sql = format!(
        "SELECT count(*)::text, coalesce(sum(hashtextextended(ROW({})::text, 0)), 0)::text FROM {}{conditions}",
        columns.join(", "),
        writer.from()
    );
    writer.done(sql).ok()
}

/// Reads the rows of a statement.
#[derive(Debug, Clone)]
pub struct RowReader<'a> {
    groups: &'a [Grouping],
    zone: Tz,
    columns: Vec<ResultColumn>,
}

impl<'a> RowReader<'a> {
    /// For the statement of a checked structure.
    pub fn new(structure: &'a QueryStructure, index: &IndexDescription, zone: Tz) -> RowReader<'a> {
        RowReader {
            groups: &structure.group_by,
            zone,
            columns: columns(structure, index),
        }
    }

    /// A row: its values under the names of the columns. Groups have one value more, of [`outermost_groups`].
    pub fn read(&self, values: Vec<Value>) -> Map<String, Value> {
        let mut row = Map::new();
        for (position, (column, value)) in self.columns.iter().zip(values).enumerate() {
            let value = match self.groups.get(position) {
                Some(grouping) => key(value, grouping, self.zone),
                None => typed(value, column.field_type),
            };
            row.insert(column.name.clone(), value);
        }
        row
    }
}

/// How many outermost groups there are, of the values of a row of an aggregation with groups.
pub fn outermost_groups(values: &[Value]) -> Option<u64> {
    values.last()?.as_u64()
}

/// A group's key: dates of hours are told in the zone.
fn key(value: Value, grouping: &Grouping, zone: Tz) -> Value {
    let moment = value
        .as_str()
        .filter(|_| grouping.interval.is_some())
        .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    match (moment, grouping.interval) {
        (Some(moment), Some(interval)) => bucket_day(moment.with_timezone(&Utc), interval, zone),
        _ => value,
    }
}

/// UTC as `Z`, in which sessions run; a number that may have decimals as such, though it has none.
fn typed(value: Value, field_type: Option<FieldType>) -> Value {
    match field_type {
        Some(FieldType::Date) => {
            let utc = value.as_str().and_then(|text| text.strip_suffix("+00:00"));
            utc.map(|text| format!("{text}Z").into()).unwrap_or(value)
        }
        Some(FieldType::Double) => {
            let number = value.as_f64().and_then(Number::from_f64);
            number.map_or(value, Value::Number)
        }
        _ => value,
    }
}

/// A name in a statement.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Writes one statement.
struct Writer<'a> {
    table: &'a Table,
    zone: Tz,
    binds: Vec<Bind>,
    problems: Vec<QueryProblem>,
}

impl<'a> Writer<'a> {
    fn new(table: &'a Table, zone: Tz) -> Writer<'a> {
        Writer {
            table,
            zone,
            binds: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn done(self, sql: String) -> Result<Statement, Vec<QueryProblem>> {
        if self.problems.is_empty() {
            Ok(Statement {
                sql,
                binds: self.binds,
            })
        } else {
            Err(self.problems)
        }
    }

    fn from(&self) -> String {
        format!(
            "{}.{}",
            quoted(&self.table.schema),
            quoted(&self.table.name)
        )
    }

    /// Binds a value: its place in the statement.
    fn bind(&mut self, value: Bind) -> String {
        self.binds.push(value);
        format!("${}", self.binds.len())
    }

    fn bound_zone(&mut self) -> String {
        self.bind(Bind::Text(self.zone.name().to_owned()))
    }

    /// A column of the table. A field that has none can only be a table that changed since it was described.
    fn column(&mut self, name: &str) -> Option<&'a Column> {
        let column = self.table.columns.iter().find(|column| column.name == name);
        if column.is_none() {
            self.problems.push(problem(
                "",
                "unknown_field",
                format!("The table of this index has no column '{name}' any more."),
            ));
        }
        column
    }

    fn unsupported(&mut self, name: &str, what: &str) {
        self.problems.push(problem(
            "",
            "unsupported",
            format!("'{name}' has several values: it {what}."),
        ));
    }

    fn records(&mut self, structure: &QueryStructure, tenant: Option<&str>, max: u32) -> String {
        let mut shown = Vec::new();
        for name in &structure.fields {
            let Some(column) = self.column(name) else {
                continue;
            };
            shown.push(match column.kind {
                ColumnKind::AsText => format!("{}::text", quoted(name)),
                _ => quoted(name),
            });
        }
        let conditions = self.conditions(structure, tenant);
        let mut order = Vec::new();
        for sort in &structure.sort {
            let way = if sort.descending { "DESC" } else { "ASC" };
            if let Some(key) = self.sortable(&sort.by) {
                order.push(format!("{key} {way} NULLS LAST"));
            }
        }
        let order = match order.as_slice() {
            [] => String::new(),
            order => format!(" ORDER BY {}", order.join(", ")),
        };
        let limit = structure.limit.map_or(max, |limit| limit.min(max));
        let limit = self.bind(Bind::Integer(limit.into()));
        format!(
            "SELECT json_build_array({})::text FROM {}{conditions}{order} LIMIT {limit}",
            shown.join(", "),
            self.from()
        )
    }

    /// What records are ordered by.
    fn sortable(&mut self, name: &str) -> Option<String> {
        let column = self.column(name)?;
        match column.kind {
            ColumnKind::Texts => {
                self.unsupported(name, "makes no order");
                None
            }
            ColumnKind::Text => Some(format!("{} COLLATE \"C\"", quoted(name))),
            ColumnKind::AsText => Some(format!("{}::text COLLATE \"C\"", quoted(name))),
            _ => Some(quoted(name)),
        }
    }
}
