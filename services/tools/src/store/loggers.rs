//! Loggers with their sites: what is configured, and what the roll-up keeps about them.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use solar::{
    Calibration, Capacity, CapacityBasis, IrradianceBasis, Label, LoggerContext, Position,
    context::DEFAULT_GAMMA_PER_K, series::epoch,
};
use sqlx::PgConnection;
use sqlx::types::Json;

/// A place with one clock, one tariff and one sky.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// Its id within the tenant.
    pub site_id: String,
    /// The display name.
    pub name: String,
    /// The zone that decides what a day is.
    pub zone: Tz,
    /// The location, if it is known.
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
    /// The display name.
    pub name: String,
    /// Of which year.
    pub year: i32,
}

/// The role of a logger.
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
    /// The role of the logger.
    pub role: LoggerRole,
    /// The position.
    pub site: Site,
    /// DC nameplate, when stated, kW.
    pub capacity_kw: Option<f64>,
    /// Relative change of power per kelvin, when stated.
    pub temperature_coefficient: Option<f64>,
    /// What its time stamps mean.
    pub label: Label,
    /// What its irradiance is measured on: its own, or its sensor's when it has none.
    pub irradiance_basis: IrradianceBasis,
    /// The sensors that are in for irradiance of its own, the assigned one or some of the site's;
    /// empty when it has its own.
    pub sensor_keys: Vec<i32>,
    /// Its first reading.
    pub first_at: Option<DateTime<Utc>>,
    /// Its newest reading: its "now".
    pub last_at: Option<DateTime<Utc>>,
    /// Number of readings.
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
    /// The context for the arithmetic.
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

    /// Whether it sends energies and no power.
    pub fn counts_alone(&self) -> bool {
        self.latest_power.is_none() && self.calibration.counts_alone()
    }

    /// Its newest reading in seconds since 1970: the "now" of every question about it.
    pub fn anchor(&self) -> Option<i64> {
        self.last_at.map(epoch)
    }
}

/// Which of these loggers count in a total: all but the meters of sites whose inverters are among
/// them, as a meter measures what they deliver.
pub(crate) fn counted(loggers: &[&Logger]) -> Vec<bool> {
    let with_inverters: BTreeSet<&str> = loggers
        .iter()
        .filter(|logger| logger.role == LoggerRole::Inverter)
        .map(|logger| logger.site.site_id.as_str())
        .collect();
    loggers
        .iter()
        .map(|logger| match logger.role {
            LoggerRole::Inverter => true,
            LoggerRole::Meter => !with_inverters.contains(logger.site.site_id.as_str()),
            LoggerRole::Weather => false,
        })
        .collect()
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
    let rows = sqlx::query_file_as!(
        LoggerRow,
        "queries/find_loggers.sql",
        tenant,
        logger_ids as _,
    )
    .fetch_all(conn)
    .await?;
    loggers(rows)
}

/// The tenant's loggers with their sensors, by id: those of these ids, those of one site, or all.
pub async fn details(
    conn: &mut PgConnection,
    tenant: &str,
    logger_ids: Option<&[String]>,
    site_id: Option<&str>,
) -> Result<Vec<Logger>, sqlx::Error> {
    let rows = sqlx::query_file_as!(
        LoggerRow,
        "queries/loggers_of.sql",
        tenant,
        logger_ids,
        site_id,
    )
    .fetch_all(conn)
    .await?;
    loggers(rows)
}

/// When these sites of the tenant last sent anything, in seconds since 1970.
pub async fn newest_of_sites(
    conn: &mut PgConnection,
    tenant: &str,
    site_ids: &[&str],
) -> Result<HashMap<String, i64>, sqlx::Error> {
    let rows = sqlx::query_file!("queries/site_newest.sql", tenant, site_ids as _,)
        .fetch_all(conn)
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.site_id, epoch(row.newest)))
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
    let rows = sqlx::query_file!("queries/site_peers.sql", tenant, site_ids as _,)
        .fetch_all(conn)
        .await?;
    Ok(by_site(rows.into_iter().map(|row| {
        let companion = Companion {
            key: row.logger_key,
            calibration: row.calibration.0,
            capacity_kw: row.capacity_kw,
        };
        (row.site_id, companion)
    })))
}

/// The loggers of these sites that say whether the sun shone, by site.
pub async fn witnesses(
    conn: &mut PgConnection,
    tenant: &str,
    site_ids: &[&str],
) -> Result<HashMap<String, Vec<Companion>>, sqlx::Error> {
    let rows = sqlx::query_file!("queries/site_witnesses.sql", tenant, site_ids as _,)
        .fetch_all(conn)
        .await?;
    Ok(by_site(rows.into_iter().map(|row| {
        let companion = Companion {
            key: row.logger_key,
            calibration: row.calibration.0,
            capacity_kw: None,
        };
        (row.site_id, companion)
    })))
}

