//! The end of an account: asked for by its owner or an administrator of its tenant, carried out by
//! every service, also by one that is away at first.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::routing::delete;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bff::erasure::Erasures;
use contracts::access::Role;
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use service_kit::clock::RandomIds;
use sqlx::{AssertSqlSafe, Row};

use crate::bench::{Answer, Bench, PASSWORD, With, secret};

/// The inner tiers: each says what it is asked, and whether it is there.
#[derive(Clone, Default)]
struct Tiers {
    away: Arc<Mutex<Vec<&'static str>>>,
    asked: Arc<Mutex<Vec<(&'static str, Value)>>>,
}

impl Tiers {
    async fn start(&self) -> String {
        let (orchestrator, tools) = (self.clone(), self.clone());
        let router = Router::new()
            .route(
                "/v1/person",
                delete(move |headers: HeaderMap| async move {
                    orchestrator.answer("orchestrator", &headers)
                }),
            )
            .route(
                "/api/person",
                delete(move |headers: HeaderMap| async move { tools.answer("tools", &headers) }),
            );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        url
    }

    fn answer(&self, tier: &'static str, headers: &HeaderMap) -> StatusCode {
        if self.away.lock().unwrap().contains(&tier) {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        let token = headers["authorization"].to_str().unwrap();
        let claims = URL_SAFE_NO_PAD
            .decode(token.split('.').nth(1).unwrap())
            .unwrap();
        let claims = serde_json::from_slice(&claims).unwrap();
        self.asked.lock().unwrap().push((tier, claims));
        StatusCode::NO_CONTENT
    }

    fn asked(&self) -> Vec<&'static str> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.into_iter().map(|(tier, _)| tier).collect()
    }
}

async fn bench(tiers: &Tiers) -> Bench {
    let url = tiers.start().await;
    let bench = Bench::configured(|config| {
        config.upstream.orchestrator_url.clone_from(&url);
        config.upstream.tools_url = url;
    })
    .await;
    let scopes = ["chat".to_owned(), "tools:read".to_owned()];
    for (name, tenant) in [("ada", "demo"), ("bob", "elsewhere")] {
        let made = bench
            .admin
            .create_account(name, secret(PASSWORD), tenant, &scopes);
        made.await.unwrap();
    }
    bench
}

/// The work of a bff in the background, by hand.
async fn background(bench: &Bench) -> Erasures {
    bff::build(
        bench.config.clone(),
        bench.clock.clone(),
        RandomIds::shared(),
    )
    .await
    .unwrap()
    .erasures
}

async fn token(bench: &Bench, name: &str) -> String {
    let body = json!({ "username": name, "password": PASSWORD });
    let tokens = bench.send(crate::bench::post("/auth/token", &body)).await;
    tokens.body["access_token"].as_str().unwrap().to_owned()
}

async fn erase(bench: &Bench, token: &str, path: &str, body: Value) -> Answer {
    let mut request = crate::bench::post(path, &body);
    *request.method_mut() = Method::DELETE;
    bench.send(request.bearer(token)).await
}

/// Number of rows that name a person, in every table of the schema.
async fn rows_of(bench: &Bench, subject: &str, name: &str) -> Vec<(String, i64)> {
    let pool = bench.database.pool();
    let columns = sqlx::query(
        "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = 'bff' AND data_type IN ('text', 'uuid')",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let mut found = Vec::new();
    for column in &columns {
        let (table, column): (String, String) = (column.get(0), column.get(1));
        let count = format!("SELECT count(*) FROM bff.{table} WHERE {column}::text IN ($1, $2)");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .bind(subject)
            .bind(name)
            .fetch_one(pool)
            .await
            .unwrap();
        if count > 0 {
            found.push((format!("{table}.{column}"), count));
        }
    }
    found
}

#[tokio::test]
async fn who_erases_the_own_account_shows_its_password() {
    let tiers = Tiers::default();
    let bench = bench(&tiers).await;
    let token = token(&bench, "ada").await;
    for body in [
        json!({}),
        json!({ "password": 1 }),
        json!({ "password": PASSWORD, "more": 1 }),
    ] {
        let answer = erase(&bench, &token, "/auth/me", body).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let answer = erase(
        &bench,
        &token,
        "/auth/me",
        json!({ "password": "wrong password" }),
    )
    .await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.body);
    assert!(tiers.asked().is_empty());

    let me = bench
        .send(crate::bench::get("/auth/me").bearer(&token))
        .await;
    let subject = me.body["sub"].as_str().unwrap().to_owned();
    let answer = erase(&bench, &token, "/auth/me", json!({ "password": PASSWORD })).await;
    assert_eq!(
        (answer.status, &answer.body),
        (
            StatusCode::OK,
            &json!({ "status": "erased", "waiting_for": [] })
        )
    );
    {
        let asked = tiers.asked.lock().unwrap();
        // In this order: what still runs may write to the tools.
        let order: Vec<&str> = asked.iter().map(|(tier, _)| *tier).collect();
        assert_eq!(order, ["orchestrator", "tools"]);
        for (_, claims) in asked.iter() {
            assert_eq!(
                (&claims["sub"], &claims["tenant"], &claims["scope"]),
                (&json!(subject), &json!("demo"), &json!("person:erase"))
            );
        }
    }
    // Nothing that the account had is valid any more, and no account has its name.
    assert_eq!(
        bench.me(crate::bench::get("/auth/me").bearer(&token)).await,
        StatusCode::UNAUTHORIZED
    );
    let body = json!({ "username": "ada", "password": PASSWORD });
    let again = bench.send(crate::bench::post("/auth/token", &body)).await;
    assert_eq!(again.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_tier_that_is_away_is_asked_until_it_has_erased_its_own() {
    let tiers = Tiers::default();
    tiers.away.lock().unwrap().extend(["tools"]);
    let bench = bench(&tiers).await;
    let token = token(&bench, "ada").await;
    let me = bench
        .send(crate::bench::get("/auth/me").bearer(&token))
        .await;
    let subject = me.body["sub"].as_str().unwrap().to_owned();
    let answer = erase(&bench, &token, "/auth/me", json!({ "password": PASSWORD })).await;
    assert_eq!(
        (answer.status, &answer.body),
        (
            StatusCode::ACCEPTED,
            &json!({ "status": "pending", "waiting_for": ["tools"] })
        )
    );
    assert_eq!(tiers.asked(), ["orchestrator"]);
    // In another process, over the same database.
    let background = background(&bench).await;
    background.work().await.unwrap();
    assert!(tiers.asked().is_empty(), "not before its time");
    bench.clock.advance(chrono::TimeDelta::seconds(10));
    background.work().await.unwrap();
    tiers.away.lock().unwrap().clear();
    bench.clock.advance(chrono::TimeDelta::seconds(30));
    background.work().await.unwrap();
    assert_eq!(tiers.asked(), ["tools"], "what is done is not asked again");
    // A last look, when no token of the person is good any more. Until then it is known whom to
    // look for.
    bench.clock.advance(chrono::TimeDelta::seconds(60));
    background.work().await.unwrap();
    assert!(tiers.asked().is_empty());
    assert_eq!(
        rows_of(&bench, &subject, "ada").await,
        [("erasures.subject".to_owned(), 1)]
    );
    bench.clock.advance(chrono::TimeDelta::seconds(360));
    background.work().await.unwrap();
    assert_eq!(tiers.asked(), ["orchestrator", "tools"]);
    assert!(rows_of(&bench, &subject, "ada").await.is_empty());
    bench.clock.advance(chrono::TimeDelta::hours(1));
    background.work().await.unwrap();
    assert!(tiers.asked().is_empty());
}

#[tokio::test]
async fn an_administrator_erases_accounts_of_the_own_tenant() {
    let tiers = Tiers::default();
    let bench = bench(&tiers).await;
    let confirm = |name: &str| json!({ "confirm": name });
    let ada = token(&bench, "ada").await;
    let answer = erase(&bench, &ada, "/api/accounts/demo", confirm("demo")).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "no scope");
    let scopes = ["chat", "tools:read", "accounts:erase"].map(str::to_owned);
    let boss = bench
        .admin
        .create_account("boss", secret(PASSWORD), "demo", &scopes);
    boss.await.unwrap();
    let demo = token(&bench, "boss").await;
    let answer = erase(&bench, &demo, "/api/accounts/ada", confirm("demo")).await;
    assert_eq!(answer.body["errors"][0]["pointer"], "/confirm");
    for name in ["bob", "nobody"] {
        let answer = erase(
            &bench,
            &demo,
            &format!("/api/accounts/{name}"),
            confirm(name),
        )
        .await;
        assert_eq!(
            answer.status,
            StatusCode::NOT_FOUND,
            "another tenant's is none"
        );
    }
    assert!(tiers.asked().is_empty());
    let answer = erase(&bench, &demo, "/api/accounts/ada", confirm("ada")).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(tiers.asked(), ["orchestrator", "tools"]);
    let answer = erase(&bench, &demo, "/api/accounts/ada", confirm("ada")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    // From the command line, the services continue with it; also with an account that is disabled.
    sqlx::query("UPDATE bff.accounts SET disabled_at = now() WHERE username = 'bob'")
        .execute(bench.database.pool())
        .await
        .unwrap();
    assert!(bench.admin.erase("bob").await.unwrap());
    assert!(!bench.admin.erase("bob").await.unwrap());
    background(&bench).await.work().await.unwrap();
    assert_eq!(tiers.asked(), ["orchestrator", "tools"]);
}

#[tokio::test]
async fn no_account_gets_a_scope_that_does_not_exist_or_that_only_an_erasure_has() {
    let tiers = Tiers::default();
    let bench = bench(&tiers).await;
    for scope in [
        "person:erase",
        "schedules:stop",
        "banana",
        "two words",
        "",
        "tab\t",
    ] {
        let scopes = [scope.to_owned()];
        let made = bench
            .admin
            .create_account("eve", secret(PASSWORD), "demo", &scopes)
            .await;
        assert!(made.is_err(), "{scope}");
        assert!(
            bench.admin.set_scopes("ada", &scopes).await.is_err(),
            "{scope}"
        );
    }
    let scopes = ["questions:approve".to_owned()];
    assert!(bench.admin.set_scopes("Ada", &scopes).await.unwrap());
    assert!(!bench.admin.set_scopes("nobody", &scopes).await.unwrap());
    let me = bench
        .send(crate::bench::get("/auth/me").bearer(&token(&bench, "ada").await))
        .await;
    assert_eq!(me.body["scopes"], json!(["questions:approve"]));
}

#[tokio::test]
async fn the_first_account_looks_after_questions_and_others_do_not() {
    let tiers = Tiers::default();
    let bench = bench(&tiers).await;
    let scopes = async |name: &str| {
        let token = token(&bench, name).await;
        let me = bench
            .send(crate::bench::get("/auth/me").bearer(&token))
            .await;
        me.body["scopes"].clone()
    };
    let has = |scopes: &Value, scope: &str| scopes.as_array().unwrap().contains(&json!(scope));
    let demo = scopes("demo").await;
    assert!(
        has(&demo, "questions:approve") && has(&demo, "accounts:erase"),
        "{demo}"
    );
    assert!(
        !Role::Editor
            .scopes()
            .any(|scope| scope == "questions:approve")
    );
}
