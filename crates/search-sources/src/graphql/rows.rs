//! An answer as a table: the records of the root list, flat, with typed columns.

use chrono::{DateTime, SecondsFormat, Utc};
use contracts::tools::search::{
    FieldType, IndexDescription, QueryStructure, ResultColumn, Total, TotalRelation,
};
use serde_json::{Map, Number, Value};

use super::schema::GraphqlSchema;
use super::selected::{self, Selected};
use super::shape::{self, Within, is_offset_argument, is_page_argument};
use super::validate::CheckedQuery;

/// Records.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) columns: Vec<ResultColumn>,
    pub(super) rows: Vec<Map<String, Value>>,
    pub(super) total: Total,
    /// Whether only the number of records is known.
    pub(super) counted: bool,
}

/// The name of the column that says which of several root fields a row is of.
const ROOT: &str = "root";

/// The root fields of a query.
pub(super) fn roots(checked: &CheckedQuery) -> Vec<Selected<'_>> {
    let operation = checked.operation();
    let sets: Vec<_> = operation
        .map(|operation| &operation.selection_set)
        .into_iter()
        .collect();
    let mut fields = selected::fields(checked.document(), checked.variables(), &sets);
    fields.retain(|root| root.name() != "__typename");
    fields
}

/// The `data` of an answer as a table. `index`: what the records of a root field are of.
pub(super) fn table<'i>(
    schema: &GraphqlSchema,
    checked: &CheckedQuery,
    data: &Map<String, Value>,
    index: impl Fn(&str) -> Option<&'i IndexDescription>,
) -> Table {
    let roots = roots(checked);
    let mut tables = roots.iter().map(|root| {
        let value = data.get(root.key()).unwrap_or(&Value::Null);
        let table = of_root(schema, checked, root, value, index(root.name()));
        (root.key(), table)
    });
    match (tables.next(), tables.next()) {
        (Some((_, only)), None) => only,
        (None, _) => Table::empty(),
        (Some(first), Some(second)) => {
            let all = [first, second].into_iter().chain(tables);
            let table = all.fold(Table::empty(), |table, (key, more)| table.with(key, more));
            table.complete()
        }
    }
}

impl Table {
    fn empty() -> Table {
        let root = column(None, ROOT, Some(FieldType::Keyword));
        Table {
            columns: vec![root],
            rows: Vec::new(),
            total: exactly(0),
            counted: false,
        }
    }

    /// With every column in every row.
    fn complete(mut self) -> Table {
        for row in &mut self.rows {
            let names = self.columns.iter().map(|column| column.name.clone());
            let values = names.map(|name| {
                let value = row.remove(&name).unwrap_or_default();
                (name, value)
            });
            *row = values.collect();
        }
        self
    }

    /// Together with the records of another root field.
    fn with(mut self, key: &str, more: Table) -> Table {
        for column in more.columns {
            if !self.columns.iter().any(|known| known.name == column.name) {
                self.columns.push(column);
            }
        }
        self.rows.extend(more.rows.into_iter().map(|row| {
            let root = [(ROOT.to_owned(), Value::from(key))];
            root.into_iter().chain(row).collect()
        }));
        self.total.value = self.total.value.saturating_add(more.total.value);
        if more.total.relation == TotalRelation::Gte {
            self.total.relation = TotalRelation::Gte;
        }
        self
    }
}

fn of_root(
    schema: &GraphqlSchema,
    checked: &CheckedQuery,
    root: &Selected<'_>,
    value: &Value,
    index: Option<&IndexDescription>,
) -> Table {
    let within = records(schema, checked, root);
    let Some((within, inner)) = within else {
        return single(schema, checked, root, value, index);
    };
    let total = total(schema, checked, root, value);
    if let Some(only) = total
        && inner.is_empty()
    {
        return counted(only);
    }
    let cells = cells(schema, checked, &inner, index);
    let records = within.of(value);
    let rows: Vec<_> = records
        .iter()
        .filter(|record| record.is_object())
        .map(|record| row(&cells, record))
        .collect();
    let total = match total {
        Some(total) => exactly(total),
        None => so_many(checked, root, rows.len()),
    };
    Table {
        columns: cells.into_iter().map(|cell| cell.column).collect(),
        rows,
        total,
        counted: false,
    }
}

/// Whether a list of the query has neither its records nor their number in the answer: that is no
/// list without records.
pub(super) fn is_unanswered(
    schema: &GraphqlSchema,
    checked: &CheckedQuery,
    data: &Map<String, Value>,
) -> bool {
    roots(checked).iter().any(|root| {
        let Some((way, inner)) = records(schema, checked, root) else {
            return false;
        };
        let value = data.get(root.key()).unwrap_or(&Value::Null);
        let list = match &way {
            Way::Itself => Some(value),
            Way::Member(key) | Way::Edges(key, _) => value.get(key),
        };
        if inner.is_empty() && way_is_around(schema, root) {
            return value.is_null()
                || asks_total(schema, checked, root)
                    && total(schema, checked, root, value).is_none();
        }
        !list.is_some_and(Value::is_array)
    })
}

