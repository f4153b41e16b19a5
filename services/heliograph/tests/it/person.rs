//! The data that are kept of a person, in every table of every service: exported whole, and erased
//! whole.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row};

use crate::demo_stack::DemoStack;

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

/// The tables with a row that holds the id or the name of the person, whichever column it is.
async fn tables_of(stack: &DemoStack, id: &str) -> Vec<String> {
    let columns = sqlx::query(
        "SELECT c.table_schema::text, c.table_name::text, c.column_name::text
         FROM information_schema.columns c
         JOIN information_schema.tables t USING (table_schema, table_name)
         WHERE t.table_type = 'BASE TABLE'
           AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
           AND c.data_type IN ('text', 'character varying', 'uuid', 'json', 'jsonb', 'ARRAY')
         ORDER BY 1, 2, 3",
    )
    .fetch_all(stack.pool())
    .await
    .unwrap();
    assert!(columns.len() > 100, "{}", columns.len());
    let mut found = Vec::new();
    for column in &columns {
        let (schema, table, column): (String, String, String) =
            (column.get(0), column.get(1), column.get(2));
        let holds = format!(
            "SELECT EXISTS (SELECT FROM \"{schema}\".\"{table}\" WHERE \"{column}\"::text LIKE ANY ($1))"
        );
        let holds: bool = sqlx::query_scalar(AssertSqlSafe(holds))
            .bind([id, NAME].map(|held| format!("%{held}%")).to_vec())
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
    let key = json!({ "name": "nightly" });
    let (status, made) = send(stack, token, Method::POST, "/api/tokens", &key).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_table_with_a_row_of_a_person_is_exported_and_has_none_after_an_erasure() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.demonstrate(folder.path()).unwrap();
    }))
    .await;
    let token = stack.token_of_new(NAME, "demo").await;
    let (_, me) = send(&stack, &token, Method::GET, "/auth/me", &json!({})).await;
    let me: Value = serde_json::from_str(&me).unwrap();
    let id = me["sub"].as_str().unwrap();
    leave_traces(&stack, &token).await;

    let tables = tables_of(&stack, id).await;
    for table in [
        "bff.known_addresses",
        "demo_inventory.users",
        "demo_inventory.rights",
    ] {
        assert!(
            tables.iter().any(|found| found == table),
            "{table}: {tables:?}"
        );
    }
    let (status, export) = send(&stack, &token, Method::GET, "/api/me/export", &json!({})).await;
    assert_eq!(status, StatusCode::OK, "{export}");
    let export: Value = serde_json::from_str(&export).unwrap();
    for table in &tables {
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

    let demo = stack.token().await;
    let path = format!("/api/accounts/{NAME}");
    let confirm = json!({ "confirm": NAME });
    let (status, erased) = send(&stack, &demo, Method::DELETE, &path, &confirm).await;
    assert_eq!(status, StatusCode::OK, "{erased}");
    // Until no token of the person is valid any more, it is known whom to erase again.
    assert_eq!(tables_of(&stack, id).await, ["bff.erasures"]);
    stack.stop().await;
}
