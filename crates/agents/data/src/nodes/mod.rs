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
pub(crate) mod general;
pub(crate) mod generate_sql;
pub(crate) mod plan_joins;
pub(crate) mod propose_joins;
pub(crate) mod remember;
pub(crate) mod select_tables;
pub(crate) mod tell_tables;
pub(crate) mod validate_sql;

use crate::{
    scene::Scene,
    state::{Attempt, Ending, Origin, Trouble},
};

/// One more superstep of writing, checking, running and correcting; `false` when there is none left.
fn steps_on(scene: &mut Scene) -> bool {
    if scene.work.iterations >= scene.limits().max_iterations {
        scene.work.ending = Some(Ending::TooManySteps);
        return false;
    }
    scene.work.iterations += 1;
    true
}

/// The query is not to be run, or brought an error that another query may not bring: it is corrected, as long as somebody can.
fn not_accepted(scene: &mut Scene, trouble: Trouble) {
    let sql = scene.work.sql.clone().unwrap_or_default();
    scene.work.attempts.push(Attempt {
        sql,
        error: trouble.message.clone(),
        told: trouble.told.clone(),
    });
    if scene.work.origin == Origin::Person {
        scene.work.ending = Some(Ending::NotAccepted(trouble.told.clone()));
    }
    scene.work.trouble = Some(trouble);
    if scene.work.ending.is_some() {
        // What a person wrote is not corrected.
    } else if scene.work.origin == Origin::Rules && !scene.work.made_anew {
        // The names that it was made of may have been out of date: they are looked up again, once.
        scene.work.made_anew = true;
        scene.work.sql = None;
        scene.work.trouble = None;
        scene.work.attempts.clear();
        scene.work.candidates.clear();
        scene.work.shape = None;
    } else if !scene.has_model() {
        scene.work.ending = Some(Ending::GaveUp);
    } else if scene.work.origin == Origin::Past {
        // What was confirmed fits the database no more: the question is answered anew.
        scene.work.origin = Origin::Model;
        scene.work.sql = None;
        scene.work.trouble = None;
        scene.work.attempts.clear();
        scene.work.past.retain(|past| !past.same);
    } else if scene.work.corrections >= scene.limits().correction_max_attempts {
        scene.work.ending = Some(Ending::GaveUp);
    }
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
