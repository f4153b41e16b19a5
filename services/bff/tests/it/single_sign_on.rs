//! Sign-in at identity providers: at one that answers as each test says, and, with a real browser,
//! at a certified one.

mod added;
mod certified;
mod provider;

use axum::body::Body;
use chrono::TimeDelta;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};

use crate::bench::{Answer, Bench, PASSWORD, With, get, post};
use crate::people::{token, with_method};
use provider::FakeProvider;

const AUDIENCE: &str = "https://heliograph.example/api";

async fn bench(provider: &FakeProvider) -> Bench {
    let issuer = json!({
        "name": "example", "label": "Example", "issuer": provider.url(), "client_id": "heliograph",
        "client_secret": "s3cret & more", "audience": AUDIENCE,
        "rules": [
            { "group": "bosses", "tenant": "acme", "role": "administrator" },
            { "group": "solar", "tenant": "acme", "role": "editor" },
            { "group": "other", "tenant": "other" },
        ],
    });
    Bench::configured(|config| {
        config.oidc.public_url = Some("http://localhost:8080".to_owned());
        config.oidc.issuers = vec![serde_json::from_value(issuer).unwrap()];
        config.limits.request_burst = 1000;
    })
    .await
}

/// A sign-in that has begun: the cookie, and the parameters that the provider got.
struct Begun {
    cookie: String,
    parameters: Vec<(String, String)>,
}

impl Begun {
    fn parameter(&self, name: &str) -> &str {
        let found = self.parameters.iter().find(|(one, _)| one == name);
        &found.unwrap().1
    }
}

async fn begin(bench: &Bench) -> Begun {
    begun(&bench.send(get("/auth/oidc/example")).await)
}

/// The sign-in that an answer begins.
fn begun(answer: &Answer) -> Begun {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    let location = answer.headers["location"].to_str().unwrap();
    let url = reqwest::Url::parse(location).unwrap();
    Begun {
        cookie: answer
            .cookie
            .as_ref()
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned(),
        parameters: url.query_pairs().into_owned().collect(),
    }
}

fn callback(begun: &Begun, query: &str) -> Request<Body> {
    let state = begun.parameter("state");
    get(&format!(
        "/auth/oidc/example/callback?state={state}&{query}"
    ))
    .session(&begun.cookie)
}

/// Signs in a person with these claims; where the browser is sent, and the session.
async fn sign_in(
    bench: &Bench,
    provider: &FakeProvider,
    claims: Value,
) -> (String, Option<String>) {
    let begun = begin(bench).await;
    provider.expect(
        begun.parameter("nonce"),
        begun.parameter("code_challenge"),
        claims,
    );
    let answer = bench.send(callback(&begun, "code=c0de")).await;
    outcome(&answer)
}

fn outcome(answer: &Answer) -> (String, Option<String>) {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    let location = answer.headers["location"].to_str().unwrap().to_owned();
    let cookies = answer.headers.get_all("set-cookie").iter();
    let session = cookies
        .map(|cookie| cookie.to_str().unwrap())
        .find(|cookie| cookie.starts_with("heliograph_session="))
        .map(|cookie| cookie.split(';').next().unwrap().to_owned());
    (location, session)
}

fn ada(groups: &[&str]) -> Value {
    json!({ "sub": "ada-1", "sid": "s-1", "preferred_username": "ada", "groups": groups })
}

async fn me(bench: &Bench, session: &str) -> Value {
    bench.send(get("/auth/me").session(session)).await.body
}

