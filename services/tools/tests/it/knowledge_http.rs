//! Documents over HTTP, and the tools that find passages in them, with vectors of a provider over
//! HTTP.

use axum::body::Body;
use http::{Method, Request, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Operation, Script, Seen, Turn};

use crate::harness::{App, TENANT, database};

const NOW: &str = "2026-06-01T12:00:00Z";
const MANUAL: &str = "# Pump\n\n## Start\n\nOpen the valve, bleed the line and press the green button for two seconds.\n\n\
    ## Faults\n\nFault E-102 means that the isolation to ground is too low; call the workshop.\n";

async fn send(
    app: &App,
    tenant: &str,
    query: &str,
    kind: &str,
    bytes: &[u8],
) -> (StatusCode, Value) {
    let token = app.token(tenant, &["documents:write"]);
    let request = Request::post(format!("/api/documents?{query}"))
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", kind)
        .body(Body::from(bytes.to_vec()))
        .unwrap();
    app.request(request).await
}

async fn put(app: &App, tenant: &str, query: &str) -> Value {
    let (status, answer) = send(app, tenant, query, "text/markdown", MANUAL.as_bytes()).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

async fn list(app: &App, tenant: &str, query: &str) -> Value {
    let token = app.token(tenant, &["tools:read"]);
    let path = format!("/api/documents{query}");
    let (status, answer) = app.send(Method::GET, &path, Some(&token), "").await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer["documents"].clone()
}

/// The service with vectors of a provider.
async fn embedding(url: &str) -> (App, ModelServer) {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let app = App::configured(url, NOW, |config| {
        config.embedding.provider = Some("openai".into());
        config.embedding.model = Some("test-embedding".to_owned());
        let openai = config.embedding.providers.get_mut("openai");
        openai.base_url = Some(server.base_url());
        openai.api_key = Some(SecretString::from(server.key().to_owned()));
    });
    (app, server)
}

fn is_embedding(seen: &Seen) -> bool {
    seen.operation != Operation::Chat
}

#[tokio::test]
async fn the_text_of_a_document_has_each_passage_where_it_says() {
    let database = database().await;
    let app = App::at(database.url(), NOW);
    let text = "# Käfer 🐞\n\n## Öffnen\n\nDer Deckel wird mit 12 Nm gelöst.\n\n## Schließen\n\nThe quokka seal is greased first.\n";
    let query = "filename=k%C3%A4fer.md";
    let (status, taken) = send(&app, TENANT, query, "text/markdown", text.as_bytes()).await;
    assert_eq!(status, StatusCode::OK, "{taken}");
    let found = json!({ "query": "quokka seal" });
    let (_, found) = app.call_as(TENANT, "knowledge_search", found).await;
    let found = &found["result"]["results"][0];
    let token = app.token(TENANT, &["tools:read"]);
    let path = format!(
        "/api/documents/{}/text",
        found["document_id"].as_str().unwrap()
    );
    let (status, read) = app.send(Method::GET, &path, Some(&token), "").await;
    assert_eq!(status, StatusCode::OK, "{read}");
    assert_eq!(read["filename"], "käfer.md");
    let passages = read["passages"].as_array().unwrap();
    assert_eq!(passages.len(), taken["chunks"], "{read}");
    let passage = passages
        .iter()
        .find(|one| one["index"] == found["chunk_index"])
        .unwrap();
    assert_eq!(passage["headings"], found["headings"], "{read}");
    let place = |name: &str| usize::try_from(passage[name].as_u64().unwrap()).unwrap();
    let whole = read["text"].as_str().unwrap().chars();
    let cut: String = whole
        .skip(place("start"))
        .take(place("end") - place("start"))
        .collect();
    assert_eq!(cut, found["content"].as_str().unwrap().trim());
    // Another tenant's documents are none.
    let rival = app.token("rival", &["tools:read"]);
    let (status, _) = app.send(Method::GET, &path, Some(&rival), "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_document_is_taken_in_listed_found_and_deleted() {
    let database = database().await;
    let (app, server) = embedding(database.url()).await;
    let taken = put(&app, TENANT, "filename=pump.md").await;
    assert_eq!(
        (
            &taken["outcome"],
            &taken["collection"],
            &taken["chunks"],
            &taken["chunks_without_vector"]
        ),
        (&json!("created"), &json!("manuals"), &json!(2), &json!(0))
    );
    let asked = server.seen().len();
    assert_eq!(
        put(&app, TENANT, "filename=pump.md").await["outcome"],
        "unchanged"
    );
    assert_eq!(server.seen().len(), asked);

    let listed = list(&app, TENANT, "").await;
    assert_eq!(
        (
            &listed[0]["filename"],
            &listed[0]["media_type"],
            &listed[0]["chunks"]
        ),
        (&json!("pump.md"), &json!("text/markdown"), &json!(2))
    );
    assert_eq!(list(&app, TENANT, "?collection=other").await, json!([]));

    let found = app.ok("knowledge_search", json!({"query": "E-102"})).await;
    let best = &found["result"]["results"][0];
    assert_eq!(
        (&best["filename"], &best["headings"], &best["chunk_index"]),
        (&json!("pump.md"), &json!(["Pump", "Faults"]), &json!(1))
    );
    assert_eq!(found["result"]["mode"], "hybrid");
    assert_eq!(found["result"]["model"], "openai/test-embedding");

    let id = taken["document_id"].as_str().unwrap();
    let path = format!("/api/documents/{id}");
    let token = app.token(TENANT, &["documents:write"]);
    for expected in [StatusCode::NO_CONTENT, StatusCode::NOT_FOUND] {
        assert_eq!(
            app.send(Method::DELETE, &path, Some(&token), "").await.0,
            expected
        );
    }
    let nothing = app
        .call("knowledge_search", json!({"query": "E-102"}))
        .await;
    assert_eq!(nothing["status"], "no_data");
    assert_eq!(nothing["result"]["reason"], "no_documents");
    server.assert_accepted();
}

#[tokio::test]
async fn both_names_of_the_tool_and_of_its_argument_work() {
    let database = database().await;
    let app = App::over(database.url());
    put(&app, TENANT, "filename=pump.md").await;
    for (tool, argument) in [
        ("knowledge_search", "query"),
        ("knowledge_search", "question"),
        ("climate_vector_search", "query"),
        ("climate_vector_search", "question"),
    ] {
        let found = app
            .ok(tool, json!({argument: "green button", "top_k": 1}))
            .await;
        assert_eq!(
            found["result"]["results"][0]["headings"],
            json!(["Pump", "Start"])
        );
        assert_eq!(found["result"]["reason"], "no_embedder");
    }
    let blank = app
        .call("climate_vector_search", json!({"question": " "}))
        .await;
    assert_eq!(
        (&blank["status"], &blank["result"]["reason"]),
        (&json!("no_data"), &json!("empty_question"))
    );
    for wrong in [
        json!({}),
        json!({"query": "x", "top_k": 51}),
        json!({"query": "x", "min_score": 2}),
    ] {
        let (status, problem) = app.call_as(TENANT, "knowledge_search", wrong).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    }
}

#[tokio::test]
async fn a_provider_that_is_away_leaves_words_and_a_later_run_makes_up_for_it() {
    let database = database().await;
    let (app, server) = embedding(database.url()).await;
    server.play(Script::new().when(is_embedding, Turn::status(401, "{}")));
    let taken = put(&app, TENANT, "filename=pump.md").await;
    assert_eq!(taken["chunks_without_vector"], 2);
    let found = app.ok("knowledge_search", json!({"query": "valve"})).await;
    assert_eq!(
        (&found["result"]["mode"], &found["result"]["reason"]),
        (&json!("text"), &json!("embedder_unavailable"))
    );
    server.play(Script::new());
    assert_eq!(
        put(&app, TENANT, "filename=pump.md").await["chunks_without_vector"],
        0
    );
    let found = app.ok("knowledge_search", json!({"query": "valve"})).await;
    assert_eq!(found["result"]["mode"], "hybrid");
}

#[tokio::test]
async fn tenants_neither_see_find_nor_delete_each_others_documents() {
    let database = database().await;
    let app = App::over(database.url());
    let taken = put(&app, TENANT, "filename=pump.md").await;
    assert_eq!(list(&app, "rival", "").await, json!([]));
    let (_, found) = app
        .call_as("rival", "knowledge_search", json!({"query": "valve"}))
        .await;
    assert_eq!(found["result"]["reason"], "no_documents");
    let path = format!("/api/documents/{}", taken["document_id"].as_str().unwrap());
    let token = app.token("rival", &["documents:write"]);
    let (status, _) = app.send(Method::DELETE, &path, Some(&token), "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(list(&app, TENANT, "").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn each_operation_wants_its_scope() {
    let database = database().await;
    let app = App::over(database.url());
    for (method, path, scope) in [
        (Method::POST, "/api/documents?filename=a.md", "tools:read"),
        (Method::GET, "/api/documents", "documents:write"),
        (
            Method::DELETE,
            "/api/documents/00000000-0000-0000-0000-000000000000",
            "tools:read",
        ),
    ] {
        let token = app.token(TENANT, &[scope]);
        let (status, _) = app.send(method.clone(), path, Some(&token), "text").await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path}");
        let (status, _) = app.send(method.clone(), path, None, "text").await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{method} {path}");
    }
}

#[tokio::test]
async fn what_can_not_be_taken_is_refused_with_its_reason() {
    let database = database().await;
    let app = App::configured(database.url(), NOW, |config| {
        config.knowledge.max_document_bytes = 1_000;
    });
    let status = async |query: &str, kind: &str, bytes: &[u8]| {
        let (status, problem) = send(&app, TENANT, query, kind, bytes).await;
        assert!(problem["detail"].is_string(), "{problem}");
        status.as_u16()
    };
    assert_eq!(
        status("filename=a.zip", "application/zip", b"PK").await,
        415
    );
    assert_eq!(
        status("filename=a.md", "text/markdown", &[b'a'; 1_001]).await,
        413
    );
    assert_eq!(
        status("filename=a.pdf", "application/pdf", b"%PDF-1.4 no").await,
        422
    );
    assert_eq!(status("filename=a.md", "text/markdown", b"\n").await, 422);
    assert_eq!(status("filename=%20", "text/plain", b"text").await, 422);
    for (query, pointer) in [
        (format!("filename={}.md", "a".repeat(1_000)), "/filename"),
        (
            format!("filename=a.md&collection={}", "c".repeat(101)),
            "/collection",
        ),
    ] {
        let (status, problem) = send(&app, TENANT, &query, "text/markdown", b"text").await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    assert_eq!(
        status("filename=a.md&colection=x", "text/plain", b"text").await,
        422
    );
    // Without an ending the content type decides.
    let (status, taken) = send(
        &app,
        TENANT,
        "filename=notes",
        "text/plain; charset=utf-8",
        b"Some words.",
    )
    .await;
    assert_eq!((status, &taken["chunks"]), (StatusCode::OK, &json!(1)));
    assert_eq!(list(&app, TENANT, "").await[0]["media_type"], "text/plain");
}

#[tokio::test]
async fn a_document_beyond_the_limits_of_reading_is_refused_and_the_next_one_taken() {
    let database = database().await;
    let detail = async |app: &App, query: &str, bytes: &[u8]| {
        let (status, problem) = send(app, TENANT, query, "text/plain", bytes).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        problem["detail"].as_str().unwrap().to_owned()
    };
    let hasty = App::configured(database.url(), NOW, |config| {
        config.knowledge.read_timeout_ms = 1_000;
    });
    // Each item is looked for in all levels above it.
    let deep = "<div>".repeat(3_900) + &"<li>x</li>".repeat(300_000);
    let told = detail(&hasty, "filename=deep.html", deep.as_bytes()).await;
    assert_eq!(told, "Reading the document took longer than it may.");
    put(&hasty, TENANT, "filename=pump.md").await;

    let frugal = App::configured(database.url(), NOW, |config| {
        config.knowledge.reader_memory_bytes = 64 << 20;
    });
    let long = "a word and another one\n\n".repeat(1_000_000);
    let told = detail(&frugal, "filename=long.md", long.as_bytes()).await;
    assert!(told.contains("more memory than the 64 MiB"), "{told}");
    let unchanged = put(&frugal, TENANT, "filename=pump.md").await;
    assert_eq!(unchanged["outcome"], "unchanged");
}
