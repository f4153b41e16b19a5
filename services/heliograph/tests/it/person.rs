//! The data that are kept of a person, in every table of every service: exported whole, and erased
//! whole.

use std::fmt::Write;

use contracts::access::Role;
use orchestrator::config::MailTls;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row};

use crate::demo_stack::DemoStack;
use crate::targets::shop;

/// The name of the person, which nothing else in the demonstration holds.
const NAME: &str = "quokka-person";

/// The part of the export that has the rows of a table. Those of any other are among the records.
const PARTS: [(&str, &str); 25] = [
    ("bff.accounts", "/account"),
    ("bff.sessions", "/sessions"),
    ("bff.refresh_tokens", "/sessions"),
    ("bff.api_keys", "/tokens"),
    ("bff.audit", "/audit"),
    ("orchestrator.threads", "/threads"),
    ("orchestrator.messages", "/threads"),
    ("orchestrator.run_events", "/threads"),
    ("orchestrator.checkpoints", "/threads"),
    ("orchestrator.memory_threads", "/threads"),
    ("orchestrator.memory_entries", "/threads"),
    ("orchestrator.todo_lists", "/threads"),
    ("orchestrator.query_metadata", "/threads"),
    ("orchestrator.schedules", "/schedules"),
    ("orchestrator.schedule_occurrences", "/schedules"),
    ("orchestrator.schedule_events", "/schedules"),
    ("orchestrator.schedule_messages", "/schedules"),
    ("tools.credentials", "/credentials"),
    ("tools.remembered_choices", "/choices"),
    ("tools.sql_questions", "/questions"),
    ("demo_inventory.users", "/records/service citycatalyst"),
    ("demo_inventory.rights", "/records/service citycatalyst"),
    ("bff.known_addresses", "/records/bff.known_addresses"),
    ("bff.transcripts", "/records/bff.transcripts"),
    ("orchestrator.runs", "/records/orchestrator.runs"),
];

async fn send(
    stack: &DemoStack,
    token: &str,
    method: Method,
    path: &str,
    body: &Value,
) -> (StatusCode, String) {
    let url = format!("{}{path}", stack.services.bff_url);
    let request = stack.http.request(method, url).bearer_auth(token);
    let answer = request.json(body).send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

/// Tables that have a row of the person after [`leave_traces`], whatever else has one.
const LEFT: [&str; 12] = [
    "bff.accounts",
    "bff.api_keys",
    "bff.audit",
    "bff.known_addresses",
    "demo_inventory.rights",
    "demo_inventory.users",
    "orchestrator.runs",
    "orchestrator.schedules",
    "orchestrator.threads",
    "tools.credentials",
    "tools.remembered_choices",
    "tools.sql_questions",
];

/// Acts of the person, by the names of the operations in the audit log.
const DONE: [&str; 6] = [
    "put_sites",
    "create_import",
    "create_target",
    "create_schedule",
    "create_api_key",
    "approve_question",
];

/// The tables with a row that holds the id or the name of the person, whichever column it is, and
/// also as bytes.
async fn tables_of(stack: &DemoStack, id: &str) -> Vec<String> {
    let columns = sqlx::query(
        "SELECT c.table_schema::text, c.table_name::text, c.column_name::text
         FROM information_schema.columns c
         JOIN information_schema.tables t USING (table_schema, table_name)
         WHERE t.table_type = 'BASE TABLE'
           AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
         ORDER BY 1, 2, 3",
    )
    .fetch_all(stack.pool())
    .await
    .unwrap();
    assert!(columns.len() > 100, "{}", columns.len());
    let hex = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })
    };
    let short: String = id.chars().filter(|&c| c != '-').collect();
    let held = [
        id.to_owned(),
        NAME.to_owned(),
        hex(id.as_bytes()),
        hex(NAME.as_bytes()),
        short,
    ];
    let held = held.map(|held| format!("%{held}%")).to_vec();
    let mut found = Vec::new();
    for column in &columns {
        let (schema, table, column): (String, String, String) =
            (column.get(0), column.get(1), column.get(2));
        let holds = format!(
            "SELECT EXISTS (SELECT FROM \"{schema}\".\"{table}\" WHERE \"{column}\"::text LIKE ANY ($1))"
        );
        let holds: bool = sqlx::query_scalar(AssertSqlSafe(holds))
            .bind(held.clone())
            .fetch_one(stack.pool())
            .await
            .unwrap();
        if holds {
            found.push(format!("{schema}.{table}"));
        }
    }
    found.dedup();
    found
}

