//! Upstreams that tenants add while the service runs: tests, isolation, replicas, precedence of the
//! configuration, tokens of persons.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode, Uri};
use serde_json::{Value, json};
use tools::upstreams::config::UpstreamConfig;

use crate::added_targets::{Replicas, as_admin, ask};
use crate::harness::App;

const KEY: &str = "secret-of-the-service";

/// The requests that a server got: path and `Authorization`.
type Asked = Arc<Mutex<Vec<(String, String)>>>;

/// An HTTP API of orders below `/v1`, and an MCP server at `/mcp`, for those with the key or a
/// token of a person.
async fn server() -> (String, Asked) {
    let asked = Asked::default();
    let answer = async |State(asked): State<Asked>,
                        uri: Uri,
                        headers: HeaderMap,
                        body: Bytes|
           -> Response {
        let sent = headers.get("authorization").map(|sent| sent.to_str());
        let sent = sent.and_then(Result::ok).unwrap_or_default().to_owned();
        let key = headers.get("x-key").is_some_and(|key| key == KEY);
        let noted = (uri.to_string(), sent.clone());
        asked.lock().unwrap().push(noted);
        if !key && sent != format!("Bearer {KEY}") && !sent.starts_with("Bearer person-") {
            let refused = json!({ "message": "no such key" });
            return (StatusCode::UNAUTHORIZED, axum::Json(refused)).into_response();
        }
        let orders = json!({ "orders": [
                { "id": 1, "total": 12.5, "internal": "x" }, { "id": 2, "total": 3, "internal": "y" },
            ] });
        match uri.path() {
            "/v1/orders" => axum::Json(orders).into_response(),
            "/v1/orders/1" => axum::Json(json!({ "id": 1, "total": 12.5 })).into_response(),
            "/mcp" => protocol(&body),
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer).with_state(asked.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

/// The Model Context Protocol, as far as tools need it.
fn protocol(body: &[u8]) -> Response {
    let message: Value = serde_json::from_slice(body).unwrap();
    let tool = |name: &str, reads: bool| {
        json!({
            "name": name, "description": format!("The server's words for {name}"), "annotations": { "readOnlyHint": reads },
            "inputSchema": { "type": "object", "properties": { "state": { "type": "string" } } },
        })
    };
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "tracker", "version": "1" },
        }),
        "tools/list" if message["params"]["cursor"].is_null() => {
            json!({ "tools": [tool("find-tickets", true)], "nextCursor": "two" })
        }
        "tools/list" => json!({ "tools": [tool("close_ticket", false)] }),
        "tools/call" => json!({
            "content": [], "structuredContent": { "called": message["params"]["name"], "tickets": [{ "id": 7, "title": "Inverter hums" }] },
        }),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    axum::Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response()
}

fn orders(name: &str, url: &str, key: &str) -> Value {
    json!({
        "name": name, "kind": "http",
        "endpoint": { "base_url": format!("{url}/v1"), "access": "service", "headers": { "X-Key": key } },
        "operations": [
            {
                "name": "list_orders", "description": "Orders, newest first.", "path": "/orders",
                "response": { "pointer": "/orders", "fields": ["id", "total"] },
            },
            {
                "name": "get_order", "description": "One order.", "path": "/orders/{order_id}",
                "parameters": [{ "name": "order_id", "in": "path", "schema": { "type": "integer" } }],
            },
        ],
    })
}

fn tracker(name: &str, url: &str, endpoint: &Value) -> Value {
    let mut all = json!({ "base_url": format!("{url}/mcp") });
    all.as_object_mut()
        .unwrap()
        .extend(endpoint.as_object().unwrap().clone());
    json!({
        "name": name, "kind": "mcp", "endpoint": all,
        "tools": [{
            "name": "open_tickets", "tool": "find-tickets", "description": "Tickets of the tracker.",
            "schema": { "type": "object", "properties": { "state": { "type": "string", "enum": ["open", "done"] } }, "additionalProperties": false },
            "response": { "pointer": "/tickets" },
        }],
    })
}

async fn call(app: &App, tenant: &str, tool: &str, arguments: Value) -> (StatusCode, Value) {
    app.call_as(tenant, tool, arguments).await
}

