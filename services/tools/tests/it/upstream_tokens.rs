//! Users' tokens for upstreams: checked, refreshed in time and once, retried once.

use futures::future::join_all;
use serde_json::{Value, json};
use test_support::upstream::{Reply, TOKEN_PATH, jwt, token_reply};
use tools::upstreams::config::{Opaque, RefreshConfig, ServiceKeyUsers};

use crate::upstream_support::{ADA, ISSUER, Person, SERVICE_KEY, UPSTREAM, World, found};

/// The tokens that reads came with.
fn used(world: &World) -> Vec<String> {
    let reads = world.server.read_requests();
    reads
        .iter()
        .map(|read| read.header("authorization").replace("Bearer ", ""))
        .collect()
}

#[tokio::test]
async fn a_token_with_ten_or_thirty_seconds_left_is_refreshed_and_one_with_more_is_not() {
    for (seconds, refreshes) in [(10, 1), (30, 1), (60, 1), (61, 0), (-5, 1)] {
        let world = World::new().await;
        let app = world.app();
        let (old, new) = (world.token(ADA, seconds), world.token(ADA, 3_600));
        world.server.tokens([token_reply(&new)]);
        world.server.reads([found()]);
        app.bring(ADA, &old).await;
        app.read(ADA).await.unwrap();
        app.read(ADA).await.unwrap();
        assert_eq!(
            world.server.token_requests().len(),
            refreshes,
            "{seconds} s"
        );
        let token = if refreshes == 1 { new } else { old };
        assert_eq!(used(&world), [token.clone(), token], "{seconds} s");
    }
}

#[tokio::test]
async fn a_refresh_shows_the_service_key_and_names_the_caller() {
    let world = World::new().await;
    let app = world.app();
    world.server.tokens([token_reply(&world.token(ADA, 3_600))]);
    let ensured = app.ensure(ADA).await;
    assert_eq!(
        (&ensured["state"], &ensured["refreshed"]),
        (&json!("valid"), &json!(true))
    );
    let asked = &world.server.token_requests()[0];
    assert_eq!(asked.target, TOKEN_PATH);
    assert_eq!(asked.header("x-ca-service-key"), SERVICE_KEY);
    assert_eq!(asked.header("authorization"), "");
    assert_eq!(asked.json(), json!({ "user_id": "ada" }));
    let again = app.ensure(ADA).await;
    assert_eq!(
        (&again["state"], &again["refreshed"]),
        (&json!("valid"), &json!(false))
    );
    assert_eq!(again["expires_at"], "2026-06-01T13:00:00Z");
}

#[tokio::test]
async fn a_service_key_stands_only_for_those_who_connected_the_upstream_unless_for_everyone() {
    let world = World::new().await;
    let is_listed = |names: Vec<String>| names.iter().any(|name| name == "read_there");
    let app = world.app_of(|upstream| {
        let refresh = upstream.token.refresh.as_mut().unwrap();
        refresh.users = ServiceKeyUsers::Connected;
    });
    assert_eq!(app.ensure(ADA).await["state"], "missing");
    assert!(!is_listed(app.listed(ADA).await));
    assert!(
        world.server.token_requests().is_empty(),
        "no token is requested for a user who never connected the upstream"
    );
    world.server.tokens([token_reply(&world.token(ADA, 3_600))]);
    app.bring(ADA, &world.token(ADA, -5)).await;
    assert!(is_listed(app.listed(ADA).await));
    assert_eq!(app.ensure(ADA).await["state"], "valid");
    let other = Person(ADA.0, "eve");
    assert!(!is_listed(app.listed(other).await), "each for himself");
    assert!(is_listed(world.app().listed(other).await), "for everyone");
}

#[tokio::test]
async fn a_token_that_does_not_say_when_it_ends_counts_as_run_out() {
    for exp in [json!(null), json!("soon"), json!({}), json!(true)] {
        let world = World::new().await;
        let app = world.app();
        let new = world.token(ADA, 3_600);
        world.server.tokens([token_reply(&new)]);
        let mut claims = world.claims(ADA, 0);
        claims["exp"] = exp;
        let brought = app.bring(ADA, &jwt(&claims)).await;
        assert_eq!(brought["state"], "expired");
        app.read(ADA).await.unwrap();
        assert_eq!(used(&world), [new]);
    }
}

