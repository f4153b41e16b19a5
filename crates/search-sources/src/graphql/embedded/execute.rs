//! A checked document over typed queries: one for each root field, and one for each relation of all
//! the records around it.

use std::collections::HashMap;

use apollo_compiler::executable::SelectionSet;
use contracts::tools::search::{
    Filter, FilterOp, IndexDescription, Measure, MeasureOp, QueryProblem, QueryRun, QueryStructure,
    QueryType, SourceDescription, Total,
};
use futures::future::BoxFuture;
use search::problem;
use serde_json::{Map, Value};

use super::{Embedded, RecordType, Relation};
use crate::graphql::read;
use crate::graphql::rows;
use crate::graphql::selected::{self, Selected};
use crate::graphql::validate::CheckedQuery;
use crate::{Source, SourceError};

/// Number of values that a condition may have.
const VALUES: usize = 100;

/// The result of an execution.
#[derive(Debug)]
pub(in crate::graphql) struct Executed {
    pub(in crate::graphql) data: Map<String, Value>,
    /// Of the only root field, how many records fit.
    pub(in crate::graphql) total: Option<Total>,
    pub(in crate::graphql) partial: Option<String>,
}

/// Executes a document; with `max_rows`, its root list returns at most this number of records,
/// whatever its own limit.
pub(in crate::graphql) async fn execute(
    source: &Source,
    tenant: &str,
    description: &SourceDescription,
    embedded: &Embedded,
    checked: &CheckedQuery,
    max_rows: Option<u32>,
) -> Result<Executed, SourceError> {
    let execution = Execution {
        source,
        tenant,
        description,
        embedded,
        checked,
    };
    let roots = rows::roots(checked);
    let mut executed = Executed {
        data: Map::new(),
        total: None,
        partial: None,
    };
    for root in &roots {
        let found = execution.root(root, max_rows).await?;
        executed.data.insert(root.key().to_owned(), found.value);
        executed.total = found.total.filter(|_| roots.len() == 1);
        executed.partial = executed.partial.or(found.partial);
    }
    Ok(executed)
}

struct Execution<'a> {
    source: &'a Source,
    tenant: &'a str,
    description: &'a SourceDescription,
    embedded: &'a Embedded,
    checked: &'a CheckedQuery,
}

/// The value of a root field.
struct Found {
    value: Value,
    total: Option<Total>,
    partial: Option<String>,
}

/// A record, by the fields of its index.
type Row = Map<String, Value>;

impl<'a> Execution<'a> {
    async fn root(&self, root: &Selected<'_>, max_rows: Option<u32>) -> Result<Found, SourceError> {
        let name = root.name();
        let record = self.embedded.records.iter();
        let mut record =
            record.filter(|record| record.list == name || record.single.as_deref() == Some(name));
        let unknown = || refused("unknown_field", format!("There is no '{name}' to ask for."));
        let record = record.next().ok_or_else(unknown)?;
        let index = self.index(&record.index)?;
        let given = selected::arguments(root.field, self.checked.variables());
        let asked = read::arguments(index, self.source.config().zone(), &given)
            .map_err(SourceError::refused)?;
        if record.list == name {
            return self.list(record, asked, root, max_rows).await;
        }
        let structure = QueryStructure {
            fields: self.needed(record, &root.sets),
            limit: Some(1),
            ..asked.structure
        };
        let run = self.ask(&structure).await?;
        let mut values = self.complete(record, run.rows, &root.sets).await?;
        Ok(Found {
            value: values.pop().unwrap_or(Value::Null),
            total: Some(run.total),
            partial: run.partial,
        })
    }

    /// A connection at the root.
    async fn list(
        &self,
        record: &RecordType,
        asked: read::Asked,
        list: &Selected<'_>,
        max_rows: Option<u32>,
    ) -> Result<Found, SourceError> {
        let parts = self.parts(list);
        if parts.nodes.is_empty() {
            let total = self.count(&asked.structure).await?;
            return Ok(Found {
                value: parts.value(&[], total),
                total: None,
                partial: None,
            });
        }
        let limits = &self.source.config().limits;
        let first = asked.structure.limit.unwrap_or(limits.default_rows);
        let reach = first.saturating_add(asked.offset);
        if reach > limits.max_rows && max_rows.is_none() {
            let text = format!(
                "Only the first {} records can be asked for; {reach} were reached for.",
                limits.max_rows
            );
            return Err(refused("too_large", text));
        }
        let structure = QueryStructure {
            fields: self.needed(record, &parts.nodes),
            limit: Some(reach),
            ..asked.structure
        };
        let run = match max_rows {
            Some(max_rows) => {
                let reach = max_rows.saturating_add(asked.offset);
                self.scan(&structure, reach).await?
            }
            None => self.ask(&structure).await?,
        };
        let total = run.total;
        let rows = run.rows.into_iter().skip(asked.offset as usize).collect();
        let nodes = self.complete(record, rows, &parts.nodes).await?;
        Ok(Found {
            value: parts.value(&nodes, total.value),
            total: Some(total),
            partial: run.partial,
        })
    }

