//! Corrects a query that was not accepted: a model with the question, the query, what is wrong with
//! it, the tables that it is about, and the attempts before. What it writes is checked like any
//! other.

use std::sync::Arc;

use contracts::tools::sql::TableDescription;
use graph::NodeResult;
use serde_json::{Value, json};

use super::{
    filter_relationships::describe, generate_sql::by_rules_instead, same_query, steps_on,
    validate_sql::UNANSWERED,
};
use crate::{
    draft::Draft,
    prompt::{self, Detail},
    run::Context,
    sentences,
    state::{Attempt, DataState, Ending, Origin, Trouble},
};

const PROMPT: &str = include_str!("../../prompts/correct_sql.md");

const NO_QUERY: &str = "There was no SQL query in the answer.";
const SAME_AGAIN: &str = "The same query was written again; it cannot be accepted. ";

/// Asks for another query.
pub(crate) async fn correct_sql(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    if !steps_on(&mut draft) {
        return Ok(draft.done());
    }
    draft.node.hint("Correcting the query").await;
    let schemas = relevant(&draft).await;
    let request = request(&draft, &schemas);
    draft.work.repair.corrections += 1;
    let answer = draft
        .node
        .ask(request, draft.settings().writing_timeout)
        .await;
    let Some(answer) = answer else {
        // The model failed, and the person was warned.
        draft.work.ending = Some(Ending::GaveUp);
        instead(&mut draft).await;
        return Ok(draft.done());
    };
    match prompt::query_in(&answer) {
        Some((sql, _)) => take(&mut draft, sql).await,
        None => again(
            &mut draft,
            NO_QUERY.to_owned(),
            sentences::NO_QUERY_CAME.to_owned(),
        ),
    }
    if draft.work.ending == Some(Ending::GaveUp) {
        instead(&mut draft).await;
    }
    Ok(draft.done())
}

/// Takes the rules' query in place of those of a model that cannot be used, otherwise one that fits
/// the database and leaves something of the question out: the answer begins with it. `false` where
/// there is neither.
pub(super) async fn instead(draft: &mut Draft) -> bool {
    if by_rules_instead(draft).await {
        return true;
    }
    let is_models = draft.work.query.origin == Origin::Model;
    let attempts = draft.work.repair.attempts.iter().rev();
    let mut unanswered = attempts.filter(|attempt| attempt.error.ends_with(UNANSWERED));
    let sql = unanswered.next().map(|attempt| attempt.sql.clone());
    // The one that is not accepted now may be this one.
    let is_refused = draft.work.repair.attempts.last().is_some_and(|last| {
        !last.error.ends_with(UNANSWERED) && sql.as_ref().is_some_and(|sql| *sql == last.sql)
    });
    let Some(sql) = sql.filter(|_| is_models && !is_refused) else {
        return false;
    };
    draft.work.ending = None;
    draft.work.query.sql = Some(sql);
    draft.work.repair.trouble = None;
    draft.work.review.approved = false;
    true
}

/// The next node.
pub(crate) fn after(state: &DataState) -> &'static str {
    if state.work.ending.is_some() {
        "finalize"
    } else if state.work.repair.trouble.is_some() {
        "correct_sql"
    } else {
        "validate_sql"
    }
}

async fn take(draft: &mut Draft, sql: String) {
    let known = draft
        .work
        .repair
        .attempts
        .iter()
        .find(|attempt| same_query(&attempt.sql, &sql));
    // A query that fits the database, and that a model insists on, is not corrected again: the
    // rules' query takes its place, or the answer begins with what it leaves out.
    let insists = known.is_some_and(|known| known.error.ends_with(UNANSWERED));
    if let Some(known) = known.filter(|_| !insists) {
        let error = format!("{SAME_AGAIN}{}", known.error.trim_start_matches(SAME_AGAIN));
        let told = known.told.clone();
        return again(draft, error, told);
    }
    draft.show_work(&format!("Corrected query:\n{sql}")).await;
    draft.work.query.sql = Some(sql);
    draft.work.repair.trouble = None;
    // What was approved was another query.
    draft.work.review.approved = false;
}

