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
        let model = Model::new([tables(&["employee", "workOrder"]), sql(query)]);
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