/// Does what leaves traces: conversations with assistants and over `/v1/chat/completions`, a key.
async fn leave_traces(stack: &DemoStack, token: &str) {
    for (assistant, question) in [
        ("site", "Morning briefing"),
        ("advisor", "Which inventories do I have?"),
        ("analyst", "Show shipments to Miami last week"),
    ] {
        let body = json!({
            "content": question, "thread_id": format!("of-{assistant}"), "if_not_exists": "create", "assistant": assistant,
        });
        let (status, answer) = send(stack, token, Method::POST, "/api/messages", &body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    let whole = json!({ "model": "site", "messages": [{ "role": "user", "content": "hello" }] });
    let (status, answer) = send(stack, token, Method::POST, "/v1/chat/completions", &whole).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let body =
        json!({ "content": "Port of Miami", "thread_id": "of-analyst", "assistant": "analyst" });
    let (status, answer) = send(stack, token, Method::POST, "/api/messages", &body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let key = json!({ "name": "nightly" });
    make(stack, token, "/api/tokens", &key).await;
    let schedule = json!({
        "question": "Morning briefing",
        "timing": { "time": "07:00", "timezone": "Europe/Zurich" },
        "delivery": { "channel": "email", "to": format!("{NAME}@example.org") },
    });
    make(stack, token, "/api/schedules", &schedule).await;
    set_up(stack, token).await;
}

/// Sends a request that succeeds; its answer.
async fn make(stack: &DemoStack, token: &str, path: &str, body: &Value) -> Value {
    let (status, made) = send(stack, token, Method::POST, path, body).await;
    assert!(status.is_success(), "{path}: {status} {made}");
    serde_json::from_str(&made).unwrap()
}

/// Sets up what belongs to the tenant, a site with an import and a target, and confirms a question.
async fn set_up(stack: &DemoStack, token: &str) {
    let site = json!({ "sites": [{ "id": "roof", "timezone": "Europe/Berlin" }] });
    make(stack, token, "/api/sites", &site).await;
    let import = "/api/imports?filename=roof.csv&site=roof&logger_id=ROOF-1";
    let url = format!("{}{import}", stack.services.bff_url);
    let rows = "2024-06-01 12:00;5\n2024-06-01 12:10;6\n";
    let request = stack.http.post(url).bearer_auth(token).body(rows);
    let request = request.header("content-type", "application/octet-stream");
    assert_eq!(request.send().await.unwrap().status(), StatusCode::CREATED);

    let (shop, _) = shop().await;
    let place = shop.pool().connect_options();
    let target = json!({
        "name": "shop",
        "connection": {
            "engine": "postgresql", "host": place.get_host(), "port": place.get_port(),
            "database": place.get_database(), "username": "heliograph_shop_reader",
            "password": "secret", "tls": "off",
        },
    });
    make(stack, token, "/api/targets", &target).await;
    let question = json!({
        "target": "shop",
        "question": "How many customers are there?",
        "sql": "SELECT COUNT(*) AS customers FROM customer",
    });
    let kept = make(stack, token, "/api/tools/confirm_question", &question).await;
    let id = kept["result"]["id"].as_str().unwrap();
    make(
        stack,
        token,
        &format!("/api/questions/{id}/approve"),
        &json!({}),
    )
    .await;
}

/// Checks that an export has a part for each table with a row of the person, and what they did.
fn check_export(export: &Value, tables: &[String]) {
    for table in tables {
        let part = PARTS.iter().find(|(name, _)| name == table);
        let part = part.map_or_else(
            || format!("/records/{table}"),
            |(_, part)| (*part).to_owned(),
        );
        let exported = export.pointer(&part);
        let is_there = match exported {
            Some(Value::Array(rows)) => !rows.is_empty(),
            Some(Value::Object(members)) => !members.is_empty(),
            _ => false,
        };
        assert!(
            is_there,
            "the export has no {part} of {table}: {exported:?}"
        );
    }
    let audit = export["audit"].as_array().unwrap();
    for action in DONE {
        let is_there = audit.iter().any(|entry| entry["action"] == action);
        assert!(is_there, "{action}: {audit:?}");
    }
    let part = |pointer: &str| export.pointer(pointer).unwrap().to_string();
    for (pointer, words) in [
        ("/schedules", "Morning briefing"),
        ("/questions", "How many customers are there?"),
        ("/choices", "Port of Miami"),
        ("/credentials", "citycatalyst"),
        ("/tokens", "nightly"),
    ] {
        assert!(part(pointer).contains(words), "{}", part(pointer));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_table_with_a_row_of_a_person_is_exported_and_has_none_after_an_erasure() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.demonstrate(folder.path()).unwrap();
        let email = &mut config.orchestrator.delivery.email;
        email.host = Some("127.0.0.1".to_owned());
        email.tls = MailTls::None;
        email.from = Some("Heliograph <helio@example.com>".to_owned());
    }))
    .await;
    let scopes: Vec<&str> = Role::Administrator.scopes().collect();
    let token = stack.token_with(NAME, &scopes).await;
    let (_, me) = send(&stack, &token, Method::GET, "/auth/me", &json!({})).await;
    let me: Value = serde_json::from_str(&me).unwrap();
    let id = me["sub"].as_str().unwrap();
    leave_traces(&stack, &token).await;

    let tables = tables_of(&stack, id).await;
    for table in LEFT {
        assert!(
            tables.iter().any(|found| found == table),
            "{table}: {tables:?}"
        );
    }
    let (status, export) = send(&stack, &token, Method::GET, "/api/me/export", &json!({})).await;
    assert_eq!(status, StatusCode::OK, "{export}");
    let export: Value = serde_json::from_str(&export).unwrap();
    check_export(&export, &tables);

    let demo = stack.token().await;
    let path = format!("/api/accounts/{NAME}");
    let confirm = json!({ "confirm": NAME });
    let (status, erased) = send(&stack, &demo, Method::DELETE, &path, &confirm).await;
    assert_eq!(status, StatusCode::OK, "{erased}");
    // Until no token of the person is valid any more, it is known whom to erase again.
    assert_eq!(tables_of(&stack, id).await, ["bff.erasures"]);
    stack.stop().await;
}