#[tokio::test]
async fn the_first_sign_in_creates_an_account_by_the_rules_and_later_ones_follow_them() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let page = bench.send(get("/auth/sign-in")).await;
    assert_eq!(
        page.body["issuers"],
        json!([{ "name": "example", "label": "Example", "path": "/auth/oidc/example" }])
    );
    // By another name, the browser first goes where the provider leads back.
    let elsewhere = get("/auth/sign-in").header("host", "127.0.0.1:8080");
    let page = bench.send(elsewhere).await;
    assert_eq!(
        page.body["issuers"][0]["path"],
        "http://localhost:8080/auth/oidc/example"
    );
    let (to, session) = sign_in(&bench, &provider, ada(&["solar"])).await;
    assert_eq!(to, "/");
    let first = me(&bench, &session.unwrap()).await;
    assert_eq!(
        (&first["username"], &first["tenant"], &first["role"]),
        (&json!("ada"), &json!("acme"), &json!("editor"))
    );
    let (_, session) = sign_in(&bench, &provider, ada(&["bosses"])).await;
    let promoted = me(&bench, &session.unwrap()).await;
    assert_eq!(
        (&promoted["sub"], &promoted["role"]),
        (&first["sub"], &json!("administrator"))
    );
    // Data never move to another tenant: there the person has another account.
    let (_, session) = sign_in(&bench, &provider, ada(&["other"])).await;
    let elsewhere = me(&bench, &session.unwrap()).await;
    assert_eq!(
        (
            &elsewhere["username"],
            &elsewhere["tenant"],
            &elsewhere["role"]
        ),
        (&json!("ada (example)"), &json!("other"), &json!("viewer"))
    );
    assert_ne!(elsewhere["sub"], first["sub"]);
    // No account without a rule.
    let (to, session) = sign_in(&bench, &provider, ada(&["tennis"])).await;
    assert_eq!((to.as_str(), session), ("/?sign-in=not-allowed", None));
}

#[tokio::test]
async fn a_person_of_a_provider_never_gets_the_account_of_another_one() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let mut claims = ada(&["solar"]);
    claims["preferred_username"] = "demo".into();
    let (_, session) = sign_in(&bench, &provider, claims.clone()).await;
    let account = me(&bench, &session.unwrap()).await;
    assert_eq!(
        (&account["username"], &account["tenant"]),
        (&json!("demo (example)"), &json!("acme"))
    );
    claims["sub"] = "ada-2".into();
    let (_, session) = sign_in(&bench, &provider, claims).await;
    let other = me(&bench, &session.unwrap()).await;
    assert_eq!(other["username"], "demo (example 2)");
    // It has no password, so none signs it in, and an administrator cannot set one.
    let credentials = json!({ "username": "demo (example)", "password": PASSWORD });
    let refused = bench.send(post("/auth/token", &credentials)).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let demo = token(&bench, "demo", PASSWORD).await;
    let path = "/api/accounts/demo%20(example)";
    let shown = bench.send(get(path).bearer(&demo)).await;
    assert_eq!(shown.body["has_password"], false, "{}", shown.body);
    assert_eq!(shown.body["issuer"], provider.url());
    let change = with_method(Method::PATCH, path, &json!({ "password": "another horse" }));
    assert_eq!(
        bench.send(change.bearer(&demo)).await.status,
        StatusCode::CONFLICT
    );
    let disable = with_method(Method::PATCH, path, &json!({ "disabled": true }));
    assert_eq!(
        bench.send(disable.bearer(&demo)).await.status,
        StatusCode::OK
    );
    let mut claims = ada(&["solar"]);
    claims["preferred_username"] = "demo".into();
    let (to, session) = sign_in(&bench, &provider, claims).await;
    assert_eq!((to.as_str(), session), ("/?sign-in=not-allowed", None));
}

#[tokio::test]
async fn what_is_wrong_in_an_id_token_is_refused() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let now = provider::NOW;
    for wrong in [
        json!({ "iss": "https://evil.example" }),
        json!({ "aud": "another-client" }),
        json!({ "aud": ["heliograph", "b"], "azp": "b" }),
        json!({ "nonce": "another" }),
        json!({ "nonce": null }),
        json!({ "exp": now - 61 }),
        json!({ "iat": now + 120 }),
        json!({ "sub": null }),
    ] {
        let mut claims = ada(&["solar"]);
        for (name, value) in wrong.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let (to, session) = sign_in(&bench, &provider, claims).await;
        assert_eq!(
            (to.as_str(), session),
            ("/?sign-in=refused", None),
            "{wrong}"
        );
    }
    for header in [
        json!({ "alg": "none" }),
        json!({ "alg": "EdDSA", "kid": "forged" }),
    ] {
        provider.sign_with_header(Some(header.clone()));
        let (to, _) = sign_in(&bench, &provider, ada(&["solar"])).await;
        assert_eq!(to, "/?sign-in=refused", "{header}");
    }
    provider.sign_with_header(None);
    let boss = token(&bench, "demo", PASSWORD).await;
    let log = bench
        .send(get("/api/audit?action=finish_sign_in").bearer(&boss))
        .await;
    let entries = log.body["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 10, "{}", log.body);
    assert!(entries.iter().all(|entry| entry["outcome"] == "refused"));
}

