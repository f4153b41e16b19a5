//! Writes the query: a model with the schemas and the plan, or the rules for a simple question.

use std::sync::Arc;

use agent_kit::{Unusable, warn_once};
use graph::NodeResult;
use serde_json::json;

use super::{
    gather::{self, gather},
    same_query, steps_on,
};
use crate::{
    draft::Draft,
    prompt::{self, Detail},
    run::Context,
    simple::{self, Shape},
    state::{DataState, Ending, Origin},
};

const PROMPT: &str = include_str!("../../prompts/generate_sql.md");

/// The message to the model after a query without rows.
const NOTHING_CAME: &str = "This query ran and brought no rows. Before that is taken for the answer: check the direction of each join and whether \
    it has to be a LEFT JOIN, the bounds of dates, and how texts are spelled in the samples. Write it again only if something may be wrong.";

/// Writes the query.
pub(crate) async fn generate_sql(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    if !steps_on(&mut draft) {
        return Ok(draft.done());
    }
    draft.node.hint("Writing the query").await;
    let mut written = None;
    if shape(&draft).is_some_and(|shape| gather::query(&draft, &shape).is_some()) {
        draft.node.rules_have_answer();
    }
    let had_model = draft.node.has_model();
    // A second time when there was no query in the answer.
    for _ in 0..2 {
        // A model that found no table for a simple question is not asked for its query.
        if !draft.node.has_model() || draft.found.shape.is_some() {
            break;
        }
        let request = request(&draft, &state);
        let answer = draft
            .node
            .ask(request, draft.settings().writing_timeout)
            .await;
        written = answer.as_deref().and_then(prompt::query_in);
        if written.is_some() {
            break;
        }
    }
    match written {
        Some((sql, question)) => take(&mut draft, sql, question),
        None if draft.work.repair.empty_once => {}
        // A model that writes none leaves the question to the rules, if it is a simple one.
        None => {
            let otherwise = if draft.node.has_model() {
                Ending::NoQuery
            } else {
                Ending::NeedsModel
            };
            by_rules(&mut draft, otherwise).await;
            if had_model && draft.node.has_model() && draft.work.ending.is_none() {
                warn_once(&draft.node, Unusable::Query).await;
            }
        }
    }
    // A query without rows that is not written again is the answer.
    draft.work.repair.empty_stands = draft.found.result.is_some();
    // If the rules have a query, theirs says whether there are rows.
    if draft.work.repair.empty_stands && by_rules_instead(&mut draft).await {
        draft.work.repair.empty_stands = false;
        draft.found.result = None;
    }
    if let Some(sql) = draft
        .work
        .query
        .sql
        .clone()
        .filter(|_| draft.work.ending.is_none())
    {
        draft.show_work(&format!("Query:\n{sql}")).await;
    }
    Ok(draft.done())
}

/// The next node; a second query without rows is the answer.
pub(crate) fn after(state: &DataState) -> &'static str {
    if state.work.ending.is_some() || state.work.repair.empty_stands {
        "finalize"
    } else {
        "validate_sql"
    }
}

fn take(draft: &mut Draft, sql: String, question: Option<String>) {
    let before = draft.work.query.sql.as_deref();
    if draft.work.repair.empty_once && before.is_some_and(|before| same_query(before, &sql)) {
        return;
    }
    draft.work.query.standalone = question.or(draft.work.query.standalone.take());
    draft.work.query.sql = Some(sql);
    draft.work.query.origin = Origin::Model;
    draft.found.result = None;
    draft.work.repair.trouble = None;
    draft.work.review.approved = false;
    draft.work.query.reads.clear();
}

/// Takes the rules' query in place of a model's that cannot be used; `false` where they have none.
pub(super) async fn by_rules_instead(draft: &mut Draft) -> bool {
    if draft.work.query.origin != Origin::Model {
        return false;
    }
    let Some(sql) = rules_query(draft).await else {
        return false;
    };
    draft.work.ending = None;
    draft.work.query.sql = Some(sql);
    draft.work.query.origin = Origin::Rules;
    // It is made of names that are there: it is not made a second time.
    draft.work.query.made_anew = true;
    draft.work.repair.trouble = None;
    draft.work.review.approved = false;
    warn_once(&draft.node, Unusable::Query).await;
    true
}

/// Without a model's query, a simple question is a query already.
async fn by_rules(draft: &mut Draft, otherwise: Ending) {
    match rules_query(draft).await {
        Some(sql) => {
            draft.work.query.sql = Some(sql);
            draft.work.query.origin = Origin::Rules;
        }
        None => draft.work.ending = Some(otherwise),
    }
}

/// The rules' query for the question.
async fn rules_query(draft: &mut Draft) -> Option<String> {
    let shape = shape(draft)?;
    gather(draft, &shape).await;
    let query = gather::query(draft, &shape);
    draft.found.shape = Some(shape);
    query
}

/// The shape of the question, if it is a simple one. Conditions are left to a model, where there
/// is one.
pub(super) fn shape(draft: &Draft) -> Option<Shape> {
    let wanted = !draft.work.asked.follow_up && draft.work.review.change.is_none();
    draft.found.shape.clone().or_else(|| {
        let tables = draft.found.candidates.iter().map(|table| &*table.name);
        let question = &draft.work.asked.question;
        simple::common(question, &draft.found.candidates)
            .or_else(|| simple::shape(question, tables.clone()))
            .or_else(|| {
                let limited = simple::limited(question, tables);
                limited.filter(|_| !draft.node.has_model())
            })
            .filter(|_| wanted)
    })
}

fn request(draft: &Draft, state: &DataState) -> llm::ChatRequest {
    let work = &draft.work;
    let limits = draft.limits();
    let system = prompt::sql(PROMPT, draft.node.run(), work.place.dialect);
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
            "question": work.asked.question,
            "tables": prompt::tables(&draft.found.schemas, columns, detail),
            "joins": prompt::plan(work),
            "relationships": prompt::relationships(&work.plan.relationships, limits.max_relationships_in_prompt, detail),
            "earlier": prompt::earlier(&state.queries),
        });
        if work.plan.groups.len() > 1 {
            material["not_joined"] = json!(work.plan.groups);
        }
        if detail.examples && !draft.found.past.is_empty() {
            let most = draft.settings().examples as usize;
            let examples = draft.found.past.iter().take(most);
            material["examples"] = examples
                .map(|past| json!({ "question": past.question, "sql": past.sql }))
                .collect();
        }
        if let Some(change) = &work.review.change {
            material["before"] = json!(work.query.sql);
            material["wanted_otherwise"] = json!(change);
        }
        if work.repair.empty_once {
            material["before"] = json!(work.query.sql);
            material["hint"] = json!(NOTHING_CAME);
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
