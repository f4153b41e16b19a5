//! Whether the query may run, before it does. The tools check it once more, and rewrite it to what this person may read, whatever is
//! said here.

use std::sync::Arc;

use contracts::tools::sql::{CheckSqlArguments, SqlCheck, SqlFinding, names};
use graph::{Context, NodeResult};

use super::{not_accepted, steps_on};
use crate::{
    scene::Scene,
    sentences,
    state::{DataState, Ending, Trouble},
};

/// Checks the query.
pub(crate) async fn validate_sql(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    if !steps_on(&mut scene) {
        return Ok(scene.done());
    }
    scene.work.trouble = None;
    scene.work.reads.clear();
    if scene.limits().pre_validation {
        check(&mut scene).await;
    }
    if super::approve::is_needed(&scene.work) {
        scene.work.plan_call = scene.performance().new_id("call");
    }
    Ok(scene.done())
}

async fn check(scene: &mut Scene) {
    let arguments = CheckSqlArguments {
        target: scene.work.target.clone(),
        sql: scene.work.sql.clone().unwrap_or_default(),
    };
    match scene
        .look_up::<SqlCheck>(names::CHECK_SQL, &arguments)
        .await
    {
        Ok(check) if check.valid => scene.work.reads = check.tables,
        Ok(check) => {
            let trouble = trouble(scene, &check.findings);
            not_accepted(scene, trouble);
        }
        // Nobody could check it: no correction helps.
        Err(failed) => scene.work.ending = Some(Ending::Unavailable(failed.message)),
    }
}

/// Where it leads.
pub(crate) fn after(state: &DataState) -> &'static str {
    let work = &state.work;
    if work.ending.is_some() {
        "finalize"
    } else if work.sql.is_none() {
        "select_tables"
    } else if work.trouble.is_some() {
        "correct_sql"
    } else if super::approve::is_needed(work) {
        "approve"
    } else {
        "execute"
    }
}

/// What is wrong with the query, each with what there is instead.
pub(super) fn trouble(scene: &Scene, findings: &[SqlFinding]) -> Trouble {
    let mut tables: Vec<String> = Vec::new();
    for table in findings.iter().flat_map(|finding| &finding.tables) {
        if !tables.contains(table) {
            tables.push(table.clone());
        }
    }
    let mut told: Vec<&str> = Vec::new();
    for finding in findings {
        if !finding.person.is_empty() && !told.contains(&&*finding.person) {
            told.push(&finding.person);
        }
    }
    let told = match told.as_slice() {
        [] => sentences::DOES_NOT_FIT.to_owned(),
        told => told.join(" "),
    };
    let mut lines: Vec<String> = findings
        .iter()
        .map(|finding| finding.message.clone())
        .collect();
    if findings
        .iter()
        .any(|finding| finding.kind.contains("column"))
    {
        let most = scene.limits().max_columns_in_validation;
        for table in &scene.work.schemas {
            if tables.contains(&table.name) && most > 0 {
                let columns: Vec<_> = table
                    .columns
                    .iter()
                    .take(most)
                    .map(|column| &*column.name)
                    .collect();
                lines.push(format!(
                    "Available columns in {}: {}.",
                    table.name,
                    columns.join(", ")
                ));
            }
        }
    }
    Trouble {
        message: lines.join(" "),
        told,
        tables,
    }
}
