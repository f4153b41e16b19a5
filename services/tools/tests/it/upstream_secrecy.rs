//! No token and no key is where it must not be, and no user reaches another's.

use std::io::Write;
use std::sync::{Arc, Mutex};

use http::{Method, StatusCode};
use serde_json::json;
use test_support::upstream::{Reply, token_reply};

use crate::harness::{App, TENANT};
use crate::upstream_support::{ADA, API_KEY, Person, SERVICE_KEY, World, found, key};

/// Everything that is logged on this thread, and so by the whole test.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Every column of every row about credentials, as text; bytes in hexadecimal and as they are.
async fn rows(app: &App) -> String {
    let text: Vec<String> = sqlx::query_scalar(
        "SELECT t::text || encode(t.nonce, 'escape') || encode(t.ciphertext, 'escape') || encode(t.ciphertext, 'base64')
         FROM tools.credentials t
         UNION ALL SELECT t::text FROM tools.credential_refreshes t",
    )
    .fetch_all(&app.pool)
    .await
    .unwrap();
    assert!(!text.is_empty(), "there is something to look at");
    text.join("\n")
}

#[tokio::test]
async fn no_token_or_key_is_answered_logged_or_readable_in_a_row() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let world = World::new().await;
    let app = world.app();
    let (old, new) = (world.token(ADA, -1), world.token(ADA, 3_600));
    let foreign = world.token(Person("demo", "eve"), 3_600);
    let near = world.token(ADA, 20);
    let secrets = [
        old.clone(),
        new.clone(),
        foreign.clone(),
        near.clone(),
        "refresh-secret-1".into(),
        SERVICE_KEY.into(),
        API_KEY.into(),
    ];
    let echo = json!({ "message": format!("bad token {new} with {API_KEY}"), "you_sent": [{ "authorization": format!("Bearer {new}") }, SERVICE_KEY] });
    let mut answers = Vec::new();
    answers.push(app.bring(ADA, &foreign).await);
    answers.push(
        app.bring_all(
            ADA,
            &json!({ "access_token": old, "refresh_token": "refresh-secret-1" }),
        )
        .await,
    );
    answers.push(app.credentials(ADA).await);
    let refusal = Reply::Json(
        403,
        json!({ "error": format!("{SERVICE_KEY} is wrong for {old}") }),
    );
    let garbled = Reply::Json(200, json!({ "access_token": new, "expires_in": "soon" }));
    world.server.tokens([refusal, garbled, token_reply(&new)]);
    for reply in [
        found(),
        Reply::Json(200, echo.clone()),
        Reply::Json(500, echo.clone()),
        Reply::Json(401, echo.clone()),
        Reply::Raw(200, "text/plain", new.clone().into_bytes()),
        Reply::BrokenOff,
        Reply::Redirect(302, format!("http://evil.example/?{new}")),
    ] {
        world.server.reads([reply]);
        answers.push(app.ask(ADA, "read_there", &json!({ "id": "1" })).await);
        answers.push(app.ensure(ADA).await);
    }
    let token = app.token(TENANT, &["tools:read"]);
    for body in [
        json!({ "access_token": [new] }).to_string(),
        json!({ "access_token": format!("{new} {old}") }).to_string(),
        json!({ "token": new }).to_string(),
        json!(new).to_string(),
        format!("{{\"access_token\": \"{new}"),
    ] {
        let (status, problem) = app
            .send(Method::PUT, "/api/credentials/there", Some(&token), &body)
            .await;
        assert!(status.is_client_error(), "{problem}");
        answers.push(problem);
    }
    let echoed = answers
        .iter()
        .filter(|answer| answer.to_string().contains("[redacted]"))
        .count();
    assert_eq!(echoed, 1, "the upstream repeated it once with a success");

    let places = [
        ("an answer", format!("{answers:?}")),
        ("a row", rows(&app).await),
        (
            "the log",
            String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned(),
        ),
    ];
    assert!(
        places[2].1.contains("an upstream gave no other token"),
        "something was logged"
    );
    for (place, text) in &places {
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{secret} is in {place}");
            // Neither is a part of it.
            let end = &secret[secret.len().saturating_sub(40)..];
            assert!(!text.contains(end) || end.len() < 12, "{end} is in {place}");
        }
    }
}

