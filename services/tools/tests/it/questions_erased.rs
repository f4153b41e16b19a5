//! A person's end in the schema `tools`: no table keeps a row of the person.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row};

use crate::sql_targets::{Site, mariadb};

/// Columns that can name a person. A column of any other name that holds one has to be added here
/// and to `tools::person`.
const PERSONAL: &str =
    "(subject|owner|user|person|account|author|username|[a-z_]*_by|[a-z_]*_by_name)";

/// Number of rows that name a person, by table and column.
async fn rows_of(site: &Site, names: [&str; 2]) -> Vec<(String, i64)> {
    let columns = sqlx::query(
        "SELECT table_name::text, column_name::text FROM information_schema.columns
         WHERE table_schema = 'tools' AND column_name ~ ('^' || $1 || '(_id)?$') AND data_type IN ('text', 'uuid')
         ORDER BY 1, 2",
    )
    .bind(PERSONAL)
    .fetch_all(&site.app.pool)
    .await
    .unwrap();
    let mut found = Vec::new();
    for column in &columns {
        let (table, column): (String, String) = (column.get(0), column.get(1));
        let count = format!("SELECT count(*) FROM tools.{table} WHERE {column}::text = ANY($1)");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .bind(names.map(str::to_owned).to_vec())
            .fetch_one(&site.app.pool)
            .await
            .unwrap();
        found.push((format!("{table}.{column}"), count));
    }
    found
}

#[tokio::test]
async fn no_row_names_a_person_who_was_erased() {
    let target = mariadb().await;
    let site = Site::over(vec![target.config.clone()]).await;
    let pool = &site.app.pool;
    let scopes = &["tools:read", "questions:write", "questions:approve"];
    let (bob, eve) = (
        site.app.token_of_named(("bob-id", "Bob"), "demo", scopes),
        site.app.token_of_named(("eve-id", "Eve"), "demo", scopes),
    );
    let confirm = async |token: &str, question: &str| -> String {
        let body = json!({ "question": question, "sql": "SELECT name FROM crew" }).to_string();
        let path = "/api/tools/confirm_question";
        let (_, answer) = site.app.send(Method::POST, path, Some(token), &body).await;
        answer["result"]["id"].as_str().unwrap().to_owned()
    };
    // Bob's own, and one of Eve's that Bob released and changed.
    confirm(&bob, "Which crews?").await;
    let eves = confirm(&eve, "Crews?").await;
    let place = format!("/api/questions/{eves}");
    for (method, path, body) in [
        (Method::POST, format!("{place}/approve"), Value::Null),
        (
            Method::PATCH,
            place.clone(),
            json!({ "question": "All crews?" }),
        ),
    ] {
        let (status, answer) = site
            .app
            .send(
                method,
                &path,
                Some(&bob),
                &body.to_string().replace("null", ""),
            )
            .await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    for statement in [
        "INSERT INTO tools.remembered_choices VALUES ('demo', 'bob-id', 'miami', 's', 'port', '1', now())",
        "INSERT INTO tools.remembered_choices VALUES ('rival', 'bob-id', 'miami', 's', 'port', '1', now())",
        "INSERT INTO tools.credentials (tenant, subject, upstream, key_id, nonce, ciphertext) \
         VALUES ('demo', 'bob-id', 'u', 'k', decode('000000000000000000000000', 'hex'), '')",
        "INSERT INTO tools.credential_refreshes VALUES ('demo', 'bob-id', 'u', gen_random_uuid(), now())",
    ] {
        sqlx::query(statement).execute(pool).await.unwrap();
    }
    let before = rows_of(&site, ["bob-id", "Bob"]).await;
    for table in [
        "credentials",
        "credential_refreshes",
        "remembered_choices",
        "sql_questions",
    ] {
        let counted = before
            .iter()
            .any(|(column, count)| column.starts_with(table) && *count > 0);
        assert!(counted, "{table}: {before:?}");
    }
    // No account can have the scope that this requires; a caller that has it erases only the
    // subject.
    let (status, _) = site
        .app
        .send(Method::DELETE, "/api/person", Some(&bob), "")
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let token = site.app.token_of("bob-id", "demo", &["person:erase"]);
    for _ in 0..2 {
        let (status, problem) = site
            .app
            .send(Method::DELETE, "/api/person", Some(&token), "")
            .await;
        assert_eq!(status, StatusCode::NO_CONTENT, "{problem}");
    }
    let after = rows_of(&site, ["bob-id", "Bob"]).await;
    let of_the_other_tenant = 1;
    let left: i64 = after.iter().map(|(_, count)| count).sum();
    assert_eq!(left, of_the_other_tenant, "{after:?}");
    // What Bob released continues, without his name.
    let (_, kept) = site.app.send(Method::GET, &place, Some(&eve), "").await;
    assert_eq!(
        (
            &kept["released"],
            &kept["released_by"],
            &kept["confirmed_by"]
        ),
        (&json!(true), &Value::Null, &json!("Eve"))
    );
}
