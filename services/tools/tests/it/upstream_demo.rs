//! The demonstration upstream, as `cargo run` sets it up: over HTTP, with rights of its own.

use chrono::{DateTime, Utc};
use demo_inventory::Settings;
use secrecy::SecretString;
use serde_json::{Value, json};
use service_kit::clock::FixedClock;
use tokio::net::TcpListener;

use crate::harness::{App, database};
use crate::upstream_support::{NOW, Person, key};

/// A tools service that answers at its own address, and so can read its own demonstration.
async fn start(url: &str) -> (App, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own = format!("http://{}", listener.local_addr().unwrap());
    let secret = SecretString::from("demo-service-key");
    let app = App::configured(url, NOW, |config| {
        let base_url = format!("{own}{}", demo_inventory::PATH);
        config.credentials.keys.push(key("one", 1));
        config
            .upstreams
            .push(demo_inventory::upstream(&base_url, &secret).unwrap());
    });
    demo_inventory::migrate(&app.pool).await.unwrap();
    let settings = Settings {
        service_key: secret,
        audience: format!("{own}{}", demo_inventory::PATH),
    };
    let clock = FixedClock::at(NOW.parse().unwrap());
    let inventory = demo_inventory::routes(&settings, app.pool.clone(), clock);
    let router = app.router().merge(inventory);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (app, own)
}

const DEMO: Person = Person("demo", "0199c7d2-demo");

#[tokio::test]
async fn a_user_reads_what_is_his_with_his_own_rights() {
    let database = database().await;
    let (app, _) = start(database.url()).await;
    let ask = async |tool: &str, arguments: Value| app.ask(DEMO, tool, &arguments).await;
    let inventories = ask("get_user_inventories", json!({})).await;
    let inventories = inventories["result"].as_array().unwrap().clone();
    let cities: Vec<&str> = inventories
        .iter()
        .map(|i| i["city"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        cities,
        [
            "Kestrel Falls",
            "Kestrel Falls",
            "Kestrel Falls",
            "Port Meridian",
            "Port Meridian",
            "Port Meridian"
        ]
    );
    assert!(
        inventories
            .iter()
            .all(|inventory| inventory["city"].as_object().unwrap().len() == 2)
    );

    let found = ask("city_inventory_search", json!({ "city_name": "meridian" })).await;
    let years: Vec<i64> = found["result"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["year"].as_i64().unwrap())
        .collect();
    assert_eq!(years, [2022, 2020, 2018]);
    let one = ask(
        "city_inventory_search",
        json!({ "city_name": "MERIDIAN", "year": 2022 }),
    )
    .await;
    let newest = one["result"][0].clone();
    let id = newest["inventoryId"].as_str().unwrap();
    let total = newest["totalEmissions"].as_f64().unwrap();
    let hidden = ask(
        "city_inventory_search",
        json!({ "city_name": "Monte Claro" }),
    )
    .await;
    assert_eq!(hidden["result"], json!([]));

    let whole = ask("get_inventory", json!({ "inventory_id": id })).await;
    assert_eq!(whole["result"]["city"]["area"], 214.6);
    let sources = ask("get_all_datasources", json!({ "inventory_id": id })).await;
    assert!(sources["result"].as_array().unwrap().len() > 10);

    let summary = ask(
        "cc_inventory_query",
        json!({ "inventory_id": id, "data_type": "summary" }),
    )
    .await;
    let sum = |items: &Value| {
        items
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["co2eq"].as_f64().unwrap())
            .sum::<f64>()
    };
    let result = &summary["result"];
    assert!(
        (sum(&result["bySector"]) - total).abs() < 1.0
            && (sum(&result["byScope"]) - total).abs() < 1.0,
        "{summary}"
    );
    let lines = ask(
        "cc_inventory_query",
        json!({ "inventory_id": id, "data_type": "emissions" }),
    )
    .await;
    assert!((sum(&lines["result"]) - total).abs() < 1.0);
}

