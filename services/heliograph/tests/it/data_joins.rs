//! Composite keys from the database to the answer: the count of a join is that of its rows, also
//! when a model writes the query.

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, MySqlConnection};
use targets::TargetConfig;
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};

use crate::data_assistant::{agent_events, answer, rows};
use crate::demo_stack::DemoStack;
use crate::models::use_model;

const TABLES: [&str; 4] = [
    "create table compa(a int, b int, primary key(a, b))",
    "create table compb(id int primary key, a int, b int, foreign key(a, b) references compa(a, b))",
    "insert into compa values (1, 1), (1, 2)",
    "insert into compb values (1, 1, 1), (2, 1, 2)",
];

/// The query that follows the joins in the model's prompt.
const CONDITION: &str = "compb.a = compa.a AND compb.b = compa.b";

async fn is_counted_right(url: String) {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let target = TargetConfig {
        allow_writing_role: true,
        ..TargetConfig::new("comp", url)
    };
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.tools.targets = vec![target];
        use_model(config, &server);
    }))
    .await;
    let is_about = |words: &'static str| move |seen: &Seen| seen.system.contains(words);
    let query = format!("SELECT COUNT(*) AS n FROM compb JOIN compa ON {CONDITION}");
    server.play(
        Script::new()
            .when(
                is_about("You sort messages"),
                Turn::json(json!({ "route": "sql", "confidence": 0.95 })),
            )
            .when(
                is_about("You choose the tables"),
                Turn::json(json!({ "tables": ["compa", "compb"] })),
            )
            .when(
                is_about("You write one SQL query"),
                Turn::json(json!({ "sql": query })),
            )
            .otherwise(Turn::text("There are 2 rows.")),
    );
    let question = "How many rows of compb belong to a row of compa?";
    let events = agent_events(&stack, "conv-comp", question).await;
    assert_eq!(rows(&events), [&json!({ "n": 2 })], "{events:?}");
    assert!(answer(&events).contains('2'), "{events:?}");
    let seen = server.seen();
    let asked = |words: &str| seen.iter().find(|seen| seen.system.contains(words));
    assert!(
        asked("can be joined by more than one pair").is_none(),
        "a column of a composite key is no choice"
    );
    let told = asked("You write one SQL query").unwrap().last_user();
    let material: Value = serde_json::from_str(told).unwrap();
    assert_eq!(material["joins"], json!([CONDITION]), "{material}");
    server.assert_accepted();
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_composite_key_of_mariadb_counts_right() {
    let database = TestMariaDb::empty().await.unwrap();
    let mut connection = MySqlConnection::connect(&database.url()).await.unwrap();
    for statement in TABLES {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
    }
    is_counted_right(database.url()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_composite_key_of_postgresql_counts_right() {
    let database = TestDatabase::empty().await.unwrap();
    for statement in TABLES {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(database.pool())
            .await
            .unwrap();
    }
    is_counted_right(database.url().to_owned()).await;
}
