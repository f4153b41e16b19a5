//! Corrections: how many, of what, and when none helps.

use contracts::tools::{ToolEnvelope, sql::names};
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model::{Answer, Model, material, says, sql, tables},
};

const QUESTION: &str = "How many employees are active?";
const GOOD: &str = "SELECT COUNT(*) AS n FROM employee WHERE status = 'active'";

fn wrong(number: usize) -> Answer {
    sql(&format!("SELECT ghost{number} FROM employee"))
}

#[tokio::test]
async fn one_two_or_three_corrections_are_real_attempts_of_the_model() {
    for corrections in 1..=3_usize {
        let mut script = vec![tables(&["employee"]), wrong(0)];
        script.extend((1..corrections).map(wrong));
        script.push(sql(GOOD));
        let model = Model::new(script);
        let mut chat = Chat::with_model(Double::new(), &model);
        let turn = chat.say(QUESTION).await;
        assert_eq!(
            turn.text(),
            "There are 10 active employees.",
            "{corrections}"
        );
        let requests = model.requests();
        assert_eq!(requests.len(), 2 + corrections);
        let last = material(requests.last().unwrap());
        assert_eq!(last["attempts"].as_array().unwrap().len(), corrections);
        assert_eq!(last["question"], QUESTION);
        assert_eq!(
            last["sql"],
            format!("SELECT ghost{} FROM employee", corrections - 1)
        );
        // Each was checked again before it ran.
        let calls = chat.tools.calls();
        let checks = calls
            .iter()
            .filter(|(name, _)| name == names::CHECK_SQL)
            .count();
        let runs = calls
            .iter()
            .filter(|(name, _)| name == names::RUN_SQL)
            .count();
        assert_eq!((checks, runs), (corrections + 1, 1));
    }
}

