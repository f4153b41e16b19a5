//! Loggers with their sites: what is configured, and what the roll-up keeps about them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use solar::{
    Calibration, Capacity, CapacityBasis, IrradianceBasis, Label, LoggerContext, Position,
    context::DEFAULT_GAMMA_PER_K, series::epoch,
};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, PgConnection, Row};

/// A place with one clock, one tariff and one sky.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// Its id within the tenant.
    pub site_id: String,
    /// Its name.
    pub name: String,
    /// The zone that decides what a day is.
    pub zone: Tz,
    /// Where it is, when known.
    pub position: Option<Position>,
    /// Money per kWh, when configured.
    pub tariff_per_kwh: Option<f64>,
    /// ISO 4217 code.
    pub currency: String,
    /// Its own emission factor, when configured.
    pub co2_factor: Option<Co2Factor>,
}

/// Carbon dioxide per energy, as configured for a site.
#[derive(Debug, Clone, PartialEq)]
pub struct Co2Factor {
    /// kg CO2 per kWh.
    pub kg_per_kwh: f64,
    /// What it stands for.
    pub name: String,
    /// Of which year.
    pub year: i32,
}

/// What a logger does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoggerRole {
    /// Delivers energy.
    Inverter,
    /// Measures what inverters deliver.
    Meter,
    /// Measures the weather.
    Weather,
}

impl LoggerRole {
    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inverter => "inverter",
            Self::Meter => "meter",
            Self::Weather => "weather",
        }
    }
}

/// A logger, its site, and its long-run figures.
#[derive(Debug, Clone)]
pub struct Logger {
    /// The key that its rows carry.
    pub key: i32,
    /// Its id within the tenant.
    pub logger_id: String,
    /// Its brand or format.
    pub logger_type: String,
    /// What it does.
    pub role: LoggerRole,
    /// Where it stands.
    pub site: Site,
    /// DC nameplate, when stated, kW.
    pub capacity_kw: Option<f64>,
    /// Relative change of power per kelvin, when stated.
    pub temperature_coefficient: Option<f64>,
    /// What its time stamps mean.
    pub label: Label,
    /// What its irradiance is measured on: its own, or its sensor's when it has none.
    pub irradiance_basis: IrradianceBasis,
    /// The sensors that stand in for irradiance of its own, the assigned one or some of the site's; empty when it has its own.
    pub sensor_keys: Vec<i32>,
    /// Its first reading.
    pub first_at: Option<DateTime<Utc>>,
    /// Its newest reading: its "now".
    pub last_at: Option<DateTime<Utc>>,
    /// How many readings.
    pub record_count: i64,
    /// Its newest valid power: seconds since 1970, and W.
    pub latest_power: Option<(i64, f64)>,
    /// Its newest irradiance of its own: seconds since 1970, and W/m2.
    pub latest_irradiance: Option<(i64, f64)>,
    /// Its long-run figures.
    pub calibration: Calibration,
    /// How a day's energy spreads over the local hours; empty when unknown.
    pub hourly_shape: Vec<f64>,
}

impl Logger {
    /// What the arithmetic needs to know.
    pub fn context(&self) -> LoggerContext {
        LoggerContext {
            zone: self.site.zone,
            label: self.label,
            capacity: self.capacity_kw.map(|kw| Capacity {
                kw,
                basis: CapacityBasis::Configured,
            }),
            irradiance_basis: self.irradiance_basis,
            gamma_per_k: self.temperature_coefficient.unwrap_or(DEFAULT_GAMMA_PER_K),
            position: self.site.position,
        }
    }

    /// Its newest reading in seconds since 1970: the "now" of every question about it.
    pub fn anchor(&self) -> Option<i64> {
        self.last_at.map(epoch)
    }
}

/// The tenant's logger of that id.
pub async fn find(
    conn: &mut PgConnection,
    tenant: &str,
    logger_id: &str,
) -> Result<Option<Logger>, sqlx::Error> {
    let ids = [logger_id];
    Ok(find_many(conn, tenant, &ids).await?.pop())
}

/// The tenant's loggers of those ids, in no particular order; unknown ids are left out.
pub async fn find_many(
    conn: &mut PgConnection,
    tenant: &str,
    logger_ids: &[&str],
) -> Result<Vec<Logger>, sqlx::Error> {
    sqlx::query_as(include_str!("../../queries/find_loggers.sql"))
        .bind(tenant)
        .bind(logger_ids)
        .fetch_all(conn)
        .await
}

/// The tenant's loggers with their sensors, by id: those of these ids, those of one site, or all.
pub async fn details(
    conn: &mut PgConnection,
    tenant: &str,
    logger_ids: Option<&[String]>,
    site_id: Option<&str>,
) -> Result<Vec<Logger>, sqlx::Error> {
    sqlx::query_as(include_str!("../../queries/loggers_of.sql"))
        .bind(tenant)
        .bind(logger_ids)
        .bind(site_id)
        .fetch_all(conn)
        .await
}

/// When these sites of the tenant last sent anything, in seconds since 1970.
pub async fn newest_of_sites(
    conn: &mut PgConnection,
    tenant: &str,
    site_ids: &[&str],
) -> Result<HashMap<String, i64>, sqlx::Error> {
    let rows: Vec<(String, DateTime<Utc>)> =
        sqlx::query_as(include_str!("../../queries/site_newest.sql"))
            .bind(tenant)
            .bind(site_ids)
            .fetch_all(conn)
            .await?;
    Ok(rows
        .into_iter()
        .map(|(site_id, newest)| (site_id, epoch(newest)))
        .collect())
}

