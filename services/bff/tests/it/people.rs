//! The administration of accounts, own passwords, and sign-ins.

use axum::body::Body;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};

use crate::bench::{Answer, Bench, PASSWORD, With, get, post};

pub(crate) fn with_method(method: Method, path: &str, body: &Value) -> Request<Body> {
    let mut request = post(path, body);
    *request.method_mut() = method;
    request
}

pub(crate) async fn token(bench: &Bench, name: &str, password: &str) -> String {
    let body = json!({ "username": name, "password": password });
    let tokens = bench.send(post("/auth/token", &body)).await;
    assert_eq!(tokens.status, StatusCode::OK, "{name}: {}", tokens.body);
    tokens.body["access_token"].as_str().unwrap().to_owned()
}

/// Creates an account as an administrator does, and signs it in.
pub(crate) async fn account(bench: &Bench, name: &str, tenant: &str, role: &str) -> String {
    let demo = token(bench, "demo", PASSWORD).await;
    let body = json!({ "username": name, "password": PASSWORD, "tenant": tenant, "role": role });
    let made = bench.send(post("/api/accounts", &body).bearer(&demo)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    token(bench, name, PASSWORD).await
}

async fn patch(bench: &Bench, by: &str, name: &str, change: Value) -> Answer {
    let path = format!("/api/accounts/{name}");
    bench
        .send(with_method(Method::PATCH, &path, &change).bearer(by))
        .await
}

#[tokio::test]
async fn a_new_account_is_a_viewer_of_the_callers_tenant() {
    let bench = Bench::start().await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let body = json!({ "username": "Ada", "password": PASSWORD });
    let made = bench.send(post("/api/accounts", &body).bearer(&demo)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    assert_eq!(
        (
            &made.body["username"],
            &made.body["tenant"],
            &made.body["role"]
        ),
        (&json!("Ada"), &json!("demo"), &json!("viewer"))
    );
    assert_eq!(
        made.body["scopes"],
        json!(["chat", "tools:read", "schedules:write"])
    );
    let again = bench.send(post("/api/accounts", &body).bearer(&demo)).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    let ada = token(&bench, "ada", PASSWORD).await;
    let me = bench.send(get("/api/me").bearer(&ada)).await;
    assert_eq!(
        (&me.body["account"]["role"], &me.body["credential"]),
        (&json!("viewer"), &json!("token"))
    );
    let quota = &me.body["quotas"][0];
    assert_eq!(
        (&quota["name"], &quota["limit"], &quota["used"]),
        (&json!("requests_per_minute"), &json!(300), &json!(1))
    );
}

#[tokio::test]
async fn the_first_account_manages_every_tenant_and_an_administrator_the_own_one() {
    let bench = Bench::start().await;
    let administrator = account(&bench, "boss", "acme", "administrator").await;
    account(&bench, "carl", "acme", "viewer").await;
    account(&bench, "dora", "other", "viewer").await;
    let names = async |by: &str, query: &str| {
        let list = bench
            .send(get(&format!("/api/accounts{query}")).bearer(by))
            .await;
        assert_eq!(list.status, StatusCode::OK, "{}", list.body);
        let names = list.body["accounts"].as_array().unwrap().iter();
        let names: Vec<_> = names
            .map(|account| account["username"].as_str().unwrap().to_owned())
            .collect();
        (names, list.body["next_cursor"].clone())
    };
    let demo = token(&bench, "demo", PASSWORD).await;
    assert_eq!(names(&demo, "").await.0, ["boss", "carl", "demo", "dora"]);
    assert_eq!(names(&demo, "?tenant=other").await.0, ["dora"]);
    assert_eq!(names(&administrator, "").await.0, ["boss", "carl"]);
    let (first, cursor) = names(&administrator, "?limit=1").await;
    let next = format!("?limit=1&cursor={}", cursor.as_str().unwrap());
    assert_eq!(
        (first, names(&administrator, &next).await.0),
        (vec!["boss".to_owned()], vec!["carl".to_owned()])
    );
    for (path, status) in [
        ("/api/accounts?tenant=other", StatusCode::FORBIDDEN),
        ("/api/accounts/dora", StatusCode::NOT_FOUND),
        ("/api/sessions?account=dora", StatusCode::NOT_FOUND),
        ("/api/tokens?account=dora", StatusCode::NOT_FOUND),
        ("/api/accounts?limit=0", StatusCode::UNPROCESSABLE_ENTITY),
        ("/api/accounts?cursor=!", StatusCode::UNPROCESSABLE_ENTITY),
        ("/api/accounts/carl", StatusCode::OK),
    ] {
        let answer = bench.send(get(path).bearer(&administrator)).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
    }
}

#[tokio::test]
async fn no_account_gives_more_than_it_has_or_changes_one_that_may_do_more() {
    let bench = Bench::start().await;
    let boss = account(&bench, "boss", "demo", "administrator").await;
    account(&bench, "carl", "demo", "viewer").await;
    for body in [
        json!({ "username": "eve", "password": PASSWORD, "role": "installation_administrator" }),
        json!({ "username": "eve", "password": PASSWORD, "scopes": ["tenants:all"] }),
        json!({ "username": "eve", "password": PASSWORD, "tenant": "acme" }),
    ] {
        let made = bench.send(post("/api/accounts", &body).bearer(&boss)).await;
        assert_eq!(made.status, StatusCode::FORBIDDEN, "{body}");
    }
    for change in [
        json!({ "password": "another horse" }),
        json!({ "disabled": true }),
        json!({ "role": "viewer" }),
    ] {
        let refused = patch(&bench, &boss, "demo", change.clone()).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{change}");
        let own = patch(&bench, &boss, "boss", change.clone()).await;
        assert_eq!(own.status, StatusCode::CONFLICT, "{change}");
    }
    let erased = with_method(
        Method::DELETE,
        "/api/accounts/demo",
        &json!({ "confirm": "demo" }),
    );
    assert_eq!(
        bench.send(erased.bearer(&boss)).await.status,
        StatusCode::FORBIDDEN
    );
    for change in [
        json!({ "role": "owner" }),
        json!({ "scopes": ["banana"] }),
        json!({ "role": "viewer", "scopes": ["chat"] }),
        json!({ "password": "password1" }),
        json!({ "tenant": "acme" }),
    ] {
        let refused = patch(&bench, &boss, "carl", change.clone()).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{change}");
    }
    let editor = patch(&bench, &boss, "carl", json!({ "role": "editor" })).await;
    assert_eq!(
        (editor.status, &editor.body["role"]),
        (StatusCode::OK, &json!("editor"))
    );
}

#[tokio::test]
async fn an_account_is_disabled_and_enabled_and_gets_a_password_from_its_administrator() {
    let bench = Bench::start().await;
    let carl = account(&bench, "carl", "demo", "viewer").await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let disabled = patch(&bench, &demo, "carl", json!({ "disabled": true })).await;
    assert!(
        disabled.body["disabled_at"].is_string(),
        "{}",
        disabled.body
    );
    assert_eq!(
        bench.me(get("/auth/me").bearer(&carl)).await,
        StatusCode::UNAUTHORIZED
    );
    let again = json!({ "username": "carl", "password": PASSWORD });
    let refused = bench.send(post("/auth/token", &again)).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let change = json!({ "disabled": false, "password": "another horse" });
    let enabled = patch(&bench, &demo, "carl", change).await;
    assert_eq!(enabled.body.get("disabled_at"), None, "{}", enabled.body);
    assert_eq!(
        bench.me(get("/auth/me").bearer(&carl)).await,
        StatusCode::UNAUTHORIZED,
        "the token of before"
    );
    token(&bench, "carl", "another horse").await;
}

#[tokio::test]
async fn a_person_changes_the_own_password_and_stays_signed_in_here_only() {
    let bench = Bench::start().await;
    let (here, elsewhere) = (bench.session().await, bench.session().await);
    let access = token(&bench, "demo", PASSWORD).await;
    let change = async |current: &str, new: &str| {
        let body = json!({ "password": current, "new_password": new });
        bench
            .send(with_method(Method::PUT, "/api/me/password", &body).session(&here))
            .await
    };
    let wrong = change("wrong password", "another horse").await;
    assert_eq!(wrong.status, StatusCode::FORBIDDEN, "{}", wrong.body);
    for weak in ["password", "demodemo", "short"] {
        let refused = change(PASSWORD, weak).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{weak}");
        assert_eq!(refused.body["errors"][0]["pointer"], "/new_password");
    }
    let done = change(PASSWORD, "another horse").await;
    assert_eq!(done.status, StatusCode::NO_CONTENT, "{}", done.body);
    assert_eq!(
        bench.me(get("/auth/me").session(&here)).await,
        StatusCode::OK
    );
    for request in [
        get("/auth/me").session(&elsewhere),
        get("/auth/me").bearer(&access),
    ] {
        assert_eq!(bench.me(request).await, StatusCode::UNAUTHORIZED);
    }
    token(&bench, "demo", "another horse").await;
}

/// The inner tiers, with two pages of threads.
async fn tiers() -> String {
    let router = axum::Router::new().fallback(|uri: http::Uri| async move {
        let path = uri.path_and_query().map_or("", |path| path.as_str());
        axum::Json(match path {
            "/v1/threads?limit=100" => {
                json!({ "threads": [{ "thread_id": "t1" }], "next_cursor": "n" })
            }
            "/v1/threads?limit=100&cursor=n" => {
                json!({ "threads": [{ "thread_id": "t2" }], "next_cursor": null })
            }
            "/api/questions?show=own&limit=100" => json!({ "questions": [{
                "id": "q1", "confirmed_by": "demo", "edited_by": "eve", "released_by": "eve",
            }, { "id": "q2", "confirmed_by": "demo", "edited_by": null, "released_by": "demo" }] }),
            "/v1/person" => json!({ "records": { "orchestrator.runs": [{ "id": "r1" }] } }),
            "/api/person" => json!({ "records": { "service other": [{ "user": "demo" }] } }),
            path => json!({ "path": path }),
        })
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

#[tokio::test]
async fn a_person_exports_everything_that_is_kept() {
    let url = tiers().await;
    let bench = Bench::configured(|config| {
        config.upstream.orchestrator_url.clone_from(&url);
        config.upstream.tools_url = url;
    })
    .await;
    let session = bench.session().await;
    let body = json!({ "name": "nightly" });
    let key = bench
        .send(post("/api/tokens", &body).session(&session))
        .await;
    let export = bench.send(get("/api/me/export").session(&session)).await;
    assert_eq!(export.status, StatusCode::OK, "{}", export.body);
    let body = &export.body;
    assert_eq!(body["account"]["username"], "demo");
    assert_eq!(
        body["threads"],
        json!([
            { "path": "/v1/threads/t1/export?format=json" },
            { "path": "/v1/threads/t2/export?format=json" },
        ])
    );
    assert_eq!(
        body["questions"],
        json!([
            { "id": "q1", "confirmed_by": "demo", "edited_by": "another person", "released_by": "another person" },
            { "id": "q2", "confirmed_by": "demo", "edited_by": null, "released_by": "demo" },
        ])
    );
    assert_eq!(body["choices"], json!({ "path": "/api/choices" }));
    assert_eq!(body["credentials"], json!({ "path": "/api/credentials" }));
    assert_eq!(body["tokens"][0]["name"], "nightly");
    let records = &body["records"];
    assert_eq!(records["orchestrator.runs"], json!([{ "id": "r1" }]));
    assert_eq!(records["service other"], json!([{ "user": "demo" }]));
    let address = &records["bff.known_addresses"][0];
    assert!(address["last_seen_at"].is_string(), "{records}");
    assert_eq!(body["sessions"][0]["current"], true);
    let actions = body["audit"].as_array().unwrap().iter();
    let actions: Vec<_> = actions.map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["create_api_key", "login"]);
    // A key of a program does not get all of a person.
    let key = key.body["token"].as_str().unwrap();
    let refused = bench.send(get("/api/me/export").bearer(key)).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    // A part would look like the whole.
    let away = Bench::start().await;
    let session = away.session().await;
    let failed = away.send(get("/api/me/export").session(&session)).await;
    assert_eq!(failed.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn what_others_did_to_a_person_is_exported_without_them_and_keeps_nothing_after_an_erasure() {
    let url = tiers().await;
    let bench = Bench::configured(|config| {
        config.upstream.orchestrator_url.clone_from(&url);
        config.upstream.tools_url = url;
    })
    .await;
    let ada = account(&bench, "ada", "acme", "viewer").await;
    let demo = token(&bench, "demo", PASSWORD).await;
    let changed = patch(&bench, &demo, "ada", json!({ "role": "editor" })).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.body);
    let export = bench.send(get("/api/me/export").bearer(&ada)).await;
    assert_eq!(export.status, StatusCode::OK, "{}", export.body);
    let entries = export.body["audit"].as_array().unwrap();
    let of = |action: &str| {
        let found = entries.iter().find(|entry| entry["action"] == action);
        found.unwrap_or_else(|| panic!("{action}: {}", export.body["audit"]))
    };
    for action in ["create_account", "change_account"] {
        let entry = of(action);
        assert_eq!(entry["account_name"], "ada", "{entry}");
        for other in ["actor", "actor_name", "credential", "address"] {
            assert!(entry.get(other).is_none(), "{other}: {entry}");
        }
    }
    assert_eq!(
        of("change_account")["object"],
        "role viewer \u{2192} role editor"
    );
    assert_eq!(of("create_token")["actor_name"], "ada");

    // Nor has the export of who did it the name of the account.
    let export = bench.send(get("/api/me/export").bearer(&demo)).await;
    let entries = export.body["audit"].as_array().unwrap();
    let mut acts = entries
        .iter()
        .filter(|entry| entry["action"] == "create_account");
    let act = acts.next().unwrap();
    assert_eq!(act["account_name"], "another person", "{act}");
    assert!(
        !export.body.to_string().contains("\"ada\""),
        "{}",
        export.body
    );

    let confirm = json!({ "confirm": "ada" });
    let erase = with_method(Method::DELETE, "/api/accounts/ada", &confirm);
    let erased = bench.send(erase.bearer(&demo)).await;
    assert!(erased.status.is_success(), "{}", erased.body);
    let change = "/api/audit?action=change_account&tenant=acme";
    let log = bench.send(get(change).bearer(&demo)).await;
    let entry = &log.body["entries"][0];
    assert_eq!(entry["actor_name"], "demo", "{}", log.body);
    for of_ada in ["account_name", "object"] {
        assert!(entry.get(of_ada).is_none(), "{entry}");
    }
}

#[tokio::test]
async fn sign_ins_are_listed_and_ended() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let body = json!({ "username": "demo", "password": PASSWORD });
    let from = post("/auth/token", &body)
        .header("user-agent", "a script/1.0")
        .from("203.0.113.7");
    let tokens = bench.send(from).await;
    let access = tokens.body["access_token"].as_str().unwrap().to_owned();
    let refresh = json!({ "refresh_token": tokens.body["refresh_token"] });
    bench.clock.advance(chrono::TimeDelta::minutes(1));
    let renewed = bench.send(post("/auth/refresh", &refresh)).await;
    assert_eq!(renewed.status, StatusCode::OK);
    let list = bench.send(get("/api/sessions").session(&session)).await;
    let sessions = list.body["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{}", list.body);
    let of_kind = |kind: &str| sessions.iter().find(|one| one["kind"] == kind).unwrap();
    let (browser, client) = (of_kind("browser"), of_kind("client"));
    assert_eq!(
        (&browser["current"], &client["current"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&client["address"], &client["client"]),
        (&json!("203.0.113.7"), &json!("a script/1.0")),
        "also after a renewal"
    );
    assert_ne!(client["created_at"], client["last_seen_at"]);
    assert!(
        !list
            .body
            .to_string()
            .contains(session.split_once('=').unwrap().1)
    );

    let end = |id: &str| {
        let path = format!("/api/sessions/{id}");
        with_method(Method::DELETE, &path, &json!({})).session(&session)
    };
    let id = client["id"].as_str().unwrap();
    assert_eq!(bench.send(end(id)).await.status, StatusCode::NO_CONTENT);
    assert_eq!(
        bench.me(get("/auth/me").bearer(&access)).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(bench.send(end(id)).await.status, StatusCode::NOT_FOUND);
    assert_eq!(bench.send(end("no-id")).await.status, StatusCode::NOT_FOUND);

    // Every other one, then all of another account's by its administrator.
    let other = bench.session().await;
    let all = with_method(Method::DELETE, "/api/sessions", &json!({})).session(&session);
    assert_eq!(bench.send(all).await.status, StatusCode::NO_CONTENT);
    assert_eq!(
        bench.me(get("/auth/me").session(&other)).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
    let carl = account(&bench, "carl", "demo", "viewer").await;
    let path = "/api/sessions?account=demo";
    let refused = bench.send(get(path).bearer(&carl)).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let of_carl = with_method(Method::DELETE, "/api/sessions?account=carl", &json!({}));
    assert_eq!(
        bench.send(of_carl.session(&session)).await.status,
        StatusCode::NO_CONTENT
    );
    assert_eq!(
        bench.me(get("/auth/me").bearer(&carl)).await,
        StatusCode::UNAUTHORIZED
    );
}