async fn tools_of(app: &App, tenant: &str) -> Vec<String> {
    let viewer = (tenant, ["tools:read"].as_slice());
    let (_, list) = ask(app, viewer, Method::GET, "/api/tools", &Value::Null).await;
    let list = list["tools"].as_array().unwrap().clone();
    list.iter()
        .filter(|tool| tool["category"] == "upstream")
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_http_api_is_added_in_all_replicas_and_for_its_tenant_only() {
    let replicas = Replicas::with(|_| {}).await;
    let (one, other, (url, _)) = (&replicas.one, &replicas.other, server().await);
    let body = orders("shop", &url, KEY);
    let (status, _) = call(other, "demo", "list_orders", json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);

    let path = "/api/upstream-tests";
    let (status, tested) = as_admin(one, "demo", Method::POST, path, body.clone()).await;
    assert_eq!(status, StatusCode::OK, "{tested}");
    let passed = |step: &str| json!({ "step": step, "ok": true });
    let steps = json!([passed("host"), passed("connection"), passed("operations")]);
    assert_eq!(tested, json!({ "ok": true, "steps": steps }));
    let viewer = ("demo", ["tools:read"].as_slice());
    let (status, _) = ask(one, viewer, Method::POST, "/api/upstreams", &body).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, made) = as_admin(one, "demo", Method::POST, "/api/upstreams", body.clone()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(made["tools"], json!(["list_orders", "get_order"]));
    assert_eq!(made["endpoint"]["headers"], json!(["X-Key"]));
    assert!(!made.to_string().contains(KEY), "{made}");
    let (status, again) = as_admin(other, "demo", Method::POST, "/api/upstreams", body).await;
    assert_eq!(status, StatusCode::CONFLICT, "{again}");

    // The other process has not heard of it yet, and answers.
    for app in [other, one] {
        let (_, listed) = call(app, "demo", "list_orders", json!({})).await;
        let expected = json!([{ "id": 1, "total": 12.5 }, { "id": 2, "total": 3 }]);
        assert_eq!(listed["result"], expected, "{listed}");
        let (_, order) = call(app, "demo", "get_order", json!({ "order_id": 1 })).await;
        assert_eq!(order["result"]["total"], 12.5, "{order}");
        let (status, refused) = call(app, "demo", "get_order", json!({ "order_id": "x" })).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
        assert_eq!(tools_of(app, "demo").await, ["list_orders", "get_order"]);
    }

    others_see_nothing(&replicas, &url).await;

    // The rival's own of the same names is another one.
    let mut own = orders("shop", &url, KEY);
    own["operations"][0]["response"]["fields"] = json!(["internal"]);
    let (status, made) = as_admin(other, "rival", Method::POST, "/api/upstreams", own).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let (_, listed) = call(one, "rival", "list_orders", json!({})).await;
    assert_eq!(
        listed["result"],
        json!([{ "internal": "x" }, { "internal": "y" }])
    );
    let (_, listed) = call(other, "demo", "list_orders", json!({})).await;
    assert_eq!(
        listed["result"][0],
        json!({ "id": 1, "total": 12.5 }),
        "{listed}"
    );

    // Nothing of the key is in the database as it is.
    let stored: Vec<String> = sqlx::query_scalar("SELECT a::text FROM tools.added AS a")
        .fetch_all(replicas.database.pool())
        .await
        .unwrap();
    assert!(
        stored.len() == 2 && !stored.concat().contains(KEY),
        "{stored:?}"
    );

    // A change of the operations keeps the key, and the other process has it at once.
    let fewer = json!({ "operations": [{ "name": "all_orders", "description": "All.", "path": "/orders" }] });
    let path = "/api/upstreams/shop";
    let (status, changed) = as_admin(one, "demo", Method::PATCH, path, fewer).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    let (_, all) = call(other, "demo", "all_orders", json!({})).await;
    assert_eq!(all["result"]["orders"][1]["internal"], "y", "{all}");
    let (_, details) = as_admin(other, "demo", Method::GET, path, Value::Null).await;
    assert_eq!(details["operations"][0]["name"], "all_orders", "{details}");
    let (status, tested) = as_admin(
        other,
        "demo",
        Method::POST,
        "/api/upstreams/shop/test",
        Value::Null,
    )
    .await;
    assert_eq!(
        (status, &tested["ok"]),
        (StatusCode::OK, &json!(true)),
        "{tested}"
    );

    let (status, _) = as_admin(other, "demo", Method::DELETE, path, Value::Null).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert!(tools_of(one, "demo").await.is_empty());
    assert_eq!(tools_of(one, "rival").await.len(), 2);
}

/// A viewer sees the upstream and not its address; another tenant sees nothing.
async fn others_see_nothing(replicas: &Replicas, url: &str) {
    let (one, other) = (&replicas.one, &replicas.other);
    let viewer = ("demo", ["tools:read"].as_slice());
    let (_, seen) = ask(
        one,
        viewer,
        Method::GET,
        "/api/upstreams/shop",
        &Value::Null,
    )
    .await;
    assert_eq!(
        seen["upstream"]["tools"],
        json!(["list_orders", "get_order"])
    );
    assert!(
        !seen.to_string().contains(url) && seen.get("operations").is_none(),
        "{seen}"
    );
    for (method, path, body) in [
        (Method::GET, "/api/upstreams/shop", Value::Null),
        (Method::DELETE, "/api/upstreams/shop", Value::Null),
        (Method::PATCH, "/api/upstreams/shop", json!({})),
        (Method::POST, "/api/upstreams/shop/test", Value::Null),
    ] {
        let (status, answer) = as_admin(one, "rival", method, path, body).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}: {answer}");
    }
    let (_, none) = as_admin(one, "rival", Method::GET, "/api/upstreams", Value::Null).await;
    assert_eq!(none, json!({ "upstreams": [] }));
    for app in [one, other] {
        assert!(tools_of(app, "rival").await.is_empty());
        let (status, answer) = call(app, "rival", "list_orders", json!({})).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{answer}");
        assert!(!answer.to_string().contains("get_order"), "{answer}");
    }
}

