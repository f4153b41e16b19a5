//! `list_tables`: what a target holds, the tables that fit a question first.

use std::collections::HashMap;

use super::{SqlTools, count, dialect};
use crate::error::Error;
use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{ListTablesArguments, TableList, TableSummary, TargetSummary};

pub(super) async fn run(
    tools: &SqlTools,
    tenant: &str,
    arguments: ListTablesArguments,
) -> Result<ToolEnvelope<TableList>, Error> {
    let target = tools.target(tenant, arguments.target.as_deref())?;
    let indexed = tools.indexed(&target).await?;
    let catalogue = &indexed.catalogue;
    let scores = match &arguments.question {
        Some(question) => Some(indexed.scores(question, &tools.meaning).await),
        None => None,
    };
    let mut relationships: HashMap<&str, u32> = HashMap::new();
    for edge in catalogue.graph.relationships() {
        *relationships.entry(&edge.from_table).or_default() += 1;
        if edge.to_table != edge.from_table {
            *relationships.entry(&edge.to_table).or_default() += 1;
        }
    }
    let mut tables: Vec<TableSummary> = catalogue
        .tables
        .values()
        .enumerate()
        .map(|(place, table)| TableSummary {
            name: table.name.clone(),
            description: table.comment.clone(),
            columns: count(table.columns.len()),
            relationships: relationships
                .get(table.name.as_str())
                .copied()
                .unwrap_or_default(),
            secure: table.secure,
            score: scores
                .as_ref()
                .map(|scores| (scores[place] * 1e4).round() / 1e4),
        })
        .collect();
    tables.sort_by(|a, b| {
        let (one, other) = (a.score.unwrap_or_default(), b.score.unwrap_or_default());
        other.total_cmp(&one).then_with(|| a.name.cmp(&b.name))
    });
    tables.truncate(usize::try_from(arguments.limit).unwrap_or(usize::MAX));
    Ok(ToolEnvelope::ok(TableList {
        target: target.name().to_owned(),
        dialect: dialect(target.dialect()),
        targets: tools
            .targets
            .for_tenant(tenant)
            .iter()
            .map(|target| TargetSummary {
                name: target.name().to_owned(),
                dialect: dialect(target.dialect()),
                description: target.description().map(str::to_owned),
                problem: target.standing().and_then(|standing| standing.problem),
            })
            .collect(),
        total: count(catalogue.tables.len()),
        tables,
    }))
}
