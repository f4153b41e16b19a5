//! The runs of error codes that ingestion keeps say what the readings say, however those arrived.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;
use tools::catalog::{self, LoggerSettings, SiteSettings};
use tools::ingest::{self, Format, IngestOptions, Reading};
use tools::rollup;

use crate::harness::{App, TENANT, database};

/// Loggers and their types: numbers of a GoodWe are masks.
const LOGGERS: [(&str, &str); 2] = [("GW", "goodwe"), ("LTI", "lti")];

/// Metadata that devices write: with codes, without, and in another form.
const METADATA: [&str; 12] = [
    r#"{"errorCode": "F01"}"#,
    r#"{"errorCode": "F01"}"#,
    r#"{"errorCode": "F01", "Evt1": 129}"#,
    r#"{"errorcode": ["F01", "F77", 0]}"#,
    r#"{"faultCode": 262656, "St": 7}"#,
    r#"{"errorCode": " 0 ", "St": 4, "temperatureModuleC": 31}"#,
    r#"{"errorCode": null, "Evt1": 0}"#,
    r#"{"Alarm": 0.0}"#,
    r#"{"temperatureModuleC": 31}"#,
    r#"{"ST": 5, "st": 8}"#,
    "",
    r#"{"fehler": "F01", "alarm": {"nested": 1}}"#,
];

/// Numbers that look arbitrary and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn reading(logger: &str, at: DateTime<Utc>, metadata: &str) -> Reading {
    Reading {
        at,
        logger_id: logger.to_owned(),
        logger_type: None,
        active_power_watts: Some(1000.0),
        energy_daily_kwh: None,
        irradiance: None,
        metadata: (!metadata.is_empty()).then(|| metadata.to_owned()),
    }
}

/// Eleven days around the end of summer time: codes that stay, that change with every reading, long
/// pauses, several rows within a second, and midnights.
fn readings(numbers: &mut Numbers) -> Vec<Reading> {
    let start: DateTime<Utc> = "2025-10-20T22:00:00Z".parse().unwrap();
    let mut all = Vec::new();
    for (logger, _) in LOGGERS {
        let mut at = start;
        let mut kind = 0;
        while at < start + TimeDelta::days(11) {
            if numbers.below(4) == 0 {
                kind = usize::try_from(numbers.below(METADATA.len() as u64)).unwrap();
            }
            all.push(reading(logger, at, METADATA[kind]));
            at += match numbers.below(60) {
                0 => TimeDelta::minutes(31),
                1 => TimeDelta::minutes(30),
                2 => TimeDelta::hours(7),
                3 => TimeDelta::milliseconds(300),
                _ => TimeDelta::minutes(5),
            };
        }
        for day in 0..11 {
            // Local midnight, and just after it.
            let midnight = start + TimeDelta::days(day);
            all.push(reading(logger, midnight, METADATA[0]));
            let after = midnight + TimeDelta::milliseconds(500);
            all.push(reading(logger, after, METADATA[2]));
        }
    }
    all
}

async fn site(pool: &PgPool) {
    let mut conn = pool.acquire().await.unwrap();
    let site = SiteSettings::new("roof", chrono_tz::Europe::Berlin);
    let site = catalog::put_site(&mut conn, TENANT, &site).await.unwrap();
    for (id, kind) in LOGGERS {
        let logger = LoggerSettings::new(id, kind);
        catalog::put_logger(&mut conn, TENANT, site, &logger)
            .await
            .unwrap();
    }
}

async fn store(pool: &PgPool, readings: Vec<Reading>) {
    let options = IngestOptions::new(Format::JsonLines);
    let report = ingest::ingest_readings(pool, TENANT, &options, readings.into_iter())
        .await
        .unwrap();
    assert_eq!(report.refused, 0, "{report:?}");
}

/// Answers of the tools about codes, for days, ranges and several devices.
async fn answers(app: &App) -> Vec<Value> {
    let mut answers = Vec::new();
    let one_day = json!({ "start_date": "2025-10-26", "end_date": "2025-10-26" });
    let some_days = json!({ "start_date": "2025-10-24", "end_date": "2025-10-27" });
    for window in [
        json!({ "days": 30 }),
        json!({ "days": 1 }),
        one_day,
        some_days,
    ] {
        let subjects = [
            json!({ "logger_id": "GW" }),
            json!({ "logger_id": "LTI" }),
            json!({ "site_id": "roof" }),
        ];
        for subject in subjects {
            let mut arguments = window.clone();
            let members = subject.as_object().unwrap().clone();
            arguments.as_object_mut().unwrap().extend(members);
            answers.push(app.call("diagnose_error_codes", arguments.clone()).await);
            answers.push(app.call("analyze_inverter_health", arguments).await);
        }
    }
    answers
}

/// Has the tools look through the readings, or not.
async fn keep(pool: &PgPool, kept: bool) {
    sqlx::query("UPDATE tools.loggers SET codes_kept = $1")
        .bind(kept)
        .execute(pool)
        .await
        .unwrap();
}