/// An upstream of each person is tested with the token of who tests it, also before it is added.
async fn it_is_tested_with_the_token_of_who_tests(one: &App, url: &str) {
    let test = "/api/upstreams/tracker/test";
    let (_, tested) = as_admin(one, "demo", Method::POST, test, Value::Null).await;
    assert_eq!(tested["tools"][0]["name"], "find-tickets", "{tested}");
    let person = json!({ "access": "person", "token": { "opaque": "valid" } });
    let mut new = tracker("tracker2", url, &person);
    new["tools"] = json!([]);
    new["test_token"] = json!("person-ada");
    let (_, tested) = as_admin(
        one,
        "demo",
        Method::POST,
        "/api/upstream-tests",
        new.clone(),
    )
    .await;
    assert_eq!(tested["tools"][0]["name"], "find-tickets", "{tested}");
    new["test_token"] = json!("nobody");
    let (_, tested) = as_admin(one, "demo", Method::POST, "/api/upstream-tests", new).await;
    assert_eq!(tested["ok"], false, "{tested}");
}

#[tokio::test]
async fn an_mcp_server_is_added_with_what_it_offers_and_a_token_is_for_its_address_alone() {
    let replicas = Replicas::with(|_| {}).await;
    let (one, other, (url, asked)) = (&replicas.one, &replicas.other, server().await);
    let service =
        json!({ "access": "service", "headers": { "Authorization": format!("Bearer {KEY}") } });
    let body = tracker("tracker", &url, &service);
    let path = "/api/upstream-tests";
    let (_, tested) = as_admin(one, "demo", Method::POST, path, body.clone()).await;
    assert_eq!(tested["ok"], true, "{tested}");
    assert_eq!(tested["tools"][0]["name"], "find-tickets", "{tested}");
    assert_eq!(tested["tools"][0]["only_reads"], true);
    assert_eq!(tested["tools"][1]["name"], "close_ticket");
    assert_eq!(tested["tools"][1]["schema"]["type"], "object");
    let mut missing = body.clone();
    missing["tools"][0]["tool"] = json!("forgotten");
    let (status, refused) = as_admin(one, "demo", Method::POST, "/api/upstreams", missing).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
    assert_eq!(refused["errors"][0]["pointer"], "/tools", "{refused}");
    assert!(
        refused.to_string().contains("find-tickets, close_ticket"),
        "{refused}"
    );
    let (status, made) = as_admin(one, "demo", Method::POST, "/api/upstreams", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let (_, tickets) = call(other, "demo", "open_tickets", json!({ "state": "open" })).await;
    assert_eq!(
        tickets["result"],
        json!([{ "id": 7, "title": "Inverter hums" }]),
        "{tickets}"
    );
    let (status, _) = call(other, "demo", "close_ticket", json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);

    // With the rights of each person: the tools are there for those with a token.
    let token = json!({ "opaque": "valid" });
    let change = json!({ "endpoint": { "base_url": format!("{url}/mcp"), "access": "person", "token": token } });
    let own = "/api/upstreams/tracker";
    let (status, changed) = as_admin(one, "demo", Method::PATCH, own, change).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    assert!(tools_of(other, "demo").await.is_empty());
    let test = "/api/upstreams/tracker/test";
    let (_, tested) = as_admin(one, "demo", Method::POST, test, Value::Null).await;
    let shown = (&tested["ok"], tested.get("tools"));
    assert_eq!(shown, (&json!(true), None), "{tested}");
    let viewer = ("demo", ["tools:read"].as_slice());
    let mine = "/api/credentials/tracker";
    let brought = json!({ "access_token": "person-ada" });
    let (status, kept) = ask(other, viewer, Method::PUT, mine, &brought).await;
    assert_eq!(
        (status, &kept["state"]),
        (StatusCode::OK, &json!("valid")),
        "{kept}"
    );
    assert_eq!(tools_of(one, "demo").await, ["open_tickets"]);
    it_is_tested_with_the_token_of_who_tests(one, &url).await;
    let (_, tickets) = call(one, "demo", "open_tickets", json!({})).await;
    assert_eq!(tickets["status"], "ok", "{tickets}");
    assert!(
        asked
            .lock()
            .unwrap()
            .contains(&("/mcp".to_owned(), "Bearer person-ada".to_owned()))
    );

    // Another address never sees the tokens for this one.
    let (elsewhere, seen) = server().await;
    let change = json!({ "endpoint": { "base_url": format!("{elsewhere}/mcp"), "access": "person", "token": { "opaque": "valid" } } });
    let (status, changed) = as_admin(other, "demo", Method::PATCH, own, change).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    for app in [one, other] {
        let (_, refused) = call(app, "demo", "open_tickets", json!({})).await;
        assert_eq!(
            refused["result"]["error_code"], "missing_token",
            "{refused}"
        );
    }
    let sent = seen.lock().unwrap().clone();
    assert!(
        !sent.iter().any(|(_, sent)| sent.contains("person-")),
        "{sent:?}"
    );
    // Nor does another upstream of the same name.
    ask(one, viewer, Method::PUT, mine, &brought).await;
    as_admin(one, "demo", Method::DELETE, own, Value::Null).await;
    let person = json!({ "access": "person", "token": { "opaque": "valid" } });
    let body = tracker("tracker", &elsewhere, &person);
    let (status, made) = as_admin(one, "demo", Method::POST, "/api/upstreams", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let (_, refused) = call(other, "demo", "open_tickets", json!({})).await;
    assert_eq!(
        refused["result"]["error_code"], "missing_token",
        "{refused}"
    );
}

/// Upstreams that cannot be, the member that is wrong, and a word of what to do.
#[expect(clippy::too_many_lines, reason = "a table")]
fn wrong(url: &str) -> Vec<(Value, &'static str, &'static str)> {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = orders("shop", url, KEY);
        change(&mut body);
        body
    };
    let service = json!({ "access": "service" });
    vec![
        (
            orders("shop", "http://127.0.0.1:1", KEY),
            "/endpoint/base_url",
            "cannot be reached",
        ),
        (
            orders("shop", url, "wrong"),
            "/endpoint/headers",
            "does not accept",
        ),
        (
            tracker("tracker", url, &service),
            "/endpoint/headers",
            "does not accept",
        ),
        (
            tracker(
                "tracker",
                &format!("{url}/v1"),
                &json!({ "access": "service", "headers": { "X-Key": KEY } }),
            ),
            "/endpoint/base_url",
            "404",
        ),
        (
            orders("shop", "http://169.254.169.254", KEY),
            "/endpoint/base_url",
            "refused_networks",
        ),
        (
            orders("shop", "http://ada:secret@127.0.0.1", KEY),
            "/endpoint/base_url",
            "must have no user",
        ),
        (
            orders("shop", "file:///etc", KEY),
            "/endpoint/base_url",
            "https://",
        ),
        (
            with(&|body| body["endpoint"]["access"] = json!("person")),
            "/operations/0/name",
            "",
        ),
        (
            with(&|body| body["endpoint"]["headers"] = json!({ "host": "x" })),
            "/endpoint/headers",
            "cannot be sent",
        ),
        (
            with(&|body| {
                body["endpoint"] = json!({ "base_url": url, "headers": { "Authorization": "x" } });
            }),
            "/endpoint/headers",
            "person's token",
        ),
        (
            with(&|body| body["endpoint"]["token"] = json!({})),
            "/endpoint/token",
            "access: person",
        ),
        (
            with(&|body| body["operations"][0]["name"] = json!("list_loggers")),
            "/operations/0/name",
            "another tool",
        ),
        (
            with(&|body| body["operations"][1]["name"] = json!("list_orders")),
            "/operations/1/name",
            "earlier",
        ),
        (
            with(&|body| body["operations"][1]["path"] = json!("/orders/{other}")),
            "/operations/1/path",
            "{other}",
        ),
        (
            with(&|body| body["operations"][0]["path"] = json!("/nothing")),
            "/operations",
            "list_orders: ",
        ),
        (
            with(&|body| body["operations"][0]["description"] = json!(" ")),
            "/operations/0/description",
            "model",
        ),
        (
            with(&|body| {
                body["operations"][1]["parameters"][0]["schema"] =
                    json!({ "$ref": "http://127.0.0.1/x" });
            }),
            "/operations/1/parameters/0/schema",
            "$ref",
        ),
        (
            with(&|body| body["operations"][1]["parameters"][0]["schema"] = json!({ "type": 7 })),
            "/operations",
            "schema",
        ),
        (
            with(&|body| body["timeout_ms"] = json!(30_001)),
            "/timeout_ms",
            "30000",
        ),
        (
            with(&|body| body["kind"] = json!("mcp")),
            "/operations",
            "kind",
        ),
        (
            with(&|body| body["name"] = json!("The Shop")),
            "/name",
            "a-z",
        ),
    ]
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_with_what_to_do() {
    let replicas = Replicas::with(|_| {}).await;
    let (app, (url, _)) = (&replicas.one, server().await);
    for (body, pointer, why) in wrong(&url) {
        if why.is_empty() {
            // A person's rights: nothing can be asked without a token, so that it is added.
            let (status, made) = as_admin(app, "rival", Method::POST, "/api/upstreams", body).await;
            assert_eq!(status, StatusCode::CREATED, "{made}");
            continue;
        }
        let (status, answer) = as_admin(app, "demo", Method::POST, "/api/upstreams", body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{why}: {answer}");
        assert_eq!(answer["errors"][0]["pointer"], pointer, "{answer}");
        assert!(answer.to_string().contains(why), "{why}: {answer}");
        assert!(!answer.to_string().contains(KEY), "{answer}");
    }
    let (_, none) = as_admin(app, "demo", Method::GET, "/api/upstreams", Value::Null).await;
    assert_eq!(none, json!({ "upstreams": [] }));
    // Names of one tenant's tools are nothing to another.
    let (status, made) = as_admin(
        app,
        "demo",
        Method::POST,
        "/api/upstreams",
        orders("shop", &url, KEY),
    )
    .await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let second = orders("second", &url, KEY);
    let (status, taken) = as_admin(app, "demo", Method::POST, "/api/upstreams", second).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{taken}");
    assert_eq!(
        taken["errors"][0]["pointer"], "/operations/0/name",
        "{taken}"
    );
}

#[tokio::test]
async fn an_upstream_of_the_configuration_wins_and_cannot_be_changed() {
    let (url, _) = server().await;
    let fixed: UpstreamConfig = serde_json::from_value(json!({
        "name": "shop", "base_url": format!("{url}/v1"), "access": "service", "tenants": ["demo"],
        "secret_headers": [{ "name": "X-Key", "value": KEY }],
        "operations": [{ "name": "list_orders", "description": "Of the file.", "path": "/orders" }],
    }))
    .unwrap();
    let replicas = Replicas::with(|config| config.upstreams.push(fixed.clone())).await;
    let app = &replicas.one;
    let (_, seen) = as_admin(app, "demo", Method::GET, "/api/upstreams", Value::Null).await;
    assert_eq!(seen["upstreams"][0]["fixed"], true, "{seen}");
    assert!(!seen.to_string().contains(&url), "{seen}");
    for (method, path, body) in [
        (Method::PATCH, "/api/upstreams/shop", json!({})),
        (Method::DELETE, "/api/upstreams/shop", Value::Null),
        (Method::POST, "/api/upstreams", orders("shop", &url, KEY)),
    ] {
        let (status, answer) = as_admin(app, "demo", method, path, body).await;
        assert_eq!(status, StatusCode::CONFLICT, "{answer}");
        assert!(
            answer.to_string().contains("configuration file"),
            "{answer}"
        );
    }
    let test = "/api/upstreams/shop/test";
    let (_, tested) = as_admin(app, "demo", Method::POST, test, Value::Null).await;
    assert_eq!(tested["ok"], true, "{tested}");
    // Its tools are taken for its tenants, and free for others.
    let mut second = orders("second", &url, KEY);
    let (status, taken) =
        as_admin(app, "demo", Method::POST, "/api/upstreams", second.clone()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{taken}");
    second["name"] = json!("shop");
    let (status, made) = as_admin(app, "rival", Method::POST, "/api/upstreams", second).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(tools_of(app, "rival").await, ["list_orders", "get_order"]);
    assert_eq!(tools_of(app, "demo").await, ["list_orders"]);
    let (_, listed) = call(&replicas.other, "rival", "list_orders", json!({})).await;
    assert_eq!(
        listed["result"][0],
        json!({ "id": 1, "total": 12.5 }),
        "{listed}"
    );
    let (_, listed) = call(app, "demo", "list_orders", json!({})).await;
    assert_eq!(listed["result"]["orders"][0]["internal"], "x", "{listed}");
}

#[tokio::test]
async fn the_list_says_why_an_upstream_cannot_be_asked() {
    let replicas = Replicas::with(|_| {}).await;
    let (one, other) = (&replicas.one, &replicas.other);
    let changed = Arc::new(AtomicBool::new(false));
    let answer = async |State(changed): State<Arc<AtomicBool>>| {
        if changed.load(Ordering::Relaxed) {
            return (
                StatusCode::UNAUTHORIZED,
                axum::Json(json!({ "message": "the key is old" })),
            );
        }
        (StatusCode::OK, axum::Json(json!({ "orders": [] })))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new()
        .fallback(answer)
        .with_state(Arc::clone(&changed));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let body = orders("shop", &url, KEY);
    let (status, made) = as_admin(one, "demo", Method::POST, "/api/upstreams", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let list = async |app: &App| {
        let path = "/api/upstreams";
        let (status, listed) = as_admin(app, "demo", Method::GET, path, Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{listed}");
        listed["upstreams"][0]["problem"].clone()
    };
    assert_eq!(list(one).await, Value::Null);
    changed.store(true, Ordering::Relaxed);
    let problem = list(other).await;
    let problem = problem.as_str().unwrap_or_default();
    assert!(
        problem.contains("does not accept your credential"),
        "{problem}"
    );
    assert!(problem.contains("the key is old"), "{problem}");
    assert!(!problem.contains(KEY), "{problem}");
    // Where it was asked a moment ago, a test is in the list at once, in all processes.
    for is_refused in [true, false, true] {
        changed.store(is_refused, Ordering::Relaxed);
        let path = "/api/upstreams/shop/test";
        let (_, tested) = as_admin(one, "demo", Method::POST, path, Value::Null).await;
        assert_eq!(tested["ok"], !is_refused, "{tested}");
        for app in [one, other] {
            let problem = list(app).await;
            assert_eq!(problem.is_string(), is_refused, "{problem}");
        }
    }
}
