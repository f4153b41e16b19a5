//! A catalogue out of what the database has, what the policy allows and what the graph file knows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

use indexmap::IndexMap;
use join_graph::{Document, Graph, Hygiene, Reason, Table, clean};
use sql_guard::{ColumnKind, ColumnRule, Dialect, Policy, RowFilter, Schema};

use super::names::Names;
use super::rules::{columns as column_rules, filters, same_kind};
use super::{Catalogue, ColumnInfo, Given, TableInfo, Tenants};
use crate::introspect::{FoundTable, Introspection, ValueSource};
use crate::{PolicyFile, TargetConfig, TargetError};

/// Builds the catalogue. Whatever has no rule where rules are given, or a rule that cannot be kept,
/// is hidden.
pub(crate) fn build(found: &Introspection, given: Given<'_>) -> Result<Catalogue, TargetError> {
    let Given {
        config,
        policy: file,
        graph,
    } = given;
    let refused = |message: String| TargetError::Policy { message };
    let mut notes = Vec::new();
    let names = Names::of(found);
    notes.extend(names.missing());
    let file = names.policy(file)?;
    let graph = graph.map(|graph| names.graph(graph));
    let known: Vec<&str> = file
        .row_filters
        .keys()
        .chain(file.shared_tables.iter().flatten())
        .map(String::as_str)
        .chain(
            graph
                .iter()
                .flat_map(|graph| graph.tables.keys().map(String::as_str)),
        )
        .collect();
    let views = found.secure_views(&file.secure_views, &known);
    let logical = found.logical(&views);
    for (table, view) in &views {
        if logical.tables.iter().all(|found| {
            found
                .secure_view
                .as_ref()
                .is_none_or(|it| !it.eq_ignore_ascii_case(view))
        }) {
            notes.push(format!("Table '{table}' is hidden: its secure view does not exist, or our role may not see it."));
        }
    }
    let mut tables = usable(&logical, &file.hidden_tables, &names, &mut notes);
    let rules = column_rules(&file.columns, &mut tables, &mut notes);
    let mut row_filters = filters(&file.row_filters, &tables, &mut notes);
    let numbers = same_kind(&mut row_filters, &tables, &mut notes);
    let shared = shared(file.shared_tables.as_ref(), &tables, &mut notes);
    let withheld = withheld(&file, &row_filters, &rules, &views, &tables);
    notes.extend(close(&file, &row_filters, &shared, config, &mut tables));

    let views: BTreeMap<String, String> = tables
        .values()
        .filter_map(|table| Some((table.name.clone(), table.secure_view.clone()?)))
        .collect();
    let schema = schema(&tables, found.dialect)?;
    let rules = conceal_all(rules, &mut tables);
    let document = document(&logical, &tables, graph, &mut notes);
    let graph = Graph::new(&document, config.confidence_threshold)
        .map_err(|error| refused(format!("The join graph cannot be used: {error}.")))?;
    let policy = Policy {
        schema: Some(found.schema.clone()),
        schemas: found.other_schemas.clone(),
        server: found.server,
        secure_views: views.clone(),
        shared_tables: file.is_closed().then_some(shared),
        functions: file.functions,
        columns: rules,
        row_filters,
        ..Policy::new(config.max_rows)
    };
    Ok(Catalogue {
        nothing: None,
        withheld,
        questions: Vec::new(),
        rules: serde_json::Value::Null,
        found: without_estimates(&found.tables),
        dialect: found.dialect,
        document,
        graph,
        tables: infos(&tables),
        notes,
        first_schema: found.schema.clone(),
        other_schemas: found.other_schemas.clone(),
        schema,
        policy,
        views,
        tenants: Tenants {
            numbers,
            ids: config.tenant_ids.clone(),
        },
        guards: Mutex::default(),
    })
}