/// The answer was none: the next one may be, if there is a next.
fn again(draft: &mut Draft, error: String, told: String) {
    let tables = draft
        .work
        .repair
        .trouble
        .take()
        .map(|trouble| trouble.tables)
        .unwrap_or_default();
    let trouble = Trouble {
        message: error,
        told,
        tables,
    };
    draft.work.repair.trouble = Some(trouble);
    if draft.work.repair.corrections >= draft.limits().correction_max_attempts {
        draft.work.ending = Some(Ending::GaveUp);
    }
}

/// The tables that the query and the error name, otherwise those of the plan, with more columns
/// than before.
async fn relevant(draft: &Draft) -> Vec<TableDescription> {
    let work = &draft.work;
    let sql = work.query.sql.as_deref().unwrap_or_default();
    let named: Vec<String> = {
        let said = words_of_query(sql);
        let blamed = work
            .repair
            .trouble
            .iter()
            .flat_map(|trouble| &trouble.tables);
        let known = draft.found.candidates.iter().map(|table| &table.name);
        let planned = work.plan.tables.iter().chain(&work.plan.bridges);
        let mut named: Vec<String> = Vec::new();
        for table in blamed.chain(
            planned
                .chain(known)
                .filter(|name| said.contains(&name.to_lowercase())),
        ) {
            if !named.contains(table) {
                named.push(table.clone());
            }
        }
        if named.is_empty() {
            named.extend(work.plan.tables.iter().chain(&work.plan.bridges).cloned());
        }
        named
    };
    let mut named = named;
    named.truncate(draft.limits().max_tables_in_context.max(1));
    match describe(draft, &named, draft.limits().max_columns_in_correction).await {
        Ok(described) => described.tables,
        Err(failed) => {
            tracing::warn!(reason = failed.message, "tables were not described");
            draft.found.schemas.clone()
        }
    }
}

/// The names in a query, in lower case.
fn words_of_query(sql: &str) -> Vec<String> {
    sql.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn request(draft: &Draft, schemas: &[TableDescription]) -> llm::ChatRequest {
    let work = &draft.work;
    let limits = draft.limits();
    let system = prompt::sql(PROMPT, draft.node.run(), work.place.dialect);
    let format = prompt::object("query", &[("sql", json!({ "type": "string" }))]);
    let near = work.plan.relationships.iter().filter(|edge| {
        let shown = |name: &str| schemas.iter().any(|table| table.name == name);
        shown(&edge.from_table) && shown(&edge.to_table)
    });
    let near: Vec<_> = near.collect();
    let columns = limits.max_columns_in_correction as usize;
    let error = work
        .repair
        .trouble
        .as_ref()
        .map_or("", |trouble| trouble.message.as_str());
    let material = |detail: Detail| {
        let mut material = json!({
            "question": work.asked.question,
            "sql": work.query.sql,
            "error": error,
            "tables": prompt::tables(schemas, columns, detail),
            "relationships": prompt::relationships(near.iter().copied(), limits.max_relationships_in_prompt, detail),
            "attempts": told(&work.repair.attempts, limits.max_sql_history_length),
        });
        if !draft.continues.is_empty() {
            material["earlier"] = json!(prompt::earlier(&draft.continues));
        }
        if let Some(change) = &work.review.change {
            material["wanted_otherwise"] = json!(change);
        }
        material
    };
    prompt::within(
        draft.settings().max_context_tokens,
        &system,
        format,
        material,
    )
}

/// The attempts before, each query cut.
fn told(attempts: &[Attempt], longest: usize) -> Vec<Value> {
    attempts
        .iter()
        .map(|attempt| {
            let sql: String = attempt.sql.chars().take(longest).collect();
            json!({ "sql": sql, "error": attempt.error })
        })
        .collect()
}