#[tokio::test]
async fn nobody_else_can_see_or_use_it() {
    let world = World::new().await;
    let app = world.app_of(|upstream| upstream.token.refresh = None);
    app.bring(ADA, &world.token(ADA, 3_600)).await;
    app.read(ADA).await.unwrap();
    for other in [
        Person("demo", "bob"),
        Person("rival", "ada"),
        Person("rival", "bob"),
    ] {
        assert_eq!(app.credentials(other).await[0]["state"], "missing");
        assert_eq!(app.ensure(other).await["error_code"], "missing_token");
        assert_eq!(app.read(other).await.unwrap_err(), "missing_token");
        app.forget(other).await;
    }
    assert_eq!(world.server.read_requests().len(), 1);
    assert_eq!(app.credentials(ADA).await[0]["state"], "valid");
    // A row that a user with the database's rights gives to another is of no use there.
    sqlx::query("UPDATE tools.credentials SET subject = 'bob'")
        .execute(&app.pool)
        .await
        .unwrap();
    assert_eq!(
        app.read(Person("demo", "bob")).await.unwrap_err(),
        "missing_token"
    );
}

#[tokio::test]
async fn keys_can_be_changed() {
    let world = World::new().await;
    let old = world.app_of(|upstream| upstream.token.refresh = None);
    old.bring(ADA, &world.token(ADA, 3_600)).await;
    let with_keys = |keys: Vec<tools::credentials::config::KeyConfig>| {
        world.app_with(|config| {
            config.upstreams[0].token.refresh = None;
            config.credentials.keys = keys;
        })
    };
    let key_id = async || -> String {
        sqlx::query_scalar("SELECT key_id FROM tools.credentials")
            .fetch_one(&old.pool)
            .await
            .unwrap()
    };
    let stranger = with_keys(vec![key("three", 3)]);
    assert_eq!(stranger.read(ADA).await.unwrap_err(), "missing_token");
    let both = with_keys(vec![key("two", 2), key("one", 1)]);
    assert_eq!(key_id().await, "one");
    both.read(ADA).await.unwrap();
    assert_eq!(key_id().await, "two", "it went over to the new key");
    with_keys(vec![key("two", 2)]).read(ADA).await.unwrap();
    // The same name for another key does not give access.
    assert_eq!(
        with_keys(vec![key("two", 9)]).read(ADA).await.unwrap_err(),
        "missing_token"
    );
}

#[tokio::test]
async fn a_credential_that_can_not_be_decrypted_is_replaced_where_another_can_be_had() {
    let world = World::new().await;
    world.app().bring(ADA, &world.token(ADA, 3_600)).await;
    let new = world.token(ADA, 3_601);
    world.server.tokens([token_reply(&new)]);
    let app = world.app_with(|config| config.credentials.keys = vec![key("three", 3)]);
    app.read(ADA).await.unwrap();
    app.read(ADA).await.unwrap();
    assert_eq!(world.server.token_requests().len(), 1);
}

#[tokio::test]
async fn the_endpoints_have_their_rules() {
    let world = World::new().await;
    let app = world.app();
    let powerless = app.token(TENANT, &["chat"]);
    let token = app.token(TENANT, &["tools:read"]);
    let body = r#"{"access_token":"t"}"#;
    for (method, path) in [
        (Method::GET, "/api/credentials"),
        (Method::PUT, "/api/credentials/there"),
        (Method::DELETE, "/api/credentials/there"),
        (Method::POST, "/api/credentials/there/ensure"),
    ] {
        let (status, _) = app.send(method.clone(), path, None, body).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        let (status, _) = app.send(method.clone(), path, Some(&powerless), body).await;
        assert_eq!(status, StatusCode::FORBIDDEN);
        if path != "/api/credentials" {
            let nowhere = path.replace("there", "nowhere");
            let (status, problem) = app.send(method, &nowhere, Some(&token), body).await;
            assert_eq!(
                (status, &problem["available"]),
                (StatusCode::NOT_FOUND, &json!(["there"]))
            );
        }
    }
    for (body, status) in [
        ("{", StatusCode::BAD_REQUEST),
        ("{}", StatusCode::UNPROCESSABLE_ENTITY),
        (r#"["token"]"#, StatusCode::UNPROCESSABLE_ENTITY),
        (
            r#"{"access_token":["token"]}"#,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            r#"{"access_token":"a","banana":1}"#,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (r#"{"access_token":""}"#, StatusCode::UNPROCESSABLE_ENTITY),
        (
            r#"{"access_token":"a","more":1}"#,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            r#"{"access_token":"a","refresh_token":"b c"}"#,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        let (answered, problem) = app
            .send(Method::PUT, "/api/credentials/there", Some(&token), body)
            .await;
        assert_eq!(answered, status, "{body}: {problem}");
    }
}
