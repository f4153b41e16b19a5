//! What there is to ask: databases, tables, the columns of one. As far as the policy shows it, with and without a model.

use std::sync::Arc;

use contracts::{
    run::{RunEvent, Source},
    tools::sql::{
        DescribeTablesArguments, ListTablesArguments, TableDescription, TableDescriptions,
        TableList, names as tools,
    },
};
use graph::{Context, NodeResult};
use serde_json::{Value, json};

use crate::{
    language::{about_tables::AboutTables, names::named},
    scene::{CallFailed, Scene},
    sentences,
    state::DataState,
};

/// The most tables and columns that are listed.
const TABLES: u32 = 1000;
const COLUMNS: u32 = 1000;

/// Tells it.
pub(crate) async fn tell_tables(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let scene = Scene::new(&state, context)?;
    scene.performance().account().worded_by(Source::Rules);
    let told = match scene.work.about_tables.clone() {
        Some(AboutTables::Databases) => databases(&scene).await,
        Some(AboutTables::Columns(name) | AboutTables::Describe(name)) => {
            columns(&scene, &name).await
        }
        Some(AboutTables::Tables) | None => tables(&scene).await,
    };
    match told {
        Ok((text, rows)) => {
            scene.begin_step().await;
            if !rows.is_empty() {
                scene
                    .emit(RunEvent::StructuredData {
                        data: Value::Array(rows),
                    })
                    .await;
            }
            scene.say(contracts::run::Channel::Final, &text).await;
            scene.end_step().await;
        }
        Err(failed) => scene.say_in_step(&sentences::away(&failed.message)).await,
    }
    Ok(scene.finished())
}

type Told = Result<(String, Vec<Value>), CallFailed>;

async fn list(scene: &Scene, target: Option<String>) -> Result<TableList, CallFailed> {
    let arguments = ListTablesArguments {
        target,
        question: None,
        limit: TABLES,
    };
    scene.look_up(tools::LIST_TABLES, &arguments).await
}

async fn databases(scene: &Scene) -> Told {
    let list = list(scene, scene.work.target.clone()).await?;
    let row = |target: &contracts::tools::sql::TargetSummary| json!({ "database": target.name, "about": target.description });
    let rows = list.targets.iter().map(row).collect();
    Ok((sentences::databases(&list.targets), rows))
}

/// The tables of the target; of all of them where it is not told which is meant.
async fn tables(scene: &Scene) -> Told {
    let first = list(scene, scene.work.target.clone()).await?;
    let mut lists = vec![first];
    for choice in &scene.work.choices {
        if choice.name != lists[0].target
            && let Ok(other) = list(scene, Some(choice.name.clone())).await
        {
            lists.push(other);
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
        .map(|list| sentences::tables(list, scene.work.several_targets));
    Ok((texts.collect::<Vec<_>>().join("\n\n"), rows))
}

/// The columns of the table; in each target that has it where it is not told which is meant.
async fn columns(scene: &Scene, name: &str) -> Told {
    let own = scene.work.target.as_ref();
    let mut found = Vec::new();
    let first = described(scene, name, own.cloned()).await?;
    let near = first.unknown.first();
    let near = near.map_or_else(Vec::new, |unknown| unknown.suggestions.clone());
    found.extend((!first.tables.is_empty()).then_some(first));
    for choice in &scene.work.choices {
        if Some(&choice.name) != own
            && let Ok(other) = described(scene, name, Some(choice.name.clone())).await
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
        let target = scene.work.several_targets.then_some(&*described.target);
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

async fn described(
    scene: &Scene,
    name: &str,
    target: Option<String>,
) -> Result<TableDescriptions, CallFailed> {
    let candidates = scene.work.candidates.iter().map(|table| &*table.name);
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
    scene.look_up(tools::DESCRIBE_TABLES, &arguments).await
}

fn rows_of(table: &TableDescription) -> Vec<Value> {
    let columns = table.columns.iter();
    columns
        .map(|column| {
            json!({ "column": column.name, "type": column.data_type, "may_be_empty": column.nullable, "about": column.description })
        })
        .collect()
}
