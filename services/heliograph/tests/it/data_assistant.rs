//! The data assistant over the demonstration database: a real MariaDB, the real tools service,
//! through the bff and the orchestrator.

use std::path::PathBuf;
use std::sync::LazyLock;

use heliograph::demonstration::Files;
use heliograph::stack::StackConfig;
use serde_json::{Value, json};
use test_support::mariadb::TestMariaDb;
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};
use test_support::sse::Capture;

use crate::demo_stack::{DemoStack, ask};
use crate::models::use_model;

/// The files beside the database, the same for all tests of this process, because they share the
/// database.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

/// The demonstration, loaded once. Its questions ask for this week, so it ends today.
async fn demonstration() -> (TestMariaDb, Files) {
    static PREPARED: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let folder: PathBuf = FOLDER.path().join("fieldservice");
    let files = {
        let _alone = PREPARED.lock().await;
        Files::prepare(&folder).unwrap()
    };
    let secrets = files.secrets.clone();
    let database = TestMariaDb::shared("fieldservice", |url| async move {
        let today = chrono::Utc::now().date_naive();
        let options = field_service::Options::new(secrets, today);
        field_service::load(&url, &options, |_| {}).await.map(drop)
    })
    .await
    .unwrap();
    (database, files)
}

/// Services with the demonstration as their target.
pub(crate) async fn stack(adjust: impl FnOnce(&mut StackConfig)) -> DemoStack {
    let (database, files) = demonstration().await;
    let target = files.target(&database.url());
    Box::pin(DemoStack::start_with(|config| {
        config.tools.targets.push(target);
        adjust(config);
    }))
    .await
}

/// Asks in agent events through the bff; the events without their ids.
pub(crate) async fn agent_events(
    stack: &DemoStack,
    conversation: &str,
    message: &str,
) -> Vec<Value> {
    agent_events_as(stack, &stack.token().await, conversation, message).await
}

/// The same for the user of a token.
pub(crate) async fn agent_events_as(
    stack: &DemoStack,
    token: &str,
    conversation: &str,
    message: &str,
) -> Vec<Value> {
    let body = json!({ "input": { "message": message }, "conversation": { "id": conversation } });
    let response = stack
        .http
        .post(format!("{}/api/agent/stream", stack.services.bff_url))
        .bearer_auth(token)
        .json(&body)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    let text = response.text().await.unwrap();
    let capture = Capture::parse_run(text).unwrap();
    capture
        .events()
        .map(|event| event.json().unwrap())
        .collect()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    kinds.dedup();
    kinds
}

pub(crate) fn answer(events: &[Value]) -> String {
    let tokens = events
        .iter()
        .filter(|event| event["event"] == "token" && event["channel"] == "final");
    tokens
        .map(|event| event["content"].as_str().unwrap())
        .collect()
}

