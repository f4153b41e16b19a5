//! The stored figures equal those of the readings, however they arrived.

use chrono::{Duration, NaiveDate};
use solar::{LoggerContext, Reading, Series, calibrate, rollup as days_of};
use tools::catalog::{LoggerSettings, SiteSettings};
use tools::rollup;
use tools::store::{daily, loggers};

use crate::fixtures::{self, Row};
use crate::harness::{TENANT, database};

fn series(rows: &[Row]) -> Series {
    rows.iter()
        .map(|row| {
            let metadata: serde_json::Value = row
                .metadata
                .as_deref()
                .map_or(serde_json::Value::Null, |text| {
                    serde_json::from_str(text).unwrap()
                });
            let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
            Reading {
                time: row.time.timestamp(),
                power_w: number(row.power),
                daily_kwh: number(row.daily),
                lifetime_kwh: number(metadata["energyLifetimeKwh"].as_f64()),
                irradiance: number(row.irradiance),
                module_c: number(metadata["temperatureModuleC"].as_f64()),
            }
        })
        .collect()
}

fn rows_of(site: &str) -> (String, Vec<Row>) {
    let ((id, _), rows) = fixtures::rows(site).into_iter().next().unwrap();
    (id, rows)
}

async fn kept(pool: &sqlx::PgPool, id: &str) -> (loggers::Logger, Vec<solar::DayFigures>) {
    let mut conn = pool.acquire().await.unwrap();
    let logger = loggers::find(&mut conn, TENANT, id).await.unwrap().unwrap();
    let days = daily::load(
        &mut conn,
        logger.key,
        NaiveDate::MIN.max("1970-01-01".parse().unwrap()),
        "2200-01-01".parse().unwrap(),
    )
    .await
    .unwrap();
    (logger, days)
}

