//! Documents of one's own while the services run: files of every kind, folders that are
//! synchronised, collections with readers, limits.

use std::io::{Cursor, Write as _};

use heliograph::chat::{ChatClient, ChatError};
use heliograph::cli::KnowledgeSync;
use heliograph::commands::knowledge::sync::{Synced, synchronise};
use reqwest::Method;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::demo_stack::DemoStack;

async fn get(client: &ChatClient, path: &str) -> Value {
    let answer = client.request(Method::GET, path, None).await.unwrap();
    answer.json().await.unwrap()
}

async fn send(client: &ChatClient, method: Method, path: &str, body: &Value) -> Value {
    let answer = client.request(method, path, Some(body)).await.unwrap();
    answer.json().await.unwrap_or_default()
}

/// The status and the sentence of a refusal.
async fn refused(
    client: &ChatClient,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> (u16, String) {
    match client.request(method, path, body).await {
        Err(ChatError::Refused(problem)) => {
            let words = serde_json::to_string(&problem).unwrap();
            (problem.status, words)
        }
        other => panic!("{path}: {other:?}"),
    }
}

async fn upload(
    client: &ChatClient,
    collection: &str,
    name: &str,
    bytes: Vec<u8>,
) -> Result<Value, (u16, String)> {
    let path = format!("/api/documents?filename={name}&collection={collection}");
    let kind = ("application/octet-stream", None);
    match client.upload(&path, kind, bytes).await {
        Ok(answer) => Ok(answer.json().await.unwrap()),
        Err(ChatError::Refused(problem)) => {
            Err((problem.status, problem.detail.clone().unwrap_or_default()))
        }
        Err(error) => panic!("{error}"),
    }
}

fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A Word document with a heading on its second page and a table under it.
fn docx() -> Vec<u8> {
    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let row = |a: &str, b: &str| format!("<w:tr>{}{}</w:tr>", cell(a), cell(b));
    let table = [
        row("Bolt", "Torque in newton metres"),
        row("M8 flange bolt", "25"),
        row("M12 flange bolt", "85"),
    ]
    .concat();
    zipped(&[(
        "word/document.xml",
        &format!(
            "<w:document xmlns:w=\"w\"><w:body>\
             <w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>Assembly</w:t></w:r></w:p>\
             <w:p><w:r><w:t>Put the gearbox onto the frame before anything else is mounted to it.</w:t></w:r></w:p>\
             <w:p><w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr><w:r><w:lastRenderedPageBreak/><w:t>Tightening</w:t></w:r></w:p>\
             <w:tbl>{table}</w:tbl></w:body></w:document>"
        ),
    )])
}

async fn search(client: &ChatClient, words: &str) -> Vec<Value> {
    let body = json!({ "query": words, "mode": "text" });
    let found = send(client, Method::POST, "/api/tools/knowledge_search", &body).await;
    let results = found["result"]["results"].as_array();
    results.cloned().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_a_new_tenant_from_files_to_collections() {
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.tools.ingest.tenant_storage_bytes = 200_000;
        config.orchestrator.runs.max_per_person = 7;
    }))
    .await;
    let administrator = [
        "chat",
        "tools:read",
        "measurements:write",
        "sites:write",
        "documents:write",
        "questions:write",
        "questions:approve",
        "targets:write",
        "accounts:read",
        "accounts:write",
        "accounts:erase",
        "audit:read",
        "retention:write",
        "schedules:write",
    ];
    stack
        .create_account_with("boss", "acme", &administrator)
        .await;
    stack
        .create_account_with("viewer", "acme", &["chat", "tools:read", "documents:write"])
        .await;
    let boss = stack.sign_in("boss").await;
    let viewer = stack.sign_in("viewer").await;

    kinds_and_faults(&boss).await;
    a_folder_is_synchronised(&boss).await;
    readers(&stack, &boss, &viewer).await;
    limits(&boss).await;
    stack.stop().await;
}

