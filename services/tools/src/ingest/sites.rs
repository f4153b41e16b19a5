//! Sites and loggers from a file: how people set up their own plants. `deploy/config/sites.toml` is
//! a commented example.
//!
//! Applying a file creates missing entries and updates existing ones, by id; it removes
//! nothing. What the file leaves out of a site or logger that it names goes back to its default.
//! Where a change (a zone, a capacity, a sensor) changes how days come out, the daily figures are
//! computed again.

use std::collections::{HashMap, HashSet};

use chrono_tz::Tz;
use contracts::names;
use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde::Deserialize;
use solar::{IrradianceBasis, Label, LoggerContext, Position};
use sqlx::{Connection as _, PgConnection, PgPool};

use super::options::zone;
use super::reading::{check_logger_id, check_logger_type, check_site_id};
use super::session::{Session, allow_ten_minutes};
use crate::catalog::{self, LoggerSettings, SiteSettings};
use crate::rollup;
use crate::store::LoggerRole;
use crate::store::loggers::{self, Co2Factor};

/// A file of sites.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SitesFile {
    /// The sites.
    pub sites: Vec<SiteConfig>,
}

/// One site.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteConfig {
    /// Its id within the tenant.
    pub id: String,
    /// Its name; the id when absent.
    pub name: Option<String>,
    /// IANA zone: it decides what a day is.
    pub timezone: String,
    /// Degrees north.
    pub latitude: Option<f64>,
    /// Degrees east.
    pub longitude: Option<f64>,
    /// Height above the sea, m.
    pub altitude_m: Option<f64>,
    /// Slope of the array, degrees.
    pub tilt_deg: Option<f64>,
    /// Direction of the array, degrees from north over east.
    pub azimuth_deg: Option<f64>,
    /// Money per kWh; the service's default when absent.
    pub tariff_per_kwh: Option<f64>,
    /// ISO 4217 code; USD when absent.
    pub currency: Option<String>,
    /// Carbon dioxide per kWh; the service's default when absent.
    pub co2_factor: Option<Co2Config>,
    /// The loggers of the site.
    #[serde(default)]
    pub loggers: Vec<LoggerConfig>,
}

/// An emission factor.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Co2Config {
    /// kg CO2 per kWh.
    pub kg_per_kwh: f64,
    /// The display name.
    pub name: String,
    /// Of which year.
    pub year: i32,
}

/// One logger.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggerConfig {
    /// Its id within the tenant, as its readings name it.
    pub id: String,
    /// Its brand or format; it decides which table of error codes is read.
    #[serde(rename = "type")]
    pub logger_type: Option<String>,
    /// `inverter`, `meter` or `weather`; inverter when absent.
    pub role: Option<String>,
    /// DC nameplate at standard test conditions, kW.
    pub capacity_kw: Option<f64>,
    /// Relative change of power per kelvin of module temperature, negative.
    pub temperature_coefficient: Option<f64>,
    /// `right` (a value is the mean of the step that its stamp ends) or `instantaneous`; right when
    /// absent.
    pub label: Option<String>,
    /// What its own irradiance is measured on: `poa`, `ghi` or `unknown`.
    pub irradiance_basis: Option<String>,
    /// The logger whose irradiance serves this one; the site's sensors when absent.
    pub sensor: Option<String>,
}

/// Why a file was not applied.
#[derive(Debug, thiserror::Error)]
pub enum SitesError {
    /// It cannot be read.
    #[error("the file of sites cannot be read: {0}")]
    Parse(String),
    /// A value in it cannot be.
    #[error("{place}: {reason}")]
    Invalid {
        /// Which site or logger.
        place: String,
        /// The fault.
        reason: String,
    },
    /// The database refused or is away.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// What applying a file did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Applied {
    /// Sites created or updated.
    pub sites: usize,
    /// Loggers created or updated.
    pub loggers: usize,
    /// Loggers whose daily figures were computed again.
    pub recomputed: usize,
}

/// Reads a file of sites: TOML, or JSON of the same shape.
pub fn parse(text: &str) -> Result<SitesFile, SitesError> {
    // Some editors put a byte order mark first.
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(SitesError::Parse(
            "it is empty; describe a site with [[sites]]".to_owned(),
        ));
    }
    let file: SitesFile = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| SitesError::Parse(error.to_string()))?
    } else {
        Figment::from(Toml::string(text))
            .extract()
            .map_err(|error| SitesError::Parse(error.to_string()))?
    };
    let (mut sites, mut loggers) = (HashSet::new(), HashSet::new());
    for site in &file.sites {
        site.settings()?;
        if !sites.insert(&site.id) {
            return Err(site.invalid("the file describes this site twice"));
        }
        for logger in &site.loggers {
            logger.settings()?;
            if !loggers.insert(&logger.id) {
                return Err(logger.invalid("the file describes this logger twice"));
            }
        }
    }
    Ok(file)
}

