//! Simple questions without a model.

use contracts::{run::Source, tools::sql::names};
use serde_json::json;

use crate::{chat::Chat, double::Double};

async fn answered(question: &str, rows: serde_json::Value) -> (String, String) {
    let mut chat = Chat::new(Double::new().rows(rows));
    let turn = chat.say(question).await;
    assert_eq!(
        (turn.route().0, turn.source()),
        ("sql", Source::Rules),
        "{question}"
    );
    let runs = chat.tools.answering();
    (runs[0]["sql"].as_str().unwrap().to_owned(), turn.text())
}

#[tokio::test]
async fn counts_lists_and_counts_by_are_answered() {
    let (sql, text) = answered("How many work orders are there?", json!([{ "count": 12 }])).await;
    assert_eq!(sql, "SELECT COUNT(*) AS `count` FROM `workOrder`");
    assert_eq!(text, "There are 12 work orders.");

    let (sql, text) = answered(
        "List all customers",
        json!([{ "name": "A", "city": "Bonn" }]),
    )
    .await;
    assert_eq!(sql, "SELECT `name`, `city` FROM `customer`");
    assert_eq!(text, "Name: A, city: Bonn.");

    let (sql, _) = answered("How many work orders by status?", json!([])).await;
    assert!(sql.contains("GROUP BY `status`"), "{sql}");

    let (sql, text) = answered(
        "How many employees per crew?",
        json!([{ "crew": "North", "count": 2 }, { "crew": "South", "count": 1 }]),
    )
    .await;
    assert!(
        sql.contains("JOIN `crew` o ON i.`crewId` = o.`id`"),
        "{sql}"
    );
    assert_eq!(
        text,
        "There are 2 results. Count: North (2) is highest, South (1) lowest of those that have any."
    );
}

#[tokio::test]
async fn the_first_of_the_largest_groups_is_named_with_its_count() {
    let three = || {
        json!([
            { "customer": "Nordkauf", "count": 7 }, { "customer": "Ruhrteile", "count": 4 },
            { "customer": "Weser", "count": 1 },
        ])
    };
    for question in [
        "Which customer has the most work orders?",
        "which customers have the most work orders",
        "What customer has the largest number of work orders?",
        "Which customer got the most work orders?",
        "Which customer placed the most work orders?",
        "Who is the customer with the most work orders?",
        "What is the customer with the highest number of work orders?",
        "customer with the most work orders",
        "Show me the customers with the most work orders",
        "Top 10 customers by number of work orders",
        "Which are the top customers by number of work orders?",
        "The customers that have the most work orders",
    ] {
        let (sql, text) = answered(question, three()).await;
        assert!(sql.ends_with("ORDER BY `count` DESC LIMIT 10"), "{sql}");
        assert_eq!(
            text, "Nordkauf has the most work orders: 7. Ruhrteile (4) and Weser (1) follow.",
            "{question}"
        );
    }
    for (rows, text) in [
        (
            json!([{ "customer": "A", "count": 3 }, { "customer": "B", "count": 3 }, { "customer": "C", "count": 2 }]),
            "A and B have the most work orders: 3 each. C (2) follows.",
        ),
        (
            json!([{ "customer": "A", "count": 3 }]),
            "A has the most work orders: 3.",
        ),
    ] {
        assert_eq!(
            answered("Which customer has the most work orders?", rows)
                .await
                .1,
            text
        );
    }
    let (_, text) = answered(
        "Which customer has the fewest work orders?",
        json!([{ "customer": "A", "count": 0 }, { "customer": "B", "count": 2 }]),
    )
    .await;
    assert_eq!(text, "A has the fewest work orders: 0. B (2) follows.");
}

#[tokio::test]
async fn a_verb_that_limits_what_is_counted_is_not_dropped() {
    for question in [
        "Which customer cancelled the most work orders?",
        "Which customer has the most late work orders?",
        "Top 10 customers by work orders last month",
    ] {
        let mut chat = Chat::new(Double::new());
        let text = chat.say(question).await.text();
        assert!(text.contains("language model"), "{question}: {text}");
    }
}

#[tokio::test]
async fn what_they_find_is_checked_like_any_other_query_and_can_be_confirmed() {
    let mut chat = Chat::new(Double::new());
    chat.say("How many employees are there?").await;
    assert_eq!(chat.tools.calls_of(names::CHECK_SQL).len(), 1);
    assert!(
        chat.say("Remember that")
            .await
            .text()
            .starts_with("I will remember")
    );
}

#[tokio::test]
async fn conditions_are_not_guessed() {
    for question in [
        "How many active employees are there?",
        "List all customers in Bonn",
        "How many work orders per moon?",
    ] {
        let mut chat = Chat::new(Double::new());
        let turn = chat.say(question).await;
        assert!(
            turn.text().contains("language model"),
            "{question}: {}",
            turn.text()
        );
        assert!(chat.tools.answering().is_empty());
    }
}

#[tokio::test]
async fn conditions_that_columns_have_values_for_are_tested_and_shown() {
    let double = Double::new()
        .rows(json!([{ "status": "active" }, { "status": "left" }, { "status": null }]))
        .rows(json!([{ "count": 7 }]));
    let mut chat = Chat::new(double);
    let text = chat
        .say("How many active employees are there?")
        .await
        .text();
    let runs = chat.tools.calls_of(names::RUN_SQL);
    assert_eq!(runs[0]["sql"], "SELECT DISTINCT `status` FROM `employee`");
    assert_eq!(
        runs[1]["sql"],
        "SELECT COUNT(*) AS `count` FROM `employee` WHERE `status` = 'active'"
    );
    assert_eq!(
        text,
        "There are 7 active employees.\n\nThe condition was read as: status = 'active'."
    );
    // No condition on a column tests a value that it does not have.
    let double = Double::new().rows(json!([{ "status": "A" }, { "status": "L" }]));
    let mut chat = Chat::new(double);
    let text = chat
        .say("How many active employees are there?")
        .await
        .text();
    assert!(text.contains("language model"), "{text}");
    assert!(chat.tools.answering().is_empty());
}