/// Documents of several kinds, and the reasons why broken ones are refused.
async fn kinds_and_faults(boss: &ChatClient) {
    let kept = upload(boss, "manuals", "assembly.docx", docx())
        .await
        .unwrap();
    assert_eq!(kept["outcome"], "created");
    let found = search(boss, "torque of the M12 flange bolt").await;
    let best = &found[0];
    assert_eq!(best["filename"], "assembly.docx");
    assert_eq!(best["headings"], json!(["Assembly", "Tightening"]));
    assert_eq!(best["page"], 2);
    let content = best["content"].as_str().unwrap();
    assert!(
        content.contains(
            "| Bolt | Torque in newton metres |\n| M8 flange bolt | 25 |\n| M12 flange bolt | 85 |"
        ),
        "{content}"
    );
    let mail = b"Subject: Leak\r\nFrom: j@example.org\r\n\r\nThe seal of pump seven leaks.\r\n";
    upload(boss, "manuals", "leak.eml", mail.to_vec())
        .await
        .unwrap();
    assert_eq!(
        search(boss, "seal pump seven").await[0]["filename"],
        "leak.eml"
    );
    let entity = "<!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><d>&x;</d>";
    let faults = [
        (
            "cut.docx",
            docx()[..200].to_vec(),
            "it was cut off; get the file again",
        ),
        ("wrong.xlsx", docx(), "it is a Word document"),
        (
            "xxe.docx",
            zipped(&[("word/document.xml", entity)]),
            "document type, which is refused",
        ),
        (
            "deep.docx",
            zipped(&[("word/document.xml", &"<w:p>".repeat(100_000))]),
            "nested too deeply",
        ),
        (
            "old.docx",
            vec![0xd0, 0xcf, 0x11, 0xe0, 0, 0],
            "protected by a password",
        ),
        ("scan.pptx", b"%PDF-1.4".to_vec(), "it is a PDF"),
    ];
    for (name, bytes, why) in faults {
        let (status, told) = upload(boss, "manuals", name, bytes).await.unwrap_err();
        assert_eq!(status, 422, "{name}: {told}");
        assert!(told.contains(why), "{name}: {told}");
    }
    let documents = get(boss, "/api/documents").await;
    assert_eq!(documents["documents"].as_array().unwrap().len(), 2);
}

async fn a_folder_is_synchronised(boss: &ChatClient) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("guides")).unwrap();
    std::fs::write(path.join("guides/a.md"), "# A\n\nAlpha stands here.\n").unwrap();
    std::fs::write(path.join("b.txt"), "Beta stands here.\n").unwrap();
    std::fs::write(path.join("c.docx"), "no office file").unwrap();
    std::fs::write(path.join("d.exe"), "x").unwrap();
    let options = KnowledgeSync {
        folder: path.to_owned(),
        collection: "guides".to_owned(),
        keep: false,
        delete_all: false,
        watch: false,
    };
    let sync = async || synchronise(boss, &options).await.unwrap();
    let first = Synced {
        created: 2,
        refused: 1,
        skipped: 1,
        ..Synced::default()
    };
    assert_eq!(sync().await, first);
    let again = Synced {
        unchanged: 2,
        created: 0,
        ..first.clone()
    };
    assert_eq!(sync().await, again, "the same folder changes nothing");
    std::fs::write(path.join("guides/a.md"), "# A\n\nGamma stands here.\n").unwrap();
    std::fs::remove_file(path.join("b.txt")).unwrap();
    std::fs::write(path.join("e.md"), "# E\n\nEpsilon.\n").unwrap();
    let changed = Synced {
        created: 1,
        updated: 1,
        deleted: 1,
        unchanged: 0,
        ..first
    };
    assert_eq!(sync().await, changed);
    let listed = get(boss, "/api/documents?collection=guides").await;
    let names: Vec<_> = listed["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["filename"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["e.md", "guides/a.md"]);
    let nowhere = tempfile::tempdir().unwrap();
    let empty = KnowledgeSync {
        folder: nowhere.path().to_owned(),
        ..options.clone()
    };
    let error = synchronise(boss, &empty).await.unwrap_err();
    assert!(error.to_string().contains("--delete-all"), "{error}");
}

/// The id of a collection in a list.
fn id_of(list: &Value, name: &str) -> Option<String> {
    let collections = list["collections"].as_array().unwrap().iter();
    let mut named = collections.filter(|one| one["name"] == name);
    named
        .next()
        .map(|one| one["id"].as_str().unwrap().to_owned())
}

