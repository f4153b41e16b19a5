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
        turn.text()
            .contains("There is no column \u{201c}ghost\u{201d} that you may see."),
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
    assert!(chat.tools.answering().is_empty());
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
async fn a_yes_takes_the_question_that_was_offered() {
    let double = Double::new().knows("How many employees are ill?", QUERY, 0.7);
    let mut chat = Chat::new(double);
    let turn = chat.say("How many employees are in bed today?").await;
    assert!(turn.text().contains("Say yes"), "{}", turn.text());
    chat.restart();
    let turn = chat.say("yes please").await;
    assert_eq!(turn.route(), ("sql", Source::Rules));
    assert_eq!(chat.tools.answering()[0]["sql"], QUERY);
    // Only right after the offer.
    let turn = chat.say("yes").await;
    assert_eq!(turn.route().0, "general", "{}", turn.text());
}

#[tokio::test]
async fn a_follow_up_is_never_the_same_question() {
    let double = knowing().knows("and last month?", "SELECT 5 FROM employee", 1.0);
    let model = Model::new([tables(&["employee"]), sql("SELECT firstName FROM employee")]);
    let mut chat = Chat::with_model(double, &model);
    chat.say(QUESTION).await;
    chat.tools.calls();
    chat.say("and last month?").await;
    assert_eq!(
        chat.tools.calls_of(names::RUN_SQL)[0]["sql"],
        "SELECT firstName FROM employee"
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
        [
            json!({ "target": "fieldservice", "question": QUESTION, "sql": QUERY, "written_at": "2026-11-21T08:30:00Z" })
        ]
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

/// A confirmed question as the tools return it.
fn of_bob() -> std::sync::Arc<Double> {
    Double::new().knows_as(
        QUESTION,
        QUERY,
        &json!({
            "source": "colleague", "confirmed_by": "Bob", "released_by": "Eve", "released_at": "2026-06-02T08:00:00Z",
            "periods": [{ "words": "this year", "from": "2026-01-01", "until": "2026-12-31" }],
        }),
    )
}

#[tokio::test]
async fn an_answer_says_who_confirmed_its_query_and_which_days_it_reads() {
    let told = "\n\n\u{201c}this year\u{201d} is 1 January to 31 December 2026. Bob confirmed this query on 1 January 2026, and Eve \
                released it for everyone on 2 June 2026.";
    let turn = Chat::new(of_bob()).say(QUESTION).await;
    assert_eq!(turn.text(), format!("There are 10 active employees.{told}"));
    // Also when a model words it.
    let model = Model::new([crate::model::says(
        "«must» Of your employees, «10» are active.",
    )]);
    let mut chat =
        Chat::with_model(of_bob(), &model).limited(|options| options.model_wording = true);
    let turn = chat.say(QUESTION).await;
    assert_eq!(
        turn.text(),
        format!("There are 10 active employees. Of your employees, 10 are active.{told}")
    );
}

#[tokio::test]
async fn a_query_that_was_written_anew_is_nobodys_word() {
    let stale = of_bob().then(
        names::CHECK_SQL,
        Ok(ToolEnvelope::ok(json!({
            "target": "fieldservice", "valid": false, "tables": [], "findings": [{ "kind": "unknown_column", "message": "Gone.", "tables": [] }],
        }))),
    );
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let turn = Chat::with_model(stale, &model).say(QUESTION).await;
    assert_eq!(turn.text(), "There are 10 active employees.");
}

#[tokio::test]
async fn what_is_remembered_says_for_whom_and_from_when_its_days_count() {
    for (kept, words) in [
        (
            json!({ "id": "q9", "created": true, "periods": ["last week"] }),
            "with \u{201c}last week\u{201d} counted from the day on which you ask",
        ),
        (
            json!({ "id": "q9", "created": true }),
            "once someone with the scope questions:approve has released it",
        ),
        (
            json!({ "id": "q9", "created": true, "standing": { "id": "q1", "own": false, "confirmed_by": "Bob" } }),
            "Your colleagues keep the query that Bob confirmed",
        ),
        (
            json!({ "id": "q9", "created": false }),
            "I have replaced what I remembered",
        ),
    ] {
        let model = Model::new([tables(&["employee"]), sql(QUERY)]);
        let double = Double::new().then(names::CONFIRM_QUESTION, Ok(ToolEnvelope::ok(kept)));
        let mut chat = Chat::with_model(double, &model);
        chat.say(QUESTION).await;
        let turn = chat.say("That's right, remember it").await;
        assert!(turn.text().contains(words), "{}", turn.text());
    }
}

#[tokio::test]
async fn what_was_just_remembered_can_be_forgotten() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say(QUESTION).await;
    chat.say("remember it").await;
    chat.restart();
    chat.tools.calls();
    let turn = chat.say("Forget it").await;
    assert_eq!(turn.route(), ("sql", Source::Rules));
    assert!(
        turn.text().starts_with(
            "I have forgotten \u{201c}How many employees are active?\u{201d}. The query that you confirmed for it is withdrawn."
        ),
        "{}",
        turn.text()
    );
    assert_eq!(
        chat.tools.calls_of(names::FORGET_QUESTION),
        [json!({ "id": "q9" })]
    );
    let turn = chat.say("forget it").await;
    assert!(
        turn.text().contains("nothing is forgotten"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn the_query_below_an_answer_can_be_forgotten_when_it_was_confirmed() {
    let mut chat = Chat::new(of_bob());
    chat.say(QUESTION).await;
    chat.tools.calls();
    chat.say("That's wrong").await;
    assert_eq!(
        chat.tools.calls_of(names::FORGET_QUESTION),
        [json!({ "id": "q1" })]
    );

    // The answer says which question may not be forgotten, and why.
    let why = "This question is Bob's and released for everyone.";
    let refused = ToolEnvelope::without_result(ToolStatus::Error, why);
    let mut chat = Chat::new(of_bob().then(names::FORGET_QUESTION, Ok(refused)));
    chat.say(QUESTION).await;
    let turn = chat.say("forget that").await;
    assert_eq!(turn.text(), format!("I did not forget anything. {why}"));
    let mut chat = Chat::new(of_bob().then(names::FORGET_QUESTION, Err(ToolsError::Refused)));
    chat.say(QUESTION).await;
    let turn = chat.say("forget that").await;
    assert!(turn.text().contains("questions:write"), "{}", turn.text());
}

#[tokio::test]
async fn an_answer_that_is_not_remembered_has_nothing_to_forget() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say("forget that").await;
    assert!(
        turn.text().contains("nothing is forgotten"),
        "{}",
        turn.text()
    );
    chat.say(QUESTION).await;
    chat.tools.calls();
    let turn = chat.say("that's wrong").await;
    assert!(turn.text().contains("is not remembered"), "{}", turn.text());
    assert!(chat.tools.calls_of(names::FORGET_QUESTION).is_empty());
}
