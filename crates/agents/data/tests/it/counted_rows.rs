//! Numbers of records by group, in a model's words: records are called as their table is.

use std::time::Duration;

use contracts::run::Source;
use serde_json::json;

use crate::{
    chat::{Chat, Turn},
    double::Double,
    model::{Model, says, sql, tables},
};

/// The sentences of the rules on the rows.
const OF_RULES: &str =
    "There are 3 results. Count: active (1,629) is highest, retired (79) lowest.";

const BY_STATUS: &str = "SELECT status, COUNT(*) AS count FROM employee GROUP BY status";

/// The answer of a model that writes these queries, and then these words.
async fn worded(queries: &[&str], words: &str) -> Turn {
    let rows = json!([
        { "status": "active", "count": 1629 },
        { "status": "invited", "count": 93 },
        { "status": "retired", "count": 79 },
    ]);
    let written = queries.iter().map(|query| sql(query));
    let script = [tables(&["employee"])].into_iter().chain(written);
    let model = Model::new(script.chain([says(words)]));
    let mut chat = Chat::with_model(Double::new().rows(rows), &model).limited(|options| {
        options.model_wording = true;
        options.wording_timeout = Duration::from_millis(500);
    });
    chat.say("How many employees are there per status?").await
}

#[tokio::test]
async fn true_numbers_of_records_are_said() {
    for (words, said) in [
        (
            "«\"count\":\"1,629» employees are active.",
            "1,629 employees are active.",
        ),
        (
            "There are «\"count\":\"79» retired employees.",
            "There are 79 retired employees.",
        ),
        (
            "«\"count\":\"93» employees are invited.",
            "93 employees are invited.",
        ),
        ("1,629 employees are active.", "1,629 employees are active."),
        (
            "79 employees are retired and 93 are invited.",
            "79 employees are retired and 93 are invited.",
        ),
        (
            "1,629 active employees, 93 invited employees and 79 retired employees.",
            "1,629 active employees, 93 invited employees and 79 retired employees.",
        ),
    ] {
        let turn = worded(&[BY_STATUS], words).await;
        assert!(turn.text().ends_with(said), "{words}: {}", turn.text());
        assert_eq!(turn.source(), Source::Model, "{words}");
    }
}

#[tokio::test]
async fn other_numbers_are_not() {
    for words in [
        "«\"count\":\"93» employees are retired.",
        "93 employees are retired.",
        "1,629 employees are not active.",
        "1,629 employees are on time.",
        "1,629 active customers.",
        "All employees are active, 1,629.",
        "Nearly all employees are active.",
        "1,629 employees are here.",
    ] {
        let turn = worded(&[BY_STATUS], words).await;
        assert_eq!(turn.text(), OF_RULES, "{words}");
    }
}

#[tokio::test]
async fn numbers_under_a_condition_are_not_those_of_all_records() {
    let some = "SELECT status, COUNT(*) AS count FROM employee WHERE crewId = 3 GROUP BY status";
    // The model may leave out the condition, and insists.
    let turn = worded(
        &[some, some],
        "There are «\"count\":\"79» retired employees.",
    )
    .await;
    let text = turn.text();
    assert!(
        text.ends_with(OF_RULES) && !text.contains("employees"),
        "{text}"
    );
}
