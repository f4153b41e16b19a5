//! Every operation, asked by every role, of the own tenant and of another one. The table of
//! `docs/roles.md` is what this test saw.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contracts::access::{Role, SCOPES};
use http::{HeaderMap, Method, Request, StatusCode};
use serde_json::{Value, json};

use crate::bench::{Answer, Bench, With, get, post};
use crate::people::account;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/roles.md");

/// The tenants and subjects in the tokens that the inner tiers were asked with.
type Asked = Arc<Mutex<Vec<Value>>>;

/// The inner tiers: they note who asks.
async fn tiers() -> (String, Asked) {
    let asked = Asked::default();
    let noted = asked.clone();
    let answer = move |headers: HeaderMap| async move {
        let token = headers["authorization"].to_str().unwrap();
        let claims = URL_SAFE_NO_PAD
            .decode(token.split('.').nth(1).unwrap())
            .unwrap();
        noted
            .lock()
            .unwrap()
            .push(serde_json::from_slice(&claims).unwrap());
        axum::Json(json!({}))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

/// An API key with every scope of a role, of an account of a tenant.
async fn key(bench: &Bench, role: Role, tenant: &str) -> String {
    let name = format!("{role}-{tenant}");
    let token = account(bench, &name, tenant, role.name()).await;
    let scopes: Vec<&str> = role.scopes().collect();
    let body = json!({ "name": "all", "scopes": scopes });
    let made = bench.send(post("/api/tokens", &body).bearer(&token)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    made.body["token"].as_str().unwrap().to_owned()
}

async fn ask(bench: &Bench, method: &Method, path: &str, key: &str) -> Answer {
    let filled: Vec<&str> = path
        .split('/')
        .map(|part| match part {
            "{username}" => "victim",
            "{name}" => "list_loggers",
            part if part.starts_with('{') => "x1",
            part => part,
        })
        .collect();
    let request = Request::builder()
        .method(method.clone())
        .uri(filled.join("/"))
        .header("host", "localhost:8080")
        .header("content-type", "application/json")
        .body(Body::from("{}"))
        .unwrap();
    bench.send(request.bearer(key)).await
}

fn lacks_scope(answer: &Answer) -> bool {
    let challenge = answer.headers.get("www-authenticate");
    answer.status == StatusCode::FORBIDDEN
        && challenge
            .is_some_and(|challenge| challenge.to_str().unwrap().contains("insufficient_scope"))
}

#[tokio::test]
async fn every_operation_is_open_to_the_roles_in_the_table_and_to_no_other() {
    let (url, asked) = tiers().await;
    let bench = Bench::configured(|config| {
        config.upstream.orchestrator_url.clone_from(&url);
        config.upstream.tools_url = url;
        config.limits.requests_per_minute = 100_000;
        config.limits.request_burst = 10_000;
        config.limits.logins_per_minute = 1000;
        config.limits.login_burst = 1000;
        config.limits.logins_per_minute_per_address = 1000;
        config.limits.login_burst_per_address = 1000;
    })
    .await;
    account(&bench, "victim", "demo", "viewer").await;
    let mut keys = Vec::new();
    for role in Role::ALL {
        for tenant in ["demo", "elsewhere"] {
            keys.push((role, tenant, key(&bench, role, tenant).await));
        }
    }
    let document = contracts::openapi::bff_document();
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, described) in methods.as_object().unwrap() {
            let required = described["x-required-scopes"].as_array();
            let required = required.into_iter().flatten();
            let scopes: Vec<&str> = required.map(|scope| scope.as_str().unwrap()).collect();
            let takes_bearer = described["security"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|one| one.get("bearer").is_some());
            if takes_bearer {
                let method: Method = method.to_uppercase().parse().unwrap();
                operations.push((path.clone(), method, scopes.join(", ")));
            }
        }
    }
    let mut rows: Vec<String> = Vec::new();
    for (path, method, scopes) in &operations {
        // Tools that require no more share the row of `{name}`: a new one changes no document.
        let shown = match path.strip_prefix("/api/tools/") {
            Some(_) if scopes == "tools:read" => "/api/tools/{name}",
            _ => path,
        };
        let mut row = format!("| `{method} {shown}` | {scopes} |");
        for (role, tenant, key) in &keys {
            asked.lock().unwrap().clear();
            let answer = ask(&bench, method, path, key).await;
            let what = format!("{method} {path} by {role} of {tenant}: {}", answer.status);
            assert_ne!(answer.status, StatusCode::UNAUTHORIZED, "{what}");
            assert_ne!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{what}");
            let allowed = !lacks_scope(&answer);
            let has: Vec<&str> = role.scopes().collect();
            let expected = scopes
                .split(", ")
                .all(|scope| scope.is_empty() || has.contains(&scope));
            assert_eq!(allowed, expected, "{what}");
            // What is passed on is asked for the caller's own tenant, whatever the request says.
            for claims in asked.lock().unwrap().iter() {
                assert!(allowed, "{what} was passed on");
                assert_eq!(claims["tenant"], *tenant, "{what}");
                assert_eq!(claims["scope"], has.join(" "), "{what}");
            }
            // An account of another tenant is unknown, save to who manages all of them.
            let of_account = path.contains("{username}") && *method != Method::DELETE;
            if of_account && allowed && *tenant == "elsewhere" {
                let unknown = *role != Role::InstallationAdministrator;
                assert_eq!(answer.status == StatusCode::NOT_FOUND, unknown, "{what}");
            }
            if *tenant == "demo" {
                row.push_str(if allowed { " yes |" } else { " |" });
            }
        }
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let lists = [
        "/api/sessions?account=victim",
        "/api/tokens?account=victim",
        "/api/accounts?tenant=demo",
        "/api/audit?tenant=demo",
    ];
    for (role, tenant, key) in keys.iter().filter(|(_, tenant, _)| *tenant == "elsewhere") {
        for path in lists {
            let answer = bench.send(get(path).bearer(key)).await;
            let sees = *role == Role::InstallationAdministrator;
            assert_eq!(
                answer.status == StatusCode::OK,
                sees,
                "{path} by {role} of {tenant}: {}",
                answer.body
            );
        }
    }
    assert_documented(&(rows.join("\n") + "\n"));
}

/// The documentation has the tables of scopes and operations as they are.
fn assert_documented(operations: &str) {
    let mut scopes = String::new();
    for scope in SCOPES {
        write!(scopes, "| `{}` | {} |", scope.name, scope.allows).unwrap();
        for role in Role::ALL {
            scopes.push_str(if scope.from <= role { " yes |" } else { " |" });
        }
        scopes.push('\n');
    }
    let text = std::fs::read_to_string(DOCUMENT).unwrap();
    let missing: Vec<&str> = [scopes.as_str(), operations]
        .into_iter()
        .filter(|table| !text.contains(table))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/roles.md must contain these tables:\n{}",
        missing.join("\n")
    );
}
