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

const PLAIN: &str = "There are 2 results. Orders: Bonn (1,200) is highest, Ulm (7) lowest.";

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
            (PLAIN, Source::Rules),
            "{words}"
        );
        assert_eq!(turn.warnings(), ["model_unavailable"], "{words}");
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
async fn a_failed_or_stalled_model_loses_no_fact() {
    for (answer, warning) in [
        (
            Answer::Fails(llm::ErrorKind::Overloaded),
            "model_unavailable",
        ),
        (
            Answer::Hangs("Bonn has «\"orders\":\"1,200» orders. And".to_owned()),
            "model_stopped",
        ),
    ] {
        let (turn, _) = worded(answer).await;
        assert!(turn.text().contains(PLAIN), "{}", turn.text());
        assert_eq!(
            (turn.source(), turn.warnings()),
            (Source::Rules, vec![warning])
        );
    }
}