/// A user who may not read a collection finds nothing of it, by any way.
async fn readers(stack: &DemoStack, boss: &ChatClient, viewer: &ChatClient) {
    let body = json!({ "name": "board", "readers": { "role": "administrator" } });
    let board = send(boss, Method::POST, "/api/collections", &body).await;
    let id = board["id"].as_str().unwrap().to_owned();
    assert_eq!(board["readable"], true);
    let (status, _) = refused(boss, Method::POST, "/api/collections", Some(&body)).await;
    assert_eq!(status, 409);
    let unread = json!({ "name": "x", "readers": {} });
    let (status, told) = refused(boss, Method::POST, "/api/collections", Some(&unread)).await;
    assert_eq!(status, 422, "{told}");
    let (status, _) = refused(viewer, Method::POST, "/api/collections", Some(&body)).await;
    assert_eq!(status, 403);
    let secret = b"# Merger\n\nThe xylophone merger is signed in March.\n".to_vec();
    let kept = upload(boss, "board", "merger.md", secret.clone())
        .await
        .unwrap();
    let document = kept["document_id"].as_str().unwrap().to_owned();

    assert_eq!(search(boss, "xylophone merger").await.len(), 1);
    hidden(viewer, &document).await;
    let (status, told) = upload(viewer, "board", "merger.md", secret)
        .await
        .unwrap_err();
    assert_eq!(status, 403, "{told}");
    let path = format!("/api/documents/{document}");
    let (status, _) = refused(viewer, Method::DELETE, &path, None).await;
    assert_eq!(status, 404);

    // A group opens it, from the next request on.
    let group = json!({ "groups": ["finance"] });
    let viewers = "/api/accounts/viewer";
    let changed = send(boss, Method::PATCH, viewers, &group).await;
    assert_eq!(changed["groups"], json!(["finance"]));
    hidden(viewer, &document).await;
    let path = format!("/api/collections/{id}");
    let change = json!({ "name": "Board papers", "readers": { "groups": ["finance"] } });
    let changed = send(boss, Method::PATCH, &path, &change).await;
    assert_eq!(
        changed["readable"], false,
        "administrators are not in the group"
    );
    assert_eq!(search(viewer, "xylophone merger").await.len(), 1);
    assert_eq!(search(boss, "xylophone merger").await.len(), 0);
    let listed = get(boss, "/api/collections").await;
    assert!(id_of(&listed, "Board papers").is_some(), "{listed}");
    let stranger = stack.stranger().await;
    let (status, _) = refused(&stranger, Method::PATCH, &path, Some(&change)).await;
    assert_eq!(status, 403);
    hidden(&stranger, &document).await;

    let confirm = format!("{path}?confirm=board");
    let (status, told) = refused(boss, Method::DELETE, &confirm, None).await;
    assert_eq!(status, 422, "{told}");
    let confirm = format!("{path}?confirm=Board%20papers");
    boss.request(Method::DELETE, &confirm, None).await.unwrap();
    hidden(viewer, &document).await;
    let audit = get(boss, "/api/audit?limit=100").await.to_string();
    for action in [
        "create_collection",
        "change_collection",
        "delete_collection",
    ] {
        assert!(audit.contains(action), "{action}: {audit}");
    }
}

/// Every way to documents, for a user who may not read one.
async fn hidden(client: &ChatClient, document: &str) {
    assert_eq!(
        search(client, "xylophone merger").await,
        Vec::<Value>::new()
    );
    for arguments in [
        json!({ "query": "xylophone", "collections": ["board"] }),
        json!({ "query": "xylophone", "filenames": ["merger.md"] }),
        json!({ "query": "xylophone merger", "mode": "vector" }),
    ] {
        for tool in ["knowledge_search", "climate_vector_search"] {
            let path = format!("/api/tools/{tool}");
            let found = send(client, Method::POST, &path, &arguments)
                .await
                .to_string();
            assert!(!found.contains("merger.md\",\"chunk"), "{found}");
            assert!(!found.contains("signed in March"), "{found}");
        }
    }
    for path in [
        "/api/documents",
        "/api/documents?collection=board",
        "/api/collections",
        "/api/assistants",
    ] {
        let told = get(client, path).await.to_string();
        assert!(!told.contains("erger"), "{path}: {told}");
        assert!(
            path == "/api/documents" || !told.contains("\"board\""),
            "{path}: {told}"
        );
    }
    let path = format!("/api/documents/{document}/text");
    let (status, _) = refused(client, Method::GET, &path, None).await;
    assert_eq!(status, 404);
    let call = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    for request in [
        call("resources/list", json!({})),
        call(
            "resources/read",
            json!({ "uri": format!("heliograph://documents/{document}") }),
        ),
    ] {
        let answer = mcp(client, &request).await;
        assert!(!answer.contains("merger.md"), "{answer}");
        assert!(!answer.contains("signed in March"), "{answer}");
    }
}

async fn mcp(client: &ChatClient, request: &Value) -> String {
    use secrecy::ExposeSecret as _;
    let http = service_kit::http_client().unwrap();
    let answer = http
        .post(format!("{}/mcp", client.url()))
        .bearer_auth(client.access_token().expose_secret())
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-06-18")
        .json(request)
        .send()
        .await
        .unwrap();
    answer.text().await.unwrap()
}

async fn limits(boss: &ChatClient) {
    let me = get(boss, "/api/me").await;
    let quota = |name: &str| {
        let quotas = me["quotas"].as_array().unwrap().iter();
        let mut named = quotas.filter(|one| one["name"] == name);
        named
            .next()
            .cloned()
            .unwrap_or_else(|| panic!("{name}: {me}"))
    };
    let storage = quota("storage_bytes");
    assert_eq!(
        (&storage["of"], &storage["limit"]),
        (&json!("tenant"), &json!(200_000))
    );
    assert!(storage["used"].as_u64().unwrap() > 100, "{me}");
    assert_eq!(quota("concurrent_runs")["limit"], 7);
    let large = "word ".repeat(50_000).into_bytes();
    let (status, told) = upload(boss, "manuals", "large.txt", large)
        .await
        .unwrap_err();
    assert_eq!(status, 429, "{told}");
    assert!(told.contains("of 200000 bytes"), "{told}");
}