/// Creates or updates the sites and loggers that a text in TOML or JSON describes,
/// all or none.
pub async fn apply(pool: &PgPool, tenant: &str, text: &str) -> Result<Applied, SitesError> {
    let file = parse(text)?;
    let mut session = Session::open(pool).await?;
    let applied = {
        let mut tx = session.begin().await?;
        // Computing the days of a large site again takes longer than a question may.
        allow_ten_minutes(&mut tx).await?;
        let applied = apply_all(&mut tx, tenant, &file).await?;
        tx.commit().await?;
        applied
    };
    session.finish();
    Ok(applied)
}

async fn apply_all(
    conn: &mut PgConnection,
    tenant: &str,
    file: &SitesFile,
) -> Result<Applied, SitesError> {
    let before = figures_context(conn, tenant).await?;
    let mut applied = Applied::default();
    for site in &file.sites {
        let site_key = catalog::put_site(conn, tenant, &site.settings()?).await?;
        applied.sites += 1;
        // Sensors first: the others name them.
        let (own, served): (Vec<_>, Vec<_>) = site
            .loggers
            .iter()
            .partition(|logger| logger.sensor.is_none());
        for logger in own.into_iter().chain(served) {
            let mut settings = logger.settings()?;
            settings.irradiance_logger_key = sensor_key(conn, tenant, logger).await?;
            catalog::put_logger(conn, tenant, site_key, &settings).await?;
            applied.loggers += 1;
        }
    }
    for (key, context) in figures_context(conn, tenant).await? {
        if before.get(&key).is_some_and(|old| *old != context) {
            rollup::rebuild(conn, key).await?;
            applied.recomputed += 1;
        }
    }
    Ok(applied)
}

/// Of each logger with readings, what its daily figures depend on.
async fn figures_context(
    conn: &mut PgConnection,
    tenant: &str,
) -> Result<HashMap<i32, (LoggerContext, Vec<i32>)>, sqlx::Error> {
    let loggers = loggers::list(conn, tenant, None).await?;
    let with_readings = loggers
        .into_iter()
        .filter(|logger| logger.first_at.is_some());
    Ok(with_readings
        .map(|logger| (logger.key, (logger.context(), logger.sensor_keys)))
        .collect())
}

async fn sensor_key(
    conn: &mut PgConnection,
    tenant: &str,
    logger: &LoggerConfig,
) -> Result<Option<i32>, SitesError> {
    let Some(sensor) = &logger.sensor else {
        return Ok(None);
    };
    match loggers::find(conn, tenant, sensor).await? {
        Some(found) if found.logger_id != logger.id => Ok(Some(found.key)),
        Some(_) => Err(logger.invalid("a logger cannot be its own sensor")),
        None => Err(logger.invalid(format!("there is no logger {sensor:?} to be its sensor"))),
    }
}

impl SiteConfig {
    fn settings(&self) -> Result<SiteSettings, SitesError> {
        check_site_id(&self.id).map_err(|reason| self.invalid(reason))?;
        let zone: Tz = zone(&self.timezone).map_err(|reason| self.invalid(reason))?;
        let range = |name, value, low, high| {
            in_range(name, value, low, high).map_err(|reason| self.invalid(reason))
        };
        range("latitude", self.latitude, -90.0, 90.0)?;
        range("longitude", self.longitude, -180.0, 180.0)?;
        range("altitude_m", self.altitude_m, -500.0, 9000.0)?;
        range("tilt_deg", self.tilt_deg, 0.0, 90.0)?;
        range("azimuth_deg", self.azimuth_deg, 0.0, 360.0)?;
        range("tariff_per_kwh", self.tariff_per_kwh, 0.0, 1e6)?;
        range(
            "co2_factor.kg_per_kwh",
            self.co2_factor.as_ref().map(|factor| factor.kg_per_kwh),
            0.0,
            10.0,
        )?;
        let position = match (self.latitude, self.longitude) {
            (Some(latitude), Some(longitude)) => Some(Position {
                latitude,
                longitude,
            }),
            (None, None) => None,
            _ => return Err(self.invalid("latitude and longitude go together")),
        };
        let currency = self.currency.as_deref().unwrap_or("USD");
        if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(self.invalid(format!("{currency:?} is no ISO 4217 code such as EUR")));
        }
        let name = names::checked(self.name.as_deref().unwrap_or_default())
            .map_err(|fault| self.invalid(format!("its name {fault}")))?;
        Ok(SiteSettings {
            name: if name.is_empty() {
                self.id.clone()
            } else {
                name
            },
            position,
            altitude_m: self.altitude_m,
            tilt_deg: self.tilt_deg,
            azimuth_deg: self.azimuth_deg,
            tariff_per_kwh: self.tariff_per_kwh,
            currency: currency.to_owned(),
            co2_factor: self.co2_factor.as_ref().map(|factor| Co2Factor {
                kg_per_kwh: factor.kg_per_kwh,
                name: factor.name.clone(),
                year: factor.year,
            }),
            ..SiteSettings::new(self.id.clone(), zone)
        })
    }

    fn invalid(&self, reason: impl Into<String>) -> SitesError {
        SitesError::Invalid {
            place: format!("site {:?}", self.id),
            reason: reason.into(),
        }
    }
}

