//! A plant whose files are imported.

use std::fmt::Write as _;

use axum::body::Body;
use chrono::{DateTime, TimeDelta, Utc};
use http::{Method, Request, StatusCode};
use serde_json::Value;
use service_kit::clock::{FixedClock, SharedClock};
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tools::imports::run_next;
use tools::ingest::config::IngestConfig;

use crate::harness::App;
use crate::ingest_support::database;

const NOW: &str = "2026-06-01T12:00:00Z";

pub(crate) const SCOPES: [&str; 2] = ["tools:read", "sites:write"];

pub(crate) struct Plant {
    pub(crate) app: App,
    database: TestDatabase,
    pub(crate) clock: SharedClock,
}

impl Plant {
    pub(crate) async fn new() -> Self {
        Self::within(|_| {}).await
    }

    /// A plant whose service has these limits.
    pub(crate) async fn within(limit: impl FnOnce(&mut IngestConfig)) -> Self {
        let database = database().await;
        let now: DateTime<Utc> = NOW.parse().unwrap();
        Self {
            app: App::configured(database.url(), NOW, |config| limit(&mut config.ingest)),
            database,
            clock: FixedClock::at(now),
        }
    }

    pub(crate) fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    pub(crate) async fn upload_as(
        &self,
        tenant: &str,
        query: &str,
        file: impl Into<Body>,
    ) -> (StatusCode, Value) {
        let token = self.app.token(tenant, &SCOPES);
        let request = Request::post(format!("/api/imports?{query}"))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/octet-stream");
        self.app.request(request.body(file.into()).unwrap()).await
    }

    /// Uploads a file; the import.
    pub(crate) async fn upload(&self, query: &str, file: impl Into<Body>) -> Value {
        let (status, import) = self.upload_as("acme", query, file).await;
        assert!(status.is_success(), "{status} {import}");
        import
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> (StatusCode, Value) {
        let token = self.app.token("acme", &SCOPES);
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        self.app.send(method, path, Some(&token), &body).await
    }

    pub(crate) async fn get(&self, import: &Value) -> Value {
        let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
        let (status, import) = self.send(Method::GET, &path, &Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{import}");
        import
    }

    pub(crate) async fn act(&self, import: &Value, action: &str) -> (StatusCode, Value) {
        let path = format!(
            "/api/imports/{}/{action}",
            import["import_id"].as_str().unwrap()
        );
        self.send(Method::POST, &path, &Value::Null).await
    }

    /// Queues an import and runs what is due.
    pub(crate) async fn run(&self, import: &Value) -> Value {
        let (status, queued) = self.act(import, "run").await;
        assert_eq!(status, StatusCode::ACCEPTED, "{queued}");
        self.work().await;
        self.get(import).await
    }

    pub(crate) async fn work(&self) {
        self.work_within(&IngestConfig::default()).await;
    }

    pub(crate) async fn work_within(&self, limits: &IngestConfig) {
        while run_next(self.pool(), &self.clock, limits).await.unwrap() {}
    }

    /// Number of readings.
    pub(crate) async fn readings(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM tools.measurements")
            .fetch_one(self.pool())
            .await
            .unwrap()
    }

    pub(crate) async fn execute(&self, statements: &str) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statements.to_owned()))
            .execute(self.pool())
            .await
            .unwrap();
    }
}

/// A file of LTI with a row per minute from a local time on.
pub(crate) fn lti(start: &str, rows: i64) -> String {
    let start: chrono::NaiveDateTime = start.parse().unwrap();
    let mut text = "[header]\nserial=LT-7\n[data]\ntimestamp;P_AC;E_DAY\n".to_owned();
    for row in 0..rows {
        let at = start + TimeDelta::minutes(row);
        writeln!(
            text,
            "{};{};{}",
            at.format("%Y-%m-%d %H:%M:%S"),
            row % 3000,
            row % 40
        )
        .unwrap();
    }
    text
}

pub(crate) fn counts(import: &Value) -> [u64; 4] {
    ["accepted", "replaced", "refused", "rows_done"]
        .map(|name| import["progress"][name].as_u64().unwrap())
}