#[tokio::test]
async fn after_three_corrections_it_is_given_up_with_what_was_wrong() {
    let model = Model::new([
        tables(&["employee"]),
        wrong(0),
        wrong(1),
        wrong(2),
        wrong(3),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert!(model.is_spent());
    assert!(
        turn.text().contains("after 3 corrections")
            && turn
                .text()
                .contains("There is no column \u{201c}ghost\u{201d} that you may see."),
        "{}",
        turn.text()
    );
    assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    assert!(!chat.thread().await.state.confirmable);
}

#[tokio::test]
async fn what_the_database_rejects_is_corrected_with_its_message() {
    let model = Model::new([
        tables(&["employee"]),
        sql("SELECT id FROM employee"),
        sql(GOOD),
    ]);
    let double = Double::new().ends("rejected", "Unknown function 'foo'.");
    let mut chat = Chat::with_model(double, &model);
    chat.say(QUESTION).await;
    let correction = material(&model.requests()[2]);
    assert_eq!(correction["error"], "Unknown function 'foo'.");
    assert_eq!(
        correction["attempts"],
        json!([{ "sql": "SELECT id FROM employee", "error": "Unknown function 'foo'." }])
    );
    assert_eq!(correction["tables"][0]["name"], "employee");
    assert_eq!(chat.tools.calls_of(names::CHECK_SQL).len(), 2);
}

#[tokio::test]
async fn errors_name_the_columns_that_there_are() {
    let model = Model::new([tables(&["employee"]), wrong(0), sql(GOOD)]);
    Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let error = material(&model.requests()[2])["error"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        error,
        "Column 'ghost' does NOT exist in table 'employee'. Available columns in employee: id, firstName, lastName, status, crewId."
    );
}

#[tokio::test]
async fn the_same_query_again_is_seen_and_not_checked() {
    let again = sql("SELECT   ghost0 FROM employee;");
    let model = Model::new([tables(&["employee"]), wrong(0), again, sql(GOOD)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.text(), "There are 10 active employees.");
    assert_eq!(chat.tools.calls_of(names::CHECK_SQL).len(), 2);
    let error = material(&model.requests()[3])["error"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        error.starts_with("The same query was written again"),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_without_a_query_is_an_attempt_too() {
    let model = Model::new([
        tables(&["employee"]),
        wrong(0),
        says("I can't."),
        says("No."),
        says("Sorry."),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert!(
        model.is_spent() && turn.text().contains("after 3 corrections"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_generator_without_a_query_is_asked_twice() {
    let model = Model::new([tables(&["employee"]), says("I can't."), sql(GOOD)]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.text(), "There are 10 active employees.");
    let model = Model::new([tables(&["employee"]), says("I can't."), says("Really not.")]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert!(
        turn.text().starts_with("The language model wrote no query"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_model_that_fails_while_correcting_ends_it() {
    let model = Model::new([
        tables(&["employee"]),
        wrong(0),
        Answer::Fails(llm::ErrorKind::Overloaded),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.warnings(), ["model_unavailable"]);
    assert!(
        turn.text().contains("could not find a query"),
        "{}",
        turn.text()
    );
}

const OVER: &str = "Which customers have more than five work orders?";
const AGAINST: &str = "SELECT c.name, COUNT(*) AS orders FROM customer c JOIN workOrder w ON w.customerId = c.id GROUP BY c.name HAVING COUNT(*) < 5";

#[tokio::test]
async fn a_query_against_its_question_is_corrected_once() {
    let good = AGAINST.replace("< 5", "> 5");
    let model = Model::new([tables(&["customer", "workOrder"]), sql(AGAINST), sql(&good)]);
    let double = Double::new().rows(json!([{ "name": "Kaiser", "orders": 7 }]));
    let mut chat = Chat::with_model(double, &model);
    let turn = chat.say(OVER).await;
    assert!(model.is_spent());
    let correction = material(&model.requests()[2]);
    assert_eq!(
        correction["error"],
        "The question says \"more than five\", but the query has: count(*) < 5. Write it so that it answers the question."
    );
    let runs = chat.tools.calls_of(names::RUN_SQL);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["sql"], good);
    assert!(!turn.text().contains("contradicts"), "{}", turn.text());
}

#[tokio::test]
async fn an_answer_against_its_question_begins_with_that() {
    let other = AGAINST.replace("< 5", "<= 5");
    let model = Model::new([
        tables(&["customer", "workOrder"]),
        sql(AGAINST),
        sql(&other),
    ]);
    let double = Double::new().rows(json!([{ "name": "Kaiser", "orders": 3 }]));
    let mut chat = Chat::with_model(double, &model);
    let turn = chat.say(OVER).await;
    assert!(
        turn.text().starts_with(
            "The query contradicts \u{201c}more than five\u{201d}: the result is not what you asked for. "
        ),
        "{}",
        turn.text()
    );
    assert!(model.is_spent(), "the model words nothing");
}

#[tokio::test]
async fn the_rules_answer_where_the_model_joins_by_a_part_of_a_key_twice() {
    let edge = json!({
        "from_table": "workOrder", "from_column": "customerId", "to_table": "customer", "to_column": "id",
        "and": [{ "from_column": "title", "to_column": "name" }],
        "type": "foreign_key", "confidence": 1.0, "cardinality": "N:1",
    });
    let paths = json!({
        "target": "fieldservice", "tables": ["workOrder", "customer"], "bridges": [], "unknown": [], "steps": [edge],
        "groups": [["workOrder", "customer"]], "paths": [], "relationships": [edge],
    });
    let table = |name: &str, columns: &[&str]| {
        let columns = columns.iter().map(|column| json!({ "name": column, "type": "varchar(20)", "nullable": true, "unique": *column == "id" }));
        json!({ "name": name, "columns": columns.collect::<Vec<_>>(), "omitted_columns": 0 })
    };
    let described = json!({
        "target": "fieldservice", "dialect": "mysql", "unknown": [], "relationships": [edge],
        "tables": [table("workOrder", &["id", "title", "customerId"]), table("customer", &["id", "name"])],
    });
    let described = || Ok(ToolEnvelope::ok(described.clone()));
    let double = Double::new()
        .then(names::DESCRIBE_TABLES, described())
        .then(names::DESCRIBE_TABLES, described())
        .then(names::DESCRIBE_TABLES, described())
        .then(names::FIND_JOIN_PATHS, Ok(ToolEnvelope::ok(paths)))
        .rows(json!([{ "name": "Kaiser", "count": 3 }]));
    let half = "SELECT c.name, COUNT(*) FROM customer c JOIN workOrder w ON w.customerId = c.id GROUP BY c.name";
    let model = Model::new([
        tables(&["workOrder", "customer"]),
        sql(half),
        sql(&half.replace("c.name,", "c.name AS n,")),
    ]);
    let mut chat = Chat::with_model(double, &model);
    let turn = chat.say("How many work orders by customer?").await;
    let correction = material(&model.requests()[2]);
    assert!(
        correction["error"]
            .as_str()
            .unwrap()
            .contains("Add: workOrder.title = customer.name."),
        "{correction}"
    );
    let runs = chat.tools.calls_of(names::RUN_SQL);
    let ran = runs[0]["sql"].as_str().unwrap();
    assert!(ran.contains("title") && runs.len() == 1, "{ran}");
    assert_eq!(turn.warnings(), ["model_unavailable"]);
    assert!(
        !turn.text().contains("part of their key"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_word_that_the_query_leaves_out_is_corrected_once_and_then_said_first() {
    for (question, query, words) in [
        (
            "How many employees are women?",
            "SELECT COUNT(*) AS women FROM employee",
            "women",
        ),
        (
            "How many of our employees smoke?",
            "SELECT COUNT(*) AS smoke FROM employee",
            "smoke",
        ),
        (
            "How many angry customers do we have?",
            "SELECT COUNT(*) AS angry_customers FROM customer",
            "angry",
        ),
        (
            "How many employees are on parental leave?",
            "SELECT COUNT(id) AS on_leave FROM employee",
            "parental leave",
        ),
    ] {
        let other = format!("{query} WHERE id IS NOT NULL");
        let model = Model::new([tables(&["employee", "customer"]), sql(query), sql(&other)]);
        let double = Double::new().rows(json!([{ "women": 20 }]));
        let turn = Chat::with_model(double, &model).say(question).await;
        let first = format!("The query has no condition for \u{201c}{words}\u{201d}");
        assert!(
            turn.text().starts_with(&first),
            "{question}: {}",
            turn.text()
        );
        assert!(
            !turn.text().contains(&format!("20 {words}")),
            "{}",
            turn.text()
        );
        let requests = model.requests();
        let error = material(&requests[2])["error"].to_string();
        assert!(error.contains(words), "{error}");
        assert!(model.is_spent(), "the model words nothing");
    }
}

#[tokio::test]
async fn a_query_that_leaves_a_word_out_is_better_than_none() {
    let model = Model::new([
        tables(&["employee"]),
        sql("SELECT COUNT(*) AS n FROM employee"),
        says("I cannot."),
        says("No."),
        says("Sorry."),
    ]);
    let double = Double::new().rows(json!([{ "n": 20 }]));
    let turn = Chat::with_model(double, &model)
        .say("How many employees are women?")
        .await;
    let left_out = "The query has no condition for \u{201c}women\u{201d}";
    assert!(turn.text().starts_with(left_out), "{}", turn.text());
    assert!(turn.text().contains("20"), "{}", turn.text());
}