/// A logger beside another one of its site.
pub struct Companion {
    /// The key that its rows carry.
    pub key: i32,
    /// Its long-run figures.
    pub calibration: Calibration,
    /// Its stated DC nameplate, kW.
    pub capacity_kw: Option<f64>,
}

/// The inverters of these sites that others are judged by, by site.
pub async fn peers(
    conn: &mut PgConnection,
    tenant: &str,
    site_ids: &[&str],
) -> Result<HashMap<String, Vec<Companion>>, sqlx::Error> {
    let rows: Vec<(String, i32, Json<Calibration>, Option<f64>)> =
        sqlx::query_as(include_str!("../../queries/site_peers.sql"))
            .bind(tenant)
            .bind(site_ids)
            .fetch_all(conn)
            .await?;
    Ok(by_site(rows))
}

/// The loggers of these sites that tell whether the sun shone, by site.
pub async fn witnesses(
    conn: &mut PgConnection,
    tenant: &str,
    site_ids: &[&str],
) -> Result<HashMap<String, Vec<Companion>>, sqlx::Error> {
    let rows: Vec<(String, i32, Json<Calibration>)> =
        sqlx::query_as(include_str!("../../queries/site_witnesses.sql"))
            .bind(tenant)
            .bind(site_ids)
            .fetch_all(conn)
            .await?;
    let rows = rows.into_iter();
    Ok(by_site(rows.map(|(site, key, calibration)| {
        (site, key, calibration, None)
    })))
}

fn by_site(
    rows: impl IntoIterator<Item = (String, i32, Json<Calibration>, Option<f64>)>,
) -> HashMap<String, Vec<Companion>> {
    let mut sites: HashMap<String, Vec<Companion>> = HashMap::new();
    for (site, key, calibration, capacity_kw) in rows {
        sites.entry(site).or_default().push(Companion {
            key,
            calibration: calibration.0,
            capacity_kw,
        });
    }
    sites
}

/// All loggers of the tenant, or those of one site, by id.
pub async fn list(
    conn: &mut PgConnection,
    tenant: &str,
    site_id: Option<&str>,
) -> Result<Vec<Logger>, sqlx::Error> {
    sqlx::query_as(include_str!("../../queries/list_loggers.sql"))
        .bind(tenant)
        .bind(site_id)
        .fetch_all(conn)
        .await
}

/// The ids of the tenant's loggers.
pub async fn ids(conn: &mut PgConnection, tenant: &str) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(include_str!("../../queries/logger_ids.sql"))
        .bind(tenant)
        .fetch_all(conn)
        .await
}

impl FromRow<'_, PgRow> for Logger {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let calibration: Option<Json<Calibration>> = row.try_get("calibration")?;
        Ok(Self {
            key: row.try_get("logger_key")?,
            logger_id: row.try_get("logger_id")?,
            logger_type: row.try_get("logger_type")?,
            role: role(row)?,
            site: Site::from_row(row)?,
            capacity_kw: row.try_get("capacity_kw")?,
            temperature_coefficient: row.try_get("temperature_coefficient")?,
            label: word(row, "sample_label", Label::parse)?,
            irradiance_basis: word(row, "irradiance_basis", IrradianceBasis::parse)?,
            sensor_keys: row.try_get("sensor_keys")?,
            first_at: row.try_get("first_at")?,
            last_at: row.try_get("last_at")?,
            record_count: row.try_get("record_count")?,
            latest_power: latest(row, "latest_power_at", "latest_power_watts")?,
            latest_irradiance: latest(row, "latest_irradiance_at", "latest_irradiance")?,
            calibration: calibration.map(|json| json.0).unwrap_or_default(),
            hourly_shape: row
                .try_get::<Option<_>, _>("hourly_shape")?
                .unwrap_or_default(),
        })
    }
}

impl FromRow<'_, PgRow> for Site {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let latitude: Option<f64> = row.try_get("latitude")?;
        let longitude: Option<f64> = row.try_get("longitude")?;
        let kg_per_kwh: Option<f64> = row.try_get("co2_kg_per_kwh")?;
        let name: Option<String> = row.try_get("co2_factor_name")?;
        let year: Option<i32> = row.try_get("co2_factor_year")?;
        Ok(Self {
            site_id: row.try_get("site_id")?,
            name: row.try_get("site_name")?,
            zone: word(row, "timezone", |name| name.parse().ok())?,
            position: latitude
                .zip(longitude)
                .map(|(latitude, longitude)| Position {
                    latitude,
                    longitude,
                }),
            tariff_per_kwh: row.try_get("tariff_per_kwh")?,
            currency: row.try_get("currency")?,
            co2_factor: kg_per_kwh
                .zip(name)
                .zip(year)
                .map(|((kg_per_kwh, name), year)| Co2Factor {
                    kg_per_kwh,
                    name,
                    year,
                }),
        })
    }
}

fn role(row: &PgRow) -> Result<LoggerRole, sqlx::Error> {
    word(row, "role", |word| match word {
        "inverter" => Some(LoggerRole::Inverter),
        "meter" => Some(LoggerRole::Meter),
        "weather" => Some(LoggerRole::Weather),
        _ => None,
    })
}

fn latest(row: &PgRow, at: &str, value: &str) -> Result<Option<(i64, f64)>, sqlx::Error> {
    let at: Option<DateTime<Utc>> = row.try_get(at)?;
    let value: Option<f64> = row.try_get(value)?;
    Ok(at.map(epoch).zip(value))
}

/// A column whose text is one of a few words.
fn word<T>(row: &PgRow, column: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, sqlx::Error> {
    let text: &str = row.try_get(column)?;
    parse(text).ok_or_else(|| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: format!("{text:?} is not a known value").into(),
    })
}