#[tokio::test]
async fn a_sign_in_ends_once_in_the_browser_that_began_it() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let end = async |request: Request<Body>| outcome(&bench.send(request).await).0;
    let begun = begin(&bench).await;
    assert_eq!(begun.parameter("code_challenge_method"), "S256");
    assert_eq!(
        begun.parameter("redirect_uri"),
        "http://localhost:8080/auth/oidc/example/callback"
    );
    let other = begin(&bench).await;
    let crossed = callback(&begun, "code=c0de").session(&other.cookie);
    assert_eq!(end(crossed).await, "/?sign-in=expired", "another browser");
    let without = callback(&begun, "code=c0de").session("heliograph_sign_in=");
    assert_eq!(end(without).await, "/?sign-in=expired");
    let mixed = callback(&other, "code=c0de&iss=https%3A%2F%2Fevil.example");
    assert_eq!(
        end(mixed).await,
        "/?sign-in=refused",
        "another provider's answer"
    );
    let (nonce, challenge) = (begun.parameter("nonce"), begun.parameter("code_challenge"));
    provider.expect(nonce, challenge, ada(&["solar"]));
    assert_eq!(end(callback(&begun, "code=c0de")).await, "/");
    assert_eq!(
        end(callback(&begun, "code=c0de")).await,
        "/?sign-in=expired",
        "once"
    );
    let begun = begin(&bench).await;
    let denied = callback(&begun, "error=access_denied");
    assert_eq!(end(denied).await, "/?sign-in=denied");
    let begun = begin(&bench).await;
    bench.clock.advance(TimeDelta::minutes(11));
    assert_eq!(
        end(callback(&begun, "code=c0de")).await,
        "/?sign-in=expired",
        "late"
    );
    let unknown = bench.send(get("/auth/oidc/none")).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn keys_that_a_provider_rotates_are_found_and_one_that_is_away_is_said() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    provider.set_away(true);
    let away = bench.send(get("/auth/oidc/example")).await;
    assert_eq!(away.headers["location"], "/?sign-in=unavailable");
    provider.set_away(false);
    assert_eq!(sign_in(&bench, &provider, ada(&["solar"])).await.0, "/");
    provider.rotate();
    bench.clock.advance(TimeDelta::seconds(6));
    assert_eq!(sign_in(&bench, &provider, ada(&["solar"])).await.0, "/");
    // Its endpoints are known; its tokens are not given out.
    let begun = begin(&bench).await;
    provider.set_away(true);
    let answer = bench.send(callback(&begun, "code=c0de")).await;
    assert_eq!(outcome(&answer).0, "/?sign-in=unavailable");
}

#[tokio::test]
async fn a_browser_is_not_sent_to_a_provider_that_went_away() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let (_, session) = sign_in(&bench, &provider, ada(&["solar"])).await;
    // Its endpoints were read a moment ago, and it went away since.
    provider.set_away(true);
    bench.clock.advance(TimeDelta::seconds(30));
    let away = bench.send(get("/auth/oidc/example")).await;
    assert_eq!(away.headers["location"], "/?sign-in=unavailable");
    // The page offers everything that works: the password, and every issuer.
    let page = bench.send(get("/auth/sign-in")).await;
    assert_eq!(page.body["issuers"].as_array().unwrap().len(), 1);
    token(&bench, "demo", PASSWORD).await;
    // A sign-out does not lead to a page that is not there.
    let out = with_method(Method::POST, "/auth/logout", &json!({})).session(&session.unwrap());
    let out = bench
        .send(out.header("origin", "http://localhost:8080"))
        .await;
    assert!(out.status.is_success(), "{}", out.body);
    assert!(
        !out.body.to_string().contains(provider.url()),
        "{}",
        out.body
    );
    // It is back, and is asked at once.
    provider.set_away(false);
    assert_eq!(sign_in(&bench, &provider, ada(&["solar"])).await.0, "/");
}

#[tokio::test]
async fn a_person_of_a_provider_has_no_password_to_change_or_to_confirm_with() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let (_, session) = sign_in(&bench, &provider, ada(&["solar"])).await;
    let session = session.unwrap();
    let mine = bench.send(get("/api/me").session(&session)).await;
    assert_eq!(mine.body["has_password"], false, "{}", mine.body);
    let of_page = |method, path: &str, body: &Value| {
        let request = with_method(method, path, body).session(&session);
        request.header("origin", "http://localhost:8080")
    };
    let body = json!({ "password": PASSWORD, "new_password": "plum ladder quiet" });
    let change = of_page(Method::PUT, "/api/me/password", &body);
    let erase = of_page(Method::DELETE, "/auth/me", &json!({ "password": PASSWORD }));
    for request in [change, erase] {
        let refused = bench.send(request).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.contains(provider.url()), "{detail}");
    }
    let demo = token(&bench, "demo", PASSWORD).await;
    let mine = bench.send(get("/api/me").bearer(&demo)).await;
    assert_eq!(mine.body["has_password"], true);
}

