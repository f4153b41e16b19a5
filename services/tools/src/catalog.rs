//! Making and finding sites and loggers: what ingestion, demo data and administration call.

use chrono_tz::Tz;
use solar::{IrradianceBasis, Label, Position};
use sqlx::PgConnection;

use crate::store::LoggerRole;
use crate::store::loggers::Co2Factor;

/// What can be said of a site. [`SiteSettings::new`] knows its id and zone only.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteSettings {
    /// Its id within the tenant, 1 to 64 characters.
    pub site_id: String,
    /// The display name.
    pub name: String,
    /// The zone that decides what a day is.
    pub zone: Tz,
    /// The position.
    pub position: Option<Position>,
    /// Height above the sea, m.
    pub altitude_m: Option<f64>,
    /// Slope of the array, degrees.
    pub tilt_deg: Option<f64>,
    /// Direction of the array, degrees from north.
    pub azimuth_deg: Option<f64>,
    /// Money per kWh; the service's default when absent.
    pub tariff_per_kwh: Option<f64>,
    /// ISO 4217 code.
    pub currency: String,
    /// Its emission factor; the service's default when absent.
    pub co2_factor: Option<Co2Factor>,
}

impl SiteSettings {
    /// A site of which only id and zone are known.
    pub fn new(site_id: impl Into<String>, zone: Tz) -> Self {
        let site_id = site_id.into();
        Self {
            name: site_id.clone(),
            site_id,
            zone,
            position: None,
            altitude_m: None,
            tilt_deg: None,
            azimuth_deg: None,
            tariff_per_kwh: None,
            currency: "USD".to_owned(),
            co2_factor: None,
        }
    }
}

/// What can be said of a logger. [`LoggerSettings::new`] knows its id and type only.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggerSettings {
    /// Its id within the tenant, 1 to 64 characters.
    pub logger_id: String,
    /// Its brand or format, 1 to 20 characters.
    pub logger_type: String,
    /// The role of the logger.
    pub role: LoggerRole,
    /// DC nameplate at standard test conditions, kW.
    pub capacity_kw: Option<f64>,
    /// Relative change of power per kelvin; negative.
    pub temperature_coefficient: Option<f64>,
    /// What its time stamps mean.
    pub label: Label,
    /// What its own irradiance is measured on.
    pub irradiance_basis: IrradianceBasis,
    /// The key of the sensor that serves it; the site's sensors when absent.
    pub irradiance_logger_key: Option<i32>,
}

impl LoggerSettings {
    /// An inverter of which only id and type are known.
    pub fn new(logger_id: impl Into<String>, logger_type: impl Into<String>) -> Self {
        Self {
            logger_id: logger_id.into(),
            logger_type: logger_type.into(),
            role: LoggerRole::Inverter,
            capacity_kw: None,
            temperature_coefficient: None,
            label: Label::Right,
            irradiance_basis: IrradianceBasis::Unknown,
            irradiance_logger_key: None,
        }
    }
}

/// A site, as far as ingestion needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteEntry {
    /// The key in the database.
    pub key: i32,
    /// Its id within the tenant.
    pub site_id: String,
    /// The time zone.
    pub zone: Tz,
}

/// A logger that was found or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggerEntry {
    /// The key in the database.
    pub key: i32,
    /// Whether it was made now.
    pub created: bool,
}

/// The tenant's sites, by id.
pub async fn sites(conn: &mut PgConnection, tenant: &str) -> Result<Vec<SiteEntry>, sqlx::Error> {
    let rows = sqlx::query_file!("queries/catalog_sites.sql", tenant,)
        .fetch_all(conn)
        .await?;
    rows.into_iter()
        .map(|row| {
            Ok(SiteEntry {
                key: row.site_key,
                site_id: row.site_id,
                zone: row
                    .timezone
                    .parse()
                    .map_err(|error: chrono_tz::ParseError| sqlx::Error::Decode(error.into()))?,
            })
        })
        .collect()
}

/// Creates or updates a site; returns its key. After a change of the zone of a site
/// with readings, call [`crate::rollup::rebuild`] for its loggers.
pub async fn put_site(
    conn: &mut PgConnection,
    tenant: &str,
    site: &SiteSettings,
) -> Result<i32, sqlx::Error> {
    let co2 = site.co2_factor.as_ref();
    sqlx::query_file_scalar!(
        "queries/catalog_put_site.sql",
        tenant,
        site.site_id,
        site.name,
        site.zone.name(),
        site.position.map(|position| position.latitude),
        site.position.map(|position| position.longitude),
        site.altitude_m,
        site.tilt_deg,
        site.azimuth_deg,
        site.tariff_per_kwh,
        site.currency,
        co2.map(|factor| factor.kg_per_kwh),
        co2.map(|factor| factor.name.as_str()),
        co2.map(|factor| factor.year),
    )
    .fetch_one(conn)
    .await
}

/// Creates or updates a logger of a site; returns its key. After a change of a logger
/// with readings, call [`crate::rollup::rebuild`].
pub async fn put_logger(
    conn: &mut PgConnection,
    tenant: &str,
    site_key: i32,
    logger: &LoggerSettings,
) -> Result<i32, sqlx::Error> {
    sqlx::query_file_scalar!(
        "queries/catalog_put_logger.sql",
        tenant,
        site_key,
        logger.logger_id,
        logger.logger_type,
        logger.role.as_str(),
        logger.capacity_kw,
        logger.temperature_coefficient,
        logger.label.as_str(),
        logger.irradiance_basis.as_str(),
        logger.irradiance_logger_key,
    )
    .fetch_one(conn)
    .await
}

/// The tenant's logger of that id, made as an inverter of the site when there is none. One that
/// exists stays as it is, whatever its site and type.
pub async fn find_or_create_logger(
    conn: &mut PgConnection,
    tenant: &str,
    site_key: i32,
    logger_id: &str,
    logger_type: Option<&str>,
) -> Result<LoggerEntry, sqlx::Error> {
    let inserted = sqlx::query_scalar!(
        "INSERT INTO tools.loggers AS l (tenant, site_key, logger_id, logger_type)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, logger_id) DO NOTHING
         RETURNING l.logger_key",
        tenant,
        site_key,
        logger_id,
        logger_type.unwrap_or("unknown"),
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(key) = inserted {
        return Ok(LoggerEntry { key, created: true });
    }
    let key = sqlx::query_file_scalar!("queries/catalog_find_logger.sql", tenant, logger_id,)
        .fetch_one(conn)
        .await?;
    Ok(LoggerEntry {
        key,
        created: false,
    })
}

/// Creates the partitions that readings between the two instants need. Call it outside the
/// transaction that stores them: tables created in it would block other transactions until it ends.
pub async fn ensure_partitions(
    conn: &mut PgConnection,
    from: chrono::DateTime<chrono::Utc>,
    to: chrono::DateTime<chrono::Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT tools.ensure_partitions($1, $2)", from, to,)
        .execute(conn)
        .await?;
    Ok(())
}
