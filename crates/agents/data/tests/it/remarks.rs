//! Remarks on properties of rows that their query does not distinguish.

use contracts::tools::sql::names;
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, run},
};

/// A result of these rows, of a table.
fn result(table: &str, rows: Value) -> contracts::tools::ToolEnvelope {
    let mut found = run(rows);
    found["tables"] = json!([table]);
    contracts::tools::ToolEnvelope::ok(found)
}

fn invoices() -> std::sync::Arc<Double> {
    Double::new().describes(
        "workOrder",
        &[
            ("id", "int"),
            ("title", "varchar(20)"),
            ("price", "decimal(10,2)"),
            ("hours", "decimal(5,1)"),
            ("currency", "char(3)"),
        ],
    )
}

#[tokio::test]
async fn amounts_in_several_currencies_have_no_total() {
    for query in [
        "SELECT SUM(price) AS total FROM workOrder",
        "SELECT AVG(price) AS average FROM workOrder WHERE title = 'x'",
        "SELECT title, SUM(COALESCE(price, 0)) AS total FROM workOrder GROUP BY title",
    ] {
        let double = invoices()
            .then(
                names::RUN_SQL,
                Ok(result("workOrder", json!([{ "total": 555_769.25 }]))),
            )
            .then(
                names::RUN_SQL,
                Ok(result(
                    "workOrder",
                    json!([{ "currency": "CHF" }, { "currency": "EUR" }]),
                )),
            );
        let turn = Chat::new(double).say(query).await;
        let text = turn.text();
        assert!(
            text.starts_with(
                "The amounts of workOrder are in several units (currency CHF, EUR), and this query adds them as if they were in one"
            ),
            "{query}: {text}"
        );
        assert!(!text.to_lowercase().contains("total"), "{query}: {text}");
    }
}

#[tokio::test]
async fn amounts_that_are_told_apart_or_are_in_one_currency_have_no_remark() {
    for (query, currencies) in [
        (
            "SELECT currency, SUM(price) AS total FROM workOrder GROUP BY currency",
            json!([{ "currency": "CHF" }, { "currency": "EUR" }]),
        ),
        (
            "SELECT SUM(price) AS total FROM workOrder WHERE currency = 'EUR'",
            json!([{ "currency": "CHF" }, { "currency": "EUR" }]),
        ),
        (
            "SELECT SUM(hours) AS total FROM workOrder",
            json!([{ "currency": "CHF" }, { "currency": "EUR" }]),
        ),
        (
            "SELECT SUM(price) AS total FROM workOrder",
            json!([{ "currency": "EUR" }]),
        ),
    ] {
        let double = invoices()
            .then(
                names::RUN_SQL,
                Ok(result("workOrder", json!([{ "total": 12 }]))),
            )
            .then(names::RUN_SQL, Ok(result("workOrder", currencies)));
        let text = Chat::new(double).say(query).await.text();
        assert!(text.starts_with("Total: 12."), "{query}: {text}");
    }
}

#[tokio::test]
async fn rows_that_are_marked_as_deleted_are_told() {
    for (column, kind, condition) in [
        ("deleted_at", "timestamp", "`deleted_at` IS NOT NULL"),
        ("isDeleted", "tinyint(1)", "`isDeleted` <> 0"),
        ("deleted", "boolean", "`deleted` = TRUE"),
    ] {
        for question in [
            "How many customers are there?",
            "How many customers are there per name?",
            "List all customers",
        ] {
            // A list shows the mark of each row.
            if question.starts_with("List") && column == "isDeleted" {
                continue;
            }
            let double = Double::new()
                .describes(
                    "customer",
                    &[("id", "int"), ("name", "text"), (column, kind)],
                )
                .then(
                    names::RUN_SQL,
                    Ok(result("customer", json!([{ "count": 180 }]))),
                )
                .then(
                    names::RUN_SQL,
                    Ok(result("customer", json!([{ "marked": 14 }]))),
                );
            let mut chat = Chat::new(double);
            let text = chat.say(question).await.text();
            assert!(
                text.ends_with(&format!(
                    "14 of all customers are marked as deleted ({column}), and are not left out."
                )),
                "{column}, {question}: {text}"
            );
            let runs = chat.tools.calls_of(names::RUN_SQL);
            assert_eq!(
                runs[1]["sql"],
                format!("SELECT COUNT(*) AS marked FROM `customer` WHERE {condition}")
            );
        }
    }
    // None is marked.
    let double = Double::new()
        .describes("customer", &[("id", "int"), ("deleted_at", "datetime")])
        .then(
            names::RUN_SQL,
            Ok(result("customer", json!([{ "count": 180 }]))),
        )
        .then(
            names::RUN_SQL,
            Ok(result("customer", json!([{ "marked": 0 }]))),
        );
    let text = Chat::new(double)
        .say("How many customers are there?")
        .await
        .text();
    assert_eq!(text, "There are 180 customers.");
}

