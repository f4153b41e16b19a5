//! The chosen tables as they are, and the relationships among them that may be relied on.

use std::sync::Arc;

use contracts::tools::sql::{DescribeTablesArguments, JoinEdge, TableDescriptions, names};
use graph::{Context, NodeResult};

use crate::{
    scene::{CallFailed, Scene},
    state::{DataState, Ending, Origin},
};

/// Tables that one call describes.
pub(crate) const DESCRIBED_AT_ONCE: usize = 50;

/// Looks the tables up.
pub(crate) async fn filter_relationships(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    let described = describe(
        &scene,
        &scene.work.tables,
        scene.limits().max_columns_in_schema,
    )
    .await;
    match described {
        Ok(described) => {
            scene.work.dialect = Some(described.dialect);
            scene.work.tables = described
                .tables
                .iter()
                .map(|table| table.name.clone())
                .collect();
            scene.work.schemas = described.tables;
            scene.work.relationships = allowed(&scene, described.relationships);
            if scene.work.tables.is_empty() {
                scene.work.ending = Some(Ending::NothingFits);
            }
        }
        Err(failed) => scene.work.ending = Some(Ending::Unavailable(failed.message)),
    }
    Ok(scene.done())
}

/// Where it leads.
pub(crate) fn after(state: &DataState) -> &'static str {
    if state.work.ending.is_some() {
        "finalize"
    } else {
        "find_paths"
    }
}

/// Columns, and samples where a model reads them.
pub(crate) async fn describe(
    scene: &Scene,
    tables: &[String],
    max_columns: u32,
) -> Result<TableDescriptions, CallFailed> {
    let samples = scene.has_model() && scene.work.origin == Origin::Model;
    let arguments = DescribeTablesArguments {
        target: scene.work.target.clone(),
        tables: tables.iter().take(DESCRIBED_AT_ONCE).cloned().collect(),
        max_columns: max_columns.max(1),
        sample_rows: if samples {
            scene.limits().sample_rows
        } else {
            0
        },
    };
    scene.look_up(names::DESCRIBE_TABLES, &arguments).await
}

/// Those that are sure enough, as many as are wanted.
pub(crate) fn allowed(scene: &Scene, edges: impl IntoIterator<Item = JoinEdge>) -> Vec<JoinEdge> {
    let mut allowed: Vec<JoinEdge> = Vec::new();
    for edge in edges {
        if edge.confidence >= scene.limits().confidence_threshold && !allowed.contains(&edge) {
            allowed.push(edge);
        }
    }
    allowed.truncate(scene.limits().max_relationships_display);
    allowed
}