    /// Records as objects of what is selected of them, relations included.
    fn complete<'f>(
        &'f self,
        record: &'f RecordType,
        rows: Vec<Row>,
        sets: &'f [&'f SelectionSet],
    ) -> BoxFuture<'f, Result<Vec<Value>, SourceError>> {
        Box::pin(async move {
            let fields = self.fields(sets);
            let mut objects = vec![Map::new(); rows.len()];
            for field in &fields {
                let values = match (record.field(field.name()), record.relation(field.name())) {
                    (Some(name), _) => {
                        let value = |row: &Row| row.get(name).cloned().unwrap_or_default();
                        rows.iter().map(value).collect()
                    }
                    (None, Some(relation)) if relation.many => {
                        self.many(relation, &rows, field).await?
                    }
                    (None, Some(relation)) => self.one(relation, &rows, field).await?,
                    (None, None) => vec![Value::from(record.name.as_str()); rows.len()],
                };
                for (object, value) in objects.iter_mut().zip(values) {
                    object.insert(field.key().to_owned(), value);
                }
            }
            Ok(objects.into_iter().map(Value::Object).collect())
        })
    }

    /// The related record of each row.
    async fn one(
        &self,
        relation: &Relation,
        rows: &[Row],
        field: &Selected<'_>,
    ) -> Result<Vec<Value>, SourceError> {
        let record = self.record(&relation.index)?;
        let ids = distinct(rows, &relation.own);
        let mut found = Vec::new();
        for ids in ids.chunks(VALUES) {
            let structure = QueryStructure {
                index: relation.index.clone(),
                filters: vec![any_of(&relation.other, ids)],
                fields: with(self.needed(record, &field.sets), &relation.other),
                limit: u32::try_from(ids.len()).ok(),
                ..QueryStructure::default()
            };
            found.extend(self.ask(&structure).await?.rows);
        }
        let keys: Vec<_> = found.iter().map(|row| key(row, &relation.other)).collect();
        let values = self.complete(record, found, &field.sets).await?;
        let by_id: HashMap<_, _> = keys.into_iter().zip(values).collect();
        let value = |row| {
            by_id
                .get(&key(row, &relation.own))
                .cloned()
                .unwrap_or_default()
        };
        Ok(rows.iter().map(value).collect())
    }

    /// The related records of each row, as connections.
    async fn many(
        &self,
        relation: &Relation,
        rows: &[Row],
        field: &Selected<'_>,
    ) -> Result<Vec<Value>, SourceError> {
        let record = self.record(&relation.index)?;
        let index = self.index(&relation.index)?;
        let given = selected::arguments(field.field, self.checked.variables());
        let zone = self.source.config().zone();
        let asked = read::arguments(index, zone, &given).map_err(SourceError::refused)?;
        let parts = self.parts(field);
        let limits = &self.source.config().limits;
        let first = asked.structure.limit.unwrap_or(limits.default_rows) as usize;
        let ids = distinct(rows, &relation.own);
        let mut groups: HashMap<String, Vec<Row>> = HashMap::new();
        for ids in ids.chunks(VALUES) {
            let mut structure = QueryStructure {
                fields: with(self.needed(record, &parts.nodes), &relation.other),
                limit: Some(limits.max_rows),
                ..asked.structure.clone()
            };
            structure.filters.push(any_of(&relation.other, ids));
            let run = self.scan(&structure, limits.max_scan_rows).await?;
            if (run.rows.len() as u64) < run.total.value {
                let text = format!(
                    "'{}' is about {} records, more than can be read. Ask for fewer.",
                    field.name(),
                    run.total.value
                );
                return Err(refused("too_expensive", text));
            }
            for row in run.rows {
                groups
                    .entry(key(&row, &relation.other))
                    .or_default()
                    .push(row);
            }
        }
        let mut values = Vec::with_capacity(rows.len());
        let mut kept = Vec::new();
        for row in rows {
            let group = groups.get(&key(row, &relation.own));
            let group = group.map(Vec::as_slice).unwrap_or_default();
            let page = group.iter().skip(asked.offset as usize).take(first);
            let before = kept.len();
            kept.extend(page.cloned());
            values.push((before..kept.len(), group.len() as u64));
        }
        let nodes = self.complete(record, kept, &parts.nodes).await?;
        let connection = |(range, total): (std::ops::Range<usize>, u64)| {
            let page = nodes.get(range).unwrap_or_default();
            parts.value(page, total)
        };
        Ok(values.into_iter().map(connection).collect())
    }

    /// The fields of the index that a selection needs.
    fn needed(&self, record: &RecordType, sets: &[&SelectionSet]) -> Vec<String> {
        let mut needed = Vec::new();
        for field in self.fields(sets) {
            let relation = record
                .relation(field.name())
                .map(|relation| relation.own.as_str());
            if let Some(name) = record.field(field.name()).or(relation) {
                needed = with(needed, name);
            }
        }
        if needed.is_empty() {
            needed.extend(record.fields.first().map(|(_, field)| field.clone()));
        }
        needed
    }

    fn fields<'s>(&'s self, sets: &[&'s SelectionSet]) -> Vec<Selected<'s>> {
        selected::fields(self.checked.document(), self.checked.variables(), sets)
    }

    fn parts<'s>(&'s self, list: &Selected<'s>) -> Parts<'s> {
        let members = self.fields(&list.sets);
        let nodes = members.iter().filter(|member| member.name() == "nodes");
        let nodes = nodes.flat_map(|member| member.sets.clone()).collect();
        let type_name = list.field.ty().inner_named_type().to_string();
        Parts {
            members,
            nodes,
            type_name,
        }
    }

    /// Runs a query once, within its limit.
    async fn ask(&self, structure: &QueryStructure) -> Result<QueryRun, SourceError> {
        let checked = self.checked(structure)?;
        let kind = QueryType::Graphql;
        self.source
            .run_structure(self.tenant, self.description, &checked, kind)
            .await
    }

    /// Runs a query for at most `max_rows` records, whatever its limit.
    async fn scan(
        &self,
        structure: &QueryStructure,
        max_rows: u32,
    ) -> Result<QueryRun, SourceError> {
        let checked = self.checked(structure)?;
        let kind = QueryType::Graphql;
        self.source
            .scan_structure(self.tenant, self.description, &checked, kind, max_rows)
            .await
    }

    fn checked(&self, structure: &QueryStructure) -> Result<QueryStructure, SourceError> {
        let index = self.index(&structure.index)?;
        let checked = search::check(structure, index, &self.source.search_limits());
        // The pointers point into a generated structure.
        let checked = checked.map_err(|mut problems| {
            for found in &mut problems {
                "/query".clone_into(&mut found.pointer);
            }
            SourceError::Refused { problems }
        })?;
        Ok(checked.structure)
    }

    async fn count(&self, structure: &QueryStructure) -> Result<u64, SourceError> {
        let counting = QueryStructure {
            measures: vec![Measure {
                op: MeasureOp::Count,
                field: None,
            }],
            sort: Vec::new(),
            limit: None,
            ..structure.clone()
        };
        let run = self.ask(&counting).await?;
        let count = run.rows.first().and_then(|row| row.get("count")?.as_u64());
        Ok(count.unwrap_or(run.total.value))
    }

    fn record(&self, index: &str) -> Result<&'a RecordType, SourceError> {
        let missing = || self.source.failed("has no such index any more".to_owned());
        self.embedded.of_index(index).ok_or_else(missing)
    }

    fn index(&self, name: &str) -> Result<&'a IndexDescription, SourceError> {
        let mut indices = self.description.indices.iter();
        let found = indices.find(|index| index.name == name);
        found.ok_or_else(|| self.source.failed("has no such index any more".to_owned()))
    }
}

