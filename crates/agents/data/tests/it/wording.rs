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
        sql("SELECT city, 1 AS orders FROM customer"),
        answer,
    ]);
    let mut chat = Chat::with_model(Double::new().rows(rows), &model).limited(|options| {
        options.model_wording = true;
        options.wording_timeout = Duration::from_millis(200);
    });
    let turn = chat.say("How many orders by city do customers have?").await;
    (turn, model)
}

#[tokio::test]
async fn true_words_go_out() {
    let (turn, model) = worded(says("Bonn leads with 1,200 orders. Ulm has 7.")).await;
    assert_eq!(
        (turn.text().as_str(), turn.source()),
        ("Bonn leads with 1,200 orders. Ulm has 7.", Source::Model)
    );
    let asked = material(&model.requests()[2]);
    assert_eq!(asked["rows"][0]["city"], "Bonn");
    assert_eq!(
        asked["plain"],
        "There are 2 results. Orders: Bonn (1,200) is highest, Ulm (7) lowest."
    );
}

#[tokio::test]
async fn at_a_figure_that_is_none_of_the_rows_the_rules_go_on() {
    let (turn, _) = worded(says("Together they have 1,207 orders.")).await;
    assert_eq!(
        (turn.text().as_str(), turn.source()),
        (
            "Together they have\u{2026} I left out a figure there that is not in the data. There are 2 results. Orders: Bonn (1,200) is highest, Ulm (7) lowest.",
            Source::Rules
        )
    );
    let (turn, _) = worded(says(
        "Bonn leads with 1,200 orders. That is 171 times as many.",
    ))
    .await;
    let text = turn.text();
    assert!(
        text.starts_with("Bonn leads with 1,200 orders.")
            && text.ends_with("Ulm (7) lowest.")
            && !text.contains("171"),
        "{text}"
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
            Answer::Hangs("Bonn leads with 1,200 orders. And".to_owned()),
            "model_stopped",
        ),
    ] {
        let (turn, _) = worded(answer).await;
        assert!(
            turn.text().contains("1,200") && turn.text().ends_with("Ulm (7) lowest."),
            "{}",
            turn.text()
        );
        assert_eq!(
            (turn.source(), turn.warnings()),
            (Source::Rules, vec![warning])
        );
    }
}
