//! As much plausible data as one likes: for benchmarks, and to see what the service carries.
//!
//! Each site has one weather station; the other loggers are inverters without irradiance of their
//! own. They have nameplates, brands, inverter limits, registers, faults with error codes, hours
//! without communication and lost readings, all from one seed: the same options give the same rows.

use std::fmt;
use std::time::{Duration, Instant};

use chrono::{Days, NaiveDate};
use futures::{StreamExt, TryStreamExt, stream};
use sqlx::{Connection as _, PgConnection, PgPool};

use super::LAST_DAY;
use super::fleet::{Fleet, Generator, Rows, SitePlan};
use crate::catalog::{self, LoggerSettings, SiteSettings};
use crate::ingest::session::Session;
use crate::rollup::{self, Touched};
use crate::store::{LoggerRole, loggers};

/// Loggers, and later sites, that are stored at the same time.
const CONNECTIONS: usize = 2;
/// Number of bytes that are sent to the server at once.
const SEND_BYTES: usize = 256 * 1024;

/// What to generate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeOptions {
    /// The tenant of the data, which must have none yet.
    pub tenant: String,
    /// Sites; each has a zone of its own.
    pub sites: usize,
    /// Loggers over all sites, a weather station per site included.
    pub loggers: usize,
    /// Days, up to and including the last one of the demo data.
    pub days: u32,
    /// Minutes from reading to reading; a divisor of 60.
    pub step_minutes: u32,
    /// Other seeds give other weather, other faults.
    pub seed: u64,
}

/// The progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LargeProgress {
    /// Rows stored.
    Stored {
        /// Number of rows stored so far.
        rows: u64,
        /// Expected number of rows.
        expected: u64,
    },
    /// Daily figures are computed.
    RollingUp {
        /// Sites done.
        sites: usize,
        /// Number of sites in all.
        of: usize,
    },
}

/// The generated data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargeReport {
    /// Rows stored.
    pub rows: u64,
    /// Time spent on rows.
    pub storing: Duration,
    /// Time spent on daily figures.
    pub rolling_up: Duration,
}

/// Why nothing, or not all, was generated.
#[derive(Debug, thiserror::Error)]
pub enum LargeError {
    /// The options cannot be met.
    #[error("{0}")]
    Options(String),
    /// The tenant has readings; generated ones would mix with them.
    #[error("the tenant {0:?} has readings already")]
    TenantNotEmpty(String),
    /// The database refused or is away.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

impl fmt::Display for LargeProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored { rows, expected } => write!(f, "{rows} of about {expected} rows stored"),
            Self::RollingUp { sites, of } => {
                write!(f, "daily figures of {sites} of {of} sites computed")
            }
        }
    }
}

impl Default for LargeOptions {
    /// A hundred loggers, a year, every five minutes: some ten million rows.
    fn default() -> Self {
        Self {
            tenant: "large".to_owned(),
            sites: 5,
            loggers: 100,
            days: 365,
            step_minutes: 5,
            seed: 1,
        }
    }
}

/// Generates and stores; reports to `progress`.
pub async fn generate_large(
    pool: &PgPool,
    options: &LargeOptions,
    mut progress: impl FnMut(LargeProgress) + Send,
) -> Result<LargeReport, LargeError> {
    let plans = options.plan()?;
    let started = Instant::now();
    let sites = make_sites(pool, options, &plans).await?;
    let rows = store_rows(pool, options, &sites, &mut progress).await?;
    let storing = started.elapsed();
    roll_up(pool, &sites, &mut progress).await?;
    Ok(LargeReport {
        rows,
        storing,
        rolling_up: started.elapsed().saturating_sub(storing),
    })
}

impl LargeOptions {
    fn plan(&self) -> Result<Vec<SitePlan>, LargeError> {
        let refuse = |reason: &str| Err(LargeError::Options(reason.to_owned()));
        if self.sites == 0 || self.loggers < 2 * self.sites {
            return refuse(
                "each site needs a weather station and an inverter: at least two loggers per site",
            );
        }
        if self.days == 0 || self.step_minutes == 0 || 60 % self.step_minutes != 0 {
            return refuse("days must be more than 0, and step_minutes a divisor of 60");
        }
        if self
            .first_day()
            .is_none_or(|day| day < NaiveDate::default())
        {
            return refuse("the days must not reach back beyond 1970");
        }
        Ok(Fleet {
            seed: self.seed,
            sites: self.sites,
            loggers: self.loggers,
        }
        .plan())
    }

    fn first_day(&self) -> Option<NaiveDate> {
        LAST_DAY.checked_sub_days(Days::new(u64::from(self.days.saturating_sub(1))))
    }

    fn expected_rows(&self) -> u64 {
        self.loggers as u64 * u64::from(self.days) * u64::from(24 * 60 / self.step_minutes)
    }
}

/// A site that was made, with what generates its loggers' rows.
struct MadeSite {
    generator: Generator,
    /// The keys of its loggers, in the order of the plan.
    keys: Vec<i32>,
}