/// The selected parts of a connection.
struct Parts<'a> {
    members: Vec<Selected<'a>>,
    nodes: Vec<&'a SelectionSet>,
    type_name: String,
}

impl Parts<'_> {
    fn value(&self, nodes: &[Value], total: u64) -> Value {
        let member = |member: &Selected<'_>| {
            let value = match member.name() {
                "nodes" => Value::Array(nodes.to_vec()),
                "totalCount" => Value::from(total),
                _ => Value::from(self.type_name.as_str()),
            };
            (member.key().to_owned(), value)
        };
        Value::Object(self.members.iter().map(member).collect())
    }
}

fn any_of(field: &str, values: &[Value]) -> Filter {
    Filter {
        field: field.to_owned(),
        op: FilterOp::Is,
        values: values.to_vec(),
        label: None,
        or: Vec::new(),
    }
}

fn with(mut fields: Vec<String>, name: &str) -> Vec<String> {
    if !fields.iter().any(|known| known == name) {
        fields.push(name.to_owned());
    }
    fields
}

/// A row's value of a field, as a key.
fn key(row: &Row, field: &str) -> String {
    row.get(field).map(Value::to_string).unwrap_or_default()
}

/// The values of a field, each once.
fn distinct(rows: &[Row], field: &str) -> Vec<Value> {
    let mut seen = std::collections::HashSet::new();
    let values = rows.iter().filter_map(|row| row.get(field));
    let values = values.filter(|value| !value.is_null());
    values
        .filter(|value| seen.insert(value.to_string()))
        .cloned()
        .collect()
}

fn refused(code: &str, text: String) -> SourceError {
    let fault: QueryProblem = problem("/query", code, text);
    SourceError::refused(fault)
}
