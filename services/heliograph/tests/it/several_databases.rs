//! A MariaDB and a PostgreSQL side by side, through the bff: which one answers, and what happens when one changes.

use heliograph::commands::catalogue;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use targets::TargetConfig;
use test_support::database::TestDatabase;

use crate::data_assistant::stack;
use crate::demo_stack::{DemoStack, ask};

const WAREHOUSE: &str = "
CREATE TABLE supplier (id int PRIMARY KEY, name text NOT NULL, founded_year int NOT NULL);
CREATE TABLE pallet (id int PRIMARY KEY, supplier_id int NOT NULL REFERENCES supplier (id), arrived_at timestamp NOT NULL);
CREATE TABLE crew (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO supplier VALUES (1, 'Nordkauf', 2004), (2, 'Ruhrteile', 1987);
INSERT INTO pallet VALUES (1, 1, '2026-01-14 13:29:00'), (2, 1, '2026-01-15 08:00:00'), (3, 2, '2026-01-16 00:00:00');
INSERT INTO crew VALUES (1, 'Forklifts');
";

async fn execute(database: &TestDatabase, sql: &str) {
    let sql = AssertSqlSafe(sql.to_owned());
    sqlx::raw_sql(sql).execute(database.pool()).await.unwrap();
}

/// The field-service company in MariaDB, and its warehouse in PostgreSQL.
async fn both() -> (DemoStack, TestDatabase) {
    let warehouse = TestDatabase::empty().await.unwrap();
    execute(&warehouse, WAREHOUSE).await;
    let url = warehouse.url().to_owned();
    let stack = stack(|config| {
        config.tools.targets.push(TargetConfig {
            description: Some("Stock and suppliers".to_owned()),
            ..TargetConfig::new("warehouse", url)
        });
    })
    .await;
    (stack, warehouse)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_goes_to_the_database_that_it_is_about() {
    let (stack, warehouse) = both().await;
    let client = stack
        .demo_user()
        .await
        .with_assistant(Some("data".to_owned()));
    for (thread, question, told) in [
        (
            "t1",
            "How many suppliers are there?",
            "There are 2 suppliers.\n\nFrom the database \u{201c}warehouse\u{201d} (Stock and suppliers).",
        ),
        (
            "t2",
            "How many technicians are active?",
            "From the database \u{201c}fieldservice\u{201d}",
        ),
        (
            "t3",
            "SELECT name, founded_year FROM supplier WHERE id = 1;",
            "Name: Nordkauf, founded year: 2004.",
        ),
        (
            "t4",
            "select max(arrived_at) as newest, count(*) as pallets from pallet",
            "Newest: 16 January 2026, pallets: 3.",
        ),
        (
            "t5",
            "what columns has pallet?",
            "The table pallet of the database \u{201c}warehouse\u{201d} has 3 columns: id, supplier_id, arrived_at.",
        ),
        ("t6", "delete all suppliers", "I do not delete anything"),
        (
            "t7",
            "DROP TABLE supplier",
            "I do not create, change or drop tables",
        ),
    ] {
        let text = ask(&client, thread, question).await.text();
        assert!(text.contains(told), "{question}: {text}");
    }
    // The thread stays where it is; and what both have is asked for in a thread of its own.
    let text = ask(&client, "t1", "How many crews are there?").await.text();
    assert!(
        text.contains("There is 1 crew.") && text.contains("warehouse"),
        "{text}"
    );
    let asked = ask(&client, "t8", "How many crews are there?").await;
    let text = asked.text();
    assert!(text.contains("several databases"), "{text}");
    let text = ask(&client, "t8", "warehouse").await.text();
    assert!(text.contains("There is 1 crew."), "{text}");
    stack.stop().await;
    drop(warehouse);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_context_of_a_request_names_the_database() {
    let (stack, _warehouse) = both().await;
    let token = stack.token().await;
    for (thread, target, told) in [
        ("c1", "warehouse", "There is 1 crew."),
        ("c2", "fieldservice", "fieldservice"),
        (
            "c3",
            "ghost",
            "There is no database 'ghost'. There is: fieldservice, warehouse.",
        ),
    ] {
        let body = json!({
            "id": thread, "assistant": "data", "context": { "target": target },
            "messages": [{ "id": "m1", "role": "user", "parts": [{ "type": "text", "text": "How many crews are there?" }] }],
        });
        let url = format!("{}/ai/chat", stack.services.bff_url);
        let answer = stack
            .http
            .post(url)
            .bearer_auth(&token)
            .json(&body)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200);
        let text: String = answer
            .text()
            .await
            .unwrap()
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
            .filter(|event| event["type"] == "text-delta")
            .filter_map(|event| event["delta"].as_str().map(str::to_owned))
            .collect();
        assert!(text.contains(told), "{target}: {text}");
    }
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_changes_is_read_again_by_itself_and_on_demand() {
    let (stack, warehouse) = both().await;
    let client = stack
        .demo_user()
        .await
        .with_assistant(Some("data".to_owned()));
    ask(&client, "r1", "List all suppliers").await;
    execute(
        &warehouse,
        "ALTER TABLE supplier RENAME COLUMN name TO company",
    )
    .await;
    let text = ask(&client, "r1", "List all suppliers").await.text();
    assert!(text.contains("There are 2 results."), "{text}");
    let text = ask(&client, "r2", "SELECT company FROM supplier WHERE id = 2")
        .await
        .text();
    assert!(text.contains("Company: Ruhrteile."), "{text}");
    let text = ask(&client, "r2", "SELECT name FROM supplier").await.text();
    assert!(
        text.starts_with(
            "I did not run your query. There is no column \u{201c}name\u{201d} that you may see."
        ),
        "{text}"
    );

    execute(
        &warehouse,
        "CREATE TABLE shelf (id int PRIMARY KEY); ALTER TABLE supplier DROP COLUMN founded_year",
    )
    .await;
    let lines = catalogue::refresh(&client, Some("warehouse"))
        .await
        .unwrap();
    assert_eq!(
        lines,
        [
            "warehouse: 4 tables, 1 relationships",
            "  new      shelf",
            "  changed  supplier: -founded_year"
        ]
    );
    let text = ask(&client, "r3", "How many shelves are there?")
        .await
        .text();
    assert!(text.contains("shel"), "{text}");
    let lines = catalogue::refresh(&client, None).await.unwrap();
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("nothing changed"))
            .count(),
        2,
        "{lines:?}"
    );

    // It takes a scope that not everyone has.
    stack.create_account("bob", "demo").await;
    let bob = stack.sign_in("bob").await;
    assert!(catalogue::refresh(&bob, Some("warehouse")).await.is_err());
    stack.stop().await;
}