/// Asserts that the answers from what is kept are those from the readings; returns them.
async fn assert_same(app: &App, stage: &str) -> Vec<Value> {
    let from_runs = answers(app).await;
    keep(&app.pool, false).await;
    let from_readings = answers(app).await;
    keep(&app.pool, true).await;
    for (kept, read) in from_runs.iter().zip(&from_readings) {
        assert_eq!(kept, read, "{stage}");
    }
    from_runs
}

async fn runs(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT to_jsonb(c)::text FROM tools.code_runs c ORDER BY logger_key, first_at",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

#[tokio::test]
async fn late_corrected_and_repeated_readings_change_the_runs_as_they_change_the_answers() {
    let database = database().await;
    let app = App::over(database.url());
    site(&app.pool).await;
    let mut numbers = Numbers(7);
    let all = readings(&mut numbers);
    // Every third reading comes late, in pieces that cut days.
    let (late, prompt): (Vec<_>, Vec<_>) = all.into_iter().partition(|_| numbers.below(3) == 0);
    store(&app.pool, prompt.clone()).await;
    let first = assert_same(&app, "the first readings").await;
    for piece in late.chunks(late.len() / 3 + 1) {
        store(&app.pool, piece.to_vec()).await;
        assert_same(&app, "late readings").await;
    }
    // Some are corrected: codes come, go and change.
    let mut corrected = Vec::new();
    for (at, reading) in prompt.iter().enumerate() {
        if at % 7 == 0 {
            let kind = usize::try_from(numbers.below(METADATA.len() as u64)).unwrap();
            let metadata = METADATA[kind];
            let metadata = (!metadata.is_empty()).then(|| metadata.to_owned());
            corrected.push(Reading {
                metadata,
                ..reading.clone()
            });
        }
    }
    store(&app.pool, corrected).await;
    let last = assert_same(&app, "corrected readings").await;
    assert_ne!(first, last);
    let before = runs(&app.pool).await;
    store(&app.pool, prompt[..200].to_vec()).await;
    store(&app.pool, prompt[..200].to_vec()).await;
    assert_same(&app, "a repeated upload").await;

    // Runs are fewer than the readings in them.
    let (count, readings): (i64, i64) =
        sqlx::query_as("SELECT count(*), sum(readings) FROM tools.code_runs")
            .fetch_one(&app.pool)
            .await
            .unwrap();
    assert!(count > 100 && 2 * count < readings, "{count} {readings}");
    assert!(!before.is_empty());
}

#[tokio::test]
async fn readings_of_before_are_gathered_once_and_questions_do_not_wait_for_it() {
    let database = database().await;
    let app = App::over(database.url());
    let pool = &app.pool;
    site(pool).await;
    store(pool, readings(&mut Numbers(11))).await;
    let (kept, answered) = (runs(pool).await, answers(&app).await);

    // As an earlier version left it.
    sqlx::query("TRUNCATE tools.code_runs")
        .execute(pool)
        .await
        .unwrap();
    keep(pool, false).await;
    assert_eq!(answers(&app).await, answered);
    // Readings that arrive before the runs are computed are among them afterwards.
    let late = reading("LTI", "2025-10-25T10:01:00Z".parse().unwrap(), METADATA[0]);
    store(pool, vec![late.clone()]).await;
    assert!(runs(pool).await.is_empty());

    let mut busy = pool.begin().await.unwrap();
    sqlx::query("SELECT FROM tools.loggers WHERE logger_id = 'GW' FOR UPDATE")
        .execute(&mut *busy)
        .await
        .unwrap();
    let completed = rollup::complete_codes(pool).await.unwrap();
    assert_eq!((completed.loggers, completed.more), (1, true));
    busy.rollback().await.unwrap();
    let completed = rollup::complete_codes(pool).await.unwrap();
    assert_eq!((completed.loggers, completed.more), (1, false));
    let completed = rollup::complete_codes(pool).await.unwrap();
    assert_eq!((completed.loggers, completed.more), (0, false));
    assert_same(&app, "gathered").await;
    assert_ne!(runs(pool).await, kept, "the late reading is among them");
    let again = runs(pool).await;
    store(pool, vec![late]).await;
    assert_eq!(runs(pool).await, again);
}

#[tokio::test]
async fn runs_follow_the_zone_of_their_site_and_go_with_their_logger() {
    let database = database().await;
    let app = App::over(database.url());
    let pool = &app.pool;
    site(pool).await;
    store(pool, readings(&mut Numbers(13))).await;
    let before = runs(pool).await;
    let mut tx = pool.begin().await.unwrap();
    let moved = SiteSettings::new("roof", chrono_tz::Asia::Kolkata);
    catalog::put_site(&mut tx, TENANT, &moved).await.unwrap();
    let keys: Vec<i32> = sqlx::query_scalar("SELECT logger_key FROM tools.loggers")
        .fetch_all(&mut *tx)
        .await
        .unwrap();
    for key in keys {
        rollup::rebuild(&mut tx, key).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_ne!(runs(pool).await, before);
    assert_same(&app, "another zone").await;

    sqlx::query("DELETE FROM tools.loggers")
        .execute(pool)
        .await
        .unwrap();
    assert!(runs(pool).await.is_empty());
}
