//! `list_loggers`: every logger with its range of data. Reads no readings: everything is kept at
//! ingestion.

use std::collections::HashMap;

use chrono::NaiveDate;
use contracts::tools::{ListLoggersArguments, LoggerList, LoggerSummary, ToolEnvelope};
use solar::calendar::local_day;
use solar::register::RegisterKind;
use solar::series::epoch;
use sqlx::PgConnection;

use super::sizes::{self, Sizes};
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::{Logger, LoggerRole, loggers};

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: ListLoggersArguments,
) -> Result<ToolEnvelope<LoggerList>, Error> {
    let mut conn = toolbox.kept.acquire().await?;
    let site_id = arguments.site_id.as_deref();
    let loggers = loggers::list(&mut conn, tenant, site_id).await?;
    if let Some(site_id) = site_id
        && loggers.is_empty()
    {
        return Err(Error::no_data(format!(
            "There is no site {site_id:?} with loggers."
        )));
    }
    let sizes = newest_sizes(&mut conn, &loggers).await?;
    conn.keep();
    Ok(ToolEnvelope::ok(LoggerList {
        kind: "logger_list".to_owned(),
        count: loggers.len() as u64,
        loggers: loggers
            .iter()
            .map(|logger| summary(logger, &sizes))
            .collect(),
    }))
}

/// How large the devices are, as questions about the newest day of their site have it.
async fn newest_sizes(conn: &mut PgConnection, loggers: &[Logger]) -> Result<Sizes, Error> {
    let mut newest: HashMap<&str, NaiveDate> = HashMap::new();
    for logger in loggers {
        if let Some(anchor) = logger.anchor() {
            let day = local_day(anchor, logger.site.zone);
            let known = newest.entry(&logger.site.site_id).or_insert(day);
            *known = day.max(*known);
        }
    }
    let sized: Vec<(&Logger, NaiveDate)> = loggers
        .iter()
        .filter(|logger| logger.role != LoggerRole::Weather)
        .filter_map(|logger| Some((logger, *newest.get(logger.site.site_id.as_str())?)))
        .collect();
    let loggers: Vec<&Logger> = sized.iter().map(|(logger, _)| *logger).collect();
    let days: Vec<NaiveDate> = sized.iter().map(|(_, day)| *day).collect();
    sizes::of(conn, &loggers, &days, &days).await
}

fn summary(logger: &Logger, sizes: &Sizes) -> LoggerSummary {
    let zone = logger.site.zone;
    let calibration = &logger.calibration;
    let (capacity_kw, capacity_basis) = wire::capacity(logger, sizes.get(logger.key));
    LoggerSummary {
        logger_id: logger.logger_id.clone(),
        logger_type: logger.logger_type.clone(),
        role: wire::role(logger.role),
        site_id: logger.site.site_id.clone(),
        site_name: logger.site.name.clone(),
        timezone: zone.name().to_owned(),
        earliest_data: logger.first_at.map(|at| wire::time(epoch(at), zone)),
        latest_data: logger.last_at.map(|at| wire::time(epoch(at), zone)),
        record_count: logger.record_count.unsigned_abs(),
        step_minutes: (logger.record_count > 1).then(|| wire::step_minutes(calibration)),
        has_irradiance: calibration.has_irradiance || logger.latest_irradiance.is_some(),
        irradiance_basis: wire::irradiance_basis(logger.irradiance_basis),
        has_register: calibration.register != RegisterKind::None || calibration.has_lifetime,
        capacity_kw,
        capacity_basis,
    }
}
