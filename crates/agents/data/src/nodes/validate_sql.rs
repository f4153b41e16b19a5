//! Whether the query may run, before it does. The tools check it once more, and rewrite it to what
//! this person may read, whatever is said here.

use std::sync::Arc;

use contracts::tools::sql::{CheckSqlArguments, SqlCheck, SqlDialect, SqlFinding, names};
use graph::NodeResult;

use super::{
    contradicted, correct_sql::instead, generate_sql::by_rules_instead, newly_unsaid, not_accepted,
    steps_on, unapplied,
};
use crate::{
    answer::guesses,
    draft::Draft,
    language::{
        columns::counts_another,
        contradicted::Contradiction,
        made_up::{MadeUp, made_up},
    },
    run::{Context, Run},
    sentences,
    state::{DataState, Ending, Origin, Trouble},
};

/// Characters of a stated value that its message repeats.
const SHOWN_CHARS: usize = 40;

/// The end of what is wrong with a query that fits the database and not the question.
pub(super) const UNANSWERED: &str = "Write it so that it answers the question.";

/// Checks the query.
pub(crate) async fn validate_sql(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    if !steps_on(&mut draft) {
        return Ok(draft.done());
    }
    draft.work.repair.trouble = None;
    draft.work.query.reads.clear();
    let checks = draft.limits().pre_validation;
    if let Some(trouble) = made_up_values(&draft) {
        not_accepted(&mut draft, trouble);
    } else if let Some(trouble) = against_question(&mut draft).await {
        not_accepted(&mut draft, trouble);
    } else if checks {
        check(&mut draft).await;
    }
    let is_accepted = draft.work.repair.trouble.is_none() && draft.work.ending.is_none();
    if is_accepted && draft.work.query.origin == Origin::Model {
        if let Some(trouble) = left_out(&mut draft).await {
            not_accepted(&mut draft, trouble);
        } else if let Some(trouble) = beyond_question(&mut draft) {
            not_accepted(&mut draft, trouble);
        } else if draft.work.query.origin == Origin::Rules && checks {
            check(&mut draft).await;
        }
    }
    let gave_up = draft.work.ending == Some(Ending::GaveUp);
    if gave_up && instead(&mut draft).await && checks {
        check(&mut draft).await;
    }
    if draft.work.repair.trouble.is_some() {
        return Ok(draft.done());
    }
    if super::approve::is_needed(&draft.work, draft.settings()) {
        draft.work.review.plan_call = draft.node.services().new_id("call");
    }
    Ok(draft.done())
}

/// A contradiction between a model's query and the question: it is corrected once. Then the rules'
/// query takes its place, or the answer begins with it.
async fn against_question(draft: &mut Draft) -> Option<Trouble> {
    let found = contradicted(draft);
    if found.is_empty() {
        return None;
    }
    let findings = found.iter().map(Contradiction::finding).collect();
    corrected_once(draft, findings, sentences::contradicted(&found)).await
}

/// Words that nothing in a query is of that fits the database: the same. The names that a model
/// invents are corrected before.
async fn left_out(draft: &mut Draft) -> Option<Trouble> {
    let left = unapplied(draft);
    if left.is_empty() {
        return None;
    }
    let findings = left
        .iter()
        .map(|words| format!("The question says {words:?}, and nothing in the query is of that."));
    let findings = findings.collect();
    corrected_once(draft, findings, sentences::untested(&left)).await
}

/// Conditions that nothing in the conversation says: the query is corrected once, by the same
/// count. Then the answer begins with them.
fn beyond_question(draft: &mut Draft) -> Option<Trouble> {
    let found = newly_unsaid(draft)?;
    if is_last(draft) {
        return None;
    }
    let findings = found.conditions.iter().map(|condition| {
        format!("The query takes only rows where {condition}, and nothing in the question says so.")
    });
    let findings: Vec<String> = findings.collect();
    draft.work.repair.contradicted = true;
    Some(Trouble {
        message: format!("{} {UNANSWERED}", findings.join(" ")),
        told: guesses::unsaid(&found),
        tables: draft.work.plan.tables.clone(),
    })
}

/// Whether a query that does not answer its question is not corrected any more.
fn is_last(draft: &Draft) -> bool {
    let repair = &draft.work.repair;
    let most = draft.limits().correction_max_attempts;
    repair.contradicted || repair.corrections >= most || !draft.node.has_model()
}

/// The trouble with a query that does not answer its question, the first time; afterwards the
/// rules' query takes its place.
async fn corrected_once(draft: &mut Draft, findings: Vec<String>, told: String) -> Option<Trouble> {
    if is_last(draft) {
        by_rules_instead(draft).await;
        return None;
    }
    draft.work.repair.contradicted = true;
    Some(Trouble {
        message: format!("{} {UNANSWERED}", findings.join(" ")),
        told,
        tables: draft.work.plan.tables.clone(),
    })
}

/// Values that a model's query states itself: they are not data, whatever the database returns.
fn made_up_values(draft: &Draft) -> Option<Trouble> {
    if draft.work.query.origin != Origin::Model {
        return None;
    }
    let sql = draft.work.query.sql.as_deref()?;
    let is_mysql = draft.work.place.dialect != Some(SqlDialect::Postgresql);
    let question = &draft.work.asked.question;
    let mut told = sentences::NOT_FROM_TABLES.to_owned();
    let found = match made_up(sql, question, is_mysql) {
        Some(MadeUp::NoTable) => "The query reads no table.".to_owned(),
        Some(MadeUp::Value(value)) => {
            let shown: String = value.chars().take(SHOWN_CHARS).collect();
            format!("The query states the value {shown:?} itself.")
        }
        None => {
            let known = draft.found.candidates.iter().map(|table| &*table.name);
            let table = counts_another(sql, question, is_mysql, known)?;
            told = sentences::counts_another(table);
            format!("The question counts the rows of {table}, which the query does not read.")
        }
    };
    Some(Trouble {
        message: format!(
            "{found} Only what is read from tables is an answer: write it so that each column comes from a table."
        ),
        told,
        tables: draft.work.plan.tables.clone(),
    })
}

async fn check(draft: &mut Draft) {
    let arguments = CheckSqlArguments {
        target: draft.work.place.target.clone(),
        sql: draft.work.query.sql.clone().unwrap_or_default(),
    };
    match draft
        .look_up::<SqlCheck>(names::CHECK_SQL, &arguments)
        .await
    {
        Ok(check) if check.valid => draft.work.query.reads = check.tables,
        Ok(check) => {
            let trouble = trouble(draft, &check.findings);
            not_accepted(draft, trouble);
        }
        // The check failed: no correction helps.
        Err(failed) => draft.work.ending = Some(Ending::Unavailable(failed.message)),
    }
}

/// The next node.
pub(crate) fn after(state: &DataState, run: &Run) -> &'static str {
    let work = &state.work;
    if work.ending.is_some() {
        "finalize"
    } else if work.query.sql.is_none() {
        "select_tables"
    } else if work.repair.trouble.is_some() {
        "correct_sql"
    } else if super::approve::is_needed(work, &run.assistant.settings) {
        "approve"
    } else {
        "execute"
    }
}

/// The faults of the query, each with the available names.
pub(super) fn trouble(draft: &Draft, findings: &[SqlFinding]) -> Trouble {
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
        let most = draft.limits().max_columns_in_validation;
        for table in &draft.found.schemas {
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