pub(crate) fn rows(events: &[Value]) -> Vec<&Value> {
    let data = events.iter().find_map(|event| event.get("structured_data"));
    data.and_then(Value::as_array)
        .map(|rows| rows.iter().collect())
        .unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documents_first_question_is_answered_without_a_model() {
    let stack = stack(|_| {}).await;
    let events = agent_events(&stack, "conv-1", "How many technicians are active?").await;
    assert_eq!(
        kinds(&events),
        ["route_decision", "tool_start", "token", "complete"],
        "{events:?}"
    );
    assert_eq!(events[0]["route"], "sql");
    assert_eq!(events[1]["tool"], "sql_agent");
    let figure = rows(&events)[0]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    assert!(answer(&events).contains(&figure.to_string()), "{events:?}");
    assert_eq!(events.last().unwrap()["stats"]["conversation_id"], "conv-1");
    // The document's other question: rows beside the words, and a chart.
    let events = agent_events(
        &stack,
        "conv-2",
        "How many work orders are open, by status?",
    )
    .await;
    assert!(rows(&events).len() > 1, "{events:?}");
    assert!(kinds(&events).contains(&"chart"), "{events:?}");
    // How something is done is in the manuals, with its source.
    let events = agent_events(&stack, "conv-3", "What are the overtime rules?").await;
    assert_eq!(
        (&events[0]["route"], &events[1]["tool"]),
        (&json!("rag"), &json!("rag_agent"))
    );
    assert!(answer(&events).contains("time-tracking.md"), "{events:?}");
    // Without a model there is no general knowledge.
    let events = agent_events(&stack, "conv-4", "What is machine learning?").await;
    assert_eq!(kinds(&events).last(), Some(&"complete"), "{events:?}");
    assert!(!answer(&events).is_empty());
    stack.stop().await;
}

fn is_about(words: &'static str) -> impl FnMut(&Seen) -> bool + Send {
    move |seen| seen.system.contains(words)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_writes_the_query_and_corrects_it() {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let stack = stack(|config| use_model(config, &server)).await;
    // The SQL agent's own mistake: the leader is a column of employeeCrew.
    let wrong = "SELECT COUNT(*) AS leaders FROM crew c WHERE c.isLead = TRUE";
    let right = "SELECT COUNT(DISTINCT ec.employeeId) AS leaders FROM crew c \
                 JOIN employeeCrew ec ON ec.crewId = c.id WHERE ec.isLead = TRUE";
    server.play(
        Script::new()
            .when(
                is_about("You sort messages"),
                Turn::json(json!({ "route": "sql", "confidence": 0.95 })),
            )
            .when(
                is_about("You choose the tables"),
                Turn::json(json!({ "tables": ["crew", "employeeCrew"] })),
            )
            .when(
                is_about("can be joined by more than one pair"),
                Turn::json(json!({ "choices": {} })),
            )
            .when(
                is_about("You write one SQL query"),
                Turn::json(json!({ "sql": wrong })),
            )
            .when(
                is_about("You correct one SQL query"),
                Turn::json(json!({ "sql": right })),
            )
            .otherwise(Turn::text("Here is the figure.")),
    );
    let events = agent_events(
        &stack,
        "conv-m",
        "How many different people have led a crew so far?",
    )
    .await;
    assert_eq!(kinds(&events).last(), Some(&"complete"), "{events:?}");
    let leaders = rows(&events)[0]["leaders"].as_u64().unwrap();
    assert!(leaders > 0);
    let seen = server.seen();
    let correction = seen
        .iter()
        .find(|seen| seen.system.contains("You correct one SQL query"))
        .unwrap();
    assert!(
        correction.last_user().contains("employeeCrew"),
        "{}",
        correction.last_user()
    );
    for request in &seen {
        let text = format!("{request:?}");
        assert!(
            !text.contains("secure_employee"),
            "a view's name reached the model"
        );
    }
    server.assert_accepted();
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tenant_counts_its_own() {
    let stack = stack(|_| {}).await;
    let demo = stack.demo_user().await;
    let thread = "t-own";
    let client = demo.with_assistant(Some("data".to_owned()));
    let reply = ask(&client, thread, "How many work orders are there?").await;
    assert!(
        reply.text().contains("2,000") || reply.text().contains("2000"),
        "{}",
        reply.text()
    );
    // A user of a tenant without a target gets an answer that says so, and sees nothing.
    let stranger = stack
        .stranger()
        .await
        .with_assistant(Some("data".to_owned()));
    let reply = ask(&stranger, "t-other", "How many work orders are there?").await;
    assert!(!reply.text().contains('2'), "{}", reply.text());
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_is_told_and_not_corrected() {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let stack = stack(|config| {
        use_model(config, &server);
        // This port has no listener.
        let target = &mut config.tools.targets[0];
        target.url = Some("mysql://reader:secret@127.0.0.1:9/fieldservice".into());
    })
    .await;
    server.play(Script::new().otherwise(Turn::json(json!({ "route": "sql", "confidence": 0.95 }))));
    let events = agent_events(&stack, "conv-away", "How many technicians are active?").await;
    assert_eq!(kinds(&events).last(), Some(&"complete"), "{events:?}");
    assert!(answer(&events).contains("fieldservice"), "{events:?}");
    let seen = server.seen();
    assert!(
        seen.iter()
            .all(|seen| !seen.system.contains("You correct one SQL query"))
    );
    stack.stop().await;
}
