//! `/api/weather`: what is taken, listed and deleted, whose it is, and what it is worth to a
//! forecast of production.

use std::fmt::Write as _;

use chrono::{DateTime, TimeDelta, Utc};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use test_support::database::TestDatabase;

use crate::harness::App;
use crate::ingest_support::{HEADER, database, sites, store};

/// The morning after the newest readings.
const NOW: &str = "2025-08-10T06:00:00Z";
/// Days with readings, and with forecasts of the days after them.
const DAYS: u32 = 70;

struct Client {
    app: App,
    database: TestDatabase,
}

impl Client {
    async fn new() -> Self {
        let database = database().await;
        Self {
            app: App::at(database.url(), NOW),
            database,
        }
    }

    async fn send(&self, method: Method, query: &str, body: Value) -> (StatusCode, Value) {
        self.send_as("acme", method, query, body).await
    }

    async fn send_as(
        &self,
        tenant: &str,
        method: Method,
        query: &str,
        body: Value,
    ) -> (StatusCode, Value) {
        let token = self
            .app
            .token(tenant, &["tools:read", "measurements:write"]);
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let path = format!("/api/weather{query}");
        self.app.send(method, &path, Some(&token), &body).await
    }

    async fn put(&self, body: Value) -> Value {
        let (status, answer) = self.send(Method::POST, "", body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    async fn forecast(&self, days_ahead: u32) -> Value {
        let arguments = json!({ "logger_id": "A", "days_ahead": days_ahead });
        let (status, answer) = self
            .app
            .call_as("acme", "forecast_production", arguments)
            .await;
        assert_eq!(
            (status, &answer["status"]),
            (StatusCode::OK, &json!("ok")),
            "{answer}"
        );
        answer["result"].clone()
    }
}

fn value(timestamp: &str, irradiance: f64) -> Value {
    json!({ "timestamp": timestamp, "irradiance": irradiance })
}

/// The start of a local day in Zurich, in summer.
fn midnight(day: u32) -> DateTime<Utc> {
    let first: DateTime<Utc> = "2025-05-31T22:00:00Z".parse().unwrap();
    first + TimeDelta::days(i64::from(day))
}

/// The clearness of the sky, between 0.2 and 1: no day predicts the next one.
fn clearness(day: u32) -> f64 {
    0.2 + 0.8 * f64::from(day * 7919 % 97) / 96.0
}

/// Irradiance of the hour that ends `hour` hours into the day, W/m2.
fn irradiance(day: u32, hour: u32) -> f64 {
    let height = (std::f64::consts::PI * (f64::from(hour) - 5.5) / 15.0).sin();
    800.0
        * clearness(day)
        * if (6..=20).contains(&hour) {
            height
        } else {
            0.0
        }
}

fn kwh(day: u32) -> f64 {
    (1..=24)
        .map(|hour| 5.0 * irradiance(day, hour))
        .sum::<f64>()
        / 1000.0
}

/// Readings of [`DAYS`] days, hour by hour: 5 W per W/m2.
async fn store_readings(client: &Client) {
    let mut body = HEADER.to_owned();
    for day in 0..DAYS {
        for hour in 1..=24 {
            let at = midnight(day) + TimeDelta::hours(i64::from(hour));
            writeln!(
                body,
                "{},A,{},",
                at.to_rfc3339(),
                5.0 * irradiance(day, hour)
            )
            .unwrap();
        }
    }
    let report = store(client.database.pool(), &body).await;
    assert_eq!(report.accepted, u64::from(24 * DAYS));
}

/// The forecast of a day for the three days after it: right but for a bias, or `wrong`.
async fn issue(client: &Client, day: u32, wrong: Option<f64>) {
    let mut values = Vec::new();
    for ahead in 1..=3 {
        for hour in 1..=24 {
            let at = midnight(day + ahead) + TimeDelta::hours(i64::from(hour));
            let irradiance = match wrong {
                None => 1.2 * irradiance(day + ahead, hour),
                Some(scale) => scale * irradiance(day * 31 + ahead * 17, hour),
            };
            values.push(value(&at.to_rfc3339(), irradiance));
        }
    }
    let issued_at = midnight(day) + TimeDelta::hours(18);
    let answer = client
        .put(json!({ "issued_at": issued_at, "values": values }))
        .await;
    assert_eq!(answer["accepted"], 72);
}

#[tokio::test]
async fn a_forecast_of_production_uses_irradiance_that_proved_right() {
    let client = Client::new().await;
    store_readings(&client).await;
    let without = client.forecast(3).await;
    assert_eq!(without["basis"], "history");
    assert!(without.get("weather").is_none());
    assert!(
        without["summary"]
            .as_str()
            .unwrap()
            .ends_with("It rests on past production.")
    );

    // A single forecast shows nothing yet.
    issue(&client, DAYS - 1, None).await;
    let untried = client.forecast(3).await;
    assert_eq!(
        (&untried["basis"], &untried["weather"]["daysAvailable"]),
        (&json!("history"), &json!(3))
    );
    let reason = untried["weather"]["reason"].as_str().unwrap();
    assert!(reason.contains("20 are needed"), "{reason}");
    assert!(untried["summary"].as_str().unwrap().contains(reason));

    for day in 0..DAYS - 1 {
        issue(&client, day, None).await;
    }
    let with = client.forecast(3).await;
    assert_eq!(
        (&with["basis"], &with["weather"]["daysUsed"]),
        (&json!("weather"), &json!(3)),
        "{with}"
    );
    assert!(
        with["summary"]
            .as_str()
            .unwrap()
            .contains("the irradiance that is forecast for the site")
    );
    assert!(with["weather"]["errorRatio"].as_f64().unwrap() < 0.3);
    for (ahead, day) in (0..).zip(with["forecasts"].as_array().unwrap()) {
        let (expected, actual) = (day["expectedKwh"].as_f64().unwrap(), kwh(DAYS + ahead));
        assert!(
            (expected - actual).abs() < 0.1 * actual,
            "{expected} for {actual}"
        );
        assert_eq!(
            (&day["basis"], &day["method"]),
            (&json!("weather"), &json!("weather"))
        );
    }
    // Only three days are forecast: the others rest on past production.
    let longer = client.forecast(5).await;
    assert_eq!(longer["basis"], "mixed");
    assert_eq!(longer["forecasts"][4]["basis"], "history");

    // What is deleted is used no more.
    let (status, gone) = client
        .send(
            Method::DELETE,
            "?from=2025-08-10T00:00:00Z&to=2025-09-01T00:00:00Z",
            Value::Null,
        )
        .await;
    assert_eq!(status, StatusCode::OK, "{gone}");
    assert_eq!(client.forecast(1).await["basis"], "history");
}

#[tokio::test]
async fn irradiance_that_proved_wrong_changes_nothing_and_is_told() {
    let client = Client::new().await;
    store_readings(&client).await;
    let without = client.forecast(2).await;
    for day in 0..DAYS {
        issue(&client, day, Some(1.0)).await;
    }
    let with = client.forecast(2).await;
    assert_eq!(with["basis"], "history");
    assert_eq!(with["forecasts"], without["forecasts"]);
    let reason = with["weather"]["reason"].as_str().unwrap();
    assert!(reason.contains("did not err clearly less"), "{reason}");
}

#[tokio::test]
async fn sending_a_forecast_twice_changes_nothing_and_a_range_can_be_deleted() {
    let client = Client::new().await;
    let body = json!({
        "site": "roof", "issued_at": "2025-08-09T18:00:00Z", "step_minutes": 30,
        "values": [value("2025-08-10T10:00:00Z", 400.0), value("2025-08-10T10:30:00Z", 410.5)],
    });
    let first = client.put(body.clone()).await;
    assert_eq!(
        first,
        json!({ "site": "roof", "issued_at": "2025-08-09T20:00:00+02:00", "accepted": 2, "replaced": 0 })
    );
    let second = client.put(body).await;
    assert_eq!(
        (&second["accepted"], &second["replaced"]),
        (&json!(0), &json!(2))
    );
    let (_, list) = client.send(Method::GET, "", Value::Null).await;
    assert_eq!(
        list,
        json!({
            "site": "roof", "timezone": "Europe/Zurich", "count": 2, "truncated": false,
            "values": [
                { "timestamp": "2025-08-10T12:00:00+02:00", "issued_at": "2025-08-09T20:00:00+02:00", "step_minutes": 30, "irradiance": 400.0 },
                { "timestamp": "2025-08-10T12:30:00+02:00", "issued_at": "2025-08-09T20:00:00+02:00", "step_minutes": 30, "irradiance": 410.5 },
            ],
        })
    );
    let query = "?from=2025-08-10T10:15:00Z&to=2025-08-11T00:00:00Z";
    assert_eq!(
        client.send(Method::GET, query, Value::Null).await.1["count"],
        1
    );
    let (_, deleted) = client.send(Method::DELETE, query, Value::Null).await;
    assert_eq!(deleted, json!({ "site": "roof", "deleted": 1 }));
    assert_eq!(
        client.send(Method::GET, "", Value::Null).await.1["count"],
        1
    );
    // Without a time of issue it is issued now.
    let now = client
        .put(json!({ "values": [value("2025-08-10T10:00:00Z", 1.0)] }))
        .await;
    assert_eq!(now["issued_at"], "2025-08-10T08:00:00+02:00");
}

#[tokio::test]
async fn what_does_not_fit_is_422_and_points() {
    let client = Client::new().await;
    let good = value("2025-08-10T10:00:00Z", 400.0);
    for (body, pointer) in [
        (json!({ "values": [] }), "/values"),
        (json!({}), "/values"),
        (json!({ "values": [good], "colour": 1 }), "/colour"),
        (json!({ "values": [good], "site": "shed" }), "/site"),
        (
            json!({ "values": [good], "step_minutes": 1441 }),
            "/step_minutes",
        ),
        (
            json!({ "values": [good], "issued_at": "tomorrow" }),
            "/issued_at",
        ),
        (
            json!({ "values": [good], "issued_at": "2025-08-11T10:00:00Z" }),
            "/issued_at",
        ),
        (
            json!({ "values": [good, { "timestamp": "x", "irradiance": 1 }] }),
            "/values/1/timestamp",
        ),
        (
            json!({ "values": [good, { "timestamp": "2025-08-10T11:00:00Z", "irradiance": "1" }] }),
            "/values/1/irradiance",
        ),
        (
            json!({ "values": [{ "timestamp": "2025-08-10T11:00:00Z", "irradiance": -5 }] }),
            "/values/0/irradiance",
        ),
    ] {
        let (status, problem) = client.send(Method::POST, "", body.clone()).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{body}: {problem}"
        );
        assert_eq!(
            problem["errors"][0]["pointer"], pointer,
            "{body}: {problem}"
        );
    }
    for (method, query, pointer) in [
        (Method::GET, "?from=yesterday", "/from"),
        (Method::GET, "?site=shed", "/site"),
        (
            Method::GET,
            "?from=2025-08-10T00:00:00Z&to=2025-08-09T00:00:00Z",
            "/to",
        ),
        (Method::DELETE, "", "/from"),
        (Method::DELETE, "?from=2025-08-10T00:00:00Z", "/to"),
    ] {
        let (status, problem) = client.send(method, query, Value::Null).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{query}: {problem}"
        );
        assert_eq!(
            problem["errors"][0]["pointer"], pointer,
            "{query}: {problem}"
        );
    }
    sites(client.database.pool(), "acme", &["barn"]).await;
    let (status, problem) = client
        .send(Method::POST, "", json!({ "values": [good] }))
        .await;
    assert_eq!(
        (status, &problem["available"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!(["barn", "roof"]))
    );
}

#[tokio::test]
async fn tenants_see_and_change_their_own_only() {
    let client = Client::new().await;
    sites(client.database.pool(), "other", &["roof"]).await;
    client
        .put(json!({ "values": [value("2025-08-10T10:00:00Z", 400.0)] }))
        .await;
    let (_, list) = client
        .send_as("other", Method::GET, "?site=roof", Value::Null)
        .await;
    assert_eq!((&list["count"], &list["site"]), (&json!(0), &json!("roof")));
    let everything = "?from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z";
    let (_, deleted) = client
        .send_as("other", Method::DELETE, everything, Value::Null)
        .await;
    assert_eq!(deleted["deleted"], 0);
    let (status, problem) = client.send_as("nobody", Method::GET, "", Value::Null).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert_eq!(
        client.send(Method::GET, "", Value::Null).await.1["count"],
        1
    );
}

#[tokio::test]
async fn storing_and_deleting_need_the_scope_of_readings() {
    let client = Client::new().await;
    let body = json!({ "values": [value("2025-08-10T10:00:00Z", 400.0)] }).to_string();
    let reader = client.app.token("acme", &["tools:read"]);
    let writer = client.app.token("acme", &["measurements:write"]);
    for (method, token, body, expected) in [
        (
            Method::POST,
            Some(&reader),
            body.as_str(),
            StatusCode::FORBIDDEN,
        ),
        (Method::DELETE, Some(&reader), "", StatusCode::FORBIDDEN),
        (Method::GET, Some(&writer), "", StatusCode::FORBIDDEN),
        (Method::GET, Some(&reader), "", StatusCode::OK),
        (Method::POST, Some(&writer), body.as_str(), StatusCode::OK),
        (Method::POST, None, body.as_str(), StatusCode::UNAUTHORIZED),
    ] {
        let (status, answer) = client
            .app
            .send(
                method.clone(),
                "/api/weather",
                token.map(String::as_str),
                body,
            )
            .await;
        assert_eq!(status, expected, "{method}: {answer}");
    }
}
