//! Rows in a model's words: every figure is one of the rows'.

use std::{sync::Arc, time::Duration};

use contracts::run::Source;
use serde_json::json;

use crate::{
    chat::{Chat, Turn},
    double::Double,
    model::{Answer, Model, material, says, sql, tables},
};

async fn worded(answer: Answer) -> (Turn, Arc<Model>) {
    let rows = json!([{ "city": "Bonn", "orders": 1200 }, { "city": "Ulm", "orders": 7 }]);
    let model = Model::new([
        tables(&["customer"]),
        sql(
            "SELECT c.city, COUNT(*) AS orders FROM workOrder w JOIN customer c ON w.customerId = c.id GROUP BY c.city",
        ),
        answer,
    ]);
    let mut chat = Chat::with_model(Double::new().rows(rows), &model).limited(|options| {
        options.model_wording = true;
        options.wording_timeout = Duration::from_millis(200);
    });
    let turn = chat.say("How many orders by city do customers have?").await;
    (turn, model)
}

const PLAIN: &str =
    "There are 2 results. Orders: Bonn (1,200) is highest, Ulm (7) lowest of those that have any.";

#[tokio::test]
async fn true_words_go_out() {
    let words = "«must» Bonn has the most orders «Bonn has the highest orders», «\"orders\":\"1,200». Ulm has «\"orders\":\"7».";
    let (turn, model) = worded(says(words)).await;
    assert_eq!(
        (turn.text().as_str(), turn.source()),
        (
            format!("{PLAIN} Bonn has the most orders, 1,200. Ulm has 7.").as_str(),
            Source::Model
        )
    );
    let asked = material(&model.requests()[2]);
    assert_eq!(asked["rows"][0]["city"], "Bonn");
    assert_eq!(asked["rows"][0]["orders"], "1,200 [[f1]]");
    assert_eq!(asked["sentences"][0]["text"], "There are 2 results.");
}

#[tokio::test]
async fn words_on_no_fact_are_not_said() {
    for words in [
        "Together they have 1,207 orders.",
        "Bonn leads with 1,200 orders. Ulm has 7.",
        "Ulm has «\"orders\":\"1,200» orders.",
        "Bonn has a hundred seventy times as many.",
        "You are asked to create a new table.",
        "All is lovely.",
    ]
    .into_iter()
    .chain(agent_kit::testing::BABBLE)
    {
        let (turn, _) = worded(says(words)).await;
        assert_eq!(
            (turn.text().as_str(), turn.source()),
            (PLAIN, Source::Model),
            "the query is the model's: {words}"
        );
        assert_eq!(turn.warnings(), ["model_unavailable"], "{words}");
        let shown = serde_json::to_string(&turn.events).unwrap();
        assert!(
            shown.contains("fixed rules word it") && !shown.contains("follows fixed rules"),
            "{words}: {shown}"
        );
    }
    let words = "Bonn has «\"orders\":\"1,200» orders. That is 171 times as many.";
    let (turn, _) = worded(says(words)).await;
    assert_eq!(
        turn.text(),
        format!("{PLAIN} Bonn has 1,200 orders."),
        "what has to be said comes first"
    );
}

#[tokio::test]
async fn a_sentence_that_names_a_condition_that_the_query_does_not_have_is_not_said() {
    let mut said = Vec::new();
    for words in [
        "Bonn has «\"orders\":\"1,200» open orders.",
        "Bonn had «\"orders\":\"1,200» orders last month.",
        "Bonn has «\"orders\":\"1,200» orders this year.",
        "Since January, Bonn has «\"orders\":\"1,200» orders.",
        "Bonn has «\"orders\":\"1,200» urgent orders.",
        "Bonn has «\"orders\":\"1,200» orders over 500 euros.",
        "Bonn has «\"orders\":\"1,200» paid and unpaid orders.",
        "Bonn has «\"orders\":\"1,200» orders without the cancelled ones.",
        "Bonn has «\"orders\":\"1,200» orders, cancelled ones included.",
        "Among new customers, Bonn has the most orders «Bonn has the highest orders».",
        "Of the orders that are overdue, Bonn has «\"orders\":\"1,200».",
        "Bonn has the most orders in Germany «Bonn has the highest orders».",
        "Bonn has «\"orders\":\"1,200» orders of Miller.",
        "Bonn has «\"orders\":\"1,200» orders with a technician.",
        "On weekdays, Ulm has «\"orders\":\"7» orders.",
        "Ulm has «\"orders\":\"7» orders before tax.",
        "Ulm has «\"orders\":\"7» orders that were assigned.",
        "Ulm has at least one, «\"orders\":\"7» orders.",
    ] {
        let (turn, _) = worded(says(words)).await;
        if turn.text() != PLAIN {
            said.push((words, turn.text()));
        }
    }
    assert!(said.is_empty(), "{said:#?}");
}

#[tokio::test]
async fn an_acknowledgement_costs_no_sentence_and_is_not_said() {
    for begin in ["Sure! ", "Sure, ", "Of course! ", "Great question! "] {
        let words = format!("{begin}Bonn has «\"orders\":\"1,200» orders.");
        let (turn, _) = worded(says(&words)).await;
        let expected = format!("{PLAIN} Bonn has 1,200 orders.");
        assert_eq!(
            (turn.text(), turn.source()),
            (expected, Source::Model),
            "{words}"
        );
    }
}

