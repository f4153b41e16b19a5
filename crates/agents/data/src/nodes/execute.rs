//! Runs the query, and distinguishes the ways in which that can end.

use std::sync::Arc;

use contracts::tools::sql::{RunSqlArguments, SqlDialect, SqlOutcome, SqlRun, names};
use graph::NodeResult;
use serde_json::{Map, Number, Value};

use super::{not_accepted, steps_on, unmet, unsaid, validate_sql::trouble};
use crate::{
    draft::Draft,
    language::{columns::misnamed, contradicted::Contradiction},
    run::Context,
    sentences,
    state::{DataState, Ending, Origin, Trouble},
};

/// Runs the query.
pub(crate) async fn execute(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    if !steps_on(&mut draft) {
        return Ok(draft.done());
    }
    draft.node.hint("Running the query").await;
    let arguments = RunSqlArguments {
        target: draft.work.place.target.clone(),
        sql: draft.work.query.sql.clone().unwrap_or_default(),
        max_rows: draft.limits().max_query_rows,
    };
    draft.node.begin_step().await;
    let called = draft.node.call(names::RUN_SQL, &arguments).await;
    draft.node.end_step().await;
    let message = called.message().to_owned();
    match called.any_result::<SqlRun>() {
        Some(run) => take(&mut draft, run, message),
        None => draft.work.ending = Some(Ending::Unavailable(message)),
    }
    Ok(draft.done())
}

/// The next node.
pub(crate) fn after(state: &DataState) -> &'static str {
    let work = &state.work;
    if work.ending.is_some() {
        "finalize"
    } else if work.query.sql.is_none() {
        "select_tables"
    } else if work.repair.trouble.is_some() {
        "correct_sql"
    } else if work.repair.empty_once && !work.repair.empty_stands {
        "generate_sql"
    } else {
        "finalize"
    }
}

fn take(draft: &mut Draft, run: SqlRun, message: String) {
    match run.outcome {
        SqlOutcome::Rows => {
            let run = rounded(renamed(draft, run));
            let may_err = run.rows.is_empty()
                && draft.work.query.origin == Origin::Model
                && draft.node.has_model();
            // It is written again once; the second time it stands.
            draft.work.repair.empty_stands = draft.work.repair.empty_once;
            draft.work.repair.empty_once |= may_err;
            draft.work.query.reads.clone_from(&run.tables);
            draft.found.result = Some(Arc::new(run));
        }
        SqlOutcome::Refused => {
            let trouble = trouble(draft, &run.findings);
            let trouble = Trouble {
                message: if trouble.message.is_empty() {
                    message
                } else {
                    trouble.message
                },
                ..trouble
            };
            not_accepted(draft, trouble);
        }
        SqlOutcome::Rejected => {
            let trouble = Trouble {
                message,
                told: told(run.person),
                tables: run.tables,
            };
            not_accepted(draft, trouble);
        }
        SqlOutcome::TooExpensive | SqlOutcome::TimedOut => {
            draft.work.query.estimated_rows = run.estimated_rows;
            too_much(draft, &message, run);
        }
        // No other query helps.
        SqlOutcome::Unavailable => draft.work.ending = Some(Ending::Unavailable(message)),
    }
}

/// The result with floating-point numbers of as many digits as they hold: the sum of 0.1 and 0.2 is
/// 0.3.
fn rounded(mut run: SqlRun) -> SqlRun {
    for value in run.rows.iter_mut().flat_map(Map::values_mut) {
        let exact = value
            .as_f64()
            .filter(|_| value.is_f64())
            .and_then(|number| format!("{number:.14e}").parse().ok())
            .and_then(Number::from_f64);
        if let Some(exact) = exact {
            *value = Value::Number(exact);
        }
    }
    run
}

/// The result of a model's query, whose columns are called what they are.
fn renamed(draft: &Draft, mut run: SqlRun) -> SqlRun {
    let Some(sql) = draft.work.query.sql.as_deref() else {
        return run;
    };
    if draft.work.query.origin != Origin::Model {
        return run;
    }
    let is_mysql = draft.work.place.dialect != Some(SqlDialect::Postgresql);
    let names = run.columns.iter().map(|column| column.name.as_str());
    let (mut untested, against) = unmet(draft);
    let said = against.iter().filter_map(Contradiction::said);
    untested.extend(said.map(str::to_owned));
    untested.extend(unsaid(draft).into_iter().flat_map(|unsaid| unsaid.words));
    let question = &draft.work.asked.question;
    let others = misnamed(sql, question, is_mysql, names, &untested);
    for (name, other) in others {
        tracing::info!(
            name,
            other,
            "a column of the model's query gets another name"
        );
        for column in run.columns.iter_mut().filter(|one| one.name == name) {
            column.name.clone_from(&other);
        }
        for row in &mut run.rows {
            let renamed = std::mem::take(row).into_iter();
            let renamed = renamed.map(|(key, value)| {
                let key = if key == name { other.clone() } else { key };
                (key, value)
            });
            *row = renamed.collect();
        }
    }
    run
}

/// The tools' message for the person; tools of an older version have none.
fn told(person: String) -> String {
    if person.is_empty() {
        sentences::DOES_NOT_FIT.to_owned()
    } else {
        person
    }
}

/// A narrower query may do, once.
fn too_much(draft: &mut Draft, message: &str, run: SqlRun) {
    let person = if run.person.is_empty() {
        sentences::TOO_MUCH.to_owned()
    } else {
        run.person
    };
    if draft.work.repair.narrowed
        || !draft.node.has_model()
        || draft.work.query.origin == Origin::Person
    {
        draft.work.query.reads = run.tables;
        draft.work.ending = Some(Ending::TooMuch(person));
        return;
    }
    draft.work.repair.narrowed = true;
    let hint = if run.outcome == SqlOutcome::TimedOut {
        "It took too long."
    } else {
        "The database expects it to read too much."
    };
    let trouble = Trouble {
        message: format!(
            "{message} {hint} Write a narrower query that answers the same: fewer tables, a selective condition, no functions around indexed columns."
        ),
        told: person,
        tables: run.tables,
    };
    not_accepted(draft, trouble);
}
