//! `/api/imports`: upload, preview, job; and what interrupts them.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::Body;
use chrono::{DateTime, TimeDelta, Utc};
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use service_kit::clock::{FixedClock, SharedClock};
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tools::config::IngestConfig;
use tools::imports::run_next;

use crate::harness::App;
use crate::ingest_support::{database, sites};

const NOW: &str = "2026-06-01T12:00:00Z";
const SCOPES: [&str; 2] = ["tools:read", "sites:write"];

pub(crate) struct Plant {
    pub(crate) app: App,
    database: TestDatabase,
    clock: SharedClock,
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

    async fn upload_as(
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

    async fn work(&self) {
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

    async fn execute(&self, statements: &str) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statements.to_owned()))
            .execute(self.pool())
            .await
            .unwrap();
    }
}

/// A file of LTI with a row per minute from a local time on.
fn lti(start: &str, rows: i64) -> String {
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

fn counts(import: &Value) -> [u64; 4] {
    ["accepted", "replaced", "refused", "rows_done"]
        .map(|name| import["progress"][name].as_u64().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_previewed_then_stored_once() {
    let plant = Plant::new().await;
    let text = "[header]\nserial=LT-7\n[data]\ntimestamp;P_AC;E_DAY\n2025-06-01 12:00:00;2400;8,1\n2025-06-01 12:05:00;-;8.2\n2025-06-31 12:00:00;1;1\n2025-06-01 12:10:00;0;8.3\n";
    let import = plant.upload("filename=C:%5Cexport%5CLTi.csv", text).await;
    assert_eq!(
        (&import["status"], &import["format"], &import["filename"]),
        (&json!("ready"), &json!("lti"), &json!("LTi.csv"))
    );
    assert_eq!(
        (&import["site"], &import["timezone"]),
        (&json!("roof"), &json!("Europe/Zurich"))
    );
    let preview = &import["preview"];
    assert_eq!(
        (&preview["rows"], &preview["good"], &preview["refused"]),
        (&json!(4), &json!(3), &json!(1)),
        "{preview}"
    );
    assert_eq!(preview["refusals"][0]["line"], 7);
    assert_eq!(
        preview["first_rows"][0]["timestamp"],
        "2025-06-01T12:00:00+02:00"
    );
    assert_eq!(preview["first_rows"][0]["active_power_w"], 2400.0);
    assert_eq!(
        preview["loggers"],
        json!([{"logger_id": "LT-7", "new": true, "role": "inverter", "rows": 3, "earliest": "2025-06-01T12:00:00+02:00",
                "latest": "2025-06-01T12:10:00+02:00", "highest_power_w": 2400.0}])
    );
    assert_eq!(plant.readings().await, 0, "a preview stores nothing");

    let done = plant.run(&import).await;
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("done"), [3, 0, 1, 4]),
        "{done}"
    );
    assert_eq!(plant.readings().await, 3);
    let (logger_type, energy): (String, f64) =
        sqlx::query_as("SELECT l.logger_type, m.energy_daily_kwh FROM tools.measurements m JOIN tools.loggers l USING (logger_key) ORDER BY m.timestamp LIMIT 1")
            .fetch_one(plant.pool())
            .await
            .unwrap();
    assert_eq!((logger_type.as_str(), energy), ("lti", 8.1));

    // The same file is the same import, also zipped, and running it again changes nothing.
    let (status, again) = plant.upload_as("acme", "filename=other.csv", text).await;
    assert_eq!(
        (status, &again["known"], &again["import_id"]),
        (StatusCode::OK, &json!(true), &import["import_id"])
    );
    assert_eq!(counts(&plant.run(&import).await), [3, 0, 1, 4]);
    let chunks: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.import_chunks")
        .fetch_one(plant.pool())
        .await
        .unwrap();
    assert_eq!(chunks, 0, "the file is not kept");
    let (_, list) = plant.send(Method::GET, "/api/imports", &Value::Null).await;
    assert_eq!(list["imports"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn clocks_that_change_and_roles_are_those_of_the_plant() {
    let plant = Plant::new().await;
    let mut text = "serial; 5\n; GENERAL.Feed-In_Power; K.1.2.Feed-In_Power\n; W; W\n".to_owned();
    for time in [
        "30.03.2025 01:55",
        "30.03.2025 02:30",
        "30.03.2025 03:00",
        "26.10.2025 02:30",
        "26.10.2025 02:45",
        "26.10.2025 02:30",
        "26.10.2025 02:45",
        "26.10.2025 03:00",
    ] {
        writeln!(text, "{time}:00; 5; 4").unwrap();
    }
    let import = plant.upload("filename=meier.csv", text).await;
    assert_eq!(import["preview"]["refused"], 2, "{import}");
    assert!(
        import["preview"]["refusals"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("does not exist in Europe/Zurich")
    );
    let done = plant.run(&import).await;
    assert_eq!(counts(&done), [14, 0, 2, 16], "{done}");
    let times: Vec<DateTime<Utc>> =
        sqlx::query_scalar("SELECT m.timestamp FROM tools.measurements m JOIN tools.loggers l USING (logger_key) WHERE l.logger_id = '5' ORDER BY 1")
            .fetch_all(plant.pool())
            .await
            .unwrap();
    let times: Vec<String> = times
        .iter()
        .map(|at| at.format("%m-%d %H:%M").to_string())
        .collect();
    assert_eq!(
        times,
        [
            "03-30 00:55",
            "03-30 01:00",
            "10-26 00:30",
            "10-26 00:45",
            "10-26 01:30",
            "10-26 01:45",
            "10-26 02:00"
        ]
    );
    let roles: Vec<(String, String)> =
        sqlx::query_as("SELECT logger_id, role FROM tools.loggers ORDER BY 1")
            .fetch_all(plant.pool())
            .await
            .unwrap();
    assert_eq!(
        roles,
        [
            ("5".to_owned(), "meter".to_owned()),
            ("5-K.1.2".to_owned(), "inverter".to_owned())
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_import_is_continued_and_stores_nothing_twice() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 25_000))
        .await;
    assert_eq!(plant.act(&import, "run").await.0, StatusCode::ACCEPTED);
    // The third batch waits for a lock that is never given: the process ends there.
    let mut blocker = plant.pool().begin().await.unwrap();
    plant.execute("CREATE FUNCTION pg_temp_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.rows_done > 10000 THEN PERFORM pg_advisory_xact_lock(77); END IF; RETURN NEW; END $$;
                   CREATE TRIGGER wait BEFORE UPDATE ON tools.imports FOR EACH ROW EXECUTE FUNCTION pg_temp_wait();").await;
    sqlx::query("SELECT pg_advisory_xact_lock(77)")
        .execute(&mut *blocker)
        .await
        .unwrap();
    let (pool, clock) = (plant.pool().clone(), Arc::clone(&plant.clock));
    let killed =
        tokio::spawn(async move { run_next(&pool, &clock, &IngestConfig::default()).await });
    loop {
        let waiting: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)",
        )
        .fetch_one(plant.pool())
        .await
        .unwrap();
        if waiting {
            break;
        }
        tokio::task::yield_now().await;
    }
    killed.abort();
    let _ = killed.await;
    blocker.rollback().await.unwrap();
    plant.execute("DROP TRIGGER wait ON tools.imports; UPDATE tools.imports SET lease_until = now() - interval '1 second'").await;
    let halfway = plant.get(&import).await;
    assert_eq!(halfway["status"], "running");
    let before = counts(&halfway);
    assert!(before[0] >= 10_000 && before[0] == before[3], "{halfway}");
    plant.work().await;
    let done = plant.get(&import).await;
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("done"), [25_000, 0, 0, 25_000]),
        "{done}"
    );
    assert_eq!(plant.readings().await, 25_000);
    let days: Vec<i32> = sqlx::query_scalar("SELECT records FROM tools.daily ORDER BY day")
        .fetch_all(plant.pool())
        .await
        .unwrap();
    assert_eq!(days.iter().sum::<i32>(), 25_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_in_mid_import_is_reported_and_the_import_continues() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 12_000))
        .await;
    plant.execute("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.rows_done > 10000 THEN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END IF; RETURN NEW; END $$;
                   CREATE TRIGGER full_disk BEFORE UPDATE ON tools.imports FOR EACH ROW WHEN (NEW.rows_done > OLD.rows_done) EXECUTE FUNCTION full_disk();").await;
    let waiting = plant.run(&import).await;
    assert_eq!(
        (&waiting["status"], counts(&waiting)),
        (&json!("queued"), [10_000, 0, 0, 10_000]),
        "{waiting}"
    );
    assert!(
        waiting["problem"]
            .as_str()
            .unwrap()
            .contains("disk of the database is full"),
        "{waiting}"
    );
    assert_eq!(plant.readings().await, 10_000, "whole batches only");
    plant
        .execute(
            "DROP TRIGGER full_disk ON tools.imports; UPDATE tools.imports SET not_before = now()",
        )
        .await;
    plant.work().await;
    let done = plant.get(&import).await;
    assert_eq!(
        (&done["status"], counts(&done), &done["problem"]),
        (&json!("done"), [12_000, 0, 0, 12_000], &Value::Null),
        "{done}"
    );
    assert_eq!(plant.readings().await, 12_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_import_stores_nothing_more() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 100))
        .await;
    assert_eq!(plant.act(&import, "run").await.0, StatusCode::ACCEPTED);
    let (status, cancelled) = plant.act(&import, "cancel").await;
    assert_eq!(
        (status, &cancelled["status"]),
        (StatusCode::OK, &json!("cancelled"))
    );
    plant.work().await;
    assert_eq!(plant.readings().await, 0);
    assert_eq!(plant.act(&import, "run").await.0, StatusCode::CONFLICT);
    // A batch of a worker that lost the import is not stored.
    let import = plant
        .upload("filename=b.csv", lti("2025-06-02T00:00:00", 100))
        .await;
    plant.execute("CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE tools.imports SET status = 'cancelled' WHERE status = 'running'; RETURN NULL; END $$;
                   CREATE TRIGGER lose AFTER INSERT ON tools.loggers FOR EACH STATEMENT EXECUTE FUNCTION lose();").await;
    let _ = plant.run(&import).await;
    assert_eq!(plant.readings().await, 0);
    let loggers: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.loggers")
        .fetch_one(plant.pool())
        .await
        .unwrap();
    assert_eq!(loggers, 0, "the batch is rolled back as a whole");
}

/// A table with an interval of half a kWh for each half hour from `first` on.
fn intervals(first: u32, count: u32) -> Vec<String> {
    let row = |at: u32| {
        let (day, minutes) = (1 + at * 30 / 1440, at * 30 % 1440);
        format!(
            "2025-06-{day:02} {:02}:{:02},1000,0.5\n",
            minutes / 60,
            minutes % 60
        )
    };
    (first..first + count).map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_energy_of_intervals_adds_up_in_any_order_of_rows_and_files() {
    let plant = Plant::new().await;
    let (newest_first, one_day_in_two) = {
        // Each day has 48 intervals; the last one ends at midnight.
        let mut rows = intervals(1, 96);
        let halves = [rows.split_off(72), rows.split_off(48)];
        rows.reverse();
        (rows, halves)
    };
    for (number, rows) in [newest_first].iter().chain(&one_day_in_two).enumerate() {
        let text = format!("timestamp,power_w,interval_kwh\n{}", rows.concat());
        let query = format!("filename={number}.csv&logger_id=WR-9");
        let import = plant.upload(&query, text).await;
        assert_eq!(
            import["preview"]["mapping"]["columns"][2]["field"], "energy_interval",
            "{import}"
        );
        let done = plant.run(&import).await;
        assert_eq!(done["status"], "done", "{done}");
    }
    let days = sqlx::query_as::<_, (String, f64)>(
        "SELECT day::text, daily_register_kwh FROM tools.daily JOIN tools.loggers USING (logger_key)
         WHERE logger_id = 'WR-9' ORDER BY 1",
    );
    let days = days.fetch_all(plant.pool()).await.unwrap();
    assert_eq!(
        days,
        [
            ("2025-06-01".to_owned(), 24.0),
            ("2025-06-02".to_owned(), 24.0)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_corrected_once_and_remembered() {
    let plant = Plant::new().await;
    let text =
        "when;Leistung kW;Ertrag;Sensor\n01.06.2025 12:00;1,5;3;700\n01.06.2025 12:05;1,6;4;710\n";
    let import = plant.upload("filename=a.csv&logger_id=WR-1", text).await;
    let mut mapping = import["preview"]["mapping"].clone();
    assert_eq!(
        mapping["columns"][1],
        json!({"name": "Leistung kW", "field": "power", "unit": "kW"}),
        "{import}"
    );
    assert_eq!(mapping["columns"][3]["field"], "keep");
    mapping["columns"][3]["field"] = json!("irradiance");
    let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
    let (status, revised) = plant
        .send(Method::PATCH, &path, &json!({ "mapping": mapping }))
        .await;
    assert_eq!(status, StatusCode::OK, "{revised}");
    assert_eq!(revised["preview"]["first_rows"][0]["irradiance"], 700.0);
    // The next file of this header is read in the same way, and that of another tenant is not.
    let next = text.replace("01.06", "02.06");
    let import = plant
        .upload("filename=b.csv&logger_id=WR-1", next.clone())
        .await;
    assert_eq!(
        (
            &import["preview"]["mapping_remembered"],
            &import["preview"]["mapping"]["columns"][3]["field"]
        ),
        (&json!(true), &json!("irradiance"))
    );
    sites(plant.pool(), "other", &["roof"]).await;
    let (_, import) = plant
        .upload_as("other", "filename=b.csv&logger_id=WR-1", next)
        .await;
    assert_eq!(
        (&import["preview"]["mapping_remembered"], &import["known"]),
        (&json!(false), &json!(false))
    );
    mapping["columns"][1]["unit"] = json!("kWh");
    let (status, problem) = plant
        .send(Method::PATCH, &path, &json!({ "mapping": mapping }))
        .await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/mapping")),
        "{problem}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_zone_is_noticed_and_can_be_corrected() {
    let plant = Plant::new().await;
    plant
        .execute("UPDATE tools.sites SET latitude = 47, longitude = 8.5")
        .await;
    let mut text = "t,power_w\n".to_owned();
    for hour in 0..48 {
        let sun = (f64::from(hour % 24) - 12.0).abs();
        writeln!(
            text,
            "2025-06-{:02} {:02}:00,{}",
            1 + hour / 24,
            hour % 24,
            (6.0 - sun).max(0.0) * 100.0
        )
        .unwrap();
    }
    let right = plant.upload("filename=a.csv", text.clone()).await;
    let doubts = |import: &Value| {
        import["preview"]["notes"]
            .to_string()
            .contains("is the time zone right?")
    };
    assert!(!doubts(&right), "{right}");
    let wrong = plant
        .upload("filename=a.csv&timezone=America/New_York", text)
        .await;
    assert!(doubts(&wrong), "{wrong}");
    let path = format!("/api/imports/{}", wrong["import_id"].as_str().unwrap());
    let (_, revised) = plant
        .send(
            Method::PATCH,
            &path,
            &json!({ "timezone": "Europe/Zurich" }),
        )
        .await;
    assert!(
        !doubts(&revised) && revised["preview"]["good"] == 48,
        "{revised}"
    );
    let (status, problem) = plant
        .upload_as("acme", "filename=a.csv&timezone=Mars/Olympus", "x")
        .await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/timezone"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_uploads_leave_a_reason_and_nothing_else() {
    let plant = Plant::new().await;
    for (query, file, words) in [
        ("filename=empty.csv", "", "empty"),
        (
            "filename=letter.txt",
            "Dear reader,\nno rows.\n",
            "format is not known",
        ),
        (
            "filename=x.csv",
            "[header]\nserial=1\n[data]\ntimestamp;P_AC\n2025-06-31 12:00:00;1\n",
            "no such date",
        ),
        (
            "filename=x.csv",
            "[header]\nserial=1\n[data]\ntimestamp;P_AC\n2027-06-01 12:00:00;1\n",
            "future",
        ),
        (
            "filename=x.xml",
            "<root><system><md><dp timestamp='2025-06-01 12:00:00'>",
            "cut off",
        ),
        (
            "filename=x.csv&format=goodwe",
            "serial; 5\n; GENERAL.Feed-In_Power\n; W\n01.06.2025 12:00; 5\n",
            "its content is that of meier",
        ),
    ] {
        let import = plant.upload(query, file).await;
        assert_eq!(import["status"], "refused", "{import}");
        assert!(
            import["problem"].as_str().unwrap().contains(words),
            "{words}: {import}"
        );
        let (status, problem) = plant.act(&import, "run").await;
        assert_eq!(status, StatusCode::CONFLICT);
        assert!(
            problem["detail"].as_str().unwrap().contains(words),
            "{problem}"
        );
        let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
        assert_eq!(
            plant.send(Method::DELETE, &path, &Value::Null).await.0,
            StatusCode::NO_CONTENT
        );
    }
    // A body that breaks off.
    let broken = futures::stream::iter([
        Ok(axum::body::Bytes::from_static(b"[header]")),
        Err(std::io::Error::other("gone")),
    ]);
    let (status, _) = plant
        .upload_as("acme", "filename=x.csv", Body::from_stream(broken))
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let left: i64 = sqlx::query_scalar("SELECT (SELECT count(*) FROM tools.imports) + (SELECT count(*) FROM tools.import_chunks) + (SELECT count(*) FROM tools.loggers)")
        .fetch_one(plant.pool())
        .await
        .unwrap();
    assert_eq!(left, 0);
    let (status, _) = plant.upload_as("acme", "filename=", "x").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let (status, problem) = plant.upload_as("nosite", "filename=a.csv", "x").await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/site"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenant_sees_no_import_and_a_reader_stores_none() {
    let plant = Plant::new().await;
    let import = plant
        .upload("filename=a.csv", lti("2025-06-01T00:00:00", 3))
        .await;
    let path = format!("/api/imports/{}", import["import_id"].as_str().unwrap());
    let stranger = plant.app.token("other", &SCOPES);
    let reader = plant.app.token("acme", &["tools:read"]);
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::PATCH, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::POST, format!("{path}/run")),
        (Method::POST, format!("{path}/cancel")),
    ] {
        let (status, _) = plant
            .app
            .send(method.clone(), &path, Some(&stranger), "{}")
            .await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{method} {path}");
        let (status, _) = plant
            .app
            .send(method.clone(), &path, Some(&reader), "{}")
            .await;
        let expected = if method == Method::GET {
            StatusCode::OK
        } else {
            StatusCode::FORBIDDEN
        };
        assert_eq!(status, expected, "{method} {path}");
    }
    let (_, list) = plant
        .app
        .send(Method::GET, "/api/imports", Some(&stranger), "")
        .await;
    assert_eq!(list, json!({ "imports": [] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_whose_devices_were_deleted_is_imported_again() {
    let plant = Plant::new().await;
    let text = lti("2025-06-01T12:00:00", 30);
    let first = plant.upload("filename=LTi.csv", text.clone()).await;
    plant.run(&first).await;
    assert_eq!(plant.readings().await, 30);
    let same = plant.upload("filename=LTi.csv", text.clone()).await;
    assert_eq!(same["import_id"], first["import_id"]);

    let path = "/api/loggers/LT-7?confirm=LT-7";
    let (status, answer) = plant.send(Method::DELETE, path, &Value::Null).await;
    assert!(status.is_success(), "{answer}");
    assert_eq!(plant.readings().await, 0);
    let again = plant.upload("filename=LTi.csv", text).await;
    assert_eq!(
        (&again["known"], &again["status"]),
        (&json!(false), &json!("ready"))
    );
    plant.run(&again).await;
    assert_eq!(plant.readings().await, 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_shows_the_role_that_a_device_has() {
    let plant = Plant::new().await;
    let csv = "time,device,power_w\n2026-05-30 12:00,KLEIN,2400\n2026-05-30 12:05,KLEIN,2400\n2026-05-30 12:00,HOF-METER,900\n2026-05-30 12:05,HOF-METER,900\n";
    let query = "site=roof&filename=export.csv";
    let first = plant.upload(query, csv).await;
    let roles = |import: &Value| -> Vec<(String, String)> {
        let loggers = import["preview"]["loggers"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        loggers
            .iter()
            .map(|one| (text(&one["logger_id"]), text(&one["role"])))
            .collect()
    };
    let pair = |id: &str, role: &str| (id.to_owned(), role.to_owned());
    assert_eq!(
        roles(&first),
        [pair("HOF-METER", "meter"), pair("KLEIN", "inverter")]
    );
    plant.run(&first).await;
    plant
        .execute("UPDATE tools.loggers SET role = 'meter' WHERE logger_id = 'KLEIN'")
        .await;
    let again = plant.upload(query, csv.replace("05-30", "05-31")).await;
    assert_eq!(
        roles(&again),
        [pair("HOF-METER", "meter"), pair("KLEIN", "meter")]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_of_another_site_is_named_in_the_preview() {
    let plant = Plant::new().await;
    let first = plant
        .upload("filename=LTi.csv", lti("2025-06-01T12:00:00", 3))
        .await;
    plant.run(&first).await;
    let barn = json!({ "sites": [{ "id": "barn", "timezone": "Europe/Zurich" }] });
    let (status, answer) = plant.send(Method::POST, "/api/sites", &barn).await;
    assert!(status.is_success(), "{answer}");
    let elsewhere = plant
        .upload("filename=LTi.csv&site=barn", lti("2025-06-02T12:00:00", 3))
        .await;
    let notes = elsewhere["preview"]["notes"].to_string();
    assert!(
        notes.contains("LT-7 is a device of the site roof") && notes.contains("not in barn"),
        "{notes}"
    );
    let here = plant
        .upload("filename=LTi.csv&site=roof", lti("2025-06-02T12:00:00", 3))
        .await;
    let notes = here["preview"]["notes"].to_string();
    assert!(!notes.contains("is a device of"), "{notes}");
}

/// A table whose columns have names of its own.
const OWN_NAMES: &str =
    "Datum;Uhrzeit;Nord;Sonne\n01.05.2026;10:00;100;300\n01.05.2026;11:00;110;310\n";

#[tokio::test(flavor = "multi_thread")]
async fn columns_that_say_nothing_are_corrected_once() {
    let plant = Plant::new().await;
    let refused = plant.upload("filename=own.csv", OWN_NAMES).await;
    assert_eq!(refused["status"], "refused", "{refused}");
    let why = refused["problem"].as_str().unwrap();
    assert!(why.contains("no column is known to hold power"), "{why}");
    let mut mapping = refused["preview"]["mapping"].clone();
    assert_eq!(mapping["columns"][2]["name"], "Nord", "{refused}");
    mapping["columns"][2]["field"] = json!("power");
    mapping["columns"][3]["field"] = json!("irradiance");
    let path = format!("/api/imports/{}", refused["import_id"].as_str().unwrap());
    let body = json!({ "mapping": mapping });
    let (status, corrected) = plant.send(Method::PATCH, &path, &body).await;
    assert_eq!(status, StatusCode::OK, "{corrected}");
    assert_eq!(corrected["status"], "ready", "{corrected}");
    assert_eq!(corrected["preview"]["good"], 2, "{corrected}");
    // The next file of the same columns is read as the person said.
    let next = OWN_NAMES.replace("01.05.", "02.05.");
    let import = plant.upload("filename=next.csv", next).await;
    assert_eq!(import["status"], "ready", "{import}");
    assert_eq!(import["preview"]["mapping_remembered"], true, "{import}");
    assert_eq!(import["preview"]["first_rows"][0]["active_power_w"], 100.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_file_that_comes_again_is_the_same_import() {
    let plant = Plant::new().await;
    let text = "Dear reader,\nno rows.\n";
    let (status, first) = plant.upload_as("acme", "filename=letter.txt", text).await;
    assert_eq!(
        (status, &first["status"]),
        (StatusCode::CREATED, &json!("refused")),
        "{first}"
    );
    let (status, again) = plant.upload_as("acme", "filename=letter.txt", text).await;
    assert_eq!(
        (
            status,
            &again["known"],
            &again["status"],
            &again["import_id"]
        ),
        (
            StatusCode::OK,
            &json!(true),
            &json!("refused"),
            &first["import_id"]
        )
    );
    assert!(
        again["problem"]
            .as_str()
            .unwrap()
            .contains("format is not known"),
        "{again}"
    );
    // Some formats read the name, and others their options.
    for query in ["filename=letter_7.txt", "filename=letter.txt&format=csv"] {
        let (status, other) = plant.upload_as("acme", query, text).await;
        assert_eq!(status, StatusCode::CREATED, "{other}");
    }
}
