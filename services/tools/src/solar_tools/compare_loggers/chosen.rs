//! Which loggers a comparison is about: those named, or every inverter of a site or of all sites;
//! and which of them it is not about, and why.

use std::collections::{BTreeSet, HashMap};

use contracts::tools::{
    CompareLoggersArguments, ComparisonMetric, ExcludedLogger, ExclusionReason,
};
use sqlx::PgConnection;

use crate::error::Error;
use crate::solar_tools::SolarTools;
use crate::solar_tools::subject::{Subject, unknown};
use crate::store::{Logger, LoggerRole, loggers};

/// Maximum number of devices in a comparison.
const MOST: usize = 1000;

/// Loggers with data, in the order asked for, and the others.
pub(super) struct Chosen {
    pub(super) subjects: Vec<Subject>,
    pub(super) excluded: Vec<ExcludedLogger>,
}

pub(super) async fn choose(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    tenant: &str,
    arguments: &CompareLoggersArguments,
) -> Result<Chosen, Error> {
    let mut excluded = Vec::new();
    let loggers = if arguments.logger_ids.is_empty() {
        let all = loggers::list(conn, tenant, arguments.site_id.as_deref()).await?;
        let wanted = wanted(all, arguments.metric, &mut excluded);
        if wanted.is_empty() {
            return Err(Error::no_data(match &arguments.site_id {
                Some(site) => format!("There is no site {site:?} with devices to compare."),
                None => "There are no devices to compare yet.".to_owned(),
            }));
        }
        if wanted.len() > MOST {
            return Err(Error::invalid(
                "/site_id",
                format!(
                    "there are {} devices, and at most {MOST} can be compared at once; name a site, or the loggers",
                    wanted.len()
                ),
            ));
        }
        wanted
    } else {
        named(conn, tenant, &arguments.logger_ids).await?
    };
    let mut subjects = Vec::with_capacity(loggers.len());
    for logger in loggers {
        if logger.first_at.is_some() {
            subjects.push(Subject::of(toolbox, logger)?);
        } else {
            let message = format!("{} has no readings yet.", logger.logger_id);
            excluded.push(without_days(
                logger.logger_id,
                ExclusionReason::NoData,
                message,
            ));
        }
    }
    if subjects.is_empty() {
        let messages: Vec<&str> = excluded.iter().map(|one| one.message.as_str()).collect();
        return Err(Error::no_data(messages.join(" ")));
    }
    Ok(Chosen { subjects, excluded })
}

async fn named(
    conn: &mut PgConnection,
    tenant: &str,
    logger_ids: &[String],
) -> Result<Vec<Logger>, Error> {
    let ids: Vec<&str> = logger_ids.iter().map(String::as_str).collect();
    let found = loggers::find_many(conn, tenant, &ids).await?;
    let mut found: HashMap<String, Logger> = found
        .into_iter()
        .map(|logger| (logger.logger_id.clone(), logger))
        .collect();
    let missing: Vec<&str> = ids
        .iter()
        .copied()
        .filter(|id| !found.contains_key(*id))
        .collect();
    if !missing.is_empty() {
        return Err(unknown(conn, tenant, &missing).await?);
    }
    Ok(ids.iter().filter_map(|id| found.remove(*id)).collect())
}

/// Of all loggers the inverters, and the meters of sites without any; of irradiance those that have
/// it.
fn wanted(
    all: Vec<Logger>,
    metric: ComparisonMetric,
    excluded: &mut Vec<ExcludedLogger>,
) -> Vec<Logger> {
    if metric == ComparisonMetric::Irradiance {
        let lit = |logger: &Logger| logger.calibration.has_irradiance;
        return all.into_iter().filter(lit).collect();
    }
    let with_inverters = sites_with_inverters(all.iter());
    let mut wanted = Vec::new();
    for logger in all {
        match logger.role {
            LoggerRole::Weather => {}
            LoggerRole::Meter if with_inverters.contains(&logger.site.site_id) => {
                let message = format!(
                    "{} is a meter: it measures what the inverters of its site deliver.",
                    logger.logger_id
                );
                excluded.push(without_days(
                    logger.logger_id,
                    ExclusionReason::Meter,
                    message,
                ));
            }
            LoggerRole::Meter | LoggerRole::Inverter => wanted.push(logger),
        }
    }
    wanted
}

/// The sites of these loggers that have an inverter among them: their meters are not added to it.
pub(super) fn sites_with_inverters<'a>(
    loggers: impl Iterator<Item = &'a Logger>,
) -> BTreeSet<String> {
    loggers
        .filter(|logger| logger.role == LoggerRole::Inverter)
        .map(|logger| logger.site.site_id.clone())
        .collect()
}

fn without_days(logger_id: String, reason: ExclusionReason, message: String) -> ExcludedLogger {
    ExcludedLogger {
        logger_id,
        reason,
        message,
        first_day: None,
        last_day: None,
    }
}
