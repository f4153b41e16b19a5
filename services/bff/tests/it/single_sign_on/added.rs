//! Issuers that are added while the service runs: `/api/issuers`, with two replicas.

use axum::Router;
use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};

use super::provider::FakeProvider;
use super::{AUDIENCE, ada, begun, callback, outcome};
use crate::bench::{Answer, Bench, PASSWORD, With, get, post};
use crate::people::{account, token, with_method};

const SECRET: &str = "s3cret & more";

/// A bff to which issuers can be added, also on this machine.
async fn bench(adjust: impl FnOnce(&mut bff::Config)) -> Bench {
    Bench::configured(|config| {
        config.oidc.allow_loopback = true;
        config.oidc.encryption_key = Some(STANDARD.encode([7; 32]).into());
        config.limits.request_burst = 1000;
        adjust(config);
    })
    .await
}

fn described(provider: &FakeProvider) -> Value {
    json!({
        "name": "example", "label": "Example", "issuer": provider.url(), "client_id": "heliograph",
        "client_secret": SECRET, "audience": AUDIENCE,
        "rules": [
            { "group": "bosses", "tenant": "acme", "role": "administrator" },
            { "group": "solar", "tenant": "acme", "role": "editor" },
        ],
    })
}

fn with(mut body: Value, change: &Value) -> Value {
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

async fn add(bench: &Bench, by: &str, body: &Value) -> Answer {
    bench.send(post("/api/issuers", body).bearer(by)).await
}

async fn added(bench: &Bench, by: &str, body: &Value) -> Value {
    let answer = add(bench, by, body).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
    answer.body
}

fn delete(path: &str) -> Request<Body> {
    with_method(Method::DELETE, path, &Value::Null)
}

/// Signs in a person at a replica; where the browser is sent, and the session.
async fn sign_in_at(
    bench: &Bench,
    replica: &Router,
    provider: &FakeProvider,
    claims: Value,
) -> (String, Option<String>) {
    let answer = bench.send_to(replica, get("/auth/oidc/example")).await;
    let begun = begun(&answer);
    let (nonce, challenge) = (begun.parameter("nonce"), begun.parameter("code_challenge"));
    provider.expect(nonce, challenge, claims);
    outcome(&bench.send_to(replica, callback(&begun, "code=c0de")).await)
}

fn logout(provider: &FakeProvider) -> Request<Body> {
    let claims = json!({
        "sub": "ada-1", "sid": "s-1", "aud": "heliograph",
        "events": { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
    let form = format!("logout_token={}", provider.token(&claims));
    let mut request = get("/auth/oidc/example/logout")
        .header("content-type", "application/x-www-form-urlencoded");
    *request.method_mut() = Method::POST;
    *request.body_mut() = Body::from(form);
    request
}

#[tokio::test]
async fn an_issuer_that_is_added_counts_at_once_in_every_replica_until_it_is_removed() {
    let provider = FakeProvider::start().await;
    let bench = bench(|_| {}).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let other = bench.replica().await;
    let page = async |replica: &Router| {
        let page = bench.send_to(replica, get("/auth/sign-in")).await;
        page.body["issuers"].clone()
    };
    let bearer = || {
        let claims = with(ada(&["solar"]), &json!({ "aud": AUDIENCE }));
        get("/api/me").bearer(&provider.token(&claims))
    };
    assert_eq!(page(&other).await, Value::Null);
    let unknown = bench.send_to(&other, bearer()).await;
    assert_eq!(unknown.status, StatusCode::UNAUTHORIZED);

    let shown = added(&bench, &demo, &described(&provider)).await;
    assert_eq!(
        shown["addresses"],
        json!({
            "redirect": "http://localhost:8080/auth/oidc/example/callback",
            "post_logout_redirect": "http://localhost:8080/",
            "backchannel_logout": "http://localhost:8080/auth/oidc/example/logout",
        })
    );
    for replica in [&bench.router, &other] {
        assert_eq!(
            page(replica).await,
            json!([{ "name": "example", "label": "Example", "path": "/auth/oidc/example" }])
        );
        let accepted = bench.send_to(replica, bearer()).await;
        assert_eq!(accepted.status, StatusCode::OK, "{}", accepted.body);
        assert_eq!(accepted.body["account"]["role"], "editor");
    }
    // Clients of the Model Context Protocol find it.
    let metadata = get("/.well-known/oauth-protected-resource/mcp");
    let metadata = bench.send_to(&other, metadata).await.body;
    assert_eq!(metadata["authorization_servers"], json!([provider.url()]));
    assert_eq!(metadata["resource"], "http://localhost:8080/mcp");

    // A sign-in at one replica, a logout at the issuer that reaches the other one.
    let (to, session) = sign_in_at(&bench, &other, &provider, ada(&["solar"])).await;
    assert_eq!(to, "/");
    let session = session.unwrap();
    let me = bench.send(get("/auth/me").session(&session)).await.body;
    assert_eq!(
        (&me["username"], &me["tenant"]),
        (&json!("ada"), &json!("acme"))
    );
    assert_eq!(bench.send(logout(&provider)).await.status, StatusCode::OK);
    let ended = bench.send(get("/auth/me").session(&session)).await;
    assert_eq!(ended.status, StatusCode::UNAUTHORIZED);

    // Other rules count at the next sign-in, in the other replica, too. They change while the
    // issuer is away.
    provider.set_away(true);
    let rules = json!({ "rules": [{ "group": "solar", "tenant": "acme", "role": "viewer" }] });
    let change = with_method(Method::PATCH, "/api/issuers/example", &rules).bearer(&demo);
    assert_eq!(bench.send(change).await.status, StatusCode::OK);
    provider.set_away(false);
    let (_, session) = sign_in_at(&bench, &other, &provider, ada(&["solar"])).await;
    let session = session.unwrap();
    let me = bench.send(get("/auth/me").session(&session)).await.body;
    assert_eq!(me["role"], "viewer");
    let (to, _) = sign_in_at(&bench, &other, &provider, ada(&["bosses"])).await;
    assert_eq!(to, "/?sign-in=not-allowed");

    // The removal ends its sessions, its tokens and the sign-ins that have begun.
    let pending = begun(&bench.send_to(&other, get("/auth/oidc/example")).await);
    let removed = bench
        .send(delete("/api/issuers/example").bearer(&demo))
        .await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    for replica in [&bench.router, &other] {
        assert_eq!(page(replica).await, Value::Null);
        for (request, status) in [
            (get("/auth/me").session(&session), StatusCode::UNAUTHORIZED),
            (bearer(), StatusCode::UNAUTHORIZED),
            (get("/auth/oidc/example"), StatusCode::NOT_FOUND),
            (callback(&pending, "code=c0de"), StatusCode::NOT_FOUND),
            (logout(&provider), StatusCode::NOT_FOUND),
        ] {
            assert_eq!(bench.send_to(replica, request).await.status, status);
        }
    }
    // Another one of this name does not end what began at the first.
    added(&bench, &demo, &described(&provider)).await;
    let late = bench.send(callback(&pending, "code=c0de")).await;
    assert_eq!(outcome(&late).0, "/?sign-in=expired");
}

#[tokio::test]
async fn a_sign_in_that_ends_after_its_issuer_was_removed_begins_no_session() {
    let provider = FakeProvider::start().await;
    let bench = bench(|_| {}).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    added(&bench, &demo, &described(&provider)).await;
    let begun = begun(&bench.send(get("/auth/oidc/example")).await);
    let (nonce, challenge) = (begun.parameter("nonce"), begun.parameter("code_challenge"));
    provider.expect(nonce, challenge, ada(&["solar"]));
    // The issuer answers the exchange of the code only after it was removed.
    let (asked, answer) = provider.hold_exchange();
    let (router, request) = (bench.router.clone(), callback(&begun, "code=c0de"));
    let removal = async {
        asked.await.unwrap();
        let removed = bench
            .send(delete("/api/issuers/example").bearer(&demo))
            .await;
        answer.send(()).unwrap();
        removed.status
    };
    let (finished, removed) = tokio::join!(bench.send_to(&router, request), removal);
    assert_eq!(removed, StatusCode::NO_CONTENT);
    assert_eq!(outcome(&finished), ("/?sign-in=expired".to_owned(), None));
    let left =
        sqlx::query_scalar::<_, i64>("SELECT count(*) FROM bff.sessions WHERE issuer IS NOT NULL");
    assert_eq!(left.fetch_one(bench.database.pool()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_test_says_which_step_failed_and_what_to_do() {
    let provider = FakeProvider::start().await;
    let bench = bench(|_| {}).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let test = async |change: Value| {
        let body = with(described(&provider), &change);
        let tested = bench
            .send(post("/api/issuer-tests", &body).bearer(&demo))
            .await;
        assert_eq!(tested.status, StatusCode::OK, "{}", tested.body);
        let steps = tested.body["steps"].as_array().unwrap().clone();
        let names: Vec<String> = steps
            .iter()
            .map(|step| step["step"].as_str().unwrap().to_owned())
            .collect();
        let problem = steps.last().unwrap()["problem"]
            .as_str()
            .unwrap_or_default();
        assert_eq!(tested.body["ok"], problem.is_empty(), "{}", tested.body);
        // What fails a test is not added, and the problem names the member.
        let refused = add(&bench, &demo, &body).await;
        if problem.is_empty() {
            assert_eq!(refused.status, StatusCode::CREATED);
            let path = "/api/issuers/example";
            let removed = bench.send(delete(path).bearer(&demo)).await;
            assert_eq!(removed.status, StatusCode::NO_CONTENT);
        } else {
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(refused.body["detail"], problem);
        }
        let pointer = refused.body["errors"][0]["pointer"].clone();
        (names.join(" "), problem.to_owned(), pointer)
    };
    let fails = async |change: Value, steps: &str, words: &str, pointer: &str| {
        let (names, problem, at) = test(change).await;
        assert_eq!(names, steps, "{problem}");
        assert!(problem.contains(words), "{problem}");
        assert_eq!(at, pointer, "{problem}");
    };
    let (names, problem, _) = test(json!({})).await;
    assert_eq!(names, "host discovery issuer endpoints keys client");
    assert_eq!(problem, "");

    let unknown = json!({ "issuer": "https://none.invalid" });
    fails(unknown, "host", "cannot be resolved", "/issuer").await;
    let link_local = json!({ "issuer": "https://169.254.169.254" });
    fails(link_local, "host", "refused_networks", "/issuer").await;
    let closed = json!({ "issuer": "http://127.0.0.1:1" });
    fails(closed, "host discovery", "cannot be read", "/issuer").await;
    let elsewhere = json!({ "issuer": format!("{}/realms/main", provider.url()) });
    fails(elsewhere, "host discovery", "status 404", "/issuer").await;
    // The document is there, and names the issuer without the slash.
    let slash = json!({ "issuer": format!("{}/", provider.url()) });
    let words = format!("names the issuer {}. Enter it", provider.url());
    fails(slash, "host discovery issuer", &words, "/issuer").await;
    let steps = "host discovery issuer endpoints";
    provider.describe(json!({ "token_endpoint": "http://id.example.com/token" }));
    fails(json!({}), steps, "not encrypted", "/issuer").await;
    let steps = "host discovery issuer endpoints keys";
    // A provider cannot lead the service to hosts that may not be reached.
    provider.describe(json!({ "jwks_uri": "https://169.254.169.254/keys" }));
    fails(json!({}), steps, "refused_networks", "/issuer").await;
    provider.describe(json!({ "jwks_uri": format!("{}/none", provider.url()) }));
    fails(json!({}), steps, "status 404", "/issuer").await;
    provider.describe(json!({}));
    provider.publish(Some(json!([{ "kty": "oct", "k": "c2VjcmV0" }])));
    fails(json!({}), steps, "has no key", "/issuer").await;
    provider.publish(None);
    let steps = "host discovery issuer endpoints keys client";
    let wrong = json!({ "client_secret": "wrong" });
    fails(wrong, steps, "invalid_client", "/client_secret").await;
    let public = json!({ "client_secret": null });
    fails(public, steps, "invalid_client", "/client_id").await;
    provider.set_away(true);
    fails(json!({}), "host discovery", "cannot be read", "/issuer").await;
    let list = bench.send(get("/api/issuers").bearer(&demo)).await;
    assert_eq!(list.body["issuers"], json!([]), "{}", list.body);
}

#[tokio::test]
async fn loopback_is_for_installations_that_allow_it_also_behind_a_name() {
    let provider = FakeProvider::start().await;
    let bench = bench(|config| config.oidc.allow_loopback = false).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    for issuer in [
        provider.url().to_owned(),
        provider.url().replace("127.0.0.1", "localhost"),
        provider.url().replace("127.0.0.1", "[::ffff:127.0.0.1]"),
    ] {
        let body = with(described(&provider), &json!({ "issuer": issuer }));
        let refused = add(&bench, &demo, &body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{issuer}");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(
            detail.contains("oidc.allow_loopback") || detail.contains("https"),
            "{detail}"
        );
    }
}

#[tokio::test]
async fn settings_that_are_not_valid_are_refused_at_their_member() {
    let provider = FakeProvider::start().await;
    let bench = bench(|config| config.signing.issuer = "https://own.example".to_owned()).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let rule = |change: Value| {
        let rule = json!({ "group": "solar", "tenant": "acme" });
        json!({ "rules": [with(rule, &change)] })
    };
    for (change, pointer) in [
        (json!({ "name": "" }), "/name"),
        (json!({ "name": "a/b" }), "/name"),
        (json!({ "name": "n".repeat(65) }), "/name"),
        (json!({ "label": "a\nb" }), "/label"),
        (json!({ "issuer": "id.example.com" }), "/issuer"),
        (json!({ "issuer": "http://id.example.com" }), "/issuer"),
        (json!({ "issuer": "https://u:p@id.example.com" }), "/issuer"),
        (json!({ "issuer": "https://id.example.com?a=b" }), "/issuer"),
        (json!({ "issuer": "https://own.example" }), "/issuer"),
        (json!({ "client_id": " " }), "/client_id"),
        (
            json!({ "client_secret": "s".repeat(4097) }),
            "/client_secret",
        ),
        (json!({ "audience": "heliograph" }), "/audience"),
        (json!({ "scopes": ["two words"] }), "/scopes"),
        (json!({ "public_url": "solar.example.com" }), "/public_url"),
        (
            json!({ "public_url": "https://solar.example.com/page" }),
            "/public_url",
        ),
        (json!({ "rules": [] }), "/rules"),
        (rule(json!({ "tenant": "" })), "/rules"),
        (rule(json!({ "tenant": " acme" })), "/rules/0/tenant"),
        (rule(json!({ "group": "" })), "/rules/0/group"),
        (rule(json!({ "role": "king" })), "/rules/0/role"),
        (json!({ "colour": "red" }), "/colour"),
    ] {
        let refused = add(&bench, &demo, &with(described(&provider), &change)).await;
        assert_eq!(
            (refused.status, &refused.body["errors"][0]["pointer"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!(pointer)),
            "{change}: {}",
            refused.body
        );
    }
}

#[tokio::test]
async fn the_secret_is_encrypted_and_in_no_answer_and_stays_when_it_is_not_changed() {
    let provider = FakeProvider::start().await;
    let mut bench = bench(|_| {}).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let mut texts = vec![
        added(&bench, &demo, &described(&provider))
            .await
            .to_string(),
    ];
    let stored = "SELECT settings::text || client_secret FROM bff.issuers";
    let stored = sqlx::query_scalar::<_, String>(stored).fetch_one(bench.database.pool());
    let stored = stored.await.unwrap();
    assert!(stored.contains("aes-256-gcm:"), "{stored}");
    texts.push(stored);
    let path = "/api/issuers/example";
    // An empty text removes what can be absent.
    let change = json!({ "label": "Company", "audience": "", "groups_claim": "" });
    let change = with_method(Method::PATCH, path, &change).bearer(&demo);
    let changed = bench.send(change).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.body);
    let body = changed.body;
    assert_eq!(
        (
            &body["label"],
            &body["audience"],
            &body["groups_claim"],
            &body["has_secret"]
        ),
        (
            &json!("Company"),
            &Value::Null,
            &json!("groups"),
            &json!(true)
        )
    );
    texts.push(body.to_string());
    for path in ["/api/issuers", path, "/api/audit"] {
        let shown = bench.send(get(path).bearer(&demo)).await;
        assert_eq!(shown.status, StatusCode::OK);
        texts.push(shown.body.to_string());
    }
    assert!(
        texts.iter().all(|text| !text.contains("s3cret")),
        "{texts:?}"
    );
    let router = bench.router.clone();
    let (to, _) = sign_in_at(&bench, &router, &provider, ada(&["solar"])).await;
    assert_eq!(to, "/", "the secret of before is used");
    let wrong = with_method(Method::PATCH, path, &json!({ "client_secret": "wrong" }));
    let refused = bench.send(wrong.bearer(&demo)).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);

    // With another key the issuer says what to do, and a new secret mends it.
    bench.config.oidc.encryption_key = Some(STANDARD.encode([8; 32]).into());
    bench.restart().await;
    let shown = bench.send(get(path).bearer(&demo)).await.body;
    assert!(
        shown["problem"]
            .as_str()
            .unwrap()
            .contains("Enter the secret again")
    );
    let page = bench.send(get("/auth/sign-in")).await;
    assert_eq!(page.body["issuers"], Value::Null);
    let again = with_method(Method::PATCH, path, &json!({ "client_secret": SECRET }));
    assert_eq!(bench.send(again.bearer(&demo)).await.status, StatusCode::OK);
    let page = bench.send(get("/auth/sign-in")).await;
    assert_eq!(page.body["issuers"][0]["label"], "Company");

    // Without a key no secret is stored; that of `[signing]` serves, too.
    bench.config.oidc.encryption_key = None;
    bench.restart().await;
    bench.send(delete(path).bearer(&demo)).await;
    let refused = add(&bench, &demo, &described(&provider)).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("oidc.encryption_key_file"), "{detail}");
    bench.config.signing.encryption_key = Some(STANDARD.encode([9; 32]).into());
    bench.restart().await;
    added(&bench, &demo, &described(&provider)).await;
}

#[tokio::test]
async fn an_issuer_of_the_configuration_is_shown_as_fixed_and_wins() {
    let (provider, second) = (FakeProvider::start().await, FakeProvider::start().await);
    let mut bench = bench(|_| {}).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    added(&bench, &demo, &described(&provider)).await;
    let router = bench.router.clone();
    let (_, session) = sign_in_at(&bench, &router, &provider, ada(&["solar"])).await;
    bench.config.oidc.public_url = Some("http://localhost:8080".to_owned());
    let mut fixed = with(described(&second), &json!({ "label": "Of the file" }));
    bench.config.oidc.issuers = vec![serde_json::from_value(fixed.clone()).unwrap()];
    bench.restart().await;
    let page = bench.send(get("/auth/sign-in")).await.body["issuers"].clone();
    assert_eq!(page.as_array().unwrap().len(), 1, "{page}");
    assert_eq!(page[0]["label"], "Of the file");
    let list = bench.send(get("/api/issuers").bearer(&demo)).await.body["issuers"].clone();
    assert_eq!(
        (&list[0]["fixed"], &list[1]["fixed"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(list[1]["replaced_by_fixed"], true, "{list}");
    assert_eq!(list[0]["has_secret"], true);
    assert!(!list.to_string().contains("s3cret"));
    let path = "/api/issuers/example";
    let change = with_method(Method::PATCH, path, &json!({ "label": "Mine" }));
    assert_eq!(
        bench.send(change.bearer(&demo)).await.status,
        StatusCode::CONFLICT
    );
    for change in [json!({}), json!({ "name": "another" })] {
        let refused = add(&bench, &demo, &with(fixed.clone(), &change)).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    }
    let tested = post(&format!("{path}/test"), &Value::Null).bearer(&demo);
    assert_eq!(bench.send(tested).await.body["ok"], true);
    // With the same address, the sessions are those of the file's issuer as well.
    fixed["issuer"] = provider.url().into();
    bench.config.oidc.issuers = vec![serde_json::from_value(fixed).unwrap()];
    bench.restart().await;
    let removed = bench.send(delete(path).bearer(&demo)).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    let me = get("/auth/me").session(&session.unwrap());
    assert_eq!(bench.me(me).await, StatusCode::OK);
    let refused = bench.send(delete(path).bearer(&demo)).await;
    assert_eq!(
        refused.status,
        StatusCode::CONFLICT,
        "only that of the file is left"
    );
}

#[tokio::test]
async fn rules_give_no_more_than_their_author_has_and_changes_are_in_the_audit_log() {
    let provider = FakeProvider::start().await;
    let bench = bench(|_| {}).await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let boss = account(&bench, "boss", "acme", "administrator").await;
    let refused = add(&bench, &boss, &described(&provider)).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "of a tenant only");
    // A key for issuers that has the scopes of a viewer besides.
    let scopes = ["issuers:write", "chat", "tools:read", "schedules:write"];
    let body = json!({ "name": "issuers", "scopes": scopes });
    let key = bench.send(post("/api/tokens", &body).bearer(&demo)).await;
    let key = key.body["token"].as_str().unwrap().to_owned();
    let refused = add(&bench, &key, &described(&provider)).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.body);
    let viewers = with(
        described(&provider),
        &json!({ "rules": [{ "tenant": "acme" }] }),
    );
    added(&bench, &key, &viewers).await;
    let path = "/api/issuers/example";
    let more = json!({ "rules": [{ "tenant": "acme", "role": "administrator" }] });
    let more = with_method(Method::PATCH, path, &more);
    assert_eq!(
        bench.send(more.bearer(&key)).await.status,
        StatusCode::FORBIDDEN
    );
    let tested = post(&format!("{path}/test"), &Value::Null).bearer(&demo);
    assert_eq!(bench.send(tested).await.status, StatusCode::OK);
    let change = with_method(Method::PATCH, path, &json!({ "label": "Company" }));
    assert_eq!(
        bench.send(change.bearer(&demo)).await.status,
        StatusCode::OK
    );
    let twice = add(&bench, &demo, &described(&provider)).await;
    assert_eq!(twice.status, StatusCode::CONFLICT);
    let same = with(described(&provider), &json!({ "name": "second" }));
    let same = add(&bench, &demo, &same).await;
    assert_eq!(same.status, StatusCode::CONFLICT, "the same address");
    let removed = bench.send(delete(path).bearer(&demo)).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    let gone = bench.send(get(path).bearer(&demo)).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    let log = bench
        .send(get("/api/audit?outcome=done").bearer(&demo))
        .await;
    let entries = log.body["entries"].as_array().unwrap();
    for action in [
        "create_issuer",
        "change_issuer",
        "test_issuer",
        "delete_issuer",
    ] {
        let found = entries.iter().find(|entry| entry["action"] == action);
        assert_eq!(found.unwrap()["object"], "example", "{action}");
    }
}
