//! The effect of the service's headers in a real browser: pages of other origins, a rebound name,
//! the documentation under its policy.
//!
//! Chromium is called without a driver: a page reports to its own server what it saw. Where no
//! Chromium is installed, the tests say on the terminal that they were skipped.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::{get, post};
use http::HeaderMap;
use serde_json::{Value, json};
use service_kit::clock::RandomIds;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::bench::{Bench, PASSWORD};

/// Far longer than a browser takes to start; only a test that fails waits for it.
const PATIENCE: Duration = Duration::from_secs(90);

/// Tries everything that a front end on another origin does, and reports it to its server.
const PAGE: &str = r#"<!doctype html><title>app</title><script type="module">
const api = 'API', seen = {};
const sent = (body) => ({ method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json', 'idempotency-key': 'k' }, body: JSON.stringify(body) });
const status = async (path, options) => (await fetch(api + path, options)).status;
const credentials = { username: 'demo', password: 'PASSWORD' };
try {
  seen.before = await status('/auth/me', { credentials: 'include' });
  seen.login = await status('/auth/login', sent(credentials));
  seen.session = await status('/auth/me', { credentials: 'include' });
  const chat = await fetch(api + '/api/chat', sent({ messages: [] }));
  seen.chat = [chat.status, chat.headers.get('x-run-id'), chat.headers.get('x-vercel-ai-ui-message-stream'), await chat.text()];
  const refused = await fetch(api + '/auth/token', sent({ username: '' }));
  seen.refused = [refused.status, refused.headers.get('x-request-id') !== null, (await refused.json()).code];
  const tokens = await (await fetch(api + '/auth/token', { ...sent(credentials), credentials: 'omit' })).json();
  seen.bearer = await status('/auth/me', { headers: { authorization: `Bearer ${tokens.access_token}` } });
  seen.rename = await status('/api/threads/t1', { ...sent({ title: 'x' }), method: 'PATCH' });
  seen.logout = await status('/auth/logout', sent({}));
  seen.after = await status('/auth/me', { credentials: 'include' });
} catch (error) {
  seen.error = String(error);
}
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });
</script>"#;

pub(crate) fn chromium() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| {
            let version = std::process::Command::new(name).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        });
    if found.is_none() {
        // Not by `eprintln!`, which a test that passes keeps to itself.
        std::io::stderr()
            .write_all(b"skipped: there is no Chromium here\n")
            .unwrap();
    }
    found
}

fn browser(program: &str, profile: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args([
            "--host-resolver-rules=MAP evil.example 127.0.0.1",
            "--enable-logging=stderr",
        ])
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// The browser's rendering of a page, and its log.
async fn shown(program: &str, url: &str) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let arguments = ["--dump-dom", "--virtual-time-budget=20000", url];
    let output = browser(program, profile.path(), &arguments).output();
    let Output { stdout, stderr, .. } = tokio::time::timeout(PATIENCE, output)
        .await
        .unwrap()
        .unwrap();
    (
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    )
}

async fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// An orchestrator that has one answer.
async fn orchestrator() -> String {
    let (listener, port) = listener().await;
    let chat = post(|| async {
        let headers = [
            ("content-type", "text/event-stream"),
            ("x-run-id", "run-1"),
            ("x-vercel-ai-ui-message-stream", "v1"),
        ];
        (headers, "data: [DONE]\n\n")
    });
    let routes = Router::new().route("/ai/chat", chat).route(
        "/v1/threads/{id}",
        axum::routing::patch(|| async { axum::Json(json!({})) }),
    );
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://127.0.0.1:{port}")
}

/// A front end on an origin of its own. The reports of its page come out here.
struct App {
    listener: TcpListener,
    origin: String,
}

impl App {
    async fn new() -> Self {
        let (listener, port) = listener().await;
        Self {
            listener,
            origin: format!("http://localhost:{port}"),
        }
    }

    fn serve(self, api: &str) -> mpsc::Receiver<Value> {
        let (telling, told) = mpsc::channel(1);
        let page = PAGE.replace("API", api).replace("PASSWORD", PASSWORD);
        let routes = Router::new()
            .route("/", get(|| async move { Html(page) }))
            .route(
                "/seen",
                post(
                    |State(telling): State<mpsc::Sender<Value>>, body: String| async move {
                        telling
                            .send(serde_json::from_str(&body).unwrap())
                            .await
                            .unwrap();
                    },
                ),
            )
            .with_state(telling);
        tokio::spawn(async move { axum::serve(self.listener, routes).await });
        told
    }
}

async fn visit(program: &str, app: App, api: &str) -> Value {
    let origin = app.origin.clone();
    let mut told = app.serve(api);
    let profile = tempfile::tempdir().unwrap();
    let mut command = browser(program, profile.path(), &[&origin]);
    let mut running = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let answer = tokio::time::timeout(PATIENCE, told.recv())
        .await
        .unwrap()
        .unwrap();
    running.kill().await.unwrap();
    answer
}

/// The bff at a port of its own, and its address.
async fn serve(bench: &Bench) -> String {
    let app = bff::build(
        bench.config.clone(),
        bench.clock.clone(),
        RandomIds::shared(),
    )
    .await
    .unwrap();
    let tasks = TaskTracker::new();
    let running = app
        .service
        .serve(app.routes, CancellationToken::new(), &tasks)
        .await
        .unwrap();
    running.base_url()
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_on_another_site_signs_in_and_chats_and_others_cannot() {
    let Some(program) = chromium() else { return };
    let (app, other) = (App::new().await, App::new().await);
    let orchestrator = orchestrator().await;
    let bench = Bench::configured(|config| {
        config.http.port = 0;
        config.upstream.orchestrator_url = orchestrator;
        config.session.allowed_origins = vec![app.origin.clone()];
    })
    .await;
    // `localhost` and `127.0.0.1` are two sites to a browser.
    let api = serve(&bench).await;
    let told = visit(program, app, &api).await;
    let expected = json!({
        "before": 401, "login": 200, "session": 200,
        "chat": [200, "run-1", "v1", "data: [DONE]\n\n"],
        "refused": [422, true, "invalid_request"],
        "bearer": 200, "rename": 200, "logout": 204, "after": 401,
    });
    assert_eq!(told, expected);
    let refused = visit(program, other, &api).await;
    assert_eq!(refused, json!({ "error": "TypeError: Failed to fetch" }));
}

#[tokio::test]
async fn a_foreign_name_that_resolves_to_the_service_shows_nothing() {
    let Some(program) = chromium() else { return };
    let bench = Bench::configured(|config| config.http.port = 0).await;
    let api = serve(&bench).await;
    let (page, _) = shown(program, &api.replace("127.0.0.1", "evil.example")).await;
    assert!(page.contains("misdirected_request"), "{page}");
    let (page, _) = shown(program, &api.replace("127.0.0.1", "localhost")).await;
    assert!(page.contains("sign-in"), "{page}");
}

#[tokio::test]
async fn the_documentation_works_under_its_policy() {
    let Some(program) = chromium() else { return };
    let bench = Bench::configured(|config| config.http.port = 0).await;
    let url = format!("{}/docs/", serve(&bench).await);
    let headers: HeaderMap = service_kit::http_client()
        .unwrap()
        .get(&url)
        .send()
        .await
        .unwrap()
        .headers()
        .clone();
    assert!(headers.contains_key("content-security-policy"));
    let (page, said) = shown(program, &url).await;
    assert!(page.contains("opblock"), "no operation is shown: {page}");
    assert!(!said.contains("Content Security Policy"), "{said}");
}