#[tokio::test]
async fn opaque_tokens_are_what_the_configuration_says() {
    let world = World::new().await;
    let new = world.token(ADA, 3_600);
    world.server.tokens([token_reply(&new)]);
    let trusting = world.app_of(|upstream| upstream.token.opaque = Opaque::Valid);
    assert_eq!(trusting.bring(ADA, "opaque-1").await["state"], "valid");
    trusting.read(ADA).await.unwrap();
    assert_eq!(
        (used(&world), world.server.token_requests().len()),
        (vec!["opaque-1".to_owned()], 0)
    );
    let strict = world.app();
    assert_eq!(strict.credentials(ADA).await[0]["state"], "expired");
    strict.read(ADA).await.unwrap();
    assert_eq!(
        (used(&world).pop(), world.server.token_requests().len()),
        (Some(new), 1)
    );
}

#[tokio::test]
async fn when_no_other_is_given_one_near_its_end_is_used_and_one_beyond_is_not() {
    for refusal in [
        Reply::Json(401, json!({})),
        Reply::Json(503, json!({})),
        Reply::BrokenOff,
    ] {
        let world = World::new().await;
        let app = world.app();
        world.server.tokens([refusal]);
        let near = world.token(ADA, 10);
        app.bring(ADA, &near).await;
        app.read(ADA).await.unwrap();
        assert_eq!(used(&world), [near]);
        assert_eq!(app.ensure(ADA).await["state"], "valid");
        app.bring(ADA, &world.token(ADA, -1)).await;
        assert_eq!(app.read(ADA).await.unwrap_err(), "expired_token");
        let ensured = app.ensure(ADA).await;
        assert_eq!(
            (&ensured["state"], &ensured["error_code"]),
            (&json!("expired"), &json!("expired_token"))
        );
        app.forget(ADA).await;
        assert_eq!(app.read(ADA).await.unwrap_err(), "refresh_failed");
        assert_eq!(app.ensure(ADA).await["state"], "missing");
        assert_eq!(
            world.server.read_requests().len(),
            1,
            "nothing was read without a token"
        );
    }
}

#[tokio::test]
async fn answers_that_are_no_token_are_refused() {
    let world = World::new().await;
    let app = world.app();
    let good = world.token(ADA, 3_600);
    let answer = |change: Value| {
        let mut answer =
            json!({ "access_token": good, "expires_in": 3600, "token_type": "Bearer" });
        for (name, value) in change.as_object().unwrap() {
            match value {
                Value::String(gone) if gone == "<gone>" => {
                    answer.as_object_mut().unwrap().remove(name);
                }
                value => answer[name] = value.clone(),
            }
        }
        Reply::Json(200, answer)
    };
    let claims = |change: Value| {
        let mut claims = world.claims(ADA, 3_600);
        claims
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        answer(json!({ "access_token": jwt(&claims) }))
    };
    let bad = [
        Reply::Json(200, json!([])),
        Reply::Json(200, json!("token")),
        Reply::Raw(200, "application/json", b"{".to_vec()),
        Reply::Raw(200, "text/html", b"<html></html>".to_vec()),
        Reply::Raw(200, "application/json", vec![b' '; 100_000]),
        Reply::Redirect(307, "http://127.0.0.1:1/".into()),
        answer(json!({ "access_token": "<gone>" })),
        answer(json!({ "access_token": "" })),
        answer(json!({ "access_token": "  " })),
        answer(json!({ "access_token": 7 })),
        answer(json!({ "access_token": "with space" })),
        answer(json!({ "access_token": "x".repeat(20_000) })),
        answer(json!({ "token_type": "bearer" })),
        answer(json!({ "token_type": "MAC" })),
        answer(json!({ "token_type": null })),
        answer(json!({ "expires_in": "<gone>" })),
        answer(json!({ "expires_in": "3600" })),
        answer(json!({ "expires_in": true })),
        answer(json!({ "expires_in": 0 })),
        answer(json!({ "expires_in": -1 })),
        answer(json!({ "expires_in": null })),
        claims(json!({ "sub": "eve" })),
        claims(json!({ "sub": null })),
        claims(json!({ "iss": "stranger" })),
        claims(json!({ "iss": null })),
        claims(json!({ "aud": "https://other.example" })),
        claims(json!({ "aud": null })),
        claims(json!({ "exp": 1 })),
    ];
    for reply in bad {
        world.server.tokens([reply.clone()]);
        assert_eq!(
            app.read(ADA).await,
            Err("refresh_failed".to_owned()),
            "{reply:?}"
        );
    }
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.credentials")
        .fetch_one(&app.pool)
        .await
        .unwrap();
    assert_eq!((rows, world.server.read_requests().len()), (0, 0));
    for reply in [
        answer(json!({ "token_type": "<gone>" })),
        answer(json!({ "expires_in": 0.5 })),
        answer(json!({ "access_token": "opaque" })),
        claims(json!({ "aud": [format!("{}/", world.server.url())] })),
    ] {
        world.server.tokens([reply.clone()]);
        assert!(app.read(ADA).await.is_ok(), "{reply:?}");
        app.forget(ADA).await;
    }
}

