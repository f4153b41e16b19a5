//! Targets that are unavailable, slow or refuse the login: reported by name, distinguished from SQL
//! errors, without an effect on other targets.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use targets::TargetConfig;
use tokio::net::TcpListener;

use crate::sql_targets::{Site, both, mariadb};

fn at(url: String) -> TargetConfig {
    TargetConfig {
        acquire_timeout_ms: 400,
        ..TargetConfig::new("field", url)
    }
}

/// Every tool that asks the target says that it cannot be asked.
async fn assert_away(site: &Site, words: &str) {
    let run = site
        .call("demo", "run_sql", json!({ "sql": "SELECT name FROM crew" }))
        .await;
    assert_eq!(
        (&run["status"], &run["result"]["outcome"]),
        (&json!("error"), &json!("unavailable")),
        "{run}"
    );
    assert_eq!(
        (&run["result"]["target"], &run["result"]["row_count"]),
        (&json!("field"), &json!(0))
    );
    for (tool, arguments) in [
        ("list_tables", json!({})),
        ("describe_tables", json!({ "tables": ["crew"] })),
        ("find_join_paths", json!({ "tables": ["crew"] })),
        ("check_sql", json!({ "sql": "SELECT name FROM crew" })),
        ("find_past_questions", json!({ "question": "Which crews?" })),
        ("run_sql", json!({ "sql": "SELECT name FROM crew" })),
    ] {
        let answer = site.call("demo", tool, arguments).await;
        let message = answer["message"].as_str().unwrap();
        assert_eq!(
            (&answer["status"], message.contains("'field'")),
            (&json!("error"), true),
            "{tool}: {answer}"
        );
        assert!(message.contains(words), "{tool}: {message}");
        for secret in ["127.0.0.1", "secret", "reader"] {
            assert!(!message.contains(secret), "{message}");
        }
    }
    site.ok("demo", "list_loggers", json!({})).await;
    site.ok("demo", "health_check", json!({})).await;
}

async fn readiness(site: &Site) -> (StatusCode, Value) {
    let (status, ready) = site.app.send(Method::GET, "/health/ready", None, "").await;
    let checks = ready["checks"].as_array().unwrap();
    let targets = checks
        .iter()
        .find(|check| check["name"] == "targets")
        .unwrap();
    (status, targets["detail"].clone())
}

#[tokio::test]
async fn a_target_that_is_not_there_fails_its_own_calls_only() {
    // The port was free a moment ago; no process listens there now.
    let free = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for url in [
        format!("mysql://reader:secret@127.0.0.1:{free}/x"),
        format!("postgres://reader:secret@127.0.0.1:{free}/x"),
    ] {
        let site = Site::over(vec![at(url)]).await;
        assert_away(&site, "cannot be reached").await;
        assert_eq!(
            readiness(&site).await,
            (StatusCode::OK, json!("field is away"))
        );
    }
}

#[tokio::test]
async fn a_target_that_does_not_answer_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    for url in [
        format!("mysql://reader:secret@127.0.0.1:{port}/x"),
        format!("postgres://reader:secret@127.0.0.1:{port}/x"),
    ] {
        let site = Site::over(vec![at(url)]).await;
        assert_away(&site, "").await;
        let (status, detail) = readiness(&site).await;
        assert_eq!(status, StatusCode::OK, "{detail}");
    }
}

#[tokio::test]
async fn a_target_that_refuses_our_login_says_so() {
    for target in both().await {
        let mut config = target.config.clone();
        let url = secrecy::ExposeSecret::expose_secret(config.url.as_ref().unwrap())
            .replace(":secret@", ":wrong@");
        config.url = Some(url.into());
        let site = Site::over(vec![config]).await;
        assert_away(&site, "refuses our login").await;
        assert_eq!(
            readiness(&site).await,
            (StatusCode::OK, json!("field refuses our login"))
        );
    }
}

#[tokio::test]
async fn one_target_down_leaves_the_other_up() {
    let up = mariadb().await;
    let down = at("mysql://reader:secret@127.0.0.1:1/x".to_owned());
    let other = TargetConfig {
        name: "other".to_owned(),
        ..up.config.clone()
    };
    let site = Site::over(vec![down, other]).await;
    let rows = site
        .ok(
            "demo",
            "run_sql",
            json!({ "sql": "SELECT name FROM crew", "target": "other" }),
        )
        .await;
    assert_eq!(rows["row_count"], 2);
    let (status, detail) = readiness(&site).await;
    assert_eq!(
        (status, detail),
        (StatusCode::OK, json!("field is away, other answers"))
    );
}

#[tokio::test]
async fn a_policy_that_can_not_be_read_keeps_everybody_out() {
    let target = mariadb().await;
    let mut config = target.config.clone();
    config.policy_file = Some("/nowhere/policy.toml".into());
    let site = Site::over(vec![config]).await;
    let answer = site
        .call("demo", "run_sql", json!({ "sql": "SELECT name FROM crew" }))
        .await;
    assert_eq!(
        (&answer["status"], &answer["result"]["outcome"]),
        (&json!("error"), &json!("unavailable")),
        "{answer}"
    );
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("not set up properly") && !message.contains("/nowhere"),
        "{message}"
    );
}

#[tokio::test]
async fn a_target_that_is_away_keeps_nobody_from_the_others() {
    let away = TargetConfig::new("away", "mysql://u:p@127.0.0.1:1/d");
    let target = mariadb().await;
    let site = Site::over(vec![away, target.config.clone()]).await;
    let list = site.ok("demo", "list_tables", json!({})).await;
    assert_eq!(
        (&list["target"], &list["targets"][0]["name"]),
        (&json!("field"), &json!("away"))
    );
    let named = site
        .call("demo", "list_tables", json!({ "target": "away" }))
        .await;
    assert_eq!(named["status"], "error", "{named}");
}
