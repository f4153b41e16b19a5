//! The contents that can be queried: databases, tables, the columns of one. As far as the policy
//! shows it, with and without a model.

use std::sync::Arc;

use contracts::{
    run::{RunEvent, Source},
    tools::sql::{
        DescribeTablesArguments, ListTablesArguments, TableDescription, TableDescriptions,
        TableList, names as tools,
    },
};
use graph::NodeResult;
use serde_json::{Value, json};

use crate::{
    draft::{CallFailed, Draft},
    language::{about_tables::AboutTables, names::named},
    run::Context,
    sentences,
    state::DataState,
};

/// Maximum number of tables and columns in a list.
const TABLES: u32 = 1000;
const COLUMNS: u32 = 1000;
/// Maximum number of tables that one call describes.
const DESCRIBED: usize = 50;

/// Writes the answer.
pub(crate) async fn tell_tables(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let draft = Draft::new(&state, context);
    draft.node.account().worded_by(Source::Rules);
    let told = match draft.work.asked.about_tables.clone() {
        Some(AboutTables::Databases) => databases(&draft).await,
        Some(AboutTables::Columns(name) | AboutTables::Describe(name)) => {
            columns(&draft, &name).await
        }
        Some(AboutTables::Having(column)) => having(&draft, &column).await,
        Some(AboutTables::TablesOf(place)) => tables(&draft, Some(&place)).await,
        Some(AboutTables::Tables) | None => tables(&draft, None).await,
    };
    match told {
        Ok((text, rows)) => {
            draft.node.begin_step().await;
            if !rows.is_empty() {
                draft
                    .node
                    .emit(RunEvent::StructuredData {
                        data: Value::Array(rows),
                    })
                    .await;
            }
            draft.node.say(contracts::run::Channel::Final, &text).await;
            draft.node.end_step().await;
        }
        Err(failed) => {
            draft
                .node
                .say_in_step(&sentences::away(&failed.message))
                .await;
        }
    }
    Ok(draft.finished())
}

type Told = Result<(String, Vec<Value>), CallFailed>;

async fn list(draft: &Draft, target: Option<String>) -> Result<TableList, CallFailed> {
    let arguments = ListTablesArguments {
        target,
        question: None,
        limit: TABLES,
    };
    draft.look_up(tools::LIST_TABLES, &arguments).await
}

async fn databases(draft: &Draft) -> Told {
    let list = list(draft, draft.work.place.target.clone()).await?;
    let row = |target: &contracts::tools::sql::TargetSummary| json!({ "database": target.name, "about": target.description });
    let rows = list.targets.iter().map(row).collect();
    Ok((sentences::databases(&list.targets), rows))
}

/// The first schema of a database, whose tables have no schema in their names.
const PUBLIC: &str = "public";

/// Keeps the tables of a schema. `false` if there is none of this name.
fn keep_schema(list: &mut TableList, schema: &str) -> bool {
    let is_in = |name: &str| match name.rsplit_once('.') {
        Some((of, _)) => of.eq_ignore_ascii_case(schema),
        None => schema.eq_ignore_ascii_case(PUBLIC),
    };
    if !list.tables.iter().any(|table| is_in(&table.name)) {
        return false;
    }
    list.tables.retain(|table| is_in(&table.name));
    list.total = u32::try_from(list.tables.len()).unwrap_or(u32::MAX);
    true
}

/// The tables of the target, or of one of its schemas; of all targets if it is not clear which is
/// intended.
async fn tables(draft: &Draft, place: Option<&str>) -> Told {
    let first = list(draft, draft.work.place.target.clone()).await?;
    let mut lists = vec![first];
    for choice in &draft.work.place.choices {
        if choice.name != lists[0].target
            && let Ok(other) = list(draft, Some(choice.name.clone())).await
        {
            lists.push(other);
        }
    }
    let mut unknown = None;
    if let Some(place) = place {
        let is_target = |list: &TableList| list.target.eq_ignore_ascii_case(place);
        if lists.iter().any(is_target) {
            lists.retain(is_target);
        } else {
            let with_it: Vec<bool> = lists
                .iter_mut()
                .map(|list| keep_schema(list, place))
                .collect();
            if with_it.contains(&true) {
                let mut with_it = with_it.into_iter();
                lists.retain(|_| with_it.next().unwrap_or_default());
            } else {
                unknown = Some(sentences::no_such_place(place));
            }
        }
    }
    let is_one = lists.len() == 1;
    let rows = lists.iter().flat_map(|list| {
        list.tables.iter().map(move |table| {
            let mut row = json!({ "table": table.name, "columns": table.columns, "about": table.description });
            if !is_one {
                row["database"] = json!(list.target);
            }
            row
        })
    });
    let rows = rows.collect();
    let texts = lists
        .iter()
        .map(|list| sentences::tables(list, draft.work.place.several_targets));
    let texts: Vec<_> = unknown.into_iter().chain(texts).collect();
    Ok((texts.join("\n\n"), rows))
}