impl LoggerConfig {
    fn settings(&self) -> Result<LoggerSettings, SitesError> {
        let logger_type = self.logger_type.as_deref().unwrap_or("unknown");
        check_logger_id(&self.id).map_err(|reason| self.invalid(reason))?;
        check_logger_type(logger_type).map_err(|reason| self.invalid(reason))?;
        in_range("capacity_kw", self.capacity_kw, 1e-3, 1e7)
            .map_err(|reason| self.invalid(reason))?;
        in_range(
            "temperature_coefficient",
            self.temperature_coefficient,
            -0.02,
            0.0,
        )
        .map_err(|reason| self.invalid(reason))?;
        let role = match self.role.as_deref() {
            None | Some("inverter") => LoggerRole::Inverter,
            Some("meter") => LoggerRole::Meter,
            Some("weather") => LoggerRole::Weather,
            Some(other) => {
                return Err(self.invalid(format!("{other:?} is no role: inverter, meter, weather")));
            }
        };
        Ok(LoggerSettings {
            role,
            capacity_kw: self.capacity_kw,
            temperature_coefficient: self.temperature_coefficient,
            label: self.word("label", self.label.as_deref(), Label::Right, Label::parse)?,
            irradiance_basis: self.word(
                "irradiance basis",
                self.irradiance_basis.as_deref(),
                IrradianceBasis::Unknown,
                IrradianceBasis::parse,
            )?,
            ..LoggerSettings::new(self.id.clone(), logger_type)
        })
    }

    fn word<T>(
        &self,
        what: &str,
        text: Option<&str>,
        default: T,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SitesError> {
        match text {
            None => Ok(default),
            Some(text) => parse(text).ok_or_else(|| self.invalid(format!("{text:?} is no {what}"))),
        }
    }

    fn invalid(&self, reason: impl Into<String>) -> SitesError {
        SitesError::Invalid {
            place: format!("logger {:?}", self.id),
            reason: reason.into(),
        }
    }
}

fn in_range(name: &str, value: Option<f64>, low: f64, high: f64) -> Result<(), String> {
    match value {
        Some(value) if !(low..=high).contains(&value) => {
            Err(format!("{name} is {value}, not between {low} and {high}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_example_is_a_good_file() {
        let text = include_str!("../../../../deploy/config/sites.toml");
        let file = parse(text).unwrap();
        assert_eq!(file.sites.len(), 2);
        assert_eq!(file.sites[0].loggers[1].sensor.as_deref(), Some("ROOF-WX"));
    }

    #[test]
    fn json_of_the_same_shape_is_read() {
        let file =
            parse(r#"{"sites":[{"id":"a","timezone":"UTC","loggers":[{"id":"I","type":"lti"}]}]}"#)
                .unwrap();
        assert_eq!(file.sites[0].loggers[0].logger_type.as_deref(), Some("lti"));
    }

    #[test]
    fn marks_and_line_ends_of_other_systems_do_not_matter() {
        let file = parse("\u{feff}[[sites]]\r\nid = \"a\"\r\ntimezone = \"UTC\"\r\n").unwrap();
        assert_eq!(file.sites[0].id, "a");
        let empty = parse("\u{feff}\r\n").unwrap_err();
        assert!(empty.to_string().contains("empty"), "{empty}");
    }

    #[test]
    fn what_is_described_twice_is_refused() {
        let site = "[[sites]]\nid = 'a'\ntimezone = 'UTC'\n";
        let logger = "[[sites.loggers]]\nid = 'I'\n";
        let twice = parse(&format!("{site}{site}")).unwrap_err();
        assert!(twice.to_string().contains("site twice"), "{twice}");
        let twice = parse(&format!("{site}{logger}{logger}")).unwrap_err();
        assert!(twice.to_string().contains("logger twice"), "{twice}");
    }

    #[test]
    fn values_that_can_not_be_are_refused_with_their_place() {
        for (text, place) in [
            ("id = 'a'\ntimezone = 'Mars'", "site \"a\""),
            (
                "id = 'a'\ntimezone = 'UTC'\nlatitude = 91.0\nlongitude = 0.0",
                "latitude",
            ),
            ("id = 'a'\ntimezone = 'UTC'\nlatitude = 1.0", "go together"),
            ("id = 'a'\ntimezone = 'UTC'\ncurrency = 'Euro'", "ISO 4217"),
            ("id = 'a'\ntimezone = 'UTC'\nzone = 'UTC'", "zone"),
            (
                "id = 'a'\ntimezone = 'UTC'\n[[sites.loggers]]\nid = 'I'\ncapacity_kw = -1.0",
                "logger \"I\"",
            ),
            (
                "id = 'a'\ntimezone = 'UTC'\n[[sites.loggers]]\nid = 'I'\nrole = 'boss'",
                "no role",
            ),
            (
                "id = 'a'\ntimezone = 'UTC'\n[[sites.loggers]]\nid = 'I'\nlabel = 'left'",
                "no label",
            ),
        ] {
            let error = parse(&format!("[[sites]]\n{text}\n"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(place), "{error}");
        }
    }
}
