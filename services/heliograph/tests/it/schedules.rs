//! Schedules as people make them: in a conversation, at the command line, with a receiver that
//! verifies what comes by the library of the specification.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use http::{HeaderMap, StatusCode};
use orchestrator::config::MailTls;
use serde_json::{Value, json};
use targets::TargetConfig;
use test_support::database::TestDatabase;
use test_support::smtp::MailServer;

use crate::command_line::{heliograph, with_input};
use crate::demo_stack::{DemoStack, PASSWORD, ask};
use crate::node_packages;

/// The folder with the program that verifies.
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/webhooks");

type Hooks = Arc<Mutex<Vec<(HeaderMap, String)>>>;

/// A receiver of webhooks, and its URL.
async fn receiver() -> (Hooks, String) {
    let hooks = Hooks::default();
    let taken = Arc::clone(&hooks);
    let take = move |headers: HeaderMap, body: Bytes| async move {
        let body = String::from_utf8(body.to_vec()).unwrap();
        taken.lock().unwrap().push((headers, body));
        StatusCode::NO_CONTENT
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let router = Router::new().route("/hook", post(take));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (hooks, url)
}

async fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !so() {
        assert!(since.elapsed() < Duration::from_mins(1), "never: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The verdict of the specification's library on a webhook; `None` where npm is not there.
fn verified(secret: &str, (headers, body): &(HeaderMap, String)) -> Option<String> {
    let folder = match node_packages::install(FILES, "webhooks") {
        Ok(folder) => folder,
        Err(why) => {
            node_packages::skipped("no library verified a webhook", &why);
            return None;
        }
    };
    let headers: serde_json::Map<String, Value> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value.to_str().unwrap())))
        .collect();
    let input = json!({ "secret": secret, "headers": headers, "body": body }).to_string();
    let mut command = Command::new("node");
    command.arg("verify.mjs").current_dir(folder);
    let output = with_input(&mut command, &input);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// Runs `heliograph schedules …` and returns its output.
fn schedules(data: &Path, url: &str, arguments: &[&str]) -> String {
    let output = at_command_line(data, url, arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs `heliograph schedules …`, which fails, and returns why.
fn refused(data: &Path, url: &str, arguments: &[&str]) -> String {
    let output = at_command_line(data, url, arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn at_command_line(data: &Path, url: &str, arguments: &[&str]) -> Output {
    let place = ["--server", url, "--user", "demo"];
    let arguments = [&["schedules"], arguments, &place[..]].concat();
    with_input(&mut heliograph(data, &arguments, &[]), PASSWORD)
}

/// Shows the messages of the first schedule, whose webhook this was; adds one, edits, pauses and
/// deletes it; and adds another one.
fn managed_at_the_command_line(data: &Path, url: &str, hook: &(HeaderMap, String)) {
    let run = |arguments: &[&str]| schedules(data, url, arguments);
    let list = run(&["list"]);
    let id = list.split_whitespace().next().unwrap().to_owned();
    let secret = run(&["secret", &id]).trim().to_owned();
    if let Some(verified) = verified(&secret, hook) {
        assert_eq!(verified, "schedule.answer true");
    }
    let messages = run(&["messages", &id]);
    assert!(messages.contains("sent after 1 attempt "), "{messages}");
    let asked = run(&[
        "ask",
        "Health check of all devices",
        "--at",
        "18:00",
        "--on",
        "monday",
        "--timezone",
        "Europe/Zurich",
        "--email",
        "ada@example.com",
    ]);
    // Questions that could not be answered are not saved.
    // Another assistant is named where the question may belong to it, and only there.
    for (question, reason, of_another) in [
        (
            "How is INV-404?",
            "names INV-404, which is none of your devices",
            false,
        ),
        ("Blah", "I don't understand \"blah\"", true),
        (
            "How many orders were late?",
            "I don't understand \"orders\"",
            true,
        ),
        (
            "Power curve of yesterday",
            "does not say which device is meant",
            false,
        ),
        (
            "Restart all inverters",
            "I can't switch, restart or set a device",
            false,
        ),
    ] {
        let of = ["ask", question, "--at", "18:00", "--timezone", "UTC"];
        let refused = refused(
            data,
            url,
            &[&of[..], &["--email", "ada@example.com"]].concat(),
        );
        assert!(refused.contains(reason), "{refused}");
        let names = refused.contains("--assistant data");
        assert_eq!(names, of_another, "{question}: {refused}");
        assert!(!run(&["list"]).contains(question));
        let change = ["edit", &id, "--question", question];
        let refused = self::refused(data, url, &change);
        assert!(refused.contains(reason), "{refused}");
    }
    assert!(
        asked.contains("every Monday at 18:00 (Europe/Zurich)"),
        "{asked}"
    );
    let made = asked.split_whitespace().next().unwrap().to_owned();
    let often = [
        "edit", &made, "--every", "2h", "--at", "08:00", "--until", "18:00",
    ];
    let often = run(&often);
    assert!(
        often.contains("every 2 hours from 08:00 to 18:00, every Monday (Europe/Zurich)"),
        "{often}"
    );
    let edited = [
        "edit",
        &made,
        "--once",
        "--at",
        "19:00",
        "--every-day",
        "--question",
        "Any problems?",
    ];
    let edited = run(&edited);
    assert!(
        edited.contains("Any problems?  every day at 19:00 (Europe/Zurich)"),
        "{edited}"
    );
    in_the_zone_of_the_terminal(data, url);
    assert!(run(&["pause", &made]).contains("paused"));
    assert!(run(&["delete", &made]).contains("is deleted"));
    assert!(!run(&["list"]).contains("Any problems?"));
    let (at, of) = (["--at", "07:00"], ["--timezone", "Asia/Tokyo"]);
    let to = ["--email", "ada@example.com"];
    run(&[&["ask", "Morning briefing"][..], &at, &of, &to].concat());
}

/// The variable `TZ` counts in a conversation at the command line, and for schedules made there.
fn in_the_zone_of_the_terminal(data: &Path, url: &str) {
    let run = |arguments: &[&str], zone: &str| {
        let place = ["--server", url, "--user", "demo"];
        let arguments = [arguments, &place[..]].concat();
        with_input(&mut heliograph(data, &arguments, &[("TZ", zone)]), PASSWORD)
    };
    let said = |arguments: &[&str], zone: &str| {
        let output = run(arguments, zone);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let daily = "every morning at 7 the briefing to ops@example.com";
    let chat = ["chat", daily, "--thread", "zoned"];
    let saved = said(&chat, ":Pacific/Auckland");
    assert!(saved.contains("at 07:00 (Pacific/Auckland)"), "{saved}");
    let ask = ["schedules", "ask", "Morning briefing", "--at", "07:00"];
    let ask = [&ask[..], &["--email", "ops@example.com"]].concat();
    let asked = said(&ask, "Asia/Seoul");
    assert!(asked.contains("at 07:00 (Asia/Seoul)"), "{asked}");
    let unknown = run(&ask, "CET-1CEST");
    let why = String::from_utf8(unknown.stderr).unwrap();
    assert!(
        !unknown.status.success() && why.contains("CET-1CEST"),
        "{why}"
    );
    // Only the schedules of the test stay.
    for made in [&asked, &said(&["schedules", "list"], "")] {
        let id = made
            .lines()
            .find(|line| line.contains("Seoul") || line.contains("Auckland"));
        let id = id.unwrap().split_whitespace().next().unwrap();
        said(&["schedules", "delete", id], "");
    }
}

/// Sentences with a limit, a zone, an interval, an address or a question that there cannot be.
async fn what_cannot_be_is_not_saved(said: impl AsyncFn(&str) -> String) {
    // A limit that there cannot be is not replaced by another one.
    let refused = said("tell ops@example.com when a device is out for 3 weeks").await;
    assert_eq!(
        refused,
        "That was not saved. The alert minutes must be 5 to 10080."
    );
    let refused = said("every morning at 7 in Springfield the briefing to ops@example.com").await;
    assert!(
        refused.contains("no single time zone by the name \"Springfield\""),
        "{refused}"
    );
    assert!(refused.ends_with("Nothing was saved."), "{refused}");
    let refused = said("every 5 minutes the briefing to ops@example.com").await;
    assert!(refused.contains("and not every 5 minutes."), "{refused}");
    let refused = said("at 7 the briefing to ops@example.com").await;
    assert!(refused.contains("\"every day at 7 …\""), "{refused}");
    let refused = said("every day at 25:00 the briefing to ops@example.com").await;
    assert!(
        refused.starts_with("\"25:00\" is not a time of day"),
        "{refused}"
    );
    let again = said("every morning at 7 in Tokyo the briefing to them").await;
    assert!(again.contains("Where should it go?"), "{again}");
    said("cancel").await;
    // A question that could not be answered at 7 is not saved.
    let refused = said("every morning at 7 \"How is INV-404?\" to ops@example.com").await;
    assert!(refused.contains("names INV-404"), "{refused}");
    assert!(refused.ends_with("So nothing was saved."), "{refused}");
}

/// An alert is saved once, and one of all devices leaves the historical demonstration out.
async fn alerts_begin_where_they_are_meant(said: impl AsyncFn(&str) -> String, mails: &MailServer) {
    // The same again is not saved twice.
    let again = said("mail ops@example.com when a device is out for an hour").await;
    assert_eq!(
        again,
        "That was not saved. The same exists already: schedule 3, \"A device is out for 1 hour\"."
    );
    // An alert of all devices does not begin with the historical demonstration, where all are out.
    // One that names a device does, and is sent at once.
    let named = said("alert ops@example.com when LTI-INV-001 is out for 2 hours").await;
    assert!(named.contains("It is schedule 4"), "{named}");
    eventually("the alert came", || !mails.mails().is_empty()).await;
    let alert = mails.mails().remove(0);
    let subject = alert.header("subject").unwrap();
    assert!(subject.starts_with("Alert: LTI-INV-001"), "{subject}");
}

/// A database that people may ask.
async fn shop() -> (TargetConfig, TestDatabase) {
    let database = TestDatabase::empty().await.unwrap();
    let table = "CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL)";
    sqlx::raw_sql(table).execute(database.pool()).await.unwrap();
    let target = TargetConfig {
        allow_writing_role: true,
        ..TargetConfig::new("shop", database.url().to_owned())
    };
    (target, database)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_morning_at_7_is_saved_tested_listed_and_deleted_in_a_conversation() {
    let (hooks, hook_url) = receiver().await;
    let mails = MailServer::start().await.unwrap();
    let port = mails.port;
    let (target, _shop) = shop().await;
    let stack = DemoStack::start_with(|config| {
        config.tools.targets = vec![target];
        let delivery = &mut config.orchestrator.delivery;
        delivery.webhooks.key = Some("a key of webhooks for this test 0815".into());
        delivery.webhooks.allow_http = true;
        delivery.webhooks.allowed_networks = vec!["127.0.0.0/8".to_owned()];
        delivery.email.host = Some("127.0.0.1".to_owned());
        delivery.email.port = port;
        delivery.email.tls = MailTls::None;
        delivery.email.from = Some("Heliograph <helio@example.com>".to_owned());
        config.orchestrator.schedules.look_every_ms = 50;
    })
    .await;
    let user = stack.demo_user().await;
    let said = async |message: &str| ask(&user, "plans", message).await.text();

    // What is missing is asked for, one after the other.
    let asked = said("every morning send me the briefing").await;
    assert!(asked.contains("At what time of the day?"), "{asked}");
    let asked = said("at 7").await;
    assert!(asked.contains("Where should it go?"), "{asked}");
    let saved = said(&hook_url).await;
    assert!(saved.contains("every day at 07:00"), "{saved}");
    assert!(saved.contains("delete schedule 1"), "{saved}");
    let whole = said("every weekday at 6:30 the briefing to ops@example.com").await;
    assert!(whole.contains("every weekday at 06:30"), "{whole}");
    let alert = said("tell me when a device is out for an hour").await;
    assert!(alert.contains("a device is out for 1 hour"), "{alert}");
    let alert = said("ops@example.com").await;
    assert!(
        alert.starts_with("Saved: when a device is out for 1 hour"),
        "{alert}"
    );
    what_cannot_be_is_not_saved(&said).await;
    // A question in between is answered as ever.
    let other = said("Which devices are there?").await;
    assert!(!other.contains("Saved"), "{other}");
    let listed = said("show my schedules").await;
    assert!(
        listed.contains("- Schedule 1, Morning briefing: every day at 07:00"),
        "{listed}"
    );
    assert!(
        listed.contains("- Schedule 3, A device is out for 1 hour"),
        "{listed}"
    );

    alerts_begin_where_they_are_meant(&said, &mails).await;

    let sent = said("send schedule 1 now").await;
    assert!(sent.contains("the answer goes to"), "{sent}");
    eventually("the briefing came", || !hooks.lock().unwrap().is_empty()).await;
    let hook = hooks.lock().unwrap()[0].clone();
    let body: Value = serde_json::from_str(&hook.1).unwrap();
    assert_eq!(body["data"]["status"], "answered", "{body}");
    let text = body["data"]["text"].as_str().unwrap();
    assert!(text.len() > 100, "{body}");
    // No user waits, to whom something could be announced or offered.
    assert!(
        !text.starts_with("I'll ") && !text.contains("Next, I'd") && !text.contains("I'd "),
        "{text}"
    );

    let (url, folder) = (stack.services.bff_url.clone(), tempfile::tempdir().unwrap());
    let data = folder.path().to_owned();
    let at_command_line =
        tokio::task::spawn_blocking(move || managed_at_the_command_line(&data, &url, &hook));
    at_command_line.await.unwrap();
    let deleted = said("delete schedule 2").await;
    assert!(deleted.contains("is deleted"), "{deleted}");
    let again = said("delete schedule 2").await;
    assert!(again.contains("There is no such schedule"), "{again}");
    // Neither a condition nor a number that is of none deletes something else.
    for unclear in [
        "delete schedule 3 if it is broken",
        "delete schedules 3 and 99",
    ] {
        let kept = said(unclear).await;
        assert!(kept.to_lowercase().contains("nothing was done"), "{kept}");
    }
    let listed = said("what is scheduled?").await;
    assert!(
        listed.contains("- Schedule 3, A device is out for 1 hour"),
        "{listed}"
    );
    // The next time is in the time zone that the sentence names.
    let of_tokyo = listed.lines().find(|line| line.contains("(Asia/Tokyo)"));
    assert!(of_tokyo.unwrap().ends_with(", 07:00"), "{listed}");
    let alerts = said("delete all my alerts").await;
    assert!(
        alerts.contains("\"A device is out for 1 hour\" is deleted"),
        "{alerts}"
    );
    let listed = said("what is scheduled?").await;
    assert!(
        listed.contains("- Schedule 1, Morning briefing"),
        "{listed}"
    );
    said("delete all schedules").await;
    let listed = said("what is scheduled?").await;
    assert!(listed.starts_with("Nothing is scheduled."), "{listed}");
    stack.stop().await;
}
