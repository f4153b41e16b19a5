//! An HTTP API of one's own while the services run: the command line over HTTP, from the address to
//! the tool.

use axum::Router;
use clap::Parser as _;
use heliograph::chat::ChatClient;
use heliograph::cli::{Cli, Command};
use heliograph::commands::upstreams;
use http::{HeaderMap, StatusCode, Uri};
use reqwest::Method;
use serde_json::{Value, json};
use tools::credentials::config::{KeyConfig, generate_key};

use crate::demo_stack::DemoStack;

const KEY: &str = "key-of-the-depot";

/// An API of parts for those with the key.
async fn depot() -> String {
    let answer = async |uri: Uri, headers: HeaderMap| {
        if headers.get("x-key").is_none_or(|key| key != KEY) {
            return (StatusCode::UNAUTHORIZED, axum::Json(json!({})));
        }
        match uri.path() {
            "/parts" => (
                StatusCode::OK,
                axum::Json(json!([{ "id": "P1", "stock": 12 }])),
            ),
            _ => (StatusCode::NOT_FOUND, axum::Json(json!({}))),
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn run(client: &ChatClient, arguments: &[&str], secret: &str) -> anyhow::Result<String> {
    let cli = Cli::try_parse_from(["heliograph", "upstreams"].iter().chain(arguments)).unwrap();
    let Some(Command::Upstreams { command, .. }) = cli.command else {
        panic!("not upstreams");
    };
    let headers = arguments.iter().filter(|one| **one == "--header").count();
    let secrets = vec![secret.to_owned().into(); headers];
    let lines = upstreams::carry_out(client, command, secrets).await?;
    Ok(lines.join("\n"))
}

async fn get(client: &ChatClient, path: &str) -> String {
    let answer = client.request(Method::GET, path, None).await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    answer.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_connects_an_api_and_its_operations_are_tools() {
    let url = depot().await;
    let key = generate_key();
    let stack = DemoStack::start_with(|config| {
        let keys = &mut config.tools.credentials.keys;
        keys.push(KeyConfig::new("test", key));
    })
    .await;
    let scopes = ["chat", "tools:read", "targets:write", "audit:read"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    stack.create_account_with("eve", "third", &scopes).await;
    let (ada, eve) = (stack.sign_in("ada").await, stack.sign_in("eve").await);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("depot.json");
    let operations = json!([{ "name": "list_parts", "description": "Spare parts and their stock.", "path": "/parts" }]);
    std::fs::write(&file, operations.to_string()).unwrap();
    let file = file.to_string_lossy().into_owned();

    let none = run(&ada, &["list"], "").await.unwrap();
    assert!(none.contains("no upstream yet"), "{none}");
    let options = ["add", "depot", &url, "--header", "X-Key", "--file", &file];
    let refused = run(&ada, &options, "wrong").await.unwrap_err().to_string();
    assert!(refused.contains("does not accept"), "{refused}");
    let away = [
        "add",
        "depot",
        "http://127.0.0.1:1",
        "--header",
        "X-Key",
        "--file",
        &file,
    ];
    let refused = run(&ada, &away, KEY).await.unwrap_err().to_string();
    assert!(refused.contains("cannot be reached"), "{refused}");
    let tested = [options.as_slice(), &["--test"]].concat();
    let tested = run(&ada, &tested, KEY).await.unwrap();
    assert!(tested.contains("operations"), "{tested}");
    let added = run(&ada, &options, KEY).await.unwrap();
    assert!(
        added.contains("1 tool") && added.contains("list_parts  Spare parts"),
        "{added}"
    );

    // The operation is a tool, and the documents assistant is offered.
    let none = json!({});
    let parts = ada.request(Method::POST, "/api/tools/list_parts", Some(&none));
    let parts: Value = parts.await.unwrap().json().await.unwrap();
    assert_eq!(parts["result"][0]["stock"], 12, "{parts}");
    let overview = get(&ada, "/api/tools").await;
    assert!(overview.contains("list_parts"));

    // Its words are taken out, changed and given back.
    let words = run(&ada, &["show", "depot", "--json"], "").await.unwrap();
    std::fs::write(&file, words.replace("Spare parts", "Parts on the shelf")).unwrap();
    let described = run(&ada, &["describe", "depot", &file], "").await.unwrap();
    assert!(described.contains("Parts on the shelf"), "{described}");

    // Another tenant sees nothing of it; a viewer changes nothing.
    assert!(
        run(&eve, &["list"], "")
            .await
            .unwrap()
            .contains("no upstream yet")
    );
    assert!(run(&eve, &["show", "depot"], "").await.is_err());
    assert!(!get(&eve, "/api/tools").await.contains("list_parts"));
    let called = eve.request(Method::POST, "/api/tools/list_parts", Some(&none));
    assert!(called.await.is_err());
    stack.create_account("viewer", "elsewhere").await;
    let viewer = stack.sign_in("viewer").await;
    let refused = run(&viewer, &["remove", "depot", "--confirm", "depot"], "").await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("targets:write"), "{refused}");

    run(&ada, &["remove", "depot", "--confirm", "depot"], "")
        .await
        .unwrap();
    assert!(
        run(&ada, &["list"], "")
            .await
            .unwrap()
            .contains("no upstream yet")
    );
    let log = get(&ada, "/api/audit").await;
    for action in ["create_upstream", "change_upstream", "delete_upstream"] {
        assert!(log.contains(&format!("\"{action}\"")), "{action}: {log}");
    }
    assert!(log.contains("\"depot\"") && !log.contains(KEY), "{log}");
    assert!(!get(&eve, "/api/audit").await.contains("depot"));
    stack.stop().await;
}