#[tokio::test]
async fn a_value_of_a_status_goes_before_a_date_of_the_same_name() {
    let columns = [
        ("id", "int"),
        ("status", "varchar(20)"),
        ("retiredOn", "date"),
    ];
    for (values, condition) in [
        (
            json!([{ "status": "retired" }, { "status": "active" }]),
            "`status` = 'retired'",
        ),
        (
            json!([{ "status": "active" }]),
            "`retiredOn` < '2026-11-22'",
        ),
    ] {
        let double = Double::new()
            .describes("employee", &columns)
            .rows(values)
            .rows(json!([{ "count": 2 }]));
        let mut chat = Chat::new(double);
        chat.say("How many retired employees are there?").await;
        let runs = chat.tools.answering();
        let sql = runs[0]["sql"].as_str().unwrap();
        assert!(sql.ends_with(&format!("WHERE {condition}")), "{sql}");
    }
}

#[tokio::test]
async fn a_listing_shows_what_its_rows_belong_to() {
    let (sql, _) = answered("List all work orders", json!([])).await;
    assert_eq!(
        sql,
        "SELECT i.`title`, i.`status`, o.`name` AS `customer` FROM `workOrder` i LEFT JOIN `customer` o ON i.`customerId` = o.`id`"
    );
}

#[tokio::test]
async fn an_empty_result_stands_at_once() {
    let mut chat = Chat::new(Double::new().rows(json!([])));
    let turn = chat.say("List all customers").await;
    assert!(
        turn.text().starts_with("Nothing was found"),
        "{}",
        turn.text()
    );
    assert_eq!(chat.tools.calls_of(names::RUN_SQL).len(), 1);
}

/// Answers of a database with customers, their invoices and their cities.
async fn of_customers(question: &str, values: Option<serde_json::Value>) -> (String, String) {
    let mut double = Double::new()
        .describes(
            "customer",
            &[
                ("id", "int"),
                ("name", "varchar(40)"),
                ("city", "varchar(40)"),
            ],
        )
        .describes(
            "workOrder",
            &[
                ("id", "int"),
                ("title", "varchar(40)"),
                ("status", "varchar(20)"),
                ("customerId", "int"),
                ("price", "decimal(8,2)"),
                ("orderedOn", "date"),
            ],
        );
    if let Some(values) = values {
        double = double.rows(values);
    }
    let mut chat = Chat::new(double);
    let turn = chat.say(question).await;
    let runs = chat.tools.answering();
    let sql = runs
        .first()
        .map_or(String::new(), |run| run["sql"].as_str().unwrap().to_owned());
    (sql, turn.text())
}

#[tokio::test]
async fn rows_without_others_days_and_sums_are_answered() {
    let keys = "SELECT `customerId` FROM `workOrder` WHERE `customerId` IS NOT NULL";
    for (question, sql, said) in [
        (
            "How many customers have no work orders?",
            format!("SELECT COUNT(*) AS `count` FROM `customer` WHERE `id` NOT IN ({keys})"),
            "The condition was read as: no work order.",
        ),
        (
            "how many customers with more than 2 work orders",
            format!("SELECT COUNT(*) AS `count` FROM `customer` WHERE `id` IN ({keys} GROUP BY `customerId` HAVING COUNT(*) > 2)"),
            "The condition was read as: number of work orders > 2.",
        ),
        (
            "How many work orders were there in 2021?",
            "SELECT COUNT(*) AS `count` FROM `workOrder` WHERE `orderedOn` >= '2021-01-01' AND `orderedOn` < '2022-01-01'".to_owned(),
            "The condition was read as: orderedOn >= '2021-01-01' AND orderedOn < '2022-01-01'.",
        ),
        (
            "work orders per quarter",
            "SELECT EXTRACT(YEAR FROM `orderedOn`) AS `orderedOn_year`, EXTRACT(QUARTER FROM `orderedOn`) AS `orderedOn_quarter`, COUNT(*) AS `count` FROM `workOrder` \
             GROUP BY EXTRACT(YEAR FROM `orderedOn`), EXTRACT(QUARTER FROM `orderedOn`) ORDER BY EXTRACT(YEAR FROM `orderedOn`), EXTRACT(QUARTER FROM `orderedOn`)".to_owned(),
            "",
        ),
        (
            "top 5 customers by total price",
            "SELECT o.`name` AS `customer`, SUM(i.`price`) AS `total` FROM `workOrder` i JOIN `customer` o ON i.`customerId` = o.`id` WHERE i.`price` IS NOT NULL \
             GROUP BY o.`id`, o.`name` ORDER BY `total` DESC LIMIT 5".to_owned(),
            "",
        ),
        (
            "top 3 work orders by price",
            "SELECT i.`title`, i.`status`, o.`name` AS `customer`, i.`price`, i.`orderedOn` FROM `workOrder` i LEFT JOIN `customer` o ON i.`customerId` = o.`id` \
             WHERE i.`price` IS NOT NULL ORDER BY i.`price` DESC, i.`id` LIMIT 3".to_owned(),
            "",
        ),
    ] {
        let (found, text) = of_customers(question, None).await;
        assert_eq!(found, sql, "{question}: {text}");
        assert!(text.contains(said), "{question}: {text}");
    }
}
