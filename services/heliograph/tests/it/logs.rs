//! The log of a process after people used it: no secret, and no text of a person, also
//! where a request fails and `RUST_LOG=trace` asks for all that the log has.

use reqwest::header::{COOKIE, SET_COOKIE};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use test_support::database::TestDatabase;
use test_support::provider::{Dialect, ModelServer, Script, Turn};
use tools::credentials::config::generate_key;

use crate::demo_stack::PASSWORD;
use crate::one_process::OneProcess;

/// A database of a company, and a role that only reads it.
const COMPANY: [&str; 5] = [
    "CREATE TABLE client (id int PRIMARY KEY, name varchar(40) NOT NULL)",
    "INSERT INTO client VALUES (1, 'Client-Of-The-Company')",
    "DO $$ BEGIN CREATE ROLE heliograph_log_reader LOGIN PASSWORD 'password-of-the-target'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
    "GRANT USAGE ON SCHEMA public TO heliograph_log_reader",
    "GRANT SELECT ON client TO heliograph_log_reader",
];

/// What people and programs sent: none of it may be in the log.
const SENT: [&str; 16] = [
    PASSWORD,
    "wrong-password-of-demo",
    "password-of-ada",
    "next-password-of-ada",
    "password-of-the-target",
    "secret-of-the-issuer",
    "token-of-the-upstream",
    "path-of-a-webhook",
    "code-of-a-sign-in",
    "token-in-a-query",
    "question-of-a-person",
    "Client-Of-The-Company",
    "literal-of-a-query",
    "cell-of-a-file",
    "sentence-of-a-document",
    "said-by-a-model",
];

struct Person<'a> {
    process: &'a OneProcess,
    http: &'a reqwest::Client,
    token: String,
}

impl Person<'_> {
    async fn send(&self, request: reqwest::RequestBuilder) -> (u16, Value) {
        let answer = request.bearer_auth(&self.token).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (
            status,
            serde_json::from_str(&text).unwrap_or(Value::String(text)),
        )
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("{}{path}", self.process.url());
        self.send(self.http.post(url).json(body)).await
    }

    async fn upload(&self, path: &str, media_type: &str, body: &'static str) -> u16 {
        let url = format!("{}{path}", self.process.url());
        let request = self.http.post(url).header("content-type", media_type);
        self.send(request.body(body)).await.0
    }

    async fn ask(&self, assistant: &str, thread: &str, question: &str) -> String {
        let body = json!({
            "threadId": thread,
            "assistant": assistant,
            "messages": [{ "id": thread, "role": "user", "parts": [{ "type": "text", "text": question }] }],
        });
        let (status, answer) = self.post("/api/chat", &body).await;
        assert_eq!(status, 200, "{answer}");
        answer.to_string()
    }
}

/// Sign-in: refused, in a browser, at an issuer that is not there.
async fn signed_in(demo: &Person<'_>, secrets: &mut Vec<String>) {
    let wrong = json!({ "username": "demo", "password": "wrong-password-of-demo" });
    assert_eq!(demo.post("/auth/token", &wrong).await.0, 401);
    let right = json!({ "username": "demo", "password": PASSWORD });
    let url = format!("{}/auth/login", demo.process.url());
    let signed_in = demo.http.post(url).json(&right).send().await.unwrap();
    let cookie = signed_in.headers()[SET_COOKIE].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    secrets.push(cookie.split_once('=').unwrap().1.to_owned());
    let me = demo.http.get(format!(
        "{}/api/me?access_token=token-in-a-query",
        demo.process.url()
    ));
    assert!(
        me.header(COOKIE, cookie)
            .send()
            .await
            .unwrap()
            .status()
            .is_success()
    );
    let callback = "/auth/oidc/nowhere/callback?code=code-of-a-sign-in&state=none";
    let url = format!("{}{callback}", demo.process.url());
    assert!(
        !demo
            .http
            .get(url)
            .send()
            .await
            .unwrap()
            .status()
            .is_success()
    );
}

/// Accounts and keys; one account twice.
async fn accounts(demo: &Person<'_>, secrets: &mut Vec<String>) {
    let ada = json!({ "username": "ada", "password": "password-of-ada" });
    assert_eq!(demo.post("/api/accounts", &ada).await.0, 201);
    assert_eq!(demo.post("/api/accounts", &ada).await.0, 409);
    let (_, tokens) = demo.post("/auth/token", &ada).await;
    secrets.push(tokens["access_token"].as_str().unwrap().to_owned());
    secrets.push(tokens["refresh_token"].as_str().unwrap().to_owned());
    let changed = json!({ "password": "password-of-ada", "new_password": "next-password-of-ada" });
    let change = demo
        .http
        .put(format!("{}/api/me/password", demo.process.url()));
    let change = change.bearer_auth(tokens["access_token"].as_str().unwrap());
    let change = change.json(&changed).send().await.unwrap();
    assert!(change.status().is_success(), "{change:?}");
    let (_, key) = demo
        .post("/api/tokens", &json!({ "name": "nightly" }))
        .await;
    secrets.push(key["token"].as_str().unwrap().to_owned());
}

