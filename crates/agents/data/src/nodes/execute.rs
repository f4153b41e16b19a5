//! Runs the query, and tells the ways apart in which that can end.

use std::sync::Arc;

use contracts::tools::sql::{RunSqlArguments, SqlOutcome, SqlRun, names};
use graph::{Context, NodeResult};

use super::{not_accepted, steps_on, validate_sql::trouble};
use crate::{
    scene::Scene,
    sentences,
    state::{DataState, Ending, Origin, Trouble},
};

/// Runs the query.
pub(crate) async fn execute(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    if !steps_on(&mut scene) {
        return Ok(scene.done());
    }
    scene.hint("Running the query").await;
    let arguments = RunSqlArguments {
        target: scene.work.target.clone(),
        sql: scene.work.sql.clone().unwrap_or_default(),
        max_rows: scene.limits().max_query_rows,
    };
    scene.begin_step().await;
    let called = scene.call(names::RUN_SQL, &arguments).await;
    scene.end_step().await;
    let message = called.message().to_owned();
    match called.any_result::<SqlRun>() {
        Some(run) => take(&mut scene, run, message),
        None => scene.work.ending = Some(Ending::Unavailable(message)),
    }
    Ok(scene.done())
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
    } else if work.empty_once && !work.empty_stands {
        "generate_sql"
    } else {
        "finalize"
    }
}

fn take(scene: &mut Scene, run: SqlRun, message: String) {
    match run.outcome {
        SqlOutcome::Rows => {
            let may_err =
                run.rows.is_empty() && scene.work.origin == Origin::Model && scene.has_model();
            // It is written again once; the second time it stands.
            scene.work.empty_stands = scene.work.empty_once;
            scene.work.empty_once |= may_err;
            scene.work.reads.clone_from(&run.tables);
            scene.work.result = Some(Arc::new(run));
        }
        SqlOutcome::Refused => {
            let trouble = trouble(scene, &run.findings);
            let trouble = Trouble {
                message: if trouble.message.is_empty() {
                    message
                } else {
                    trouble.message
                },
                ..trouble
            };
            not_accepted(scene, trouble);
        }
        SqlOutcome::Rejected => {
            let trouble = Trouble {
                message,
                told: told(run.person),
                tables: run.tables,
            };
            not_accepted(scene, trouble);
        }
        SqlOutcome::TooExpensive | SqlOutcome::TimedOut => {
            scene.work.estimated_rows = run.estimated_rows;
            too_much(scene, &message, run);
        }
        // No other query helps.
        SqlOutcome::Unavailable => scene.work.ending = Some(Ending::Unavailable(message)),
    }
}

/// What the tools say to the person; tools of an older version say nothing.
fn told(person: String) -> String {
    if person.is_empty() {
        sentences::DOES_NOT_FIT.to_owned()
    } else {
        person
    }
}

/// A narrower query may do, once.
fn too_much(scene: &mut Scene, message: &str, run: SqlRun) {
    let person = if run.person.is_empty() {
        sentences::TOO_MUCH.to_owned()
    } else {
        run.person
    };
    if scene.work.narrowed || !scene.has_model() || scene.work.origin == Origin::Person {
        scene.work.reads = run.tables;
        scene.work.ending = Some(Ending::TooMuch(person));
        return;
    }
    scene.work.narrowed = true;
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
    not_accepted(scene, trouble);
}