/// Whether the records of a list are in a member of it.
fn way_is_around(schema: &GraphqlSchema, list: &Selected<'_>) -> bool {
    let within = shape::list_within(schema, list.field.ty());
    within.is_some_and(|(within, _)| within != Within::Plain)
}

fn asks_total(schema: &GraphqlSchema, checked: &CheckedQuery, list: &Selected<'_>) -> bool {
    let name = shape::total_member(schema, list.field.ty().inner_named_type());
    let members = selected::fields(checked.document(), checked.variables(), &list.sets);
    members.iter().any(|member| name == Some(member.name()))
}

/// The fields that a query asks for of each record, by their names in the index; `None` where it
/// only asks how many there are.
pub(super) fn leaves(
    schema: &GraphqlSchema,
    checked: &CheckedQuery,
    root: &Selected<'_>,
    index: &IndexDescription,
) -> Option<Vec<String>> {
    let sets = match records(schema, checked, root) {
        Some((_, inner)) if inner.is_empty() => return None,
        Some((_, inner)) => inner,
        None => root.sets.clone(),
    };
    let cells = cells(schema, checked, &sets, Some(index)).into_iter();
    Some(cells.map(|cell| cell.column.name).collect())
}

/// One record, or none; or one value.
fn single(
    schema: &GraphqlSchema,
    checked: &CheckedQuery,
    root: &Selected<'_>,
    value: &Value,
    index: Option<&IndexDescription>,
) -> Table {
    let (cells, record) = if schema.is_leaf(root.field.ty()) {
        let cell = Cell {
            column: column(None, root.key(), shape::field_type(schema, root.field.ty())),
            path: vec![root.key().to_owned()],
            inner: None,
        };
        let mut record = Map::new();
        record.insert(root.key().to_owned(), value.clone());
        (vec![cell], Value::Object(record))
    } else {
        (cells(schema, checked, &root.sets, index), value.clone())
    };
    let rows: Vec<_> = record
        .is_object()
        .then(|| row(&cells, &record))
        .into_iter()
        .collect();
    Table {
        total: exactly(rows.len() as u64),
        columns: cells.into_iter().map(|cell| cell.column).collect(),
        rows,
        counted: false,
    }
}

/// A table with the number of records from an aggregation.
fn counted(total: u64) -> Table {
    let mut row = Map::new();
    row.insert("count".to_owned(), Value::from(total));
    Table {
        columns: vec![column(None, "count", Some(FieldType::Long))],
        rows: vec![row],
        total: exactly(total),
        counted: true,
    }
}

/// The way from a list's value to its records, by the names that they are answered under.
#[derive(Debug)]
enum Way {
    Itself,
    Member(String),
    Edges(String, String),
}

impl Way {
    fn of<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let list = |value: Option<&'v Value>| value.and_then(Value::as_array).into_iter().flatten();
        match self {
            Way::Itself => list(Some(value)).collect(),
            Way::Member(key) => list(value.get(key)).collect(),
            Way::Edges(edges, node) => list(value.get(edges))
                .filter_map(|edge| edge.get(node))
                .collect(),
        }
    }
}

/// The path to the records of a field in its answer, and the selection of each; `None` if the field
/// is not a list.
fn records<'a>(
    schema: &GraphqlSchema,
    checked: &'a CheckedQuery,
    list: &Selected<'a>,
) -> Option<(Way, Vec<&'a apollo_compiler::executable::SelectionSet>)> {
    let (within, _) = shape::list_within(schema, list.field.ty())?;
    if within == Within::Plain {
        return Some((Way::Itself, list.sets.clone()));
    }
    let inside = |sets: &[_]| selected::fields(checked.document(), checked.variables(), sets);
    let members = inside(&list.sets);
    let lists =
        |field: &&Selected<'_>| field.field.ty().is_list() && !schema.is_leaf(field.field.ty());
    if let Some(edges) = members
        .iter()
        .filter(lists)
        .find(|member| member.name() == "edges")
    {
        let node = inside(&edges.sets)
            .into_iter()
            .find(|member| member.name() == "node");
        if let Some(node) = node {
            let way = Way::Edges(edges.key().to_owned(), node.key().to_owned());
            return Some((way, node.sets));
        }
    }
    let member = members.iter().find(lists);
    Some(match member {
        Some(member) => (Way::Member(member.key().to_owned()), member.sets.clone()),
        None => (Way::Itself, Vec::new()),
    })
}

fn total(
    schema: &GraphqlSchema,
    checked: &CheckedQuery,
    list: &Selected<'_>,
    value: &Value,
) -> Option<u64> {
    let name = shape::total_member(schema, list.field.ty().inner_named_type())?;
    let members = selected::fields(checked.document(), checked.variables(), &list.sets);
    let member = members.iter().find(|member| member.name() == name)?;
    let total = value.get(member.key())?;
    total.as_u64().or_else(|| total.as_str()?.parse().ok())
}

