//! Queries of a model that answer another question than the one that was asked.

use contracts::{run::Source, tools::sql::names};
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model::{Model, material, sql, tables},
};

#[tokio::test]
async fn a_condition_that_the_question_does_not_say_is_named_first() {
    for (question, query, name, first) in [
        (
            "How many employees are women?",
            "SELECT COUNT(*) AS women FROM employee WHERE firstName LIKE '%a'",
            "women",
            "This takes only rows where first name ends with \u{201c}a\u{201d}. I could not confirm that this is what you mean by \u{201c}women\u{201d}.",
        ),
        (
            "How many employees are smokers?",
            "SELECT COUNT(*) AS smokers FROM employee WHERE status = 'onLeave'",
            "smokers",
            "This takes only rows where status is \u{201c}onLeave\u{201d}. I could not confirm that this is what you mean by \u{201c}smokers\u{201d}.",
        ),
        (
            "How many work orders are late?",
            "SELECT COUNT(*) AS late FROM workOrder WHERE title = 'urgent'",
            "late",
            "This takes only rows where title is \u{201c}urgent\u{201d}. I could not confirm that this is what you mean by \u{201c}late\u{201d}.",
        ),
    ] {
        // The model may correct it once, and insists.
        let model = Model::new([tables(&["employee", "workOrder"]), sql(query), sql(query)]);
        let double = Double::new().rows(json!([{ name: 8 }]));
        let turn = Chat::with_model(double, &model).say(question).await;
        assert_eq!(turn.text(), format!("{first} Count: 8."), "{query}");
        assert_eq!(turn.source(), Source::Model, "{query}");
        assert!(model.is_spent(), "the model words nothing");
    }
}

