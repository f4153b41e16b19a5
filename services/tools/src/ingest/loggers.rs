//! The loggers of one upload: those that the tenant has, and new ones in the site that takes them.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use contracts::measurements::IngestedLogger;
use sqlx::PgConnection;

use super::IngestError;
use super::batch::Ordered;
use super::store::Outcome;
use crate::catalog::{self, SiteEntry};
use crate::store::LoggerRole;

/// More new loggers than any upload makes on purpose: some column of measured values was taken for
/// the ids.
const MAX_NEW_LOGGERS: usize = 1000;

/// The loggers of one upload, each known by its place in the list.
pub(super) struct Loggers {
    tenant: String,
    site: SiteChoice,
    list: Vec<Logger>,
    places: HashMap<String, usize>,
    new: usize,
    /// The roles of new loggers, other than that of an inverter.
    roles: Arc<HashMap<String, LoggerRole>>,
}

/// The site of new loggers.
enum SiteChoice {
    One(SiteEntry),
    /// None was named, and there are these: with more or fewer than one, the site is not clear.
    Open(Vec<String>),
}

/// One logger and what was stored of it.
pub(super) struct Logger {
    pub(super) id: String,
    /// Its brand or format, when its first row named one.
    pub(super) brand: Option<String>,
    /// `None` until it was found or made.
    pub(super) key: Option<i32>,
    zone: Tz,
    created: bool,
    rows: u64,
    range: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

impl Loggers {
    /// The tenant's loggers, and its site of that id or its only one.
    pub(super) async fn load(
        conn: &mut PgConnection,
        tenant: &str,
        site: Option<&str>,
    ) -> Result<Self, IngestError> {
        let sites = catalog::sites(conn, tenant).await?;
        let rows = sqlx::query_file!("queries/ingest_loggers.sql", tenant,)
            .fetch_all(conn)
            .await?;
        let mut loggers = Self {
            tenant: tenant.to_owned(),
            site: SiteChoice::of(sites, site)?,
            list: Vec::with_capacity(rows.len()),
            places: HashMap::with_capacity(rows.len()),
            new: 0,
            roles: Arc::default(),
        };
        for row in rows {
            // A zone that this program does not know only changes how the report writes its times.
            loggers.add(
                row.logger_id,
                None,
                Some(row.logger_key),
                row.timezone.parse().unwrap_or(Tz::UTC),
            );
        }
        Ok(loggers)
    }

    /// The place of a logger, which is created if it does not exist. The inner `Err` refuses the
    /// row.
    pub(super) fn place(
        &mut self,
        id: &str,
        logger_type: Option<&str>,
    ) -> Result<Result<usize, String>, IngestError> {
        if let Some(place) = self.places.get(id) {
            return Ok(Ok(*place));
        }
        if self.new >= MAX_NEW_LOGGERS {
            return Ok(Err(format!(
                "the logger {id:?} is not known, and an upload makes at most {MAX_NEW_LOGGERS} new ones"
            )));
        }
        let zone = match &self.site {
            SiteChoice::One(site) => site.zone,
            SiteChoice::Open(available) => {
                return Err(IngestError::SiteNeeded {
                    logger_id: id.to_owned(),
                    available: available.clone(),
                });
            }
        };
        self.new += 1;
        Ok(Ok(self.add(
            id.to_owned(),
            logger_type.map(str::to_owned),
            None,
            zone,
        )))
    }

    pub(super) fn give_roles(&mut self, roles: Arc<HashMap<String, LoggerRole>>) {
        self.roles = roles;
    }

    pub(super) fn role_of(&self, id: &str) -> Option<LoggerRole> {
        self.roles.get(id).copied()
    }

    pub(super) fn tenant(&self) -> &str {
        &self.tenant
    }

    pub(super) fn site_key(&self) -> Option<i32> {
        match &self.site {
            SiteChoice::One(site) => Some(site.key),
            SiteChoice::Open(_) => None,
        }
    }

    pub(super) fn list(&self) -> &[Logger] {
        &self.list
    }

    /// The keys of the loggers of which readings were stored.
    pub(super) fn stored_keys(&self) -> Vec<i32> {
        let stored = self.list.iter().filter(|logger| logger.range.is_some());
        stored.filter_map(|logger| logger.key).collect()
    }

    /// Takes note of a batch that was stored.
    pub(super) fn record(&mut self, batch: &Ordered, outcome: &Outcome) {
        for (place, entry) in &outcome.resolved {
            let logger = &mut self.list[*place];
            logger.key = Some(entry.key);
            logger.created = entry.created;
        }
        for entry in &batch.entries {
            let logger = &mut self.list[entry.logger];
            logger.rows += 1;
            let (first, last) = logger.range.unwrap_or((entry.at, entry.at));
            logger.range = Some((first.min(entry.at), last.max(entry.at)));
        }
        for place in &batch.superseded {
            self.list[*place].rows += 1;
        }
    }

    /// The stored rows per logger, by id.
    pub(super) fn report(self) -> Vec<IngestedLogger> {
        let mut report: Vec<_> = self.list.into_iter().filter_map(Logger::report).collect();
        report.sort_by(|a, b| a.logger_id.cmp(&b.logger_id));
        report
    }

    fn add(&mut self, id: String, brand: Option<String>, key: Option<i32>, zone: Tz) -> usize {
        let place = self.list.len();
        self.places.insert(id.clone(), place);
        self.list.push(Logger {
            id,
            brand,
            key,
            zone,
            created: false,
            rows: 0,
            range: None,
        });
        place
    }
}

impl SiteChoice {
    fn of(mut sites: Vec<SiteEntry>, wanted: Option<&str>) -> Result<Self, IngestError> {
        let available = || sites.iter().map(|site| site.site_id.clone()).collect();
        let at = match wanted {
            Some(wanted) => match sites.iter().position(|site| site.site_id == wanted) {
                Some(at) => at,
                None => {
                    return Err(IngestError::UnknownSite {
                        site: wanted.to_owned(),
                        available: available(),
                    });
                }
            },
            None if sites.len() == 1 => 0,
            None => return Ok(Self::Open(available())),
        };
        Ok(Self::One(sites.swap_remove(at)))
    }
}

impl Logger {
    fn report(self) -> Option<IngestedLogger> {
        let (first, last) = self.range?;
        let local = |at: DateTime<Utc>| at.with_timezone(&self.zone).fixed_offset();
        Some(IngestedLogger {
            earliest: local(first),
            latest: local(last),
            logger_id: self.id,
            created: self.created,
            rows: self.rows,
        })
    }
}
