//! How the chosen tables join: the tree over them, the bridges in it, and the paths between each two.

use std::sync::Arc;

use contracts::tools::sql::{FindJoinPathsArguments, JoinPlan, names};
use graph::{Context, NodeResult};

use super::filter_relationships::{allowed, describe};
use crate::{scene::Scene, state::DataState};

/// Tables that can be joined at once.
const JOINED_AT_ONCE: usize = 20;

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
    let arguments = FindJoinPathsArguments {
        target: scene.work.target.clone(),
        tables: scene
            .work
            .tables
            .iter()
            .take(JOINED_AT_ONCE)
            .cloned()
            .collect(),
        min_confidence: Some(scene.limits().confidence_threshold),
        max_hops: MAX_HOPS,
        max_paths: scene.limits().max_suggested_paths,
    };
    // Without it the query is written from the relationships among the tables alone.
    match scene
        .look_up::<JoinPlan>(names::FIND_JOIN_PATHS, &arguments)
        .await
    {
        Ok(plan) => take(&mut scene, plan).await,
        Err(failed) => tracing::warn!(reason = failed.message, "no joins were found"),
    }
    Ok(scene.done())
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
