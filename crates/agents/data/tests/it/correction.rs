//! Corrections: how many, of what, and when none helps.

use contracts::tools::sql::names;
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
