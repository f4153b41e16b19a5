//! The chosen tables as they are, and the relationships among them that may be relied on.

use std::sync::Arc;

use contracts::tools::sql::{DescribeTablesArguments, JoinEdge, TableDescriptions, names};
use graph::NodeResult;

use crate::{
    draft::{CallFailed, Draft},
    run::Context,
    state::{DataState, Ending, Origin},
};

/// Tables that one call describes.
pub(crate) const DESCRIBED_AT_ONCE: usize = 50;

/// Looks the tables up.
pub(crate) async fn filter_relationships(
    state: Arc<DataState>,
    context: Context,
) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    let described = describe(
        &draft,
        &draft.work.plan.tables,
        draft.limits().max_columns_in_schema,
    )
    .await;
    match described {
        Ok(described) => {
            draft.work.place.dialect = Some(described.dialect);
            draft.work.plan.tables = described
                .tables
                .iter()
                .map(|table| table.name.clone())
                .collect();
            draft.found.schemas = described.tables;
            draft.work.plan.relationships = allowed(&draft, described.relationships);
            if draft.work.plan.tables.is_empty() {
                draft.work.ending = Some(Ending::NothingFits);
            }
        }
        Err(failed) => draft.work.ending = Some(Ending::Unavailable(failed.message)),
    }
    Ok(draft.done())
}

/// The next node.
pub(crate) fn after(state: &DataState) -> &'static str {
    if state.work.ending.is_some() {
        "finalize"
    } else {
        "find_paths"
    }
}

/// Columns, and samples where a model reads them.
pub(crate) async fn describe(
    draft: &Draft,
    tables: &[String],
    max_columns: u32,
) -> Result<TableDescriptions, CallFailed> {
    let samples = draft.node.has_model() && draft.work.query.origin == Origin::Model;
    let arguments = DescribeTablesArguments {
        target: draft.work.place.target.clone(),
        tables: tables.iter().take(DESCRIBED_AT_ONCE).cloned().collect(),
        max_columns: max_columns.max(1),
        sample_rows: if samples {
            draft.limits().sample_rows
        } else {
            0
        },
    };
    draft.look_up(names::DESCRIBE_TABLES, &arguments).await
}

/// The joins with enough confidence, up to the limit.
pub(crate) fn allowed(draft: &Draft, edges: impl IntoIterator<Item = JoinEdge>) -> Vec<JoinEdge> {
    let mut allowed: Vec<JoinEdge> = Vec::new();
    for edge in edges {
        if edge.confidence >= draft.limits().confidence_threshold && !allowed.contains(&edge) {
            allowed.push(edge);
        }
    }
    allowed.truncate(draft.limits().max_relationships_display);
    allowed
}
