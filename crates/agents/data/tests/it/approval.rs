//! Plans that wait for a person, in this process or another.

use agent_data::Approval;
use contracts::{
    run::{FinishReason, Source},
    tools::sql::names,
};
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model::{Model, material, sql, tables},
};

const QUESTION: &str = "How many employees are active?";
const QUERY: &str = "SELECT COUNT(*) AS n FROM employee WHERE status = 'active'";

fn asking(model: &std::sync::Arc<Model>) -> Chat {
    Chat::with_model(Double::new(), model).limited(|options| options.approval = Approval::Always)
}

fn model() -> std::sync::Arc<Model> {
    Model::new([tables(&["employee"]), sql(QUERY)])
}

#[tokio::test]
async fn the_plan_is_shown_and_runs_when_it_is_approved_in_another_process() {
    let model = model();
    let mut chat = asking(&model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
    assert!(
        turn.text().contains(QUERY) && turn.text().contains("at most 100 rows"),
        "{}",
        turn.text()
    );
    let (call, picker) = turn.picker();
    let labels: Vec<_> = picker["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["Run it", "Change it", "Cancel"]);
    let pending = chat.thread().await.pending.unwrap();
    assert_eq!(
        (pending.call_id.as_str(), pending.sql.as_str()),
        (call, QUERY)
    );
    assert_eq!(
        (pending.tables, pending.max_rows),
        (vec!["employee".to_owned()], 100)
    );
    assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());

    chat.restart();
    let resumed = chat.say("Selected: run").await;
    assert_eq!(resumed.route(), ("sql", Source::Rules));
    assert_eq!(resumed.answered(), [(call, &json!({ "selection": "run" }))]);
    assert_eq!(resumed.text(), "There are 10 active employees.");
    assert_eq!(chat.tools.calls_of(names::RUN_SQL)[0]["sql"], QUERY);
    let thread = chat.thread().await;
    assert!(thread.pending.is_none() && thread.state.confirmable);
}

#[tokio::test]
async fn a_value_of_the_picker_is_an_answer_as_well() {
    let mut chat = asking(&model());
    let turn = chat.say(QUESTION).await;
    let resumed = chat
        .give(turn.picker().0, json!({ "selection": "run" }))
        .await;
    assert_eq!(resumed.text(), "There are 10 active employees.");
}

#[tokio::test]
async fn any_word_of_consent_runs_the_query_that_was_shown() {
    for word in [
        "ok go ahead",
        "proceed",
        "continue",
        "yep",
        "correct",
        "ja",
        "Yes, that is right.",
    ] {
        let model = model();
        let mut chat = asking(&model);
        chat.say(QUESTION).await;
        let turn = chat.say(word).await;
        assert_eq!(turn.text(), "There are 10 active employees.", "{word}");
        assert_eq!(chat.tools.calls_of(names::RUN_SQL)[0]["sql"], QUERY);
        assert!(model.is_spent(), "no other query is written");
    }
}

#[tokio::test]
async fn a_confirmed_query_runs_as_it_was_confirmed() {
    let double = Double::new().knows(QUESTION, QUERY, 1.0);
    let model = Model::new([]);
    let mut chat = Chat::with_model(double.clone(), &model)
        .limited(|options| options.approval = Approval::Always);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.text(), "There are 10 active employees.");
    // Where its plan is asked for, a yes runs it and nothing else.
    let turn = chat
        .say(&format!("{QUESTION} Show me the plan first."))
        .await;
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
    double.calls();
    chat.restart();
    let turn = chat.say("ok, go ahead").await;
    assert_eq!(turn.text(), "There are 10 active employees.");
    assert_eq!(chat.tools.calls_of(names::RUN_SQL)[0]["sql"], QUERY);
}

#[tokio::test]
async fn the_plan_names_the_joins_that_the_query_has() {
    let query = "SELECT e.lastName FROM employee e JOIN workTime w ON w.employeeId = e.id";
    let model = Model::new([tables(&["employee", "workOrder"]), sql(query)]);
    let mut chat = asking(&model);
    chat.say("Who worked on which work order?").await;
    let plan = chat.thread().await.pending.unwrap().plan;
    assert_eq!(
        plan,
        ["workTime.employeeId = employee.id"],
        "the plan has workTime.workOrderId as well"
    );
}

