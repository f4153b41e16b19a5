//! Folders that the program watches, beside services that run: files of loggers, and documents. A
//! new, a changed and a removed file are taken, however long the program runs.

use std::fs::File;
use std::path::Path;
use std::process::Child;

use chrono::{TimeDelta, Utc};
use heliograph::chat::ChatClient;
use reqwest::Method;
use serde_json::{Value, json};
use service_kit::clock::FixedClock;

use crate::command_line::{heliograph, with_input};
use crate::demo_stack::{DemoStack, PASSWORD};
use crate::one_process::until;

/// The program while it watches; it ends with this value.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Signs in as `ada`, and starts the program. Its output is in the file `log`.
fn watch(data: &Path, url: &str, arguments: &[&str]) -> Watching {
    let place = ["--server", url, "--user", "ada"];
    let sign_in = [&["sign-in"], &place[..]].concat();
    let signed_in = with_input(&mut heliograph(data, &sign_in, &[]), PASSWORD);
    assert!(signed_in.status.success(), "{signed_in:?}");
    let log = File::create(data.join("log")).unwrap();
    let mut program = heliograph(data, &[arguments, &place[..]].concat(), &[]);
    program.stdout(log.try_clone().unwrap()).stderr(log);
    Watching(program.spawn().unwrap())
}

fn log(data: &Path) -> String {
    std::fs::read_to_string(data.join("log")).unwrap()
}

async fn get(client: &ChatClient, path: &str) -> Value {
    let answer = client.request(Method::GET, path, None).await.unwrap();
    answer.json().await.unwrap()
}

/// The file of a logger with readings from six o'clock.
fn write_readings(folder: &Path, serial: &str, hours: u32) {
    let rows = (6..6 + hours).map(|hour| format!("2025-06-01 {hour:02}:00:00;2000;2\n"));
    let rows: String = rows.collect();
    let text = format!("[header]\nserial={serial}\n[data]\ntimestamp;P_AC;E_INT\n{rows}");
    std::fs::write(folder.join(format!("{serial}.csv")), text).unwrap();
}

/// Waits until a device has this number of readings.
async fn has_readings(stack: &DemoStack, data: &Path, serial: &str, count: u64) {
    let ada = stack.sign_in("ada").await;
    until(async || {
        let loggers = get(&ada, "/api/loggers").await;
        let found = loggers["loggers"].as_array().unwrap().iter();
        let mut found = found.filter(|logger| logger["id"] == serial);
        found
            .next()
            .is_some_and(|logger| logger["readings"] == count)
    })
    .await;
    assert!(!log(data).contains("Error"), "{}", log(data));
}

/// Waits until the program has said that this number of imports is done.
async fn has_done(data: &Path, count: usize) {
    until(async || log(data).matches("  done: ").count() == count).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_loggers_are_imported_from_a_watched_folder() {
    let clock = FixedClock::at(Utc::now());
    let of_services = clock.clone();
    let stack = Box::pin(DemoStack::start_with(|config| config.clock = of_services)).await;
    let scopes = ["chat", "tools:read", "sites:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let ada = stack.sign_in("ada").await;
    let roof = json!({ "sites": [{ "id": "roof", "timezone": "Europe/Berlin" }] });
    let described = ada.request(Method::POST, "/api/sites", Some(&roof)).await;
    assert!(described.is_ok(), "{:?}", described.err());

    let data = tempfile::tempdir().unwrap();
    let exports = data.path().join("exports");
    std::fs::create_dir(&exports).unwrap();
    write_readings(&exports, "LT-1", 3);
    let url = stack.services.bff_url.clone();
    let _program = watch(data.path(), &url, &["import", "exports", "--watch"]);
    has_readings(&stack, data.path(), "LT-1", 3).await;

    // A token is good for five minutes; the watch is for longer. No import runs then.
    has_done(data.path(), 1).await;
    clock.advance(TimeDelta::minutes(10));
    write_readings(&exports, "LT-1", 5);
    has_readings(&stack, data.path(), "LT-1", 5).await;

    // The readings of a file that is removed stay, and the next file is taken.
    std::fs::remove_file(exports.join("LT-1.csv")).unwrap();
    has_done(data.path(), 2).await;
    clock.advance(TimeDelta::minutes(10));
    std::fs::create_dir(exports.join("june")).unwrap();
    write_readings(&exports.join("june"), "LT-2", 4);
    has_readings(&stack, data.path(), "LT-2", 4).await;
    has_readings(&stack, data.path(), "LT-1", 5).await;
    has_done(data.path(), 3).await;
    let log = log(data.path());
    assert!(log.contains("LT-2.csv  lti  done: 4 new"), "{log}");
    stack.stop().await;
}

/// Waits until the collection has these documents, of which the first has these words.
async fn has_documents(stack: &DemoStack, names: &[&str], words: &str) {
    let ada = stack.sign_in("ada").await;
    until(async || {
        let listed = get(&ada, "/api/documents?collection=guides").await;
        let listed = listed["documents"].as_array().unwrap().iter();
        let listed: Vec<_> = listed.map(|one| one["filename"].clone()).collect();
        if json!(listed) != json!(names) {
            return false;
        }
        let body = json!({ "query": words, "mode": "text" });
        let path = "/api/tools/knowledge_search";
        let found = ada.request(Method::POST, path, Some(&body)).await.unwrap();
        let found: Value = found.json().await.unwrap();
        let best = &found["result"]["results"][0];
        best["filename"] == names[0] && best["content"].as_str().unwrap().contains(words)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_follow_a_watched_folder_and_the_progress_is_shown() {
    let stack = DemoStack::start().await;
    let scopes = ["chat", "tools:read", "documents:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let data = tempfile::tempdir().unwrap();
    let guides = data.path().join("guides");
    std::fs::create_dir(&guides).unwrap();
    let write = |name: &str, text: &str| std::fs::write(guides.join(name), text).unwrap();
    write("a.md", "# A\n\nThe alpha valve is greased.\n");
    write("b.txt", "The beta pump is oiled.\n");
    write("c.docx", "no office file");
    let url = stack.services.bff_url.clone();
    let arguments = [
        "knowledge",
        "sync",
        "guides",
        "--collection",
        "guides",
        "--watch",
    ];
    let _program = watch(data.path(), &url, &arguments);
    has_documents(&stack, &["a.md", "b.txt"], "alpha valve").await;
    until(async || log(data.path()).contains("2 new, 0 changed")).await;
    let first = log(data.path());
    for line in [
        "[1/3] a.md: 1 passages",
        "[2/3] b.txt: 1 passages",
        "[3/3] c.docx: ",
        "2 new, 0 changed, 0 unchanged, 1 not readable, 0 skipped, 0 deleted",
    ] {
        assert!(first.contains(line), "{line}: {first}");
    }

    write("a.md", "# A\n\nThe gamma valve is replaced each year.\n");
    std::fs::remove_file(guides.join("b.txt")).unwrap();
    std::fs::remove_file(guides.join("c.docx")).unwrap();
    write("d.md", "# D\n\nThe delta filter is cleaned.\n");
    has_documents(&stack, &["a.md", "d.md"], "gamma valve").await;
    until(async || log(data.path()).contains("b.txt: deleted")).await;
    stack.stop().await;
}
