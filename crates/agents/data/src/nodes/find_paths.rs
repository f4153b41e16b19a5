//! How the chosen tables join: the tree over them, the bridges in it, and the paths between each
//! two.

use std::sync::Arc;

use contracts::tools::sql::{FindJoinPathsArguments, JoinPlan, names};
use graph::NodeResult;

use super::filter_relationships::{allowed, describe};
use super::propose_joins::proposals;
use crate::{draft::Draft, run::Context, state::DataState};

/// Tables that can be joined at once.
const JOINED_AT_ONCE: usize = 20;

/// The longest question that goes along, in characters.
const LONGEST_QUESTION: usize = 4000;

/// Maximum number of joins between two tables.
const MAX_HOPS: u32 = 4;

/// Finds the joins.
pub(crate) async fn find_paths(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    draft.work.plan.steps.clear();
    draft.work.plan.bridges.clear();
    draft.work.plan.groups.clear();
    if draft.work.plan.tables.len() < 2 {
        return Ok(draft.done());
    }
    let mut arguments = FindJoinPathsArguments {
        target: draft.work.place.target.clone(),
        tables: draft
            .work
            .plan
            .tables
            .iter()
            .take(JOINED_AT_ONCE)
            .cloned()
            .collect(),
        min_confidence: Some(draft.limits().confidence_threshold),
        question: Some(
            draft
                .work
                .asked
                .question
                .chars()
                .take(LONGEST_QUESTION)
                .collect(),
        ),
        proposed: Vec::new(),
        max_hops: MAX_HOPS,
        max_paths: draft.limits().max_suggested_paths,
    };
    // Without it the query is written from the relationships among the tables alone.
    if let Some(mut found) = plan(&draft, &arguments).await {
        if found.groups.len() > 1 && draft.node.has_model() {
            arguments.proposed = proposals(&mut draft, &found.groups).await;
            if !arguments.proposed.is_empty()
                && let Some(joined) = plan(&draft, &arguments).await
            {
                found = joined;
            }
        }
        take(&mut draft, found).await;
    }
    Ok(draft.done())
}

async fn plan(draft: &Draft, arguments: &FindJoinPathsArguments) -> Option<JoinPlan> {
    let found = draft
        .look_up::<JoinPlan>(names::FIND_JOIN_PATHS, arguments)
        .await;
    found
        .inspect_err(|failed| tracing::warn!(reason = failed.message, "the joins were not planned"))
        .ok()
}

async fn take(draft: &mut Draft, plan: JoinPlan) {
    let room = draft
        .limits()
        .max_tables_in_context
        .saturating_sub(draft.work.plan.tables.len());
    let mut bridges = plan.bridges;
    bridges.truncate(room);
    if !bridges.is_empty() {
        match describe(draft, &bridges, draft.limits().max_columns_in_schema).await {
            Ok(described) => draft.found.schemas.extend(described.tables),
            Err(failed) => tracing::warn!(reason = failed.message, "bridges were not described"),
        }
    }
    let edges = plan
        .steps
        .iter()
        .map(|step| step.edge.clone())
        .chain(plan.paths.into_iter().flat_map(|path| path.joins))
        .chain(plan.relationships)
        .chain(std::mem::take(&mut draft.work.plan.relationships));
    draft.work.plan.relationships = allowed(draft, edges);
    draft.work.plan.groups = plan.groups;
    draft.work.plan.steps = plan.steps;
    draft.work.plan.bridges = bridges;
}
