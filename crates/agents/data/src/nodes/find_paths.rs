//! How the chosen tables join: the tree over them, the bridges in it, and the paths between each two.

use std::sync::Arc;

use contracts::tools::sql::{FindJoinPathsArguments, JoinPlan, names};
use graph::{Context, NodeResult};

use super::filter_relationships::{allowed, describe};
use super::propose_joins::proposals;
use crate::{scene::Scene, state::DataState};

/// Tables that can be joined at once.
const JOINED_AT_ONCE: usize = 20;

/// The longest question that goes along, in characters.
const LONGEST_QUESTION: usize = 4000;

/// The most joins between two tables.
const MAX_HOPS: u32 = 4;

/// Finds the joins.
pub(crate) async fn find_paths(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    scene.work.steps.clear();
    scene.work.bridges.clear();
    scene.work.groups.clear();
    if scene.work.tables.len() < 2 {
        return Ok(scene.done());
    }
    let mut arguments = FindJoinPathsArguments {
        target: scene.work.target.clone(),
        tables: scene
            .work
            .tables
            .iter()
            .take(JOINED_AT_ONCE)
            .cloned()
            .collect(),
        min_confidence: Some(scene.limits().confidence_threshold),
        question: Some(scene.work.question.chars().take(LONGEST_QUESTION).collect()),
        proposed: Vec::new(),
        max_hops: MAX_HOPS,
        max_paths: scene.limits().max_suggested_paths,
    };
    // Without it the query is written from the relationships among the tables alone.
    if let Some(mut found) = plan(&scene, &arguments).await {
        if found.groups.len() > 1 && scene.has_model() {
            arguments.proposed = proposals(&mut scene, &found.groups).await;
            if !arguments.proposed.is_empty()
                && let Some(joined) = plan(&scene, &arguments).await
            {
                found = joined;
            }
        }
        take(&mut scene, found).await;
    }
    Ok(scene.done())
}

async fn plan(scene: &Scene, arguments: &FindJoinPathsArguments) -> Option<JoinPlan> {
    let found = scene
        .look_up::<JoinPlan>(names::FIND_JOIN_PATHS, arguments)
        .await;
    found
        .inspect_err(|failed| tracing::warn!(reason = failed.message, "the joins were not planned"))
        .ok()
}

async fn take(scene: &mut Scene, plan: JoinPlan) {
    let room = scene
        .limits()
        .max_tables_in_context
        .saturating_sub(scene.work.tables.len());
    let mut bridges = plan.bridges;
    bridges.truncate(room);
    if !bridges.is_empty() {
        match describe(scene, &bridges, scene.limits().max_columns_in_schema).await {
            Ok(described) => scene.work.schemas.extend(described.tables),
            Err(failed) => tracing::warn!(reason = failed.message, "bridges were not described"),
        }
    }
    let edges = plan
        .steps
        .iter()
        .map(|step| step.edge.clone())
        .chain(plan.paths.into_iter().flat_map(|path| path.joins))
        .chain(plan.relationships)
        .chain(std::mem::take(&mut scene.work.relationships));
    scene.work.relationships = allowed(scene, edges);
    scene.work.groups = plan.groups;
    scene.work.steps = plan.steps;
    scene.work.bridges = bridges;
}
