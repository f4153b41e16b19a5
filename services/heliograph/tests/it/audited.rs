//! The audit log of a process: the release of a question is in it, and each entry is also a line of
//! JSON in the output.

use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tools::credentials::config::generate_key;

use crate::one_process::{OneProcess, until};
use crate::targets::shop;

/// Calls an operation as the owner of a token; its answer.
async fn call(process: &OneProcess, token: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
    let http = service_kit::http_client().unwrap();
    let url = format!("{}{path}", process.url());
    let request = match body {
        Some(body) => http.post(url).json(body),
        None => http.get(url),
    };
    let answer = request.bearer_auth(token).send().await.unwrap();
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

/// An editor confirms a question; an administrator releases it. Returns its id.
async fn release(process: &OneProcess, demo: &str) -> String {
    let ada = json!({ "username": "ada", "password": "plum ladder quiet", "role": "editor" });
    let (status, made) = call(process, demo, "/api/accounts", Some(&ada)).await;
    assert_eq!(status, 201, "{made}");
    let sign_in = json!({ "username": "ada", "password": "plum ladder quiet" });
    let (_, tokens) = call(process, "", "/auth/token", Some(&sign_in)).await;
    let token = tokens["access_token"].as_str().unwrap();
    let question = json!({
        "target": "shop",
        "question": "How many customers are there?",
        "sql": "SELECT COUNT(*) AS customers FROM customer",
    });
    let (_, kept) = call(
        process,
        token,
        "/api/tools/confirm_question",
        Some(&question),
    )
    .await;
    let id = kept["result"]["id"].as_str().unwrap();
    let path = format!("/api/questions/{id}/approve");
    let (status, refused) = call(process, token, &path, Some(&json!({}))).await;
    assert_eq!(status, 403, "an editor may not: {refused}");
    let (status, released) = call(process, demo, &path, Some(&json!({}))).await;
    assert_eq!(status, 200, "{released}");
    id.to_owned()
}

/// A member of a line of the log.
fn member<'a>(line: &'a Value, name: &str) -> &'a Value {
    match &line[name] {
        Value::Null => &line["fields"][name],
        found => found,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_release_of_a_question_is_an_entry_and_each_entry_a_line_of_json() {
    let (shop, _) = shop().await;
    let key = generate_key();
    let keys = format!("[{{id=\"first\",key=\"{}\"}}]", key.expose_secret());
    let mut process = OneProcess::start(&[
        ("RUST_LOG", "warn,audit=info"),
        ("HELIOGRAPH__TELEMETRY__LOG_FORMAT", "json"),
        ("HELIOGRAPH_TOOLS__CREDENTIALS__KEYS", &keys),
    ])
    .await;
    let demo = process.token().await;
    let place = shop.pool().connect_options();
    let target = json!({
        "name": "shop",
        "connection": {
            "engine": "postgresql", "host": place.get_host(), "port": place.get_port(),
            "database": place.get_database(), "username": "heliograph_shop_reader",
            "password": "secret", "tls": "off",
        },
    });
    let (status, added) = call(&process, &demo, "/api/targets", Some(&target)).await;
    assert_eq!(status, 201, "{added}");
    until(async || {
        let (_, shop) = call(&process, &demo, "/api/targets/shop", None).await;
        shop["target"]["job"]["status"] == "done"
    })
    .await;
    let id = release(&process, &demo).await;

    let (_, log) = call(&process, &demo, "/api/audit", None).await;
    let entries = log["entries"].as_array().unwrap();
    let releases = entries
        .iter()
        .filter(|entry| entry["action"] == "approve_question");
    let releases: Vec<_> = releases
        .map(|entry| json!([entry["actor_name"], entry["outcome"], entry["object"]]))
        .collect();
    assert_eq!(
        json!(releases),
        json!([["demo", "done", id], ["ada", "refused", id]]),
        "the newest first"
    );

    process.kill().await;
    let output = std::fs::read_to_string(process.log()).unwrap();
    let lines = output
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let lines: Vec<Value> = lines
        .filter(|line: &Value| line["target"] == "audit")
        .collect();
    assert_eq!(lines.len(), entries.len(), "{output}");
    for (line, entry) in lines.iter().zip(entries.iter().rev()) {
        for name in ["action", "outcome", "status", "tenant", "object", "actor"] {
            assert_eq!(member(line, name), &entry[name], "{name}: {line} {entry}");
        }
        assert_eq!(
            member(line, "client.address"),
            &entry["address"],
            "{line} {entry}"
        );
    }
}
