//! `describe_tables`: columns and keys of some tables, how they join, and rows of the tenant's own.

use std::sync::Arc;

use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{
    ColumnDescription, DescribeTablesArguments, JoinEdge, TableDescription, TableDescriptions,
};
use futures::future::join_all;
use serde_json::{Map, Value};
use service_kit::identity::Identity;
use targets::{Asker, Catalogue, ColumnInfo, TableInfo, Target};

use super::known_tables::{Known, known_tables};
use super::{SqlTools, asker, count, dialect, edge};
use crate::error::Error;

/// Tables whose samples are read at the same time; the target has few connections.
const AT_A_TIME: usize = 4;

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: DescribeTablesArguments,
) -> Result<ToolEnvelope<TableDescriptions>, Error> {
    let tenant = &caller.tenant;
    let target = tools.target(tenant, arguments.target.as_deref()).await?;
    let mut catalogue = tools.catalogue(&target).await?;
    let is_unknown = |name: &String| catalogue.table(name).is_none();
    if arguments.tables.iter().any(is_unknown)
        && let Some(read) = target.look_again(&catalogue).await
    {
        catalogue = read;
    }
    let Known { tables, unknown } = known_tables(&catalogue, &arguments.tables);
    let most = usize::try_from(arguments.max_columns).unwrap_or(usize::MAX);
    let mut described: Vec<TableDescription> = tables
        .iter()
        .map(|table| describe(&catalogue, table, most))
        .collect();
    if arguments.sample_rows > 0 {
        let asker = asker(caller);
        for some in described.chunks_mut(AT_A_TIME) {
            let sampled = some
                .iter()
                .map(|table| samples(&target, &asker, table, arguments.sample_rows));
            let sampled = join_all(sampled).await;
            for (table, samples) in some.iter_mut().zip(sampled) {
                table.samples = samples;
            }
        }
    }
    Ok(ToolEnvelope::ok(TableDescriptions {
        target: target.name().to_owned(),
        dialect: dialect(target.dialect()),
        relationships: among(&catalogue, &tables),
        tables: described,
        unknown,
    }))
}

/// A table with at most `most` columns: keys are chosen first, then the others, listed in the
/// table's order.
fn describe(catalogue: &Catalogue, table: &TableInfo, most: usize) -> TableDescription {
    let mut chosen: Vec<usize> = (0..table.columns.len()).collect();
    // Stable: within keys and within the rest the table's order stands.
    chosen.sort_by_key(|place| !is_key(catalogue, table, &table.columns[*place]));
    chosen.truncate(most);
    chosen.sort_unstable();
    TableDescription {
        name: table.name.clone(),
        description: table.comment.clone(),
        remark: table.remark.clone(),
        omitted_columns: count(table.columns.len() - chosen.len()),
        columns: chosen
            .into_iter()
            .map(|place| column(&table.columns[place]))
            .collect(),
        samples: Vec::new(),
    }
}

/// Whether a column distinguishes rows or joins the table to another.
fn is_key(catalogue: &Catalogue, table: &TableInfo, column: &ColumnInfo) -> bool {
    column.unique
        || catalogue.graph.relationships().iter().any(|edge| {
            (edge.from_table == table.name && edge.from_column == column.name)
                || (edge.to_table == table.name && edge.to_column == column.name)
        })
}

fn column(column: &ColumnInfo) -> ColumnDescription {
    ColumnDescription {
        name: column.name.clone(),
        data_type: column.data_type.clone(),
        nullable: column.nullable,
        unique: column.unique,
        description: column.comment.clone(),
        remark: column.remark.clone(),
    }
}

/// The ways to join these tables, or one with itself.
fn among(catalogue: &Catalogue, tables: &[&TableInfo]) -> Vec<JoinEdge> {
    let mut found = Vec::new();
    for (at, one) in tables.iter().enumerate() {
        for other in &tables[at..] {
            if let Ok(ways) = catalogue.graph.ways(&one.name, &other.name) {
                found.extend(ways.filter_map(edge));
            }
        }
    }
    found
}

/// Some rows of a table that the tenant may see. Samples are a help: where they cannot be had,
/// there are none.
async fn samples(
    target: &Arc<Target>,
    asker: &Asker,
    table: &TableDescription,
    most: u32,
) -> Vec<Map<String, Value>> {
    match target.samples_for(asker, &table.name, most.into()).await {
        Ok(rows) => rows
            .into_iter()
            .map(|row| {
                let told = |name: &String| table.columns.iter().any(|column| column.name == *name);
                row.into_iter().filter(|(name, _)| told(name)).collect()
            })
            .collect(),
        Err(error) => {
            tracing::warn!(target_database = target.name(), table = table.name, %error, "no sample rows");
            Vec::new()
        }
    }
}