#[tokio::test]
async fn a_token_of_somebody_else_or_for_something_else_is_not_kept() {
    let world = World::new().await;
    let app = world.app();
    let mut elsewhere = world.claims(ADA, 3_600);
    elsewhere["aud"] = "https://other.example".into();
    for (token, code) in [
        (world.token(Person("demo", "eve"), 3_600), "wrong_subject"),
        (jwt(&elsewhere), "wrong_audience"),
    ] {
        let brought = app.bring(ADA, &token).await;
        assert_eq!(
            (&brought["state"], &brought["error_code"]),
            (&json!("refused"), &json!(code))
        );
        assert_eq!(app.credentials(ADA).await[0]["state"], "missing");
    }
    let other_claim = world.app_of(|upstream| upstream.token.subject_claim = "email".into());
    let mut claims = world.claims(Person("demo", "42"), 3_600);
    claims["email"] = "ada".into();
    assert_eq!(
        other_claim.bring(ADA, &jwt(&claims)).await["state"],
        "valid"
    );
}

#[tokio::test]
async fn parallel_calls_with_a_token_that_ran_out_refresh_it_once() {
    let world = World::new().await;
    let app = world.app();
    let new = world.token(ADA, 3_600);
    world
        .server
        .tokens([Reply::Held(Box::new(token_reply(&new)))]);
    world.server.reads([found()]);
    app.bring(ADA, &world.token(ADA, -1)).await;
    let calls = join_all((0..12).map(|_| app.read(ADA)));
    let release = async {
        while world.server.token_requests().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        world.server.release();
    };
    let (answers, ()) = tokio::join!(calls, release);
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(world.server.token_requests().len(), 1);
    assert_eq!(used(&world), vec![new; 12]);
}

#[tokio::test]
async fn replicas_refresh_a_token_once_among_them() {
    let world = World::new().await;
    let apps = [world.app(), world.app(), world.app()];
    let new = world.token(ADA, 3_600);
    world
        .server
        .tokens([Reply::Held(Box::new(token_reply(&new)))]);
    world.server.reads([found()]);
    apps[0].bring(ADA, &world.token(ADA, -1)).await;
    let calls = join_all(apps.iter().flat_map(|app| [app.read(ADA), app.read(ADA)]));
    let release = async {
        while world.server.token_requests().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        // The others are at the lease by now or come to it later; either way there is one.
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        world.server.release();
    };
    let (answers, ()) = tokio::join!(calls, release);
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(world.server.token_requests().len(), 1);
    assert_eq!(used(&world), vec![new; 6]);
    let leases: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.credential_refreshes")
        .fetch_one(&apps[0].pool)
        .await
        .unwrap();
    assert_eq!(leases, 0);
}

#[tokio::test]
async fn a_replica_that_died_over_a_refresh_does_not_end_them_for_good() {
    let world = World::new().await;
    let app = world.app();
    world.server.tokens([token_reply(&world.token(ADA, 3_600))]);
    sqlx::query(
        "INSERT INTO tools.credential_refreshes (tenant, subject, upstream, holder, until)
         VALUES ('demo', 'ada', $1, gen_random_uuid(), now() + interval '300 milliseconds')",
    )
    .bind(UPSTREAM)
    .execute(&app.pool)
    .await
    .unwrap();
    app.read(ADA).await.unwrap();
}

#[tokio::test]
async fn a_refused_token_is_refreshed_once_and_tried_once_more() {
    let refused = || Reply::Json(401, json!({ "error": { "message": "jwt malformed" } }));
    let cases = [
        // Token left, replies to reads, outcome, refreshes, reads.
        (
            3_600,
            vec![refused(), found()],
            Ok(json!({ "found": true })),
            1,
            2,
        ),
        (3_600, vec![refused()], Err("http_401".to_owned()), 1, 2),
        // It was refreshed for this call; another would be no better.
        (-1, vec![refused()], Err("http_401".to_owned()), 1, 1),
        (-1, vec![found()], Ok(json!({ "found": true })), 1, 1),
    ];
    for (seconds, replies, outcome, refreshes, reads) in cases {
        let world = World::new().await;
        let app = world.app();
        let new = world.token(ADA, 3_601);
        world.server.tokens([token_reply(&new)]);
        world.server.reads(replies);
        app.bring(ADA, &world.token(ADA, seconds)).await;
        assert_eq!(app.read(ADA).await, outcome);
        assert_eq!(world.server.token_requests().len(), refreshes);
        assert_eq!((used(&world).len(), used(&world).pop()), (reads, Some(new)));
    }
}