/// Removes the tables without a rule where the policy is closed, and returns what the operator
/// should know about it.
fn close(
    file: &PolicyFile,
    row_filters: &BTreeMap<String, RowFilter>,
    shared: &BTreeSet<String>,
    config: &TargetConfig,
    tables: &mut BTreeMap<String, FoundTable>,
) -> Option<String> {
    if !file.is_closed() {
        return config.is_shared().then(|| {
            "Every tenant that may ask sees all rows of all tables: there are no row filters."
                .to_owned()
        });
    }
    let has_rule = |name: &String| row_filters.contains_key(name) || shared.contains(name);
    let hidden: Vec<&str> = tables
        .keys()
        .filter(|name| !has_rule(name))
        .map(String::as_str)
        .collect();
    let note = (!hidden.is_empty()).then(|| {
        let listed = hidden.join(", ");
        format!("Hidden, as the policy neither filters nor shares them: {listed}.")
    });
    tables.retain(|name, _| has_rule(name));
    note
}

/// The tables of which a rule cannot be kept, because it names a table, a view or a column that is
/// not there.
fn withheld(
    file: &PolicyFile,
    row_filters: &BTreeMap<String, RowFilter>,
    rules: &BTreeMap<String, BTreeMap<String, ColumnRule>>,
    views: &BTreeMap<String, String>,
    tables: &BTreeMap<String, FoundTable>,
) -> Vec<String> {
    let folded = |names: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
        names.map(|name| name.to_lowercase()).collect()
    };
    let lost = |kept: BTreeSet<String>| move |name: &&String| !kept.contains(&name.to_lowercase());
    let filters = file.row_filters.keys();
    let filters = filters.filter(lost(folded(&mut row_filters.keys())));
    let columns = file.columns.keys();
    let columns = columns.filter(lost(folded(&mut rules.keys())));
    let viewed = views.keys();
    let viewed = viewed.filter(lost(folded(&mut tables.keys())));
    let hidden = folded(&mut file.hidden_tables.iter());
    let mut withheld: Vec<String> = filters
        .chain(columns)
        .chain(viewed)
        .filter(lost(hidden))
        .cloned()
        .collect();
    withheld.sort();
    withheld.dedup();
    withheld
}

/// The tables without how many rows the database takes them to have.
fn without_estimates(tables: &[FoundTable]) -> Vec<FoundTable> {
    let without = |table: &FoundTable| FoundTable {
        rows: None,
        ..table.clone()
    };
    tables.iter().map(without).collect()
}

/// The guard's view of the tables, hidden columns among theirs, which it may need to distinguish
/// tenants.
fn schema(tables: &BTreeMap<String, FoundTable>, dialect: Dialect) -> Result<Schema, TargetError> {
    let columns = |table: &FoundTable| -> Vec<String> {
        table
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect()
    };
    let schema = Schema::new(
        tables
            .values()
            .map(|table| (table.name.clone(), columns(table))),
    )
    .map_err(|error| TargetError::Policy {
        message: format!("The catalogue is no schema: {error}."),
    })?;
    let keys = |table: &str| {
        tables
            .get(table)
            .map_or_else(Vec::new, |table| table.primary_key.clone())
    };
    Ok(schema
        .with_kinds(|table, column| kind(tables, table, column, dialect))
        .with_texts(|table, column| is_text(tables, table, column, dialect))
        .with_keys(keys))
}

/// The kind of a column's values. A view's values are computed when it is read.
fn kind(
    tables: &BTreeMap<String, FoundTable>,
    table: &str,
    column: &str,
    dialect: Dialect,
) -> Option<ColumnKind> {
    let table = tables.get(table)?;
    let column = table.column(column)?;
    let is_view = table.is_view || table.secure_view.is_some();
    match column.values {
        _ if is_view => Some(ColumnKind::Computed),
        ValueSource::Computed => Some(ColumnKind::Computed),
        ValueSource::Collated => None,
        ValueSource::Stored => ColumnKind::of(&column.data_type, dialect),
    }
}