async fn make_sites(
    pool: &PgPool,
    options: &LargeOptions,
    plans: &[SitePlan],
) -> Result<Vec<MadeSite>, LargeError> {
    let first_day = options.first_day().unwrap_or_default();
    let mut session = Session::open(pool).await?;
    let sites = {
        let mut tx = session.begin().await?;
        let present = loggers::list(&mut tx, &options.tenant, None).await?;
        if present.iter().any(|logger| logger.first_at.is_some()) {
            return Err(LargeError::TenantNotEmpty(options.tenant.clone()));
        }
        let mut sites = Vec::with_capacity(plans.len());
        for plan in plans {
            let site = SiteSettings {
                name: plan.name.clone(),
                position: Some(plan.position()),
                tilt_deg: Some(plan.place.tilt_deg),
                azimuth_deg: Some(plan.place.azimuth_deg),
                ..SiteSettings::new(plan.id.clone(), plan.zone)
            };
            let site_key = catalog::put_site(&mut tx, &options.tenant, &site).await?;
            let mut keys = Vec::with_capacity(plan.loggers.len());
            for logger in &plan.loggers {
                let settings = LoggerSettings {
                    role: logger.role,
                    capacity_kw: (logger.role == LoggerRole::Inverter)
                        .then_some(logger.capacity_kw),
                    irradiance_basis: solar::IrradianceBasis::Poa,
                    irradiance_logger_key: keys.first().copied(),
                    ..LoggerSettings::new(logger.id.clone(), logger.logger_type)
                };
                keys.push(
                    catalog::put_logger(&mut tx, &options.tenant, site_key, &settings).await?,
                );
            }
            let generator = Generator::new(
                plan.clone(),
                first_day,
                options.days,
                options.step_minutes,
                options.seed,
            );
            sites.push(MadeSite { generator, keys });
        }
        tx.commit().await?;
        sites
    };
    for site in &sites {
        let (from, to) = site.generator.span();
        catalog::ensure_partitions(&mut session, from, to).await?;
    }
    session.finish();
    Ok(sites)
}

async fn store_rows(
    pool: &PgPool,
    options: &LargeOptions,
    sites: &[MadeSite],
    progress: &mut (impl FnMut(LargeProgress) + Send),
) -> Result<u64, LargeError> {
    let expected = options.expected_rows();
    let loggers = sites.iter().flat_map(|site| {
        site.keys
            .iter()
            .enumerate()
            .map(move |(at, key)| site.generator.rows(at, *key))
    });
    let mut stored = stream::iter(loggers)
        .map(|rows| store_logger(pool, rows))
        .buffer_unordered(CONNECTIONS);
    let mut total = 0;
    while let Some(rows) = stored.try_next().await? {
        total += rows;
        progress(LargeProgress::Stored {
            rows: total,
            expected,
        });
    }
    Ok(total)
}

async fn store_logger(pool: &PgPool, mut rows: Rows<'_>) -> Result<u64, sqlx::Error> {
    let mut session = Session::open(pool).await?;
    let stored = {
        let mut tx = session.begin().await?;
        take_time(&mut tx).await?;
        let mut copy = tx
            .copy_in_raw(include_str!("../../queries/generate_copy.sql"))
            .await?;
        while let Some(bytes) = rows.next_bytes(SEND_BYTES) {
            copy.send(bytes).await?;
        }
        let stored = copy.finish().await?;
        tx.commit().await?;
        stored
    };
    session.finish();
    Ok(stored)
}

async fn roll_up(
    pool: &PgPool,
    sites: &[MadeSite],
    progress: &mut (impl FnMut(LargeProgress) + Send),
) -> Result<(), LargeError> {
    analyze(pool).await?;
    let mut rolled = stream::iter(sites)
        .map(|site| roll_up_site(pool, site))
        .buffer_unordered(CONNECTIONS);
    let mut done = 0;
    while rolled.try_next().await?.is_some() {
        done += 1;
        progress(LargeProgress::RollingUp {
            sites: done,
            of: sites.len(),
        });
    }
    analyze(pool).await?;
    Ok(())
}

async fn roll_up_site(pool: &PgPool, site: &MadeSite) -> Result<(), sqlx::Error> {
    let (from, to) = site.generator.span();
    let touched: Vec<Touched> = site
        .keys
        .iter()
        .map(|key| Touched {
            logger_key: *key,
            from,
            to,
        })
        .collect();
    let mut session = Session::open(pool).await?;
    {
        let mut tx = session.begin().await?;
        take_time(&mut tx).await?;
        rollup::refresh_many(&mut tx, &touched).await?;
        tx.commit().await?;
    }
    session.finish();
    Ok(())
}

/// These transactions may take long, and data that a crash loses is generated again.
async fn take_time(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("SET LOCAL statement_timeout = 0")
        .execute(&mut *conn)
        .await?;
    sqlx::query!("SET LOCAL synchronous_commit = off")
        .execute(conn)
        .await
        .map(drop)
}

/// The planner learns of ten million rows at once rather than when the server finds the time.
async fn analyze(pool: &PgPool) -> Result<(), sqlx::Error> {
    sqlx::query!("ANALYZE tools.measurements, tools.daily, tools.loggers",)
        .execute(pool)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut LargeOptions)) -> String {
        let mut options = LargeOptions::default();
        change(&mut options);
        options.plan().unwrap_err().to_string()
    }

    #[test]
    fn options_that_can_not_be_met_are_refused() {
        assert!(refusal(|options| options.loggers = 9).contains("two loggers"));
        assert!(refusal(|options| options.step_minutes = 7).contains("divisor"));
        assert!(refusal(|options| options.days = 40_000).contains("1970"));
        assert_eq!(LargeOptions::default().expected_rows(), 10_512_000);
    }
}
