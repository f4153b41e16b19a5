//! The state of each target, shown without a question before: password, role, policy, schema.

use http::{Method, StatusCode};
use serde_json::Value;
use targets::TargetConfig;

use crate::sql_targets::{Site, both, postgresql};

/// The targets as their list shows them, and what readiness says.
async fn shown(site: &Site) -> (Value, StatusCode, String) {
    let token = site.app.token("demo", &["tools:read", "targets:write"]);
    let (status, list) = site
        .app
        .send(Method::GET, "/api/targets", Some(&token), "")
        .await;
    assert_eq!(status, StatusCode::OK, "{list}");
    let (ready, checks) = site.app.send(Method::GET, "/health/ready", None, "").await;
    (list["targets"][0].clone(), ready, checks.to_string())
}

#[tokio::test]
async fn a_refused_password_is_shown_before_any_question() {
    for target in both().await {
        let mut config = target.config.clone();
        let url = secrecy::ExposeSecret::expose_secret(config.url.as_ref().unwrap())
            .replace(":secret@", ":wrong@");
        config.url = Some(url.into());
        let site = Site::over(vec![config]).await;
        let (shown, ready, checks) = shown(&site).await;
        let problem = shown["problem"].as_str().unwrap();
        assert!(problem.contains("refuses our login"), "{shown}");
        assert_eq!(ready, StatusCode::OK, "{checks}");
    }
}

#[tokio::test]
async fn a_role_that_may_write_is_shown_before_any_question() {
    let target = postgresql().await;
    let config = TargetConfig {
        url: Some(target.admin_url().into()),
        ..target.config.clone()
    };
    let site = Site::over(vec![config]).await;
    let (shown, ready, checks) = shown(&site).await;
    assert!(shown["problem"].is_string(), "{shown}");
    assert_eq!(ready, StatusCode::OK, "{checks}");
}

#[tokio::test]
async fn a_policy_that_hides_everything_is_shown_before_any_question() {
    let target = postgresql().await;
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, "hidden_tables = [\"crew\", \"employee\", \"work_order\", \"work_time\", \"question\", \"migration\", \"secure_employee\"]\n").unwrap();
    let config = TargetConfig {
        policy_file: Some(policy),
        ..target.config.clone()
    };
    let site = Site::over(vec![config]).await;
    let (shown, ready, checks) = shown(&site).await;
    let problem = shown["problem"].as_str().unwrap_or_default();
    assert!(problem.contains("policy"), "{shown}");
    assert_eq!(ready, StatusCode::OK, "{checks}");
}

#[tokio::test]
async fn a_schema_that_is_missing_is_shown_before_any_question() {
    let target = postgresql().await;
    let config = TargetConfig {
        schemas: vec!["gone".to_owned()],
        ..target.config.clone()
    };
    let site = Site::over(vec![config]).await;
    let (shown, ready, checks) = shown(&site).await;
    let problem = shown["problem"].as_str().unwrap_or_default();
    assert!(problem.contains("schema 'gone'"), "{shown}");
    assert_eq!(ready, StatusCode::OK, "{checks}");
}

#[tokio::test]
async fn a_faulty_policy_is_shown_before_any_question() {
    let target = postgresql().await;
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, "hiden_tables = [\"secret_words\"]\n").unwrap();
    let config = TargetConfig {
        policy_file: Some(policy),
        ..target.config.clone()
    };
    let site = Site::over(vec![config]).await;
    let (shown, ready, checks) = shown(&site).await;
    let problem = shown["problem"].as_str().unwrap_or_default();
    assert!(problem.contains("not set up properly"), "{shown}");
    assert!(!shown.to_string().contains("secret_words"), "{shown}");
    assert_eq!(ready, StatusCode::OK, "{checks}");
}