/// Whether a column holds texts, or bytes that are compared like them. A view's columns have the
/// types of what they compute.
fn is_text(
    tables: &BTreeMap<String, FoundTable>,
    table: &str,
    column: &str,
    dialect: Dialect,
) -> bool {
    let column = tables.get(table).and_then(|table| table.column(column));
    column.is_some_and(|column| {
        let bytes = [
            "binary",
            "varbinary",
            "blob",
            "tinyblob",
            "mediumblob",
            "longblob",
        ];
        let name = column.data_type.to_lowercase();
        let name = name.split('(').next().unwrap_or_default();
        ColumnKind::of(&column.data_type, dialect) == Some(ColumnKind::Text)
            || dialect == Dialect::MySql && bytes.contains(&name)
    })
}

/// Takes hidden columns out of the tables; only the guard continues knowing them. Returns the rules
/// of tables that are there.
fn conceal_all(
    mut rules: BTreeMap<String, BTreeMap<String, ColumnRule>>,
    tables: &mut BTreeMap<String, FoundTable>,
) -> BTreeMap<String, BTreeMap<String, ColumnRule>> {
    rules.retain(|table, _| tables.contains_key(table));
    for (table, rules) in &rules {
        if let Some(table) = tables.get_mut(table) {
            conceal(table, rules);
        }
    }
    rules
}

/// Takes hidden columns out of a table and says of masked ones that they are.
fn conceal(table: &mut FoundTable, rules: &BTreeMap<String, ColumnRule>) {
    let is_hidden = |name: &String| rules.get(name) == Some(&ColumnRule::Hidden);
    table.columns.retain(|column| !is_hidden(&column.name));
    table.unique_columns.retain(|name| !is_hidden(name));
    if table.primary_key.iter().any(is_hidden) {
        table.primary_key.clear();
    }
    for column in &mut table.columns {
        if rules.contains_key(&column.name) {
            let comment = column.comment.take();
            let words = [comment.as_deref(), Some(MASKED)].into_iter().flatten();
            column.comment = Some(words.collect::<Vec<_>>().join(". "));
        }
    }
}

/// The comment on a masked column.
const MASKED: &str = "Masked: its values are shown as ***; it may stand in the select list by itself, not in conditions, joins, functions, grouping or order";

/// The tables that the target's role may read and the policy does not hide, with the columns it may
/// read.
fn usable(
    logical: &Introspection,
    hidden: &BTreeSet<String>,
    names: &Names<'_>,
    notes: &mut Vec<String>,
) -> BTreeMap<String, FoundTable> {
    let mut tables: BTreeMap<String, FoundTable> = BTreeMap::new();
    let mut seen: HashMap<String, String> = HashMap::new();
    for table in &logical.tables {
        let readable = readable(table);
        if readable.columns.is_empty()
            || is_listed(hidden, table.bare_name())
            || is_listed(hidden, &names.qualified(table))
        {
            continue;
        }
        if let Some(other) = seen.get(&table.name.to_lowercase()) {
            notes.push(format!(
                "Table '{}' is hidden: its name differs from '{other}' in nothing but case.",
                table.name
            ));
            continue;
        }
        seen.insert(table.name.to_lowercase(), table.name.clone());
        tables.insert(table.name.clone(), readable);
    }
    tables
}

/// The table with those of its columns that the target's role may read, without the database's own
/// catalogue.
fn readable(table: &FoundTable) -> FoundTable {
    let mut readable = table.clone();
    readable.columns.retain(|column| column.readable);
    if table.bare_name().to_lowercase().starts_with("pg_") {
        readable.columns.clear();
    }
    let columns = &readable.columns;
    let has = |name: &String| columns.iter().any(|column| column.name == *name);
    readable.unique_columns.retain(has);
    if !readable.primary_key.iter().all(has) {
        readable.primary_key.clear();
    }
    readable
}

