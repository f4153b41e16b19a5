//! Compiles a checked structure to one PostgreSQL `SELECT`.
//!
//! Every value is bound. Column names come from the [`Table`] and are quoted. Each row is one JSON
//! list, which a [`RowReader`] reads. Days are those of the zone. Texts are ordered by their bytes,
//! and missing values come last, as in Elasticsearch.

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

/// A table that holds the records of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The schema of the table.
    pub schema: String,
    /// The table name without the schema.
    pub name: String,
    /// The columns that queries can use.
    pub columns: Vec<Column>,
    /// The column that contains the tenant's name.
    pub tenant_column: Option<String>,
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The column name. The field has the same name.
    pub name: String,
    /// The type of the values.
    pub kind: ColumnKind,
}

/// The type of a column, as far as queries distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A text.
    Text,
    /// A type that is compared by its text: an identifier, an enumeration.
    AsText,
    /// A list of texts.
    Texts,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A day.
    Day,
    /// A time without a zone, in the zone of the source.
    LocalTime,
    /// A point in time.
    Moment,
}

impl ColumnKind {
    /// The field type of the column.
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

/// A statement with its bound values.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The SQL text, with `$1`, `$2`, … for the values.
    pub sql: String,
    /// The values in the order of the placeholders.
    pub binds: Vec<Bind>,
}

/// A bound value of a statement.
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

/// Compiles a checked structure for a tenant. The statement returns at most `max_rows` rows, and at
/// most as many as the structure's own limit.
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

/// The statement that counts the records that match a checked structure.
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

/// The statement that counts a tenant's records and hashes the contents of these columns. It
/// returns one row with the count and the hash, both as text. Returns `None` if a column does not
/// exist any more.
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

/// Converts the rows of a statement to JSON objects.
#[derive(Debug, Clone)]
pub struct RowReader<'a> {
    groups: &'a [Grouping],
    zone: Tz,
    columns: Vec<ResultColumn>,
}

impl<'a> RowReader<'a> {
    /// The reader for the statement of a checked structure.
    pub fn new(structure: &'a QueryStructure, index: &IndexDescription, zone: Tz) -> RowReader<'a> {
        RowReader {
            groups: &structure.group_by,
            zone,
            columns: columns(structure, index),
        }
    }

    /// Converts a row to an object with the column names as keys. Rows of groups have one extra
    /// value, see [`outermost_groups`].
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

/// The total number of outermost groups, from a row of an aggregation with groups.
pub fn outermost_groups(values: &[Value]) -> Option<u64> {
    values.last()?.as_u64()
}

/// A group's key. Hours are converted to the zone.
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

/// Converts moments to UTC with a `Z`, because sessions run in UTC. A number field stays a float
/// even for whole numbers.
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

/// A quoted identifier.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Builds one statement.
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

    /// Binds a value and returns its placeholder.
    fn bind(&mut self, value: Bind) -> String {
        self.binds.push(value);
        format!("${}", self.binds.len())
    }

    fn bound_zone(&mut self) -> String {
        self.bind(Bind::Text(self.zone.name().to_owned()))
    }

    /// The column of a field. It is missing only if the table changed after it was described.
    fn column(&mut self, name: &str) -> Option<&'a Column> {
        let column = self.table.columns.iter().find(|column| column.name == name);
        if column.is_none() {
            self.problems.push(problem(
                "",
                "unknown_field",
                format!("The table of this index does not have the column '{name}' any more."),
            ));
        }
        column
    }

    fn unsupported(&mut self, name: &str, what: &str) {
        self.problems.push(problem(
            "",
            "unsupported",
            format!("'{name}' has several values and cannot be {what}."),
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

    /// The expression that sorts records by a field.
    fn sortable(&mut self, name: &str) -> Option<String> {
        let column = self.column(name)?;
        match column.kind {
            ColumnKind::Texts => {
                self.unsupported(name, "sorted by");
                None
            }
            ColumnKind::Text => Some(format!("{} COLLATE \"C\"", quoted(name))),
            ColumnKind::AsText => Some(format!("{}::text COLLATE \"C\"", quoted(name))),
            _ => Some(quoted(name)),
        }
    }
}
