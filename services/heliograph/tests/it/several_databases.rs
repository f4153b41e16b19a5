//! A MariaDB and a PostgreSQL side by side, through the bff: which one answers, and what happens
//! when one changes.

use heliograph::commands::catalogue;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use targets::TargetConfig;
use test_support::database::TestDatabase;

use crate::data_assistant::stack;
use crate::demo_stack::{DemoStack, ask};

const WAREHOUSE: &str = "
CREATE TABLE vendor (id int PRIMARY KEY, name text NOT NULL, founded_year int NOT NULL);
CREATE TABLE pallet (id int PRIMARY KEY, vendor_id int NOT NULL REFERENCES vendor (id), arrived_at timestamp NOT NULL);
CREATE TABLE crew (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO vendor VALUES (1, 'Nordkauf', 2004), (2, 'Ruhrteile', 1987);
INSERT INTO pallet VALUES (1, 1, '2026-01-14 13:29:00'), (2, 1, '2026-01-15 08:00:00'), (3, 2, '2026-01-16 00:00:00');
INSERT INTO crew VALUES (1, 'Forklifts');
";

async fn execute(database: &TestDatabase, sql: &str) {
    let sql = AssertSqlSafe(sql.to_owned());
    sqlx::raw_sql(sql).execute(database.pool()).await.unwrap();
}

/// A role that reads, and nothing else. It belongs to the server, which other tests share.
const READER: &str = "
DO $$ BEGIN CREATE ROLE heliograph_warehouse_reader LOGIN PASSWORD 'secret';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO heliograph_warehouse_reader;
";

/// The field-service company in MariaDB, and its warehouse in PostgreSQL.
async fn both() -> (DemoStack, TestDatabase) {
    let warehouse = TestDatabase::empty().await.unwrap();
    execute(&warehouse, WAREHOUSE).await;
    execute(&warehouse, READER).await;
    let (_, place) = warehouse.url().rsplit_once('@').unwrap();
    let url = format!("postgres://heliograph_warehouse_reader:secret@{place}");
    let stack = stack(|config| {
        config.tools.targets.push(TargetConfig {
            description: Some("Vendors, pallets and crews of the warehouse".to_owned()),
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
            "How many vendors are there?",
            "There are 2 vendors.\n\nFrom the database \u{201c}warehouse\u{201d} (Vendors, pallets and crews of the warehouse).",
        ),
        (
            "t2",
            "How many technicians are active?",
            "From the database \u{201c}fieldservice\u{201d}",
        ),
        (
            "t3",
            "SELECT name, founded_year FROM vendor WHERE id = 1;",
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
            "The table pallet of the database \u{201c}warehouse\u{201d} has 3 columns: id, vendor_id, arrived_at.",
        ),
        ("t6", "delete all vendors", "I do not delete anything"),
        (
            "t7",
            "DROP TABLE vendor",
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
        let url = format!("{}/api/chat", stack.services.bff_url);
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
    ask(&client, "r1", "List all vendors").await;
    execute(
        &warehouse,
        "ALTER TABLE vendor RENAME COLUMN name TO company",
    )
    .await;
    let text = ask(&client, "r1", "List all vendors").await.text();
    assert!(text.contains("There are 2 results."), "{text}");
    let text = ask(&client, "r2", "SELECT company FROM vendor WHERE id = 2")
        .await
        .text();
    assert!(text.contains("Company: Ruhrteile."), "{text}");
    let text = ask(&client, "r2", "SELECT name FROM vendor").await.text();
    assert!(
        text.starts_with(
            "I did not run your query. There is no column \u{201c}name\u{201d} that you may see."
        ),
        "{text}"
    );

    execute(
        &warehouse,
        "CREATE TABLE dock (id int PRIMARY KEY); ALTER TABLE vendor DROP COLUMN founded_year",
    )
    .await;
    execute(&warehouse, READER).await;
    let refreshed = catalogue::refresh(&client, Some("warehouse")).await;
    let lines = refreshed.unwrap().lines;
    assert_eq!(
        lines,
        [
            "warehouse: 4 tables, 1 relationships",
            "  new      dock",
            "  changed  vendor: -founded_year"
        ]
    );
    let text = ask(&client, "r3", "How many docks are there?").await.text();
    assert!(text.contains("docks"), "{text}");
    let lines = catalogue::refresh(&client, None).await.unwrap().lines;
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("nothing changed"))
            .count(),
        2,
        "{lines:?}"
    );

    // It takes a scope that not all users have.
    stack.create_account("bob", "demo").await;
    let bob = stack.sign_in("bob").await;
    let refreshed = catalogue::refresh(&bob, Some("warehouse")).await.unwrap();
    assert_eq!(refreshed.failed, ["warehouse"], "{:?}", refreshed.lines);
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_of_all_databases_goes_on_past_those_that_cannot_be_read() {
    let (stack, _warehouse) = both().await;
    let away = |name: &str| TargetConfig {
        acquire_timeout_ms: 300,
        ..TargetConfig::new(name, "postgres://reader:secret@127.0.0.1:1/gone")
    };
    let restart = stack.restart_with(|config| {
        config.tools.targets.insert(0, away("gone"));
        config.tools.targets.push(away("lost"));
    });
    let stack = Box::pin(restart).await;
    let client = stack.demo_user().await;
    let refreshed = catalogue::refresh(&client, None).await.unwrap();
    assert_eq!(refreshed.failed, ["gone", "lost"], "{refreshed:?}");
    let lines = refreshed.lines.join("\n");
    for told in [
        "gone: not read again\n  ",
        "warehouse: 3 tables",
        "fieldservice: ",
        "lost: not read again\n  ",
        "'lost' cannot be reached",
    ] {
        assert!(lines.contains(told), "{told}: {lines}");
    }

    // Where none can be read, each is named nevertheless.
    let restart =
        stack.restart_with(|config| config.tools.targets = vec![away("gone"), away("lost")]);
    let stack = Box::pin(restart).await;
    let client = stack.demo_user().await;
    let refreshed = catalogue::refresh(&client, None).await.unwrap();
    assert_eq!(refreshed.failed, ["gone", "lost"], "{refreshed:?}");
    stack.stop().await;
}