fn is_listed(names: &BTreeSet<String>, name: &str) -> bool {
    names
        .iter()
        .any(|listed| listed.to_lowercase() == name.to_lowercase())
}

fn shared(
    wanted: Option<&BTreeSet<String>>,
    tables: &BTreeMap<String, FoundTable>,
    notes: &mut Vec<String>,
) -> BTreeSet<String> {
    let mut shared = BTreeSet::new();
    for name in wanted.into_iter().flatten() {
        match tables
            .keys()
            .find(|table| table.to_lowercase() == name.to_lowercase())
        {
            Some(table) => {
                shared.insert(table.clone());
            }
            None => notes.push(format!(
                "The shared table '{name}' does not exist, or our role may not read it."
            )),
        }
    }
    shared
}

/// The join graph over usable tables. Relationships are the file's if there is one, otherwise those
/// introspected; what is unique is known from both.
fn document(
    found: &Introspection,
    tables: &BTreeMap<String, FoundTable>,
    file: Option<Document>,
    notes: &mut Vec<String>,
) -> Document {
    let from_file = file.is_some();
    let source = file.unwrap_or_else(|| found.graph());
    let known: HashMap<String, &Table> = source
        .tables
        .iter()
        .map(|(name, table)| (name.to_lowercase(), table))
        .collect();
    let entry = |table: &FoundTable| {
        let mut unique_columns = table.unique_columns.clone();
        if let Some(known) = known.get(&table.name.to_lowercase()) {
            let more = table
                .columns
                .iter()
                .filter(|column| known.is_unique(&column.name))
                .map(|column| column.name.clone());
            unique_columns.extend(more.filter(|name| !table.unique_columns.contains(name)));
        }
        Table {
            columns: table
                .columns
                .iter()
                .map(|column| column.name.clone())
                .collect(),
            unique_columns,
            primary_key: table.primary_key.clone(),
            comment: table.comment.clone(),
        }
    };
    let tables: IndexMap<String, Table> = tables
        .values()
        .map(|table| (table.name.clone(), entry(table)))
        .collect();
    let cleaned = clean(
        &Document {
            version: 1,
            tables,
            relationships: source.relationships.clone(),
        },
        &Hygiene::default(),
    );
    // What a hidden table is joined by is not missing.
    let exists = |table: &str, column: &str| {
        let table = found
            .tables
            .iter()
            .find(|known| known.name.eq_ignore_ascii_case(table));
        table.is_some_and(|table| table.column(column).is_some())
    };
    let gone = cleaned.dropped.iter().filter(|dropped| {
        let edge = &dropped.relationship;
        matches!(dropped.reason, Reason::UnknownTable | Reason::UnknownColumn)
            && !(exists(&edge.from_table, &edge.from_column)
                && exists(&edge.to_table, &edge.to_column))
    });
    let gone = gone.count();
    if from_file && gone > 0 {
        notes.push(format!(
            "{gone} relationships of the graph file name tables or columns that are not there."
        ));
    }
    cleaned.document
}

fn infos(tables: &BTreeMap<String, FoundTable>) -> IndexMap<String, TableInfo> {
    let tables = tables.values();
    tables
        .map(|table| (table.name.clone(), info(table)))
        .collect()
}

fn info(table: &FoundTable) -> TableInfo {
    let column = |column: &crate::FoundColumn| ColumnInfo {
        name: column.name.clone(),
        data_type: column.data_type.clone(),
        nullable: column.nullable,
        unique: table.unique_columns.contains(&column.name),
        comment: column.comment.clone(),
        remark: None,
    };
    TableInfo {
        name: table.name.clone(),
        schema: table.schema.clone(),
        comment: table.comment.clone(),
        remark: None,
        columns: table.columns.iter().map(column).collect(),
        rows: table.rows,
        secure: table.secure_view.is_some(),
    }
}
