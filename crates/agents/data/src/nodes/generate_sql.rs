//! Writes the query: a model with the schemas and the plan, or the rules for a simple question.

use std::sync::Arc;

use graph::{Context, NodeResult};
use serde_json::json;

use super::{same_query, steps_on};
use crate::{
    prompt::{self, Detail},
    scene::Scene,
    simple,
    state::{DataState, Ending, Origin},
};

const PROMPT: &str = include_str!("../../prompts/generate_sql.md");

/// What the model is told after a query that brought nothing.
const NOTHING_CAME: &str = "This query ran and brought no rows. Before that is taken for the answer: check the direction of each join and whether \
    it has to be a LEFT JOIN, the bounds of dates, and how texts are spelled in the samples. Write it again only if something may be wrong.";

/// Writes the query.
pub(crate) async fn generate_sql(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    if !steps_on(&mut scene) {
        return Ok(scene.done());
    }
    scene.hint("Writing the query").await;
    let mut written = None;
    // A second time when there was no query in the answer.
    for _ in 0..2 {
        if !scene.has_model() {
            break;
        }
        let request = request(&scene, &state);
        let answer = scene.ask(request, scene.options().writing_timeout).await;
        written = answer.as_deref().and_then(prompt::query_in);
        if written.is_some() {
            break;
        }
    }
    match written {
        Some((sql, question)) => take(&mut scene, sql, question),
        None if scene.work.empty_once => {}
        None if scene.has_model() => scene.work.ending = Some(Ending::NoQuery),
        None => by_rules(&mut scene),
    }
    if let Some(sql) = scene
        .work
        .sql
        .clone()
        .filter(|_| scene.work.ending.is_none())
    {
        scene.show_work(&format!("Query:\n{sql}")).await;
    }
    Ok(scene.done())
}

/// Where it leads; what brought nothing twice is the answer.
pub(crate) fn after(state: &DataState) -> &'static str {
    if state.work.ending.is_some() || state.work.result.is_some() {
        "finalize"
    } else {
        "validate_sql"
    }
}

fn take(scene: &mut Scene, sql: String, question: Option<String>) {
    let before = scene.work.sql.as_deref();
    if scene.work.empty_once && before.is_some_and(|before| same_query(before, &sql)) {
        return;
    }
    scene.work.standalone = question.or(scene.work.standalone.take());
    scene.work.sql = Some(sql);
    scene.work.origin = Origin::Model;
    scene.work.result = None;
    scene.work.trouble = None;
    scene.work.approved = false;
    scene.work.reads.clear();
}

/// Without a model, a simple question is a query already.
fn by_rules(scene: &mut Scene) {
    let shape = scene.work.shape.clone().or_else(|| {
        let tables = scene.work.candidates.iter().map(|table| &*table.name);
        let wanted = !scene.work.follow_up && scene.work.change.is_none();
        simple::shape(&scene.work.question, tables).filter(|_| wanted)
    });
    let dialect = scene.work.dialect;
    let query = shape
        .zip(dialect)
        .and_then(|(shape, dialect)| shape.query(&scene.work.schemas, &scene.work.steps, dialect));
    match query {
        Some(sql) => {
            scene.work.sql = Some(sql);
            scene.work.origin = Origin::Rules;
        }
        None => scene.work.ending = Some(Ending::NeedsModel),
    }
}

fn request(scene: &Scene, state: &DataState) -> llm::ChatRequest {
    let work = &scene.work;
    let limits = scene.limits();
    let system = prompt::sql(PROMPT, &scene.turn, work.dialect);
    let format = prompt::object(
        "query",
        &[
            ("sql", json!({ "type": "string" })),
            ("question", json!({ "type": "string" })),
        ],
    );
    let columns = limits.max_columns_in_schema as usize;
    let material = |detail: Detail| {
        let mut material = json!({
            "question": work.question,
            "tables": prompt::tables(&work.schemas, columns, detail),
            "joins": prompt::plan(work),
            "relationships": prompt::relationships(&work.relationships, limits.max_relationships_in_prompt, detail),
            "earlier": prompt::earlier(&state.queries),
        });
        if work.groups.len() > 1 {
            material["not_joined"] = json!(work.groups);
        }
        if detail.examples && !work.past.is_empty() {
            let most = scene.options().examples as usize;
            let examples = work.past.iter().take(most);
            material["examples"] = examples
                .map(|past| json!({ "question": past.question, "sql": past.sql }))
                .collect();
        }
        if let Some(change) = &work.change {
            material["before"] = json!(work.sql);
            material["wanted_otherwise"] = json!(change);
        }
        if work.empty_once {
            material["before"] = json!(work.sql);
            material["hint"] = json!(NOTHING_CAME);
        }
        material
    };
    prompt::within(
        scene.options().max_context_tokens,
        &system,
        format,
        material,
    )
}
