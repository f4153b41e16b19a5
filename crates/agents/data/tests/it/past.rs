//! Questions that people confirmed, and confirming them.

use agent_kit::ToolsError;
use contracts::{
    run::Source,
    tools::{ToolEnvelope, ToolStatus, sql::names},
};
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model::{Model, material, sql, tables},
};

const QUESTION: &str = "How many employees are active?";
const QUERY: &str = "SELECT COUNT(*) AS n FROM employee WHERE status = 'active'";

fn knowing() -> std::sync::Arc<Double> {
    Double::new().knows(QUESTION, QUERY, 1.0)
}

#[tokio::test]
async fn the_same_question_is_answered_without_a_model() {
    let mut chat = Chat::new(knowing());
    let turn = chat.say("how many employees are active").await;
    assert_eq!(turn.route(), ("sql", Source::Rules));
    assert_eq!(
        (turn.text().as_str(), turn.source()),
        ("There are 10 active employees.", Source::Rules)
    );
    assert_eq!(chat.tools.calls_of(names::RUN_SQL)[0]["sql"], QUERY);
}

#[tokio::test]
async fn nor_is_a_model_asked_that_there_is() {
    let model = Model::new([]);
    let turn = Chat::with_model(knowing(), &model).say(QUESTION).await;
    assert_eq!(turn.text(), "There are 10 active employees.");
}

#[tokio::test]
async fn a_confirmed_query_that_fits_no_more_is_written_anew() {
    let stale = Double::new().knows(QUESTION, "SELECT ghost FROM employee", 1.0);
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(stale, &model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.text(), "There are 10 active employees.");
    let asked = material(&model.requests()[1]);
    assert!(asked.get("examples").is_none(), "{asked}");

    let stale = Double::new().knows(QUESTION, "SELECT ghost FROM employee", 1.0);
    let turn = Chat::new(stale).say(QUESTION).await;
    assert!(
        turn.text().contains("Column 'ghost' does NOT exist"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn similar_questions_are_examples_for_the_model() {
    let double = Double::new().knows("How many employees are ill?", "SELECT 1 FROM employee", 0.9);
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    Chat::with_model(double, &model).say(QUESTION).await;
    let asked = material(&model.requests()[1]);
    assert_eq!(
        asked["examples"],
        json!([{ "question": "How many employees are ill?", "sql": "SELECT 1 FROM employee" }])
    );
}

#[tokio::test]
async fn without_a_model_the_most_similar_is_offered_and_never_run() {
    let double = Double::new().knows("How many employees are ill?", "SELECT 1 FROM employee", 0.9);
    let mut chat = Chat::new(double);
    let turn = chat.say(QUESTION).await;
    assert!(
        turn.text()
            .contains("I can answer: \u{201c}How many employees are ill?\u{201d}"),
        "{}",
        turn.text()
    );
    assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    let far = Double::new().knows("Which crews are there?", "SELECT 1 FROM crew", 0.2);
    let turn = Chat::new(far).say(QUESTION).await;
    assert!(
        turn.text().contains(
            "takes a language model. You could ask: \u{201c}Which crews are there?\u{201d}"
        ),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_follow_up_is_never_the_same_question() {
    let double = knowing().knows("and last month?", "SELECT 5 FROM employee", 1.0);
    let model = Model::new([tables(&["employee"]), sql("SELECT 2 FROM employee")]);
    let mut chat = Chat::with_model(double, &model);
    chat.say(QUESTION).await;
    chat.tools.calls();
    chat.say("and last month?").await;
    assert_eq!(
        chat.tools.calls_of(names::RUN_SQL)[0]["sql"],
        "SELECT 2 FROM employee"
    );
}

#[tokio::test]
async fn a_right_answer_is_remembered_once_and_only_right_after_it() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let nothing = chat.say("Yes, save that").await;
    assert!(
        nothing
            .text()
            .starts_with("There is no answer from the data"),
        "{}",
        nothing.text()
    );
    chat.say(QUESTION).await;
    chat.restart();
    chat.tools.calls();
    let turn = chat.say("That's right, remember it").await;
    assert_eq!(turn.route(), ("sql", Source::Rules));
    assert!(
        turn.text()
            .starts_with("I will remember \u{201c}How many employees are active?\u{201d}"),
        "{}",
        turn.text()
    );
    assert_eq!(
        chat.tools.calls_of(names::CONFIRM_QUESTION),
        [json!({ "target": "fieldservice", "question": QUESTION, "sql": QUERY })]
    );
    assert!(
        chat.say("remember it")
            .await
            .text()
            .starts_with("There is no answer")
    );
}

#[tokio::test]
async fn an_answer_of_before_is_not_remembered() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say(QUESTION).await;
    chat.say("What can you do?").await;
    assert!(
        chat.say("Yes, save that")
            .await
            .text()
            .starts_with("There is no answer")
    );
    assert!(chat.tools.calls_of(names::CONFIRM_QUESTION).is_empty());
}

#[tokio::test]
async fn who_may_not_confirm_is_told_so() {
    for (answer, words) in [
        (Err(ToolsError::Refused), "questions:write"),
        (
            Ok(ToolEnvelope::without_result(
                ToolStatus::Error,
                "The query does not pass.",
            )),
            "The query does not pass.",
        ),
    ] {
        let model = Model::new([tables(&["employee"]), sql(QUERY)]);
        let mut chat =
            Chat::with_model(Double::new().then(names::CONFIRM_QUESTION, answer), &model);
        chat.say(QUESTION).await;
        let turn = chat.say("Yes, save that").await;
        assert!(turn.text().contains(words), "{}", turn.text());
        assert!(
            chat.thread().await.state.confirmable,
            "it may be tried again"
        );
    }
}