#[tokio::test]
async fn nothing_runs_that_is_declined() {
    let mut chat = asking(&model());
    chat.say(QUESTION).await;
    let turn = chat.say("no, thanks").await;
    assert_eq!(turn.text(), "Nothing was run.");
    assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    assert!(chat.thread().await.pending.is_none());
}

#[tokio::test]
async fn a_change_goes_to_the_generator_and_is_shown_again() {
    let model = model();
    let mut chat = asking(&model);
    let first = chat.say(QUESTION).await;
    model.then(tables(&["employee"]));
    model.then(sql("SELECT firstName FROM employee"));
    chat.restart();
    let second = chat.say("only those with a crew").await;
    assert_eq!(
        second.answered()[0].1,
        &json!({ "selection": "only those with a crew" })
    );
    assert_ne!(first.picker().0, second.picker().0);
    let asked = material(model.requests().last().unwrap());
    assert_eq!(
        (&asked["wanted_otherwise"], &asked["before"]),
        (&json!("only those with a crew"), &json!(QUERY))
    );
    let run = chat.say("yes").await;
    assert!(run.text().contains("10"));
    assert_eq!(
        chat.tools.calls_of(names::RUN_SQL)[0]["sql"],
        "SELECT firstName FROM employee"
    );
}

#[tokio::test]
async fn who_wants_a_change_is_asked_which() {
    let model = model();
    let mut chat = asking(&model);
    chat.say(QUESTION).await;
    let asked = chat.say("Selected: change").await;
    assert!(
        asked.text().starts_with("What should be different?"),
        "{}",
        asked.text()
    );
    assert_eq!(
        (asked.reason(), asked.answered().len()),
        (FinishReason::Stop, 1)
    );
    chat.restart();
    let run = chat.say("run it").await;
    assert!(run.answered().is_empty(), "it was answered before");
    assert_eq!(run.text(), "There are 10 active employees.");
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_taken_again() {
    let mut chat = asking(&model());
    chat.say(QUESTION).await;
    let first = chat.say("run").await;
    let again = chat.again("run").await;
    assert_eq!(first.events, again.events);
}

#[tokio::test]
async fn a_message_may_ask_for_the_plan_itself() {
    let mut chat = Chat::with_model(Double::new(), &model());
    let turn = chat
        .say(&format!("{QUESTION} Show me the plan first."))
        .await;
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
    assert_eq!(chat.thread().await.pending.unwrap().question, QUESTION);
    assert_eq!(
        chat.say("ok").await.text(),
        "There are 10 active employees."
    );
}

#[tokio::test]
async fn only_expensive_plans_wait_where_that_is_wanted() {
    for (most, waits) in [(1, false), (0, true)] {
        let mut chat = Chat::with_model(Double::new(), &model()).limited(|options| {
            options.approval = Approval::Expensive;
            options.approval_tables = most;
        });
        let turn = chat.say(QUESTION).await;
        assert_eq!(turn.reason() == FinishReason::ToolCalls, waits);
    }
    // What follows a query that was refused as too expensive waits as well, with what the database
    // expected.
    let model = Model::new([
        tables(&["employee"]),
        sql(QUERY),
        sql("SELECT firstName FROM employee"),
    ]);
    let double = Double::new().ends("too_expensive", "Too much.");
    let mut chat =
        Chat::with_model(double, &model).limited(|options| options.approval = Approval::Expensive);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
    assert_eq!(
        chat.thread().await.pending.unwrap().estimated_rows,
        Some(9_000_000.0)
    );
    assert!(turn.text().contains("9000000 rows"), "{}", turn.text());
}

#[tokio::test]
async fn what_is_corrected_after_approval_is_another_query_and_waits_again() {
    let model = model();
    let double = Double::new().ends("rejected", "No such function.");
    let mut chat =
        Chat::with_model(double, &model).limited(|options| options.approval = Approval::Always);
    chat.say(QUESTION).await;
    model.then(sql("SELECT firstName FROM employee"));
    let turn = chat.say("run it").await;
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
    assert_eq!(
        chat.thread().await.pending.unwrap().sql,
        "SELECT firstName FROM employee"
    );
}

#[tokio::test]
async fn a_picker_that_is_not_open_is_said_to_be_none() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.give("call_x", json!("run")).await;
    assert!(turn.text().contains("not open any more"), "{}", turn.text());
}
