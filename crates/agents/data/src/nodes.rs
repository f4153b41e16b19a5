//! The nodes of the graph, one file each, in the order in which a question meets them.

pub(crate) mod approve;
pub(crate) mod choose_target;
pub(crate) mod classify;
pub(crate) mod correct_sql;
pub(crate) mod documents;
pub(crate) mod execute;
pub(crate) mod filter_relationships;
pub(crate) mod finalize;
pub(crate) mod find_paths;
pub(crate) mod forget;
pub(crate) mod gather;
pub(crate) mod general;
pub(crate) mod generate_sql;
pub(crate) mod plan_joins;
pub(crate) mod propose_joins;
pub(crate) mod remember;
pub(crate) mod select_tables;
pub(crate) mod tell_tables;
pub(crate) mod validate_sql;

use contracts::tools::sql::SqlDialect;

use crate::{
    draft::Draft,
    language::{
        self,
        contradicted::{Compared, Contradiction, Unsaid},
    },
    state::{AnsweredQuery, Attempt, Ending, Origin, Trouble},
};

/// One more superstep of writing, checking, running and correcting; `false` when there is none
/// left.
fn steps_on(draft: &mut Draft) -> bool {
    if draft.work.repair.iterations >= draft.limits().max_iterations {
        draft.work.ending = Some(Ending::TooManySteps);
        return false;
    }
    draft.work.repair.iterations += 1;
    true
}

/// The query must not run, or failed with an error that another query may avoid: it is corrected,
/// as long as attempts are left.
fn not_accepted(draft: &mut Draft, trouble: Trouble) {
    let sql = draft.work.query.sql.clone().unwrap_or_default();
    draft.work.repair.attempts.push(Attempt {
        sql,
        error: trouble.message.clone(),
        told: trouble.told.clone(),
    });
    if draft.work.query.origin == Origin::Person {
        draft.work.ending = Some(Ending::NotAccepted(trouble.told.clone()));
    }
    draft.work.repair.trouble = Some(trouble);
    if draft.work.ending.is_some() {
        // What a person wrote is not corrected.
    } else if draft.work.query.origin == Origin::Rules && !draft.work.query.made_anew {
        // The names that it was made of may have been out of date: they are looked up again, once.
        draft.work.query.made_anew = true;
        draft.work.query.sql = None;
        draft.work.repair.trouble = None;
        draft.work.repair.attempts.clear();
        draft.found.candidates.clear();
        draft.found.shape = None;
        draft.found.beside = None;
    } else if !draft.node.has_model() {
        draft.work.ending = Some(Ending::GaveUp);
    } else if draft.work.query.origin == Origin::Past {
        // What was confirmed fits the database no more: the question is answered again.
        draft.work.query.origin = Origin::Model;
        draft.work.query.sql = None;
        draft.work.repair.trouble = None;
        draft.work.repair.attempts.clear();
        draft.found.past.retain(|past| !past.same);
    } else if draft.work.repair.corrections >= draft.limits().correction_max_attempts {
        draft.work.ending = Some(Ending::GaveUp);
    }
}

/// The words of the question for which the model's query has no condition.
fn untested(draft: &Draft) -> Vec<String> {
    let query = &draft.work.query;
    let sql = query
        .sql
        .as_deref()
        .filter(|_| query.origin == Origin::Model);
    let is_mysql = draft.work.place.dialect != Some(SqlDialect::Postgresql);
    let question = &draft.work.asked.question;
    sql.map_or_else(Vec::new, |sql| {
        language::untested::untested(sql, question, is_mysql)
    })
}

/// The words of the question that nothing in the model's query is of.
fn unapplied(draft: &Draft) -> Vec<String> {
    let Some(sql) = own_query(draft) else {
        return Vec::new();
    };
    language::unapplied::unapplied(
        sql,
        &draft.work.asked.question,
        draft.work.place.dialect != Some(SqlDialect::Postgresql),
        &draft.found.schemas,
    )
}

/// The model's query for the question, unless a person changed what is asked since.
fn own_query(draft: &Draft) -> Option<&str> {
    let query = &draft.work.query;
    let is_models = query.origin == Origin::Model && draft.work.review.change.is_none();
    query.sql.as_deref().filter(|_| is_models)
}

/// The contradictions between the model's query and the question.
fn contradicted(draft: &Draft) -> Vec<Contradiction> {
    let Some(sql) = own_query(draft) else {
        return Vec::new();
    };
    let plan = &draft.work.plan;
    let steps = plan.steps.iter().map(|step| &step.edge);
    language::contradicted::contradicted(&Compared {
        question: &draft.work.asked.question,
        sql,
        is_mysql: draft.work.place.dialect != Some(SqlDialect::Postgresql),
        today: Some(draft.node.run().now.date_naive()),
        joins: steps.chain(&plan.relationships).collect(),
        schemas: &draft.found.schemas,
    })
}

/// The conditions of the model's query that nothing in the conversation says. A question about the
/// answer before it keeps conditions without repeating them: those that a question before it says,
/// and those of the queries before it, unless the answers named them as unsaid.
fn unsaid(draft: &Draft) -> Option<Unsaid> {
    let question = &draft.work.asked.question;
    let is_mysql = draft.work.place.dialect != Some(SqlDialect::Postgresql);
    let schemas = &draft.found.schemas;
    let words = draft.continues.iter().map(AnsweredQuery::own_words);
    let said: Vec<&str> = words.chain([question.as_str()]).collect();
    let query = own_query(draft)?;
    let mut found =
        language::contradicted::unsaid(query, question, &said.join("\n"), is_mysql, schemas)?;
    let kept = |condition: &String| {
        draft.continues.iter().any(|query| {
            !query.unsaid.contains(condition)
                && language::contradicted::conditions(&query.sql, is_mysql, schemas)
                    .contains(condition)
        })
    };
    found.conditions.retain(|condition| !kept(condition));
    (!found.conditions.is_empty()).then_some(found)
}

/// The unsaid conditions that no answer of the conversation has named yet.
fn newly_unsaid(draft: &Draft) -> Option<Unsaid> {
    let mut found = unsaid(draft)?;
    let is_named = |condition: &String| {
        let mut before = draft.continues.iter();
        before.any(|query| query.unsaid.contains(condition))
    };
    found.conditions.retain(|condition| !is_named(condition));
    (!found.conditions.is_empty()).then_some(found)
}

/// The words of the question that the model's query does not test, or is against.
fn unmet(draft: &Draft) -> (Vec<String>, Vec<Contradiction>) {
    let against = contradicted(draft);
    let mut untested = untested(draft);
    for words in unapplied(draft) {
        let overlaps = |one: &String| one.contains(&words) || words.contains(one.as_str());
        if !untested.iter().any(overlaps) {
            untested.push(words);
        }
    }
    let is_said = |word: &String| {
        let mut said = against.iter().filter_map(Contradiction::said);
        said.any(|said| said.contains(word.as_str()) || word.contains(said))
    };
    untested.retain(|word| !is_said(word));
    (untested, against)
}

/// Whether two queries are the same but for space and a closing semicolon.
fn same_query(one: &str, other: &str) -> bool {
    let words = |sql: &str| {
        sql.trim_end_matches([';', ' ', '\n'])
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    words(one) == words(other)
}
