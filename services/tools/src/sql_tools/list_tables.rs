//! `list_tables`: what a target holds, the tables that fit a question first.

use std::collections::HashMap;
use std::sync::Arc;

use super::catalogue_index::Indexed;
use super::{SqlTools, count, dialect};
use crate::error::{Error, NoResult};
use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{ListTablesArguments, TableList, TableSummary, TargetSummary};
use service_kit::identity::Identity;
use targets::Target;

/// The next target that answers, where the first is away and none is named: the others can still be
/// asked.
async fn another(
    tools: &SqlTools,
    tenant: &str,
    away: &Target,
    error: Error,
) -> Result<(Arc<Target>, Arc<Indexed>), Error> {
    let targets = tools.targets.for_tenant(tenant);
    for target in targets.iter().filter(|target| target.name() != away.name()) {
        if let Ok(indexed) = tools.indexed(target).await {
            return Ok((Arc::clone(target), indexed));
        }
    }
    Err(error)
}

/// The answer when no target can be queried: the targets, each with its problem.
fn none_answers(
    tools: &SqlTools,
    tenant: &str,
    target: &Target,
    none: NoResult,
) -> ToolEnvelope<TableList> {
    ToolEnvelope {
        result: Some(TableList {
            target: target.name().to_owned(),
            dialect: dialect(target.dialect()),
            targets: summaries(tools, tenant),
            total: 0,
            tables: Vec::new(),
        }),
        ..ToolEnvelope::without_result(none.status, none.message)
    }
}

fn summaries(tools: &SqlTools, tenant: &str) -> Vec<TargetSummary> {
    let targets = tools.targets.for_tenant(tenant).into_iter();
    targets
        .map(|target| TargetSummary {
            name: target.name().to_owned(),
            dialect: dialect(target.dialect()),
            description: target.description().map(str::to_owned),
            problem: target.standing().and_then(|standing| standing.problem),
        })
        .collect()
}

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: ListTablesArguments,
) -> Result<ToolEnvelope<TableList>, Error> {
    let tenant = &caller.tenant;
    let target = match &arguments.target {
        None => tools.first_to_ask(tenant),
        Some(_) => None,
    };
    let target = match target {
        Some(target) => target,
        None => tools.target(tenant, arguments.target.as_deref()).await?,
    };
    let about = arguments.question.as_deref().unwrap_or_default();
    tools.look_for_withheld(&target, about).await;
    let (target, indexed) = match tools.indexed(&target).await {
        Ok(indexed) => (target, indexed),
        Err(error) if arguments.target.is_none() => {
            match another(tools, tenant, &target, error).await {
                Ok(found) => found,
                Err(Error::NoResult(none)) => {
                    return Ok(none_answers(tools, tenant, &target, none));
                }
                Err(error) => return Err(error),
            }
        }
        Err(error) => return Err(error),
    };
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
            column_names: names_of(table),
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
        targets: summaries(tools, tenant),
        total: count(catalogue.tables.len()),
        tables,
    }))
}

/// Number of columns of a table that are named.
const NAMED_COLUMNS: usize = 60;

/// The names of the columns of a table.
fn names_of(table: &targets::TableInfo) -> Vec<String> {
    let columns = table.columns.iter().take(NAMED_COLUMNS);
    columns.map(|column| column.name.clone()).collect()
}