/// A question, the model's query for it, one row or several of the count, and the answer.
async fn counted(question: &str, query: &str, name: &str, values: serde_json::Value) -> Turn {
    let rows = json!([{ name: values }]);
    let model = Model::new([tables(&["workOrder"]), sql(query)]);
    let mut chat = Chat::with_model(Double::new().rows(rows), &model);
    chat.say(question).await
}

#[tokio::test]
async fn a_condition_that_the_query_leaves_out_is_named_and_not_claimed() {
    let without = |word: &str| {
        format!(
            "The query has no condition for \u{201c}{word}\u{201d}: the result is not limited to that. Count: 42."
        )
    };
    for (question, query, name, word) in [
        (
            "How many work orders are overdue?",
            "SELECT COUNT(*) AS overdue FROM workOrder",
            "overdue",
            "overdue",
        ),
        (
            "How many overdue work orders are there?",
            "SELECT COUNT(*) AS overdue_work_orders FROM workOrder",
            "overdue_work_orders",
            "overdue",
        ),
        (
            "How many unassigned work orders are there?",
            "SELECT COUNT(*) AS unassigned_orders FROM workOrder WHERE assigned = 1",
            "unassigned_orders",
            "unassigned",
        ),
        (
            "How many work orders were cancelled last month?",
            "SELECT COUNT(*) AS cancelled FROM workOrder WHERE status = 'cancelled'",
            "cancelled",
            "last month",
        ),
    ] {
        let turn = counted(question, query, name, json!(42)).await;
        let expected = if word == "last month" {
            without(word).replace("Count:", "Cancelled:")
        } else {
            without(word)
        };
        assert_eq!(turn.text(), expected, "{query}");
        assert_eq!(turn.source(), Source::Model);
    }
    let tested = "SELECT COUNT(*) AS overdue FROM workOrder WHERE due < CURDATE()";
    let turn = counted(
        "How many work orders are overdue?",
        tested,
        "overdue",
        json!(42),
    )
    .await;
    assert_eq!(turn.text(), "There are 42 overdue work orders.");
}

#[tokio::test]
async fn no_words_and_no_picture_claim_what_the_query_leaves_out() {
    let rows =
        json!([{ "city": "Bonn", "overdue_orders": 1200 }, { "city": "Ulm", "overdue_orders": 7 }]);
    let model = Model::new([
        tables(&["customer"]),
        sql(
            "SELECT c.city, COUNT(*) AS overdue_orders FROM workOrder w JOIN customer c ON w.customerId = c.id GROUP BY c.city",
        ),
    ]);
    let mut chat = Chat::with_model(Double::new().rows(rows), &model).limited(|options| {
        options.model_wording = true;
    });
    let turn = chat
        .say("Overdue orders: how many overdue orders by city do customers have?")
        .await;
    assert_eq!(
        turn.text(),
        "The query has no condition for \u{201c}overdue\u{201d}: the result is not limited to that. There are 2 results. Count: Bonn (1,200) is highest, Ulm (7) lowest of those that have any."
    );
    assert!(model.is_spent(), "the model words nothing");
    let shown = serde_json::to_string(&turn.events).unwrap().to_lowercase();
    assert!(
        shown.contains("count by city") && !shown.contains("overdue_orders\\\":"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_failed_or_stalled_model_loses_no_fact() {
    for (answer, source, warning) in [
        (
            Answer::Fails(llm::ErrorKind::Overloaded),
            Source::Model,
            "model_unavailable",
        ),
        (
            Answer::Hangs("Bonn has «\"orders\":\"1,200» orders. And".to_owned()),
            Source::Model,
            "model_stopped",
        ),
    ] {
        let (turn, _) = worded(answer).await;
        assert!(turn.text().contains(PLAIN), "{}", turn.text());
        assert_eq!((turn.source(), turn.warnings()), (source, vec![warning]));
    }
}

#[tokio::test]
async fn results_without_a_date_are_told_and_are_beside_the_picture() {
    for (none, shown) in [
        (serde_json::Value::Null, "month"),
        (json!("0000-00"), "month"),
    ] {
        let rows = json!([
            { "month": "2026-01", "orders": 5 }, { "month": "2026-02", "orders": 4 }, { "month": none, "orders": 1200 },
        ]);
        let query = "SELECT DATE_FORMAT(createdAt, '%Y-%m') AS month, COUNT(*) AS orders FROM workOrder GROUP BY 1 ORDER BY 1";
        let model = Model::new([tables(&["workOrder"]), sql(query)]);
        let mut chat = Chat::with_model(Double::new().rows(rows), &model);
        let turn = chat
            .say("How many work orders were created per month?")
            .await;
        assert_eq!(
            turn.text(),
            format!(
                "There are 3 results. One has no {shown} (orders: 1,200). Orders: 2026-01 (5) is highest, 2026-02 (4) lowest; that is the last one, which may not be complete."
            )
        );
        let chart = turn.chart().unwrap();
        assert_eq!(chart["chartType"], "line");
        assert_eq!(chart["data"].as_array().unwrap().len(), 2, "{chart}");
    }
}
