//! What users give the product to keep, through the bff: documents and credentials.

use std::path::Path;
use std::process::Command;

use http::{Method, StatusCode};
use serde_json::{Value, json};
use test_support::database::TestDatabase;
use test_support::upstream::{UpstreamServer, jwt};
use tools::credentials::config::{KeyConfig, generate_key};

use crate::demo_stack::{DemoStack, PASSWORD};

/// Sends a request to the bff; the answer's status and body.
async fn send(
    stack: &DemoStack,
    token: &str,
    method: Method,
    path: &str,
    body: impl Into<reqwest::Body>,
) -> (StatusCode, Value) {
    let url = format!("{}{path}", stack.services.bff_url);
    let answer = stack
        .http
        .request(method, url)
        .bearer_auth(token)
        .header("content-type", "application/json")
        .body(body)
        .send()
        .await
        .unwrap();
    let status = answer.status();
    let body = answer.bytes().await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_taken_in_listed_found_and_deleted_through_the_bff() {
    let stack = DemoStack::start().await;
    let token = stack.token().await;
    let text = "# Pump\n\n## Start\n\nPress the turquoise button for two seconds.\n";
    let (status, taken) = send(
        &stack,
        &token,
        Method::POST,
        "/api/documents?filename=pump.md&collection=pumps",
        text,
    )
    .await;
    assert_eq!(status, 200, "{taken}");
    assert_eq!(
        (&taken["outcome"], &taken["chunks"]),
        (&json!("created"), &json!(1))
    );
    let listed = async |token: &str| {
        let path = "/api/documents?collection=pumps";
        let (status, list) = send(&stack, token, Method::GET, path, "").await;
        assert_eq!(status, 200, "{list}");
        list["documents"].as_array().unwrap().len()
    };
    assert_eq!(listed(&token).await, 1);
    let question = json!({ "query": "turquoise button" }).to_string();
    let (_, found) = send(
        &stack,
        &token,
        Method::POST,
        "/api/tools/knowledge_search",
        question,
    )
    .await;
    assert_eq!(found["result"]["results"][0]["filename"], "pump.md");

    // Another tenant neither sees nor deletes it.
    let stranger = stack.token_of_new("stranger", "elsewhere").await;
    assert_eq!(listed(&stranger).await, 0);
    let path = format!("/api/documents/{}", taken["document_id"].as_str().unwrap());
    let delete = async |token: &str| send(&stack, token, Method::DELETE, &path, "").await.0;
    assert_eq!(delete(&stranger).await, 404);
    assert_eq!(delete(&token).await, 204);
    assert_eq!(delete(&token).await, 404);
    assert_eq!(listed(&token).await, 0);
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_says_why_through_the_bff() {
    let stack = Box::pin(DemoStack::start_with(|stack| {
        stack.bff.upstream.document_limit_bytes = 10_000;
    }))
    .await;
    let token = stack.token().await;
    let post = async |token: &str, query: &str, body: Vec<u8>| {
        let path = format!("/api/documents?{query}");
        let (status, problem) = send(&stack, token, Method::POST, &path, body).await;
        assert!(problem["detail"].is_string(), "{status} {problem}");
        (
            status.as_u16(),
            problem["code"].as_str().unwrap().to_owned(),
        )
    };
    let refused = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(
        post(&token, "filename=a.md", vec![b'a'; 10_001]).await,
        refused(413, "body_too_large")
    );
    assert_eq!(
        post(&token, "filename=a.zip", b"PK".to_vec()).await,
        refused(415, "unsupported_media_type")
    );
    assert_eq!(
        post(&token, "filename=a.pdf", b"%PDF-1.4 no".to_vec()).await,
        refused(422, "invalid_request")
    );
    let reader = stack.token_with("reader", &["tools:read"]).await;
    assert_eq!(
        post(&reader, "filename=a.md", b"text".to_vec()).await,
        refused(403, "forbidden")
    );
    for (method, path, scope) in [
        (Method::GET, "/api/documents", "documents:write"),
        (Method::DELETE, "/api/documents/x", "tools:read"),
        (Method::GET, "/api/credentials", "documents:write"),
        (Method::DELETE, "/api/credentials/x", "documents:write"),
    ] {
        let name = format!("only-{}-{}", scope.replace(':', "-"), path.len());
        let token = stack.token_with(&name, &[scope]).await;
        let (status, _) = send(&stack, &token, method.clone(), path, "").await;
        assert_eq!(status, 403, "{method} {path} with {scope}");
        let (status, _) = send(&stack, "no-token", method.clone(), path, "").await;
        assert_eq!(status, 401, "{method} {path}");
    }
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn users_see_which_credentials_are_kept_for_them_and_revoke_them() {
    let upstream = UpstreamServer::start().await.unwrap();
    let mut config = demo_inventory::upstream(&upstream.url(), &"service-key".into()).unwrap();
    config.token.issuer = None;
    let stack = Box::pin(DemoStack::start_with(|stack| {
        stack.tools.upstreams.push(config);
        let key = KeyConfig::new("one", generate_key());
        stack.tools.credentials.keys.push(key);
    }))
    .await;
    let token = stack.token().await;
    let own = format!("/api/credentials/{}", demo_inventory::UPSTREAM);
    let list = async |token: &str| {
        let (status, list) = send(&stack, token, Method::GET, "/api/credentials", "").await;
        assert_eq!(status, 200, "{list}");
        list["credentials"].clone()
    };
    assert_eq!(list(&token).await[0]["state"], "missing");

    let (_, me) = send(&stack, &token, Method::GET, "/auth/me", "").await;
    let end = chrono::Utc::now().timestamp() + 3600;
    let secret = jwt(&json!({ "sub": me["sub"], "aud": upstream.url(), "exp": end }));
    let brought = json!({ "access_token": secret }).to_string();
    let (status, kept) = send(&stack, &token, Method::PUT, &own, brought).await;
    assert_eq!((status, &kept["state"]), (StatusCode::OK, &json!("valid")));
    let (status, kept) = send(&stack, &token, Method::POST, &format!("{own}/ensure"), "").await;
    assert_eq!((status, &kept["state"]), (StatusCode::OK, &json!("valid")));

    // Something that is kept for a removed upstream is shown, too.
    sqlx::query("INSERT INTO tools.credentials SELECT (c).* FROM (SELECT jsonb_populate_record(k, '{\"upstream\": \"gone\"}') AS c FROM tools.credentials AS k) AS copied")
        .execute(stack.pool())
        .await
        .unwrap();
    let listed = list(&token).await;
    let states: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|status| {
            (
                status["upstream"].as_str().unwrap(),
                status["state"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        states,
        [(demo_inventory::UPSTREAM, "valid"), ("gone", "unused")]
    );
    assert!(!listed.to_string().contains(&secret), "a token was shown");

    // Another user of the tenant has none, and deletes none.
    let colleague = stack.token_of_new("colleague", "demo").await;
    assert_eq!(list(&colleague).await[0]["state"], "missing");
    let delete = async |token: &str, path: &str| {
        send(&stack, token, Method::DELETE, path, "")
            .await
            .0
            .as_u16()
    };
    assert_eq!(delete(&colleague, &own).await, 204);
    assert_eq!(delete(&colleague, "/api/credentials/gone").await, 404);
    assert_eq!(list(&token).await[0]["state"], "valid");

    assert_eq!(delete(&token, &own).await, 204);
    assert_eq!(delete(&token, "/api/credentials/gone").await, 204);
    assert_eq!(delete(&token, "/api/credentials/gone").await, 404);
    let listed = list(&token).await;
    assert_eq!(
        (listed.as_array().unwrap().len(), &listed[0]["state"]),
        (1, &json!("missing"))
    );
    stack.stop().await;
}

/// The commands of the README, in a shell, with the address, the password and the id put in.
#[tokio::test(flavor = "multi_thread")]
async fn the_readme_s_commands_for_documents_work_as_they_are_written() {
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let start = readme.find("    TOKEN=$(curl").unwrap();
    let commands: Vec<&str> = readme[start..]
        .lines()
        .take_while(|line| line.starts_with("    "))
        .collect();
    let stack = DemoStack::start().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pump.md"), "# Pump\n\nIt moves water.\n").unwrap();
    let script = commands
        .join("\n")
        .replace("http://127.0.0.1:8080", &stack.services.bff_url)
        .replace("\"…\"", &format!("\"{PASSWORD}\""))
        .replace("curl -H", "curl --silent --show-error --fail-with-body --write-out '\\n' -H")
        .replace("/ID", "/$(cat id)")
        .replacen(
            "&collection=manuals'\n",
            "&collection=manuals' | tee taken | sed 's/.*\"document_id\":\"\\([^\"]*\\)\".*/\\1/' > id\n",
            1,
        );
    let path = folder.path().to_owned();
    let run = tokio::task::spawn_blocking(move || {
        Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .current_dir(path)
            .output()
            .unwrap()
    });
    let run = run.await.unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(
        run.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(said.contains("\"filename\":\"pump.md\""), "{said}");
    let taken = std::fs::read_to_string(folder.path().join("taken")).unwrap();
    assert!(taken.contains("\"outcome\":\"created\""), "{taken}");
    let left: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM tools.knowledge_documents WHERE filename = 'pump.md'",
    )
    .fetch_one(stack.pool())
    .await
    .unwrap();
    assert_eq!(left, 0);
    stack.stop().await;
}

/// The program itself, which reads documents by starting itself once more.
#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_reads_documents_in_processes_of_its_own() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let manuals = folder.path().join("manuals");
    std::fs::create_dir(&manuals).unwrap();
    std::fs::write(manuals.join("pump.md"), "# Pump\n\nIt moves water.\n").unwrap();
    // For each of these end tags, the parser looks through all open elements.
    let slow = "<span>".repeat(3_900) + &"</b>".repeat(600_000);
    std::fs::write(manuals.join("slow.html"), slow).unwrap();
    let mut ingest = tokio::process::Command::new(env!("CARGO_BIN_EXE_heliograph"));
    ingest
        .args(["knowledge", "ingest"])
        .arg(&manuals)
        .env("DATABASE_URL", database.url())
        .env("HELIOGRAPH_DATA_DIR", folder.path().join("data"))
        .env("HELIOGRAPH_TOOLS__KNOWLEDGE__READ_TIMEOUT_MS", "2000")
        .kill_on_drop(true);
    let run = ingest.output().await.unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    let noted = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}{noted}");
    assert!(
        said.contains("1 new") && said.contains("1 not readable"),
        "{said}{noted}"
    );
    assert!(noted.contains("took longer than it may"), "{noted}");
}