fn settings(site: &str) -> SiteSettings {
    let zone = fixtures::json("sites.json")[site]["tz"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    SiteSettings::new(site, zone)
}

#[tokio::test]
async fn stored_days_are_those_of_the_whole_series() {
    let database = database().await;
    for site in ["rsf2", "pvops-r27", "sdt-tae", "serf-east-2016"] {
        let (id, rows) = rows_of(site);
        let settings = settings(site);
        let whole = series(&rows);
        let logger = LoggerSettings::new(id.as_str(), "test");
        fixtures::one_logger(database.pool(), TENANT, &settings, &logger, rows).await;
        let (logger, days) = kept(database.pool(), &id).await;
        let context = LoggerContext::new(settings.zone);
        let calibration = calibrate(&whole, &context);
        assert_eq!(logger.calibration, calibration, "{site}");
        assert_eq!(days, days_of(&whole, &calibration, &context), "{site}");
        assert_eq!(
            logger.record_count,
            i64::try_from(whole.len()).unwrap(),
            "{site}"
        );
    }
}

#[tokio::test]
async fn the_order_of_arrival_does_not_matter() {
    let database = database().await;
    let (id, rows) = rows_of("pvops-r27");
    let settings = settings("pvops-r27");
    let whole = series(&rows);
    let logger = LoggerSettings::new(id.as_str(), "test");
    // The last days first, then the first ones, then the middle, in pieces that cut days.
    let third = rows.len() / 3 + 7;
    let mut pieces: Vec<Vec<Row>> = rows.chunks(third).map(<[Row]>::to_vec).collect();
    pieces.rotate_right(1);
    let key = fixtures::one_logger(
        database.pool(),
        TENANT,
        &settings,
        &logger,
        pieces.remove(0),
    )
    .await;
    for piece in pieces {
        fixtures::store(database.pool(), &[(key, piece)]).await;
    }
    let (logger, days) = kept(database.pool(), &id).await;
    let context = LoggerContext::new(settings.zone);
    let calibration = calibrate(&whole, &context);
    let expected = days_of(&whole, &calibration, &context);
    assert_eq!(days.len(), expected.len());
    for (day, expected) in days.iter().zip(&expected) {
        assert_eq!(day, expected);
    }
    assert_eq!(logger.calibration, calibration);
    assert_eq!(logger.record_count, i64::try_from(whole.len()).unwrap());
}

#[tokio::test]
async fn a_reading_within_the_second_of_a_midnight_ends_its_day() {
    let database = database().await;
    let mut settings = SiteSettings::new("roof", chrono_tz::Europe::Berlin);
    settings.position = None;
    let first: chrono::DateTime<chrono::Utc> = "2025-06-01T22:00:00Z".parse().unwrap();
    let mut rows: Vec<Row> = (0..4 * 288)
        .map(|step| Row {
            time: first + Duration::minutes(5 * step),
            power: Some(1000.0),
            ..Row::default()
        })
        .collect();
    // A clock that is a little late writes midnight half a second after it.
    for row in rows.iter_mut().step_by(288) {
        row.time += Duration::milliseconds(500);
    }
    let whole = series(&rows);
    let logger = LoggerSettings::new("A", "test");
    let later = rows.split_off(2 * 288);
    let key = fixtures::one_logger(database.pool(), TENANT, &settings, &logger, rows).await;
    for day in later.chunks(288) {
        fixtures::store(database.pool(), &[(key, day.to_vec())]).await;
    }
    let (logger, days) = kept(database.pool(), "A").await;
    let context = LoggerContext::new(settings.zone);
    assert_eq!(days, days_of(&whole, &logger.calibration, &context));
    assert_eq!(logger.record_count, 4 * 288);
}

#[tokio::test]
async fn a_sensor_that_comes_later_lights_the_days_that_were_there() {
    let database = database().await;
    let pool = database.pool();
    let (_, rows) = rows_of("rsf2");
    let settings = settings("rsf2");
    let dark: Vec<Row> = rows
        .iter()
        .map(|row| Row {
            irradiance: None,
            ..row.clone()
        })
        .collect();
    let light: Vec<Row> = rows
        .iter()
        .map(|row| Row {
            power: None,
            daily: None,
            ..row.clone()
        })
        .collect();
    fixtures::one_logger(
        pool,
        TENANT,
        &settings,
        &LoggerSettings::new("INV", "test"),
        dark,
    )
    .await;
    assert!(!kept(pool, "INV").await.0.calibration.has_irradiance);
    let mut sensor = LoggerSettings::new("WEATHER", "test");
    sensor.role = tools::store::LoggerRole::Weather;
    sensor.irradiance_basis = solar::IrradianceBasis::Poa;
    fixtures::one_logger(pool, TENANT, &settings, &sensor, light).await;
    let (logger, days) = kept(pool, "INV").await;
    assert_eq!(logger.irradiance_basis, solar::IrradianceBasis::Poa);
    let whole = series(&rows);
    let context = LoggerContext::new(settings.zone);
    let calibration = calibrate(&whole, &context);
    assert_eq!(logger.calibration.stc_power_kw, calibration.stc_power_kw);
    let expected = days_of(&whole, &calibration, &context);
    let pairs = |days: &[solar::DayFigures]| {
        days.iter()
            .map(|day| day.sun.pairs.records)
            .collect::<Vec<u32>>()
    };
    assert_eq!(pairs(&days), pairs(&expected));
}

#[tokio::test]
async fn a_changed_zone_is_a_rebuild_away() {
    let database = database().await;
    let (id, rows) = rows_of("rsf2");
    let mut settings = settings("rsf2");
    let whole = series(&rows);
    let logger = LoggerSettings::new(id.as_str(), "test");
    settings.zone = chrono_tz::Asia::Tokyo;
    let key = fixtures::one_logger(database.pool(), TENANT, &settings, &logger, rows).await;
    settings.zone = chrono_tz::America::Denver;
    let mut conn = database.pool().acquire().await.unwrap();
    tools::catalog::put_site(&mut conn, TENANT, &settings)
        .await
        .unwrap();
    rollup::rebuild(&mut conn, key).await.unwrap();
    let context = LoggerContext::new(settings.zone);
    let expected = days_of(&whole, &calibrate(&whole, &context), &context);
    assert_eq!(kept(database.pool(), &id).await.1, expected);
}

#[tokio::test]
async fn live_readings_cost_no_calibration_until_the_day_is_over() {
    let database = database().await;
    let (id, rows) = rows_of("rsf2");
    let settings = settings("rsf2");
    let logger = LoggerSettings::new(id.as_str(), "test");
    let newest = rows.last().unwrap().clone();
    let key = fixtures::one_logger(database.pool(), TENANT, &settings, &logger, rows).await;
    let before = kept(database.pool(), &id).await.0.calibration;
    // Still the same local day: it ends with the reading at midnight.
    let next = Row {
        time: newest.time + Duration::minutes(15),
        ..newest.clone()
    };
    fixtures::store(database.pool(), &[(key, vec![next])]).await;
    assert_eq!(kept(database.pool(), &id).await.0.calibration, before);
    let tomorrow = Row {
        time: newest.time + Duration::minutes(30),
        ..newest
    };
    fixtures::store(database.pool(), &[(key, vec![tomorrow])]).await;
    assert_eq!(
        kept(database.pool(), &id).await.0.calibration.records,
        before.records + 2
    );
}

#[tokio::test]
async fn days_of_older_rules_are_computed_anew_once() {
    let database = database().await;
    let pool = database.pool();
    let (id, rows) = rows_of("rsf2");
    let logger = LoggerSettings::new(id.as_str(), "test");
    fixtures::one_logger(pool, TENANT, &settings("rsf2"), &logger, rows).await;
    let (_, right) = kept(pool, &id).await;
    assert_eq!(rollup::upgrade(pool).await.unwrap(), 0);
    sqlx::raw_sql(
        "UPDATE tools.daily SET power_kwh = power_kwh + 1;
         UPDATE tools.loggers SET calibration = calibration - 'rules';",
    )
    .execute(pool)
    .await
    .unwrap();
    assert_ne!(kept(pool, &id).await.1, right);
    assert_eq!(rollup::upgrade(pool).await.unwrap(), 1);
    assert_eq!(kept(pool, &id).await.1, right);
    assert_eq!(rollup::upgrade(pool).await.unwrap(), 0);
}