fn by_site(
    companions: impl IntoIterator<Item = (String, Companion)>,
) -> HashMap<String, Vec<Companion>> {
    let mut sites: HashMap<String, Vec<Companion>> = HashMap::new();
    for (site, companion) in companions {
        sites.entry(site).or_default().push(companion);
    }
    sites
}

/// All loggers of the tenant, or those of one site, by id.
pub async fn list(
    conn: &mut PgConnection,
    tenant: &str,
    site_id: Option<&str>,
) -> Result<Vec<Logger>, sqlx::Error> {
    let rows = sqlx::query_file_as!(LoggerRow, "queries/list_loggers.sql", tenant, site_id,)
        .fetch_all(conn)
        .await?;
    loggers(rows)
}

/// The ids of the tenant's loggers.
pub async fn ids(conn: &mut PgConnection, tenant: &str) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_file_scalar!("queries/logger_ids.sql", tenant,)
        .fetch_all(conn)
        .await
}

/// A row of the view `logger_details`.
pub(crate) struct LoggerRow {
    pub(crate) logger_key: i32,
    pub(crate) logger_id: String,
    pub(crate) logger_type: String,
    pub(crate) role: String,
    pub(crate) capacity_kw: Option<f64>,
    pub(crate) temperature_coefficient: Option<f64>,
    pub(crate) sample_label: String,
    pub(crate) irradiance_basis: String,
    pub(crate) sensor_keys: Vec<i32>,
    pub(crate) first_at: Option<DateTime<Utc>>,
    pub(crate) last_at: Option<DateTime<Utc>>,
    pub(crate) record_count: i64,
    pub(crate) latest_power_at: Option<DateTime<Utc>>,
    pub(crate) latest_power_watts: Option<f64>,
    pub(crate) latest_irradiance_at: Option<DateTime<Utc>>,
    pub(crate) latest_irradiance: Option<f64>,
    pub(crate) calibration: Option<Json<Calibration>>,
    pub(crate) hourly_shape: Option<Vec<f64>>,
    pub(crate) site_id: String,
    pub(crate) site_name: String,
    pub(crate) timezone: String,
    pub(crate) latitude: Option<f64>,
    pub(crate) longitude: Option<f64>,
    pub(crate) tariff_per_kwh: Option<f64>,
    pub(crate) currency: String,
    pub(crate) co2_kg_per_kwh: Option<f64>,
    pub(crate) co2_factor_name: Option<String>,
    pub(crate) co2_factor_year: Option<i32>,
}

fn loggers(rows: Vec<LoggerRow>) -> Result<Vec<Logger>, sqlx::Error> {
    rows.into_iter().map(Logger::try_from).collect()
}

impl TryFrom<LoggerRow> for Logger {
    type Error = sqlx::Error;

    fn try_from(row: LoggerRow) -> Result<Self, sqlx::Error> {
        let position = row.latitude.zip(row.longitude);
        let factor = row.co2_kg_per_kwh.zip(row.co2_factor_name);
        Ok(Self {
            key: row.logger_key,
            logger_id: row.logger_id,
            logger_type: row.logger_type,
            role: word("role", &row.role, role)?,
            site: Site {
                site_id: row.site_id,
                name: row.site_name,
                zone: word("timezone", &row.timezone, |name| name.parse().ok())?,
                position: position.map(|(latitude, longitude)| Position {
                    latitude,
                    longitude,
                }),
                tariff_per_kwh: row.tariff_per_kwh,
                currency: row.currency,
                co2_factor: factor
                    .zip(row.co2_factor_year)
                    .map(|((kg_per_kwh, name), year)| Co2Factor {
                        kg_per_kwh,
                        name,
                        year,
                    }),
            },
            capacity_kw: row.capacity_kw,
            temperature_coefficient: row.temperature_coefficient,
            label: word("sample_label", &row.sample_label, Label::parse)?,
            irradiance_basis: word(
                "irradiance_basis",
                &row.irradiance_basis,
                IrradianceBasis::parse,
            )?,
            sensor_keys: row.sensor_keys,
            first_at: row.first_at,
            last_at: row.last_at,
            record_count: row.record_count,
            latest_power: row.latest_power_at.map(epoch).zip(row.latest_power_watts),
            latest_irradiance: row
                .latest_irradiance_at
                .map(epoch)
                .zip(row.latest_irradiance),
            calibration: row.calibration.map(|json| json.0).unwrap_or_default(),
            hourly_shape: row.hourly_shape.unwrap_or_default(),
        })
    }
}

fn role(word: &str) -> Option<LoggerRole> {
    match word {
        "inverter" => Some(LoggerRole::Inverter),
        "meter" => Some(LoggerRole::Meter),
        "weather" => Some(LoggerRole::Weather),
        _ => None,
    }
}

/// A column whose text is one of a few words.
fn word<T>(column: &str, text: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, sqlx::Error> {
    parse(text).ok_or_else(|| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: format!("{text:?} is not a known value").into(),
    })
}