#[tokio::test]
async fn what_is_not_his_is_refused_by_the_upstream() {
    let database = database().await;
    let (app, _) = start(database.url()).await;
    app.ask(DEMO, "get_user_inventories", &json!({})).await;
    let hidden: String = sqlx::query_scalar(
        "SELECT inventory_id::text FROM demo_inventory.inventories WHERE locode = 'XD MCL' LIMIT 1",
    )
    .fetch_one(&app.pool)
    .await
    .unwrap();
    for (id, code) in [
        (hidden.as_str(), "http_403"),
        ("00000000-0000-0000-0000-000000000000", "http_404"),
        ("nonsense", "http_404"),
    ] {
        for (tool, arguments) in [
            ("get_inventory", json!({ "inventory_id": id })),
            ("get_all_datasources", json!({ "inventory_id": id })),
            (
                "cc_inventory_query",
                json!({ "inventory_id": id, "data_type": "summary" }),
            ),
        ] {
            let answer = app.ask(DEMO, tool, &arguments).await;
            assert_eq!(answer["result"]["error_code"], code, "{tool} {answer}");
        }
    }
    sqlx::query(
        "INSERT INTO demo_inventory.rights SELECT subject, 'XD MCL' FROM demo_inventory.users",
    )
    .execute(&app.pool)
    .await
    .unwrap();
    let answer = app
        .ask(DEMO, "get_inventory", &json!({ "inventory_id": hidden }))
        .await;
    assert_eq!(answer["result"]["city"]["name"], "Monte Claro");
}

#[tokio::test]
async fn it_has_a_guard_of_its_own_and_believes_none_of_our_identities() {
    let database = database().await;
    let (app, own) = start(database.url()).await;
    let http = service_kit::http_client().unwrap();
    let base = format!("{own}{}", demo_inventory::PATH);
    let token_url = format!("{base}/api/v1/internal/ca/user-token");
    let issue = async |key: &str, body: Value| {
        let answer = http
            .post(&token_url)
            .header("X-CA-Service-Key", key)
            .json(&body)
            .send()
            .await
            .unwrap();
        (
            answer.status().as_u16(),
            answer.json::<Value>().await.unwrap(),
        )
    };
    assert_eq!(issue("wrong", json!({ "user_id": "u" })).await.0, 401);
    assert_eq!(issue("demo-service-key", json!({})).await.0, 400);
    let (status, issued) = issue("demo-service-key", json!({ "user_id": "u" })).await;
    assert_eq!(
        (status, &issued["expires_in"], &issued["token_type"]),
        (200, &json!(3600), &json!("Bearer"))
    );
    let token = issued["access_token"].as_str().unwrap().to_owned();
    let read = async |token: &str, key: &str| {
        let request = http
            .get(format!("{base}/api/v1/user/inventories/"))
            .bearer_auth(token);
        let request = request
            .header("X-Service-Name", "climate-advisor")
            .header("X-Service-Key", key);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(read(&token, "demo-service-key").await, 200);
    assert_eq!(read(&token, "wrong").await, 401);
    assert_eq!(read(&format!("{token}x"), "demo-service-key").await, 401);
    let ours = app.token("demo", &["tools:read"]);
    assert_eq!(read(&ours, "demo-service-key").await, 401);
    let claims = token.split('.').nth(1).unwrap();
    let claims =
        base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, claims).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    let now = NOW.parse::<DateTime<Utc>>().unwrap().timestamp();
    assert_eq!(
        (&claims["sub"], &claims["aud"], &claims["exp"]),
        (&json!("u"), &json!(base), &json!(now + 3_600))
    );
}

#[tokio::test]
async fn it_is_not_there_unless_it_is_turned_on() {
    let database = database().await;
    let app = App::at(database.url(), NOW);
    let token = app.token("demo", &["tools:read"]);
    let path = format!("{}/api/v1/user/inventories/", demo_inventory::PATH);
    let (status, problem) = app.send(http::Method::GET, &path, Some(&token), "").await;
    assert_eq!(
        (status.as_u16(), &problem["code"]),
        (404, &json!("route_not_found"))
    );
}