#[tokio::test]
async fn a_refused_token_that_can_not_be_refreshed_is_not_tried_again() {
    let world = World::new().await;
    world.server.reads([Reply::Json(401, json!({}))]);
    world.server.tokens([Reply::Json(500, json!({}))]);
    let app = world.app();
    app.bring(ADA, &world.token(ADA, 3_600)).await;
    assert_eq!(app.read(ADA).await.unwrap_err(), "http_401");
    assert_eq!(
        (
            world.server.read_requests().len(),
            world.server.token_requests().len()
        ),
        (1, 1)
    );
    let alone = world.app_of(|upstream| upstream.token.refresh = None);
    assert_eq!(alone.read(ADA).await.unwrap_err(), "http_401");
    assert_eq!(
        (
            world.server.read_requests().len(),
            world.server.token_requests().len()
        ),
        (2, 1)
    );
    alone.forget(ADA).await;
    assert_eq!(alone.read(ADA).await.unwrap_err(), "missing_token");
}

#[tokio::test]
async fn an_old_token_brought_again_does_not_undo_a_refresh() {
    let world = World::new().await;
    let app = world.app();
    let (old, new) = (world.token(ADA, -1), world.token(ADA, 3_600));
    world.server.tokens([token_reply(&new)]);
    for n in 0..3 {
        let brought = app.bring(ADA, &old).await;
        let message = brought["message"].as_str().unwrap_or_default();
        // The first is accepted, as there is no better one; then the answer says that the stored
        // one stays.
        assert_eq!(
            (n > 0, n > 0),
            (
                brought["state"] == "valid",
                message.ends_with("the stored one stays.")
            ),
            "{brought}"
        );
        app.read(ADA).await.unwrap();
    }
    assert_eq!(
        (used(&world), world.server.token_requests().len()),
        (vec![new; 3], 1)
    );
    let newer = world.token(ADA, 7_200);
    app.bring(ADA, &newer).await;
    app.read(ADA).await.unwrap();
    assert_eq!(used(&world).pop(), Some(newer));
}

#[tokio::test]
async fn the_refresh_token_of_oauth_is_used_and_replaced() {
    let world = World::new().await;
    let app = world.app_of(|upstream| {
        let mut refresh = RefreshConfig::by_refresh_token(TOKEN_PATH);
        refresh.client_id = Some("us".into());
        refresh.client_secret = Some("our secret".into());
        upstream.token.refresh = Some(refresh);
    });
    assert_eq!(app.ensure(ADA).await["error_code"], "missing_token");
    let answer = |token: &str, refresh_token: Value| {
        let body = json!({ "access_token": token, "refresh_token": refresh_token, "token_type": "Bearer" });
        Reply::Json(200, body)
    };
    let (first, second) = (world.token(ADA, 50), world.token(ADA, 3_600));
    world.server.tokens([
        answer(&first, json!("refresh-2")),
        answer(&second, json!(null)),
    ]);
    let old = world.token(ADA, -1);
    app.bring_all(
        ADA,
        &json!({ "access_token": old, "refresh_token": "refresh-1" }),
    )
    .await;
    app.read(ADA).await.unwrap();
    app.read(ADA).await.unwrap();
    app.read(ADA).await.unwrap();
    assert_eq!(used(&world), [first, second.clone(), second]);
    let forms: Vec<String> = world
        .server
        .token_requests()
        .iter()
        .map(|asked| {
            assert_eq!(
                asked.header("content-type"),
                "application/x-www-form-urlencoded"
            );
            String::from_utf8(asked.body.clone()).unwrap()
        })
        .collect();
    let form = |token: &str| {
        format!(
            "grant_type=refresh_token&refresh_token={token}&client_id=us&client_secret=our+secret"
        )
    };
    assert_eq!(forms, [form("refresh-1"), form("refresh-2")]);
}

#[tokio::test]
async fn an_issuer_is_not_asked_for_where_none_is_configured() {
    let world = World::new().await;
    let app = world.app_of(|upstream| upstream.token.issuer = None);
    let mut claims = world.claims(ADA, 3_600);
    assert_eq!(claims["iss"], ISSUER);
    claims["iss"] = "unknown".into();
    world.server.tokens([token_reply(&jwt(&claims))]);
    app.read(ADA).await.unwrap();
}
