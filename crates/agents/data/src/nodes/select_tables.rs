//! Which tables the question needs: candidates by their words come first, a model chooses among them. Without a model, simple questions
//! name their tables themselves.

use std::sync::Arc;

use graph::{Context, NodeResult};
use serde_json::{Value, json};

use crate::{
    prompt::{self, Detail},
    scene::Scene,
    simple,
    state::{DataState, Ending},
    targeting,
};

const PROMPT: &str = include_str!("../../prompts/select_tables.md");

/// The most tables that a model may choose.
const MOST: usize = 8;

/// The longest comment of a table in the request, in characters.
const COMMENT: usize = 160;

/// Chooses the tables.
pub(crate) async fn select_tables(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    scene.hint("Choosing the tables").await;
    // A plan that is to be changed comes back from storage, which keeps no catalogue.
    if scene.work.candidates.is_empty() {
        let about = scene.work.question.clone();
        let target = scene.work.target.clone();
        match targeting::catalogue(&scene, target, about).await {
            Ok(tables) => targeting::keep_tables(&mut scene, tables),
            Err(failed) => {
                scene.work.ending = Some(Ending::Unavailable(failed.message));
                return Ok(scene.done());
            }
        }
    }
    let chosen = if scene.has_model() {
        choose(&scene, &state).await
    } else {
        Choice::Unreadable
    };
    match chosen {
        Choice::Tables(tables) => scene.work.tables = tables,
        Choice::NothingFits => scene.work.ending = Some(Ending::NothingFits),
        Choice::Unreadable if scene.has_model() => fall_back(&mut scene, &state),
        Choice::Unreadable => by_rules(&mut scene),
    }
    let most = scene.limits().max_tables_in_context.max(1);
    scene.work.tables.truncate(most);
    if !scene.work.tables.is_empty() {
        let shown = format!("Tables: {}", scene.work.tables.join(", "));
        scene.show_work(&shown).await;
    }
    Ok(scene.done())
}

/// Where it leads.
pub(crate) fn after(state: &DataState) -> &'static str {
    if state.work.ending.is_some() {
        "finalize"
    } else {
        "filter_relationships"
    }
}

enum Choice {
    Tables(Vec<String>),
    NothingFits,
    Unreadable,
}

async fn choose(scene: &Scene, state: &DataState) -> Choice {
    let mut unknown = Vec::new();
    // A second time when none of the names was one.
    for _ in 0..2 {
        let request = request(scene, state, &unknown);
        let Some(answer) = scene.ask(request, scene.options().writing_timeout).await else {
            return Choice::Unreadable;
        };
        let Some(names) = names_in(&answer) else {
            tracing::warn!("the model's choice of tables can not be read");
            return Choice::Unreadable;
        };
        if names.is_empty() {
            return Choice::NothingFits;
        }
        let (known, others) = sorted(scene, names);
        if !known.is_empty() {
            return Choice::Tables(known);
        }
        unknown = others;
    }
    Choice::Unreadable
}

fn request(scene: &Scene, state: &DataState, unknown: &[String]) -> llm::ChatRequest {
    let format = prompt::object(
        "tables",
        &[(
            "tables",
            json!({ "type": "array", "items": { "type": "string" } }),
        )],
    );
    let material = |detail: Detail| {
        let candidates = &scene.work.candidates;
        let tables: Vec<_> = candidates
            .iter()
            .take(detail.of(candidates.len()))
            .map(|table| match &table.description {
                Some(about) if detail.comments => {
                    let about: String = about.chars().take(COMMENT).collect();
                    json!(format!("{} -- {about}", table.name))
                }
                _ => json!(table.name),
            })
            .collect();
        let mut material = json!({
            "question": scene.work.question,
            "earlier": prompt::earlier(&state.queries),
            "tables": tables,
        });
        if let Some(change) = &scene.work.change {
            material["wanted_otherwise"] = json!(change);
        }
        if !unknown.is_empty() {
            material["no_such_tables"] = json!(unknown);
        }
        material
    };
    prompt::within(scene.options().max_context_tokens, PROMPT, format, material)
}

/// The names in an answer: an object, or a bare list, with or without a fence.
fn names_in(answer: &str) -> Option<Vec<String>> {
    let list = if let Some(mut object) = prompt::object_in(answer) {
        object.remove("tables")?
    } else {
        let (start, end) = (answer.find('[')?, answer.rfind(']')?);
        serde_json::from_str(answer.get(start..=end)?).ok()?
    };
    let Value::Array(names) = list else {
        return None;
    };
    let names = names.iter().filter_map(Value::as_str);
    Some(names.map(|name| name.trim().to_owned()).collect())
}

/// Those that are tables, as the catalogue spells them, each once; and the others.
fn sorted(scene: &Scene, names: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for name in names {
        let candidates = &scene.work.candidates;
        let exact = candidates.iter().find(|table| table.name == name);
        let alike = || {
            candidates
                .iter()
                .find(|table| table.name.eq_ignore_ascii_case(&name))
        };
        match exact.or_else(alike) {
            Some(table) if known.contains(&table.name) => {}
            Some(table) => known.push(table.name.clone()),
            None => others.push(name),
        }
    }
    known.truncate(MOST);
    (known, others)
}

/// The best candidates, and the tables of the question that this one goes on with.
fn fall_back(scene: &mut Scene, state: &DataState) {
    let most = scene.limits().max_fallback_tables.max(1);
    let mut tables: Vec<String> = scene
        .work
        .candidates
        .iter()
        .take(most)
        .map(|table| table.name.clone())
        .collect();
    if let Some(last) = state.queries.last().filter(|_| scene.work.follow_up) {
        for table in &last.tables {
            if !tables.contains(table) {
                tables.push(table.clone());
            }
        }
    }
    if tables.is_empty() {
        scene.work.ending = Some(Ending::NothingFits);
    }
    scene.work.tables = tables;
}

/// A simple question names its tables.
fn by_rules(scene: &mut Scene) {
    let names: Vec<&str> = scene
        .work
        .candidates
        .iter()
        .map(|table| &*table.name)
        .collect();
    let shape = simple::shape(&scene.work.question, names.iter().copied());
    let shape = shape.filter(|_| !scene.work.follow_up && scene.work.change.is_none());
    match shape {
        Some(shape) => {
            scene.work.tables = shape.tables(names);
            scene.work.shape = Some(shape);
        }
        None => scene.work.ending = Some(Ending::NeedsModel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_an_object_or_a_list() {
        for answer in [
            r#"{"tables": ["a", "b"]}"#,
            "```json\n{\"tables\": [\"a\", \" b\"]}\n```",
            r#"["a", "b"]"#,
            "I choose:\n```\n[\"a\", \"b\"]\n```",
        ] {
            assert_eq!(names_in(answer).unwrap(), ["a", "b"], "{answer}");
        }
        for answer in ["a, b", r#"{"tables": "a"}"#, r#"{"names": []}"#, ""] {
            assert_eq!(names_in(answer), None, "{answer}");
        }
    }
}
