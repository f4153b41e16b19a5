//! Which tables the question needs: candidates by their words come first, a model chooses among
//! them. Without a model, simple questions name their tables themselves.

use std::{fmt::Write as _, sync::Arc};

use graph::NodeResult;
use serde_json::{Value, json};

use super::generate_sql::shape;
use crate::{
    draft::Draft,
    prompt::{self, Detail},
    run::Context,
    state::{DataState, Ending},
    targeting,
};

const PROMPT: &str = include_str!("../../prompts/select_tables.md");

/// Maximum number of tables that a model may choose.
const MOST: usize = 8;

/// Columns of a table in the request.
const TOLD_COLUMNS: usize = 24;

/// The longest comment of a table in the request, in characters.
const COMMENT: usize = 160;

/// Chooses the tables.
pub(crate) async fn select_tables(
    state: Arc<DataState>,
    context: Context,
) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    draft.node.hint("Choosing the tables").await;
    // A plan that is to be changed comes back from storage, which keeps no catalogue.
    if draft.found.candidates.is_empty() {
        let about = draft.work.asked.question.clone();
        let target = draft.work.place.target.clone();
        match targeting::catalogue(&draft, target, about).await {
            Ok(tables) => targeting::keep_tables(&mut draft, tables),
            Err(failed) => {
                draft.work.ending = Some(Ending::Unavailable(failed.message));
                return Ok(draft.done());
            }
        }
    }
    let chosen = if draft.node.has_model() {
        if shape(&draft).is_some() {
            draft.node.rules_have_answer();
        }
        choose(&draft, &state).await
    } else {
        Choice::Unreadable
    };
    match chosen {
        Choice::Tables(tables) => draft.work.plan.tables = tables,
        Choice::NothingFits => {
            by_rules(&mut draft);
            if draft.work.ending.is_some() {
                draft.work.ending = Some(Ending::NothingFits);
            }
        }
        Choice::Unreadable if draft.node.has_model() => fall_back(&mut draft, &state),
        Choice::Unreadable => by_rules(&mut draft),
    }
    let most = draft.limits().max_tables_in_context.max(1);
    draft.work.plan.tables.truncate(most);
    if !draft.work.plan.tables.is_empty() {
        let shown = format!("Tables: {}", draft.work.plan.tables.join(", "));
        draft.show_work(&shown).await;
    }
    Ok(draft.done())
}

/// The next node.
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

async fn choose(draft: &Draft, state: &DataState) -> Choice {
    let mut unknown = Vec::new();
    // A second time when none of the names was one.
    for _ in 0..2 {
        let request = request(draft, state, &unknown);
        let Some(answer) = draft
            .node
            .ask(request, draft.settings().writing_timeout)
            .await
        else {
            return Choice::Unreadable;
        };
        let Some(names) = names_in(&answer) else {
            tracing::warn!("the model's choice of tables cannot be read");
            return Choice::Unreadable;
        };
        if names.is_empty() {
            return Choice::NothingFits;
        }
        let (known, others) = sorted(draft, names);
        if !known.is_empty() {
            return Choice::Tables(known);
        }
        unknown = others;
    }
    Choice::Unreadable
}

fn request(draft: &Draft, state: &DataState, unknown: &[String]) -> llm::ChatRequest {
    let format = prompt::object(
        "tables",
        &[(
            "tables",
            json!({ "type": "array", "items": { "type": "string" } }),
        )],
    );
    let material = |detail: Detail| {
        let candidates = &draft.found.candidates;
        let tables: Vec<_> = candidates
            .iter()
            .take(detail.of(candidates.len()))
            .map(|table| {
                let mut told = table.name.clone();
                if detail.comments && !table.column_names.is_empty() {
                    let columns = table.column_names.iter().take(TOLD_COLUMNS);
                    let columns: Vec<&str> = columns.map(String::as_str).collect();
                    let _ = write!(told, " ({})", columns.join(", "));
                }
                if let Some(about) = table.description.as_ref().filter(|_| detail.comments) {
                    let about: String = about.chars().take(COMMENT).collect();
                    let _ = write!(told, " -- {about}");
                }
                json!(told)
            })
            .collect();
        let mut material = json!({
            "question": draft.work.asked.question,
            "earlier": prompt::earlier(&state.queries),
            "tables": tables,
        });
        if let Some(change) = &draft.work.review.change {
            material["wanted_otherwise"] = json!(change);
        }
        if !unknown.is_empty() {
            material["no_such_tables"] = json!(unknown);
        }
        material
    };
    prompt::within(
        draft.settings().max_context_tokens,
        PROMPT,
        format,
        material,
    )
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

/// The names of existing tables, as the catalogue spells them, each once; and the others.
fn sorted(draft: &Draft, names: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for name in names {
        let candidates = &draft.found.candidates;
        // The request has columns and a comment behind a name.
        let name = name.split(" -- ").next().unwrap_or_default();
        let name = name.split(" (").next().unwrap_or_default().to_owned();
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

/// The best candidates, and the tables of the question that this one continues with.
fn fall_back(draft: &mut Draft, state: &DataState) {
    let most = draft.limits().max_fallback_tables.max(1);
    let mut tables: Vec<String> = draft
        .found
        .candidates
        .iter()
        .take(most)
        .map(|table| table.name.clone())
        .collect();
    if let Some(last) = state.queries.last().filter(|_| draft.work.asked.follow_up) {
        for table in &last.tables {
            if !tables.contains(table) {
                tables.push(table.clone());
            }
        }
    }
    if tables.is_empty() {
        draft.work.ending = Some(Ending::NothingFits);
    }
    draft.work.plan.tables = tables;
}

/// A simple question names its tables, whatever a model says of them.
fn by_rules(draft: &mut Draft) {
    match shape(draft) {
        Some(shape) => {
            let candidates = draft.found.candidates.iter();
            draft.work.plan.tables = shape.tables(candidates.map(|table| &*table.name));
            draft.found.shape = Some(shape);
        }
        None => draft.work.ending = Some(Ending::NeedsModel),
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