#[tokio::test]
async fn rows_that_a_join_repeats_are_corrected_once_and_then_said() {
    let query =
        "SELECT COUNT(*) AS employees FROM employee e JOIN workTime w ON w.employeeId = e.id";
    let other = query.replace("COUNT(*)", "COUNT(e.id)");
    let question = "How many employees work here with all their hours?";
    let model = Model::new([tables(&["employee", "workTime"]), sql(query), sql(&other)]);
    let double = Double::new().rows(json!([{ "employees": 10435 }]));
    let turn = Chat::with_model(double, &model).say(question).await;
    let error = material(&model.requests()[2])["error"].to_string();
    assert!(error.contains("counted or added several times"), "{error}");
    assert!(
        turn.text().starts_with(
            "The query counts or adds employees once for each of their work times: the result is too large."
        ),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_count_of_other_rows_is_refused_for_what_it_is() {
    let query = "SELECT COUNT(*) AS n FROM customer WHERE city = 'Hamburg'";
    let answers = [query, query, query, query].map(sql);
    let model = Model::new(
        [tables(&["employee", "customer"])]
            .into_iter()
            .chain(answers),
    );
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say("How many employees work in Hamburg?").await;
    assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    assert!(
        turn.text()
            .contains("does not read the employees that the question counts")
            && !turn.text().contains("states values itself"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_model_is_told_once_of_a_condition_that_nothing_says_and_may_leave_it_out() {
    let model = Model::new([
        tables(&["employee"]),
        sql("SELECT COUNT(*) AS smokers FROM employee WHERE status = 'onLeave'"),
        sql("SELECT COUNT(*) AS smokers FROM employee WHERE lastName = 'smoker'"),
    ]);
    let double = Double::new().rows(json!([{ "smokers": 8 }]));
    let mut chat = Chat::with_model(double, &model);
    let turn = chat.say("How many employees are smokers?").await;
    assert!(model.is_spent());
    let correction = material(&model.requests()[2]);
    assert_eq!(
        correction["error"],
        "The query takes only rows where status is \u{201c}onLeave\u{201d}, and nothing in the question says so. Write it so that it answers the question."
    );
    let runs = chat.tools.calls_of(names::RUN_SQL);
    assert_eq!(runs.len(), 1, "the first query does not run");
    assert!(!turn.text().contains("This takes only"), "{}", turn.text());
}

#[tokio::test]
async fn a_corrected_query_is_not_corrected_a_second_time() {
    let other = "SELECT COUNT(*) AS smokers FROM employee WHERE title = 'boss'";
    let model = Model::new([
        tables(&["employee"]),
        sql("SELECT COUNT(*) AS smokers FROM employee WHERE status = 'onLeave'"),
        sql(other),
    ]);
    let double = Double::new().rows(json!([{ "smokers": 8 }]));
    let mut chat = Chat::with_model(double, &model);
    let turn = chat.say("How many employees are smokers?").await;
    assert!(model.is_spent());
    assert_eq!(chat.tools.calls_of(names::RUN_SQL)[0]["sql"], other);
    assert!(
        turn.text()
            .starts_with("This takes only rows where title is \u{201c}boss\u{201d}."),
        "{}",
        turn.text()
    );
}

/// A thread with an answer to "How many employees are active?", and what it says to the next
/// message, to which the model answers with these queries.
async fn continued(message: &str, queries: &[&str]) -> (String, std::sync::Arc<Model>) {
    let active = "SELECT COUNT(*) AS n FROM employee WHERE status = 'active'";
    let model = Model::new([tables(&["employee"]), sql(active)]);
    let double = Double::new().rows(json!([{ "n": 10 }]));
    let mut chat = Chat::with_model(double, &model);
    let first = chat.say("How many employees are active?").await.text();
    assert!(!first.contains("This takes only"), "{first}");
    model.requests();
    model.then(tables(&["employee"]));
    for query in queries {
        model.then(sql(query));
    }
    (chat.say(message).await.text(), model)
}

#[tokio::test]
async fn a_question_about_the_answer_before_it_keeps_what_the_conversation_says() {
    for (message, query) in [
        (
            "and by crew?",
            "SELECT crewId, COUNT(*) AS n FROM employee WHERE status = 'active' GROUP BY crewId",
        ),
        (
            "only those of crew 7",
            "SELECT COUNT(*) AS n FROM employee WHERE status = 'active' AND crewId = 7",
        ),
    ] {
        let (text, model) = continued(message, &[query]).await;
        assert!(model.is_spent(), "{message}");
        assert!(!text.contains("This takes only"), "{message}: {text}");
    }
}

#[tokio::test]
async fn a_question_about_the_answer_before_it_adds_no_condition_that_nobody_said() {
    let right = "SELECT COUNT(*) AS n FROM employee WHERE status = 'active' AND crewId = 7";
    let added = format!("{right} AND firstName = 'Anna'");
    let message = "only those of crew 7";
    let (text, model) = continued(message, &[&added, right]).await;
    assert!(model.is_spent());
    assert!(!text.contains("This takes only"), "{text}");
    let correction = material(model.requests().last().unwrap());
    let error = correction["error"].as_str().unwrap();
    assert!(
        error.contains("first name is \u{201c}Anna\u{201d}") && !error.contains("active"),
        "{error}"
    );
    assert_eq!(
        correction["earlier"][0]["question"],
        "How many employees are active?"
    );
    // It insists: the answer names the condition, and that of the conversation is not named.
    let (text, model) = continued(message, &[&added, &added]).await;
    assert!(model.is_spent());
    assert!(
        text.starts_with("This takes only rows where first name is \u{201c}Anna\u{201d}, which you did not ask for in these words."),
        "{text}"
    );
}

#[tokio::test]
async fn a_condition_that_an_answer_named_is_named_again_and_not_corrected_again() {
    let first = "SELECT COUNT(*) AS n FROM employee WHERE status = 'onLeave'";
    let next =
        "SELECT crewId, COUNT(*) AS n FROM employee WHERE status = 'onLeave' GROUP BY crewId";
    let model = Model::new([tables(&["employee"]), sql(first), sql(first)]);
    let double = Double::new().rows(json!([{ "n": 10 }]));
    let mut chat = Chat::with_model(double, &model);
    let named = "This takes only rows where status is \u{201c}onLeave\u{201d}";
    let text = chat.say("How many employees are smokers?").await.text();
    assert!(text.starts_with(named), "{text}");
    model.then(tables(&["employee"]));
    model.then(sql(next));
    let text = chat.say("only those of crew 7").await.text();
    assert!(model.is_spent());
    assert!(text.starts_with(named), "{text}");
}
