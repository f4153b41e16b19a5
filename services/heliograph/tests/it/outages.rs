//! The database becomes unavailable and returns: the answers in the meantime, and that nothing is
//! lost.

use contracts::ui::UiComponent;
use embedded_postgres::{Options, start};
use heliograph::chat::{ChatClient, ChatError};
use heliograph::stack::Stack;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::demo_stack::{PASSWORD, admin, ask, config, fill, try_ask};

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_stopped_and_started_is_an_outage_and_no_loss() {
    let folder = tempfile::tempdir().unwrap();
    let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.heliograph/cache");
    let options = Options::durable(folder.path().join("postgres"), cache);
    let server = start(options.clone()).await.unwrap();
    server.create_database("outage").await.unwrap();
    let url = SecretString::from(server.url("outage"));
    let port = url_port(&server.url("outage"));

    let mut stack = config(&url, folder.path());
    stack.tools.database.acquire_timeout_ms = 2_000;
    stack.bff.database.acquire_timeout_ms = 2_000;
    stack.orchestrator.database.acquire_timeout_ms = 2_000;
    let pool = tools::database::pool(&stack.tools.database).unwrap();
    fill(&pool).await.unwrap();
    pool.close().await;
    let accounts = admin(&stack);
    accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
    accounts.close().await;
    let services = Stack::start(stack).await.unwrap();
    let http = service_kit::http_client().unwrap();
    let (user, _) = ChatClient::sign_in(http.clone(), &services.bff_url, "demo", &PASSWORD.into())
        .await
        .unwrap();
    assert!(ask(&user, "t-outage", "Check the health").await.asks_back());

    server.stop().await.unwrap();
    // The bff cannot look up the user: the request is refused, and not as unauthenticated.
    let refused = try_ask(&user, "t-outage", "Selected: LTI-INV-001").await;
    assert!(
        matches!(&refused, Err(ChatError::Refused(problem)) if problem.status == 503),
        "{refused:?}"
    );
    let ready: Value = http
        .get(format!("{}/health/ready", services.tools_url))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(ready["status"], "unavailable");
    let health = http
        .get(format!("{}/api/health", services.tools_url))
        .send()
        .await
        .unwrap();
    assert_eq!(health.status(), 200);
    let health: Value = health.json().await.unwrap();
    assert_eq!(health["status"], "degraded");
    assert!(
        !health.to_string().contains("127.0.0.1"),
        "no address leaks: {health}"
    );

    let server = start(Options {
        port: Some(port),
        ..options
    })
    .await
    .unwrap();
    let answered = ask(&user, "t-outage", "Selected: LTI-INV-001").await;
    let UiComponent::HealthReport(card) = answered.component().component else {
        panic!("{answered:?}")
    };
    assert_eq!(card.logger_id, "LTI-INV-001", "the picker was still open");
    services.stop().await;
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_that_are_away_are_said_to_be_away() {
    // Only the tools service has lost its database; the other tiers work.
    let demo = crate::demo_stack::DemoStack::start_with(|config| {
        config.tools.database.url = Some("postgres://reader@127.0.0.1:9/nothing".into());
        config.tools.database.acquire_timeout_ms = 1_000;
    })
    .await;
    let user = demo.demo_user().await;
    for question in [
        "Morning briefing",
        "Check the health of LTI-INV-001",
        "power curve of GW-INV-001 on Nov 29",
    ] {
        let reply = ask(&user, question.split(' ').next().unwrap(), question).await;
        let seen = format!("{reply:?}");
        assert!(!reply.text().is_empty(), "{question}");
        assert!(
            !seen.contains("100.0") && !seen.contains("healthScore") && !seen.contains("postgres"),
            "{question}: {seen}"
        );
    }
    let call = demo
        .http
        .post(format!("{}/api/tools/list_loggers", demo.services.bff_url));
    let tokens = demo
        .http
        .post(format!("{}/auth/token", demo.services.bff_url))
        .json(&json!({ "username": "demo", "password": PASSWORD }));
    let tokens: Value = tokens.send().await.unwrap().json().await.unwrap();
    let answer = call
        .bearer_auth(tokens["access_token"].as_str().unwrap())
        .json(&json!({}))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    demo.stop().await;
}

fn url_port(url: &str) -> u16 {
    let authority = url.rsplit_once('@').unwrap().1.split('/').next().unwrap();
    authority.rsplit_once(':').unwrap().1.parse().unwrap()
}