#[tokio::test]
async fn a_tie_at_the_end_of_a_cut_list_is_told() {
    let rows = |count: usize, figure: i64| -> Vec<Value> {
        (0..count)
            .map(|at| json!({ "animal": format!("A{at}"), "feedings": figure }))
            .collect()
    };
    let query = "SELECT animal, COUNT(*) AS feedings FROM workTime GROUP BY animal ORDER BY feedings DESC LIMIT 4";
    let double = Double::new()
        .then(
            names::RUN_SQL,
            Ok(result(
                "workTime",
                json!([rows(1, 20), rows(3, 17)].concat()),
            )),
        )
        .then(
            names::RUN_SQL,
            Ok(result(
                "workTime",
                json!([rows(1, 20), rows(20, 17), rows(9, 3)].concat()),
            )),
        );
    let mut chat = Chat::new(double);
    let text = chat.say(query).await.text();
    assert!(
        text.contains("The list ends within a tie: 20 have 17, and 3 of them are shown."),
        "{text}"
    );
    let runs = chat.tools.calls_of(names::RUN_SQL);
    assert!(
        runs[1]["sql"].as_str().unwrap().ends_with("DESC LIMIT 101"),
        "{runs:?}"
    );
    // No more have the last figure.
    let double = Double::new()
        .then(
            names::RUN_SQL,
            Ok(result(
                "workTime",
                json!([rows(1, 20), rows(3, 17)].concat()),
            )),
        )
        .then(
            names::RUN_SQL,
            Ok(result(
                "workTime",
                json!([rows(1, 20), rows(3, 17), rows(9, 3)].concat()),
            )),
        );
    let text = Chat::new(double).say(query).await.text();
    assert!(!text.contains("tie"), "{text}");
}

#[tokio::test]
async fn a_pasted_query_is_remembered_with_its_question() {
    let mut chat = Chat::new(Double::new());
    chat.say("SELECT COUNT(*) FROM customer").await;
    let turn = chat.say("that's right, remember it").await;
    assert!(turn.text().contains("Which one is it?"), "{}", turn.text());
    let text = chat
        .say("Remember it as \u{201c}How many clients do we serve?\u{201d}")
        .await
        .text();
    assert!(
        text.starts_with("I will remember \u{201c}How many clients do we serve?\u{201d}"),
        "{text}"
    );
    let kept = chat.tools.calls_of(names::CONFIRM_QUESTION);
    assert_eq!(
        (&kept[0]["question"], &kept[0]["sql"]),
        (
            &json!("How many clients do we serve?"),
            &json!("SELECT COUNT(*) FROM customer")
        )
    );
}

#[tokio::test]
async fn a_known_question_with_another_number_is_answered() {
    for (question, limit) in [
        ("Which 5 customers have the most work orders?", "LIMIT 5"),
        ("which 25 customers have most work orders?", "LIMIT 25"),
    ] {
        let double = Double::new().knows(
            "Which 10 customers have the most work orders?",
            "SELECT name FROM customer LIMIT 10",
            0.9,
        );
        let mut chat = Chat::new(double);
        let turn = chat.say(question).await;
        let runs = chat.tools.calls_of(names::RUN_SQL);
        assert!(
            runs[0]["sql"].as_str().unwrap().ends_with(limit),
            "{question}: {}",
            turn.text()
        );
    }
}