/// A database with a wrong and the right password, and queries, some of which the server refuses.
async fn database(demo: &Person<'_>) {
    let company = TestDatabase::empty().await.unwrap();
    for statement in COMPANY {
        let done = sqlx::raw_sql(statement).execute(company.pool()).await;
        done.unwrap();
    }
    let place = company.pool().connect_options();
    let mut target = json!({
        "name": "company",
        "connection": {
            "engine": "postgresql",
            "host": place.get_host(),
            "port": place.get_port(),
            "database": place.get_database(),
            "username": "heliograph_log_reader",
            "password": "wrong-password-of-the-target",
            "tls": "off",
        },
    });
    let (status, refused) = demo.post("/api/targets", &target).await;
    assert_eq!(status, 422, "{refused}");
    target["connection"]["password"] = "password-of-the-target".into();
    let (status, added) = demo.post("/api/targets", &target).await;
    assert_eq!(status, 201, "{added}");
    for (sql, told) in [
        (
            "SELECT name FROM client WHERE name <> 'literal-of-a-query'",
            "Client-Of",
        ),
        (
            "SELECT CAST('literal-of-a-query' AS int) FROM client",
            "message",
        ),
        (
            "SELECT name FROM client WHERE 'literal-of-a-query'",
            "message",
        ),
        ("SELECT 'literal-of-a-query", "message"),
    ] {
        let query = json!({ "target": "company", "sql": sql });
        let (_, answer) = demo.post("/api/tools/run_sql", &query).await;

        assert!(answer.to_string().contains(told), "{sql}: {answer}");
    }
}

/// Questions to a model that answers, and to one that fails.
async fn questions(demo: &Person<'_>) {
    for assistant in ["site", "data", "advisor", "analyst"] {
        let question = "What does question-of-a-person mean for GW-INV-001?";
        let told = demo.ask(assistant, assistant, question).await;
        assert!(told.contains("finish"), "{told}");
    }
}

/// What cannot be set up: an issuer, an upstream, a webhook.
async fn set_up(demo: &Person<'_>) {
    let issuer = json!({
        "name": "company", "issuer": "http://127.0.0.1:9", "client_id": "heliograph",
        "client_secret": "secret-of-the-issuer", "rules": [{ "tenant": "demo", "role": "viewer" }],
    });
    let (status, refused) = demo.post("/api/issuers", &issuer).await;
    assert_eq!(status, 422, "{refused}");
    let upstream = json!({
        "name": "tracker", "kind": "mcp",
        "endpoint": { "base_url": "http://127.0.0.1:9/mcp", "token": "token-of-the-upstream" },
        "tools": [{ "name": "list" }],
    });
    let (status, refused) = demo.post("/api/upstreams", &upstream).await;
    assert_eq!(status, 422, "{refused}");
    let schedule = json!({
        "question": "question-of-a-person",
        "timing": { "time": "07:00", "timezone": "Europe/Zurich" },
        "delivery": { "channel": "webhook", "url": "https://192.0.2.1/path-of-a-webhook" },
    });
    let (status, refused) = demo.post("/api/schedules", &schedule).await;
    assert_eq!(status, 422, "{refused}");
}

/// Data and documents, with what cannot be read.
async fn uploads(demo: &Person<'_>) {
    let rows = "loggerId,timestamp,activePowerWatts\nGW-INV-001,cell-of-a-file,9\n\
        cell-of-a-file,2025-12-01T10:00:00Z,cell-of-a-file\n";
    let measurements = "/api/measurements";
    assert_eq!(demo.upload(measurements, "text/csv", rows).await, 200);
    let document = "# A title\n\nsentence-of-a-document is here.\n";
    for (name, media_type, status) in [
        ("a.md", "text/markdown", 200),
        ("b.pdf", "application/pdf", 422),
    ] {
        let path = format!("/api/documents?filename={name}");
        assert_eq!(demo.upload(&path, media_type, document).await, status);
    }
    let cut = "{\"messages\": \"question-of-a-person\"";
    assert_eq!(demo.upload("/api/chat", "application/json", cut).await, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_and_no_text_of_a_person_is_logged() {
    let said = Script::new()
        .when(|seen| !seen.wants_json(), Turn::text("said-by-a-model"))
        .otherwise(Turn::internal_error());
    let model = ModelServer::start(Dialect::OpenAi, said).await.unwrap();
    let credentials = generate_key();
    let credentials = format!("[{{id=\"first\",key=\"{}\"}}]", credentials.expose_secret());
    let mut process = OneProcess::start(&[
        ("RUST_LOG", "trace"),
        ("AI_PROVIDER", "openai"),
        ("OPENAI_BASE_URL", &model.base_url()),
        ("OPENAI_API_KEY", model.key()),
        ("HELIOGRAPH_TOOLS__CREDENTIALS__KEYS", &credentials),
    ])
    .await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let demo = Person {
        process: &process,
        http: &http,
        token: process.token().await,
    };
    let mut secrets = vec![
        demo.token.clone(),
        credentials.clone(),
        model.key().to_owned(),
    ];

    signed_in(&demo, &mut secrets).await;
    accounts(&demo, &mut secrets).await;
    database(&demo).await;
    questions(&demo).await;
    set_up(&demo).await;
    uploads(&demo).await;

    process.kill().await;
    let log = std::fs::read_to_string(process.log()).unwrap();
    assert!(
        log.contains("DEBUG") && log.contains("/api/tools/"),
        "{log}"
    );
    secrets.extend(SENT.map(str::to_owned));
    let found: Vec<&str> = log
        .lines()
        .filter(|line| secrets.iter().any(|secret| line.contains(secret.as_str())))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
