//! The measured sites of `crates/solar/fixtures`, in a database.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use flate2::read::GzDecoder;
use serde_json::Value;
use solar::{IrradianceBasis, Position};
use sqlx::PgPool;
use tools::catalog::{self, LoggerSettings, SiteSettings};
use tools::rollup::{self, Touched};
use tools::store::LoggerRole;

/// A reading to store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    pub(crate) time: DateTime<Utc>,
    pub(crate) power: Option<f64>,
    pub(crate) daily: Option<f64>,
    pub(crate) irradiance: Option<f64>,
    pub(crate) metadata: Option<String>,
}

/// A file of the fixtures.
pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../crates/solar/fixtures")
        .join(name)
}

/// A JSON file of the fixtures.
pub(crate) fn json(name: &str) -> Value {
    serde_json::from_reader(File::open(path(name)).unwrap()).unwrap()
}

/// The rows of a site by logger.
pub(crate) fn rows(site: &str) -> BTreeMap<(String, String), Vec<Row>> {
    let mut text = String::new();
    GzDecoder::new(File::open(path(&format!("{site}.csv.gz"))).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let mut loggers: BTreeMap<(String, String), Vec<Row>> = BTreeMap::new();
    for record in csv::Reader::from_reader(text.as_bytes()).records() {
        let record = record.unwrap();
        let number = |at: usize| record[at].parse::<f64>().ok();
        loggers
            .entry((record[1].to_owned(), record[2].to_owned()))
            .or_default()
            .push(Row {
                time: record[0].parse().unwrap(),
                power: number(3),
                daily: number(4),
                irradiance: number(5),
                metadata: Some(record[6].to_owned()).filter(|metadata| !metadata.is_empty()),
            });
    }
    loggers
}

/// Loads a measured site for a tenant.
pub(crate) async fn load(pool: &PgPool, tenant: &str, site: &str) {
    let about = &json("sites.json")[site];
    let mut settings = SiteSettings::new(site, about["tz"].as_str().unwrap().parse().unwrap());
    settings.position =
        about["lat"]
            .as_f64()
            .zip(about["lon"].as_f64())
            .map(|(latitude, longitude)| Position {
                latitude,
                longitude,
            });
    let mut conn = pool.acquire().await.unwrap();
    let site_key = catalog::put_site(&mut conn, tenant, &settings)
        .await
        .unwrap();
    let basis = match about["irradiance"].as_str().unwrap_or_default() {
        text if text.starts_with("plane") => IrradianceBasis::Poa,
        text if text.starts_with("global") => IrradianceBasis::Ghi,
        _ => IrradianceBasis::Unknown,
    };
    let mut stored = Vec::new();
    for ((logger_id, logger_type), rows) in rows(site) {
        let mut logger = LoggerSettings::new(logger_id.as_str(), logger_type);
        logger.capacity_kw = about["capacity_kw"][&logger_id].as_f64();
        logger.irradiance_basis = basis;
        if logger_id.ends_with("METER") {
            logger.role = LoggerRole::Meter;
        }
        let key = catalog::put_logger(&mut conn, tenant, site_key, &logger)
            .await
            .unwrap();
        stored.push((key, rows));
    }
    drop(conn);
    store(pool, &stored).await;
}

/// A site with one logger in it; returns the logger's key.
pub(crate) async fn one_logger(
    pool: &PgPool,
    tenant: &str,
    settings: &SiteSettings,
    logger: &LoggerSettings,
    rows: Vec<Row>,
) -> i32 {
    let mut conn = pool.acquire().await.unwrap();
    let site_key = catalog::put_site(&mut conn, tenant, settings)
        .await
        .unwrap();
    let key = catalog::put_logger(&mut conn, tenant, site_key, logger)
        .await
        .unwrap();
    drop(conn);
    store(pool, &[(key, rows)]).await;
    key
}

/// Stores readings and updates the figures, as ingestion does.
pub(crate) async fn store(pool: &PgPool, loggers: &[(i32, Vec<Row>)]) {
    let times = || {
        loggers
            .iter()
            .flat_map(|(_, rows)| rows.iter().map(|row| row.time))
    };
    let (Some(first), Some(last)) = (times().min(), times().max()) else {
        return;
    };
    catalog::ensure_partitions(&mut pool.acquire().await.unwrap(), first, last)
        .await
        .unwrap();
    let mut tx = pool.begin().await.unwrap();
    let mut copy = tx
        .copy_in_raw(
            "COPY tools.measurements (logger_key, \"timestamp\", active_power_watts, energy_daily_kwh, irradiance, metadata)
             FROM STDIN WITH (FORMAT csv)",
        )
        .await
        .unwrap();
    copy.send(csv_of(loggers)).await.unwrap();
    copy.finish().await.unwrap();
    let touched: Vec<Touched> = loggers
        .iter()
        .filter_map(|(key, rows)| {
            let times = || rows.iter().map(|row| row.time);
            Some(Touched {
                logger_key: *key,
                from: times().min()?,
                to: times().max()?,
            })
        })
        .collect();
    let keys: Vec<i32> = touched.iter().map(|touched| touched.logger_key).collect();
    rollup::refresh_many(&mut tx, &touched).await.unwrap();
    rollup::settle(&mut tx, &keys).await.unwrap();
    tx.commit().await.unwrap();
}

fn csv_of(loggers: &[(i32, Vec<Row>)]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let text = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for (key, rows) in loggers {
        for row in rows {
            writer
                .write_record([
                    key.to_string(),
                    row.time.to_rfc3339(),
                    text(row.power),
                    text(row.daily),
                    text(row.irradiance),
                    row.metadata.clone().unwrap_or_default(),
                ])
                .unwrap();
        }
    }
    writer.into_inner().unwrap()
}