/// The number of records if the source does not report it: the records that arrived, as a lower
/// bound if the page is full.
fn so_many(checked: &CheckedQuery, list: &Selected<'_>, came: usize) -> Total {
    let given = selected::arguments(list.field, checked.variables());
    let number = |is: fn(&str) -> bool| {
        let mut given = given.iter();
        let found = given.find(|(name, _)| is(name));
        found.and_then(|(_, value)| value.as_u64())
    };
    let passed = number(is_offset_argument).unwrap_or(0);
    let came = came as u64;
    let full = number(is_page_argument).is_none_or(|asked| came >= asked);
    Total {
        value: passed.saturating_add(came),
        relation: if full {
            TotalRelation::Gte
        } else {
            TotalRelation::Eq
        },
    }
}

fn exactly(value: u64) -> Total {
    Total {
        value,
        relation: TotalRelation::Eq,
    }
}

/// A column, and where its values are in a record.
#[derive(Debug)]
struct Cell {
    column: ResultColumn,
    path: Vec<String>,
    /// Of a related list: the way to its records.
    inner: Option<Way>,
}

fn cells(
    schema: &GraphqlSchema,
    checked: &CheckedQuery,
    sets: &[&apollo_compiler::executable::SelectionSet],
    index: Option<&IndexDescription>,
) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut walk = Walk {
        schema,
        checked,
        index,
        cells: &mut cells,
    };
    walk.fields(sets, &[], true);
    cells
}

struct Walk<'a> {
    schema: &'a GraphqlSchema,
    checked: &'a CheckedQuery,
    index: Option<&'a IndexDescription>,
    cells: &'a mut Vec<Cell>,
}

impl Walk<'_> {
    /// `plain`: nothing on the way has another name than the schema's.
    fn fields(
        &mut self,
        sets: &[&apollo_compiler::executable::SelectionSet],
        path: &[String],
        plain: bool,
    ) {
        let fields = selected::fields(self.checked.document(), self.checked.variables(), sets);
        for field in fields.iter().filter(|field| field.name() != "__typename") {
            let mut path = path.to_vec();
            path.push(field.key().to_owned());
            let plain = plain && field.field.alias.is_none();
            let ty = field.field.ty();
            if self.schema.is_leaf(ty) {
                let known = if ty.is_list() {
                    None
                } else {
                    shape::field_type(self.schema, ty)
                };
                self.push(path, plain, known, None);
            } else if let Some((way, _)) = records(self.schema, self.checked, field) {
                self.push(path, plain, None, Some(way));
            } else {
                self.fields(&field.sets, &path, plain);
            }
        }
    }

    fn push(
        &mut self,
        path: Vec<String>,
        plain: bool,
        field_type: Option<FieldType>,
        inner: Option<Way>,
    ) {
        let joined = path.join(".");
        let index = self.index.filter(|_| plain);
        let name = shape::field_name(index, &joined);
        self.cells.push(Cell {
            column: column(index, &name, field_type),
            path,
            inner,
        });
    }
}

/// A column in the words of its index, where the index has it.
fn column(
    index: Option<&IndexDescription>,
    name: &str,
    field_type: Option<FieldType>,
) -> ResultColumn {
    let known = index.filter(|index| index.fields.iter().any(|field| field.name == name));
    if let Some(index) = known {
        let structure = QueryStructure {
            index: index.name.clone(),
            fields: vec![name.to_owned()],
            ..QueryStructure::default()
        };
        if let Some(column) = search::columns(&structure, index).pop() {
            return column;
        }
    }
    ResultColumn {
        name: name.to_owned(),
        label: name.replace(['_', '.'], " "),
        field_type,
        unit: None,
    }
}

fn row(cells: &[Cell], record: &Value) -> Map<String, Value> {
    let cells = cells.iter();
    cells
        .map(|cell| {
            let mut value = Some(record);
            for step in &cell.path {
                value = value.and_then(|value| value.get(step));
            }
            let value = value.unwrap_or(&Value::Null);
            let value = match &cell.inner {
                Some(_) if value.is_null() => Value::Null,
                Some(way) => Value::Array(way.of(value).into_iter().cloned().collect()),
                None => typed(value, cell.column.field_type),
            };
            (cell.column.name.clone(), value)
        })
        .collect()
}

/// Numbers that came as texts are numbers, times are in UTC.
fn typed(value: &Value, field_type: Option<FieldType>) -> Value {
    let Value::String(text) = value else {
        return value.clone();
    };
    let typed = match field_type {
        Some(FieldType::Long) => text.parse::<i64>().ok().map(Value::from),
        Some(FieldType::Double) => {
            let number = text.parse().ok().and_then(Number::from_f64);
            number.map(Value::Number)
        }
        Some(FieldType::Date) => DateTime::parse_from_rfc3339(text).ok().map(|time| {
            let time = time.with_timezone(&Utc);
            Value::from(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
        }),
        _ => None,
    };
    typed.unwrap_or_else(|| value.clone())
}