/// The columns of the table; in each target that has it if it is not clear which is intended.
async fn columns(draft: &Draft, name: &str) -> Told {
    let own = draft.work.place.target.as_ref();
    let mut found = Vec::new();
    let first = described(draft, name, own.cloned()).await?;
    let near = first.unknown.first();
    let near = near.map_or_else(Vec::new, |unknown| unknown.suggestions.clone());
    found.extend((!first.tables.is_empty()).then_some(first));
    for choice in &draft.work.place.choices {
        if Some(&choice.name) != own
            && let Ok(other) = described(draft, name, Some(choice.name.clone())).await
            && !other.tables.is_empty()
        {
            found.push(other);
        }
    }
    if found.is_empty() {
        return Ok((sentences::no_such_table(name, &near), Vec::new()));
    }
    let is_one = found.len() == 1;
    let (mut texts, mut rows) = (Vec::new(), Vec::new());
    for described in &found {
        let target = draft
            .work
            .place
            .several_targets
            .then_some(&*described.target);
        for table in &described.tables {
            texts.push(sentences::columns(table, target));
            rows.extend(rows_of(table).into_iter().map(|mut row| {
                if !is_one {
                    row["database"] = json!(described.target);
                }
                row
            }));
        }
    }
    Ok((texts.join("\n\n"), rows))
}

/// The tables that have a column of this name; of each target if none is named.
async fn having(draft: &Draft, column: &str) -> Told {
    let mut targets = vec![draft.work.place.target.clone()];
    let others = draft.work.place.choices.iter().map(|choice| &choice.name);
    targets.extend(
        others
            .filter(|name| Some(*name) != draft.work.place.target.as_ref())
            .map(|name| Some(name.clone())),
    );
    let is_one = targets.len() == 1;
    let (mut found, mut rows) = (Vec::new(), Vec::new());
    for target in targets {
        let list = list(draft, target.clone()).await?;
        let names: Vec<String> = list.tables.into_iter().map(|table| table.name).collect();
        for names in names.chunks(DESCRIBED) {
            let arguments = DescribeTablesArguments {
                target: target.clone(),
                tables: names.to_vec(),
                max_columns: COLUMNS,
                sample_rows: 0,
            };
            let described: TableDescriptions =
                draft.look_up(tools::DESCRIBE_TABLES, &arguments).await?;
            for table in described.tables {
                let columns = table.columns.iter().map(|column| &*column.name);
                let Some(name) = named(column, columns) else {
                    continue;
                };
                let mut row = json!({ "table": table.name, "column": name });
                if !is_one {
                    row["database"] = json!(described.target);
                }
                rows.push(row);
                found.push((table.name.clone(), described.target.clone()));
            }
        }
    }
    let several = draft.work.place.several_targets;
    Ok((sentences::having(column, &found, several), rows))
}

async fn described(
    draft: &Draft,
    name: &str,
    target: Option<String>,
) -> Result<TableDescriptions, CallFailed> {
    let candidates = draft.found.candidates.iter().map(|table| &*table.name);
    let known = candidates
        .clone()
        .find(|table| table.eq_ignore_ascii_case(name));
    let table = known.or_else(|| named(name, candidates)).unwrap_or(name);
    let arguments = DescribeTablesArguments {
        target,
        tables: vec![table.to_owned()],
        max_columns: COLUMNS,
        sample_rows: 0,
    };
    draft.look_up(tools::DESCRIBE_TABLES, &arguments).await
}

fn rows_of(table: &TableDescription) -> Vec<Value> {
    let columns = table.columns.iter();
    columns
        .map(|column| {
            json!({ "column": column.name, "type": column.data_type, "may_be_empty": column.nullable, "about": column.description })
        })
        .collect()
}