#[tokio::test]
async fn an_access_token_of_the_provider_for_this_audience_is_a_bearer_token() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let ask = async |claims: Value| {
        bench
            .send(get("/api/me").bearer(&provider.token(&claims)))
            .await
    };
    let with = |change: Value| {
        let mut claims = ada(&["solar"]);
        claims["aud"] = AUDIENCE.into();
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    };
    let accepted = ask(with(json!({}))).await;
    assert_eq!(accepted.status, StatusCode::OK, "{}", accepted.body);
    assert_eq!(
        (
            &accepted.body["account"]["username"],
            &accepted.body["credential"]
        ),
        (&json!("ada"), &json!("issuer"))
    );
    for wrong in [
        json!({ "aud": "heliograph" }),
        json!({ "aud": "https://other.example" }),
        json!({ "iss": "https://evil.example" }),
        json!({ "exp": provider::NOW - 61 }),
        json!({ "nonce": "of an ID token" }),
        json!({ "groups": [] }),
        json!({ "sub": null }),
    ] {
        let refused = ask(with(wrong.clone())).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{wrong}");
        assert!(
            refused.headers["www-authenticate"]
                .to_str()
                .unwrap()
                .contains("invalid_token")
        );
    }
    // An API key is made by a person who signed in here.
    let body = json!({ "name": "k" });
    let key = post("/api/tokens", &body).bearer(&provider.token(&with(json!({}))));
    assert_eq!(bench.send(key).await.status, StatusCode::FORBIDDEN);
    provider.set_away(true);
    assert_eq!(
        ask(with(json!({}))).await.status,
        StatusCode::OK,
        "the keys are known"
    );
}

#[tokio::test]
async fn a_logout_at_the_provider_ends_the_session_here() {
    let provider = FakeProvider::start().await;
    let bench = bench(&provider).await;
    let session = sign_in(&bench, &provider, ada(&["solar"])).await.1.unwrap();
    let logout = async |change: Value| {
        let mut claims = json!({
            "sub": "ada-1", "sid": "s-1", "aud": "heliograph",
            "events": { "http://schemas.openid.net/event/backchannel-logout": {} },
        });
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let form = format!("logout_token={}", provider.token(&claims));
        let mut request = get("/auth/oidc/example/logout")
            .header("content-type", "application/x-www-form-urlencoded");
        *request.method_mut() = Method::POST;
        *request.body_mut() = Body::from(form);
        bench.send(request).await.status
    };
    for wrong in [
        json!({ "events": {} }),
        json!({ "nonce": "n" }),
        json!({ "aud": "another-client" }),
        json!({ "sid": null, "sub": null }),
        json!({ "exp": provider::NOW - 61 }),
    ] {
        assert_eq!(
            logout(wrong.clone()).await,
            StatusCode::BAD_REQUEST,
            "{wrong}"
        );
    }
    assert_eq!(logout(json!({ "sid": "another" })).await, StatusCode::OK);
    assert_eq!(
        logout(json!({ "sid": null, "sub": "eve" })).await,
        StatusCode::OK
    );
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
    assert_eq!(logout(json!({})).await, StatusCode::OK);
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::UNAUTHORIZED
    );
    let session = sign_in(&bench, &provider, ada(&["solar"])).await.1.unwrap();
    assert_eq!(
        logout(json!({ "sid": null })).await,
        StatusCode::OK,
        "all of a person"
    );
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::UNAUTHORIZED
    );
    // Signing out here leads to the provider's logout.
    let session = sign_in(&bench, &provider, ada(&["solar"])).await.1.unwrap();
    let out = bench
        .send(post("/auth/logout", &json!({})).session(&session))
        .await;
    assert_eq!(out.status, StatusCode::OK);
    let url = out.body["end_session_url"].as_str().unwrap();
    assert!(
        url.starts_with(&format!("{}/end?client_id=heliograph&", provider.url())),
        "{url}"
    );
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::UNAUTHORIZED
    );
}
