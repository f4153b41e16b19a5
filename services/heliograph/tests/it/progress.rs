//! The progress with which a database is read for the first time: over HTTP, in the list, and in
//! the command that adds it. While its tables are locked, the reading cannot end.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use reqwest::Method;
use serde_json::Value;
use tools::credentials::config::{KeyConfig, generate_key};

use crate::command_line::{heliograph, with_input};
use crate::demo_stack::{DemoStack, PASSWORD};
use crate::one_process::until;
use crate::targets::{run, shop};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_reading_of_a_database_is_shown_step_by_step() {
    let (shop, url) = shop().await;
    let stack = Box::pin(DemoStack::start_with(|config| {
        let key = KeyConfig::new("test", generate_key());
        config.tools.credentials.keys.push(key);
    }))
    .await;
    let scopes = ["chat", "tools:read", "targets:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let ada = stack.sign_in("ada").await;
    let mut locks = shop.pool().begin().await.unwrap();
    sqlx::raw_sql("LOCK TABLE customer, purchase IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *locks)
        .await
        .unwrap();

    let data = tempfile::tempdir().unwrap();
    let place = ["--server", &stack.services.bff_url, "--user", "ada"];
    let sign_in = [&["sign-in"], &place[..]].concat();
    let signed_in = with_input(&mut heliograph(data.path(), &sign_in, &[]), PASSWORD);
    assert!(signed_in.status.success(), "{signed_in:?}");
    let address = url.replacen('@', ":secret@", 1);
    let add = ["targets", "add", "shop", &address, "--tls", "off"];
    let mut program = heliograph(data.path(), &[&add[..], &place[..]].concat(), &[])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut notes = BufReader::new(program.stderr.take().unwrap()).lines();
    let shown = tokio::task::spawn_blocking(move || {
        let step = |note: &String| note.contains("questions 0 of ");
        let shown = notes.by_ref().map(Result::unwrap).find(step);
        (shown, notes)
    });

    until(async || {
        let list = ada
            .request(Method::GET, "/api/targets", None)
            .await
            .unwrap();
        let list: Value = list.json().await.unwrap();
        let job = &list["targets"][0]["job"];
        job["status"] == "running" && job["step"] == "questions" && job["total"] != 0
    })
    .await;
    let list = run(&ada, &["list"]).await.unwrap();
    assert!(list[0].contains("is read: questions 0 of "), "{list:?}");
    let (shown, _notes) = shown.await.unwrap();
    assert!(shown.is_some(), "the command shows it, too");

    locks.rollback().await.unwrap();
    until(async || run(&ada, &["list"]).await.unwrap()[0].ends_with("  ready")).await;
    let mut told = String::new();
    let mut output = program.stdout.take().unwrap();
    output.read_to_string(&mut told).unwrap();
    assert!(program.wait().unwrap().success(), "{told}");
    assert!(told.contains("customer (3 columns)"), "{told}");
    stack.stop().await;
}
