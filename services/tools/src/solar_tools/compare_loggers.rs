//! `compare_loggers`: two to five loggers side by side, normalised by capacity.

mod irradiance;
mod words;

use std::collections::HashMap;

use chrono::NaiveDate;
use contracts::tools::{
    AvailableRange, CompareLoggersArguments, Comparison, ComparisonBasis, ComparisonMetric,
    ComparisonRow, ComparisonSummary, Period, ToolEnvelope,
};
use indexmap::IndexMap;
use solar::calendar::{DaySpan, local_day};
use solar::compare::{AlignedChart, Candidate, Compared, Metric, YieldBasis, align, compare};
use solar::{Calibration, DayFigures, Flags, LoggerContext, Series};
use sqlx::PgConnection;

use super::subject::{Subject, unknown};
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::readings::{self, Detail};
use crate::store::{Logger, daily, loggers};

/// The longest window after its first day, days.
const LONGEST_WINDOW: i64 = 366;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: CompareLoggersArguments,
) -> Result<ToolEnvelope<Comparison>, Error> {
    check(&arguments)?;
    let mut conn = toolbox.pool.acquire().await?;
    let subjects = subjects(toolbox, &mut conn, tenant, &arguments).await?;
    let zone = subjects[0].logger.site.zone;
    let newest = subjects
        .iter()
        .map(|subject| subject.anchor)
        .max()
        .unwrap_or(0);
    let start = arguments.date.unwrap_or_else(|| local_day(newest, zone));
    let end = arguments.end_date.unwrap_or(start);
    if arguments.date.is_none() && end < start {
        return Err(Error::reversed("/end_date", start, end));
    }
    let window = DaySpan::of_days(start, end, zone);
    let compared = load(&mut conn, subjects, window).await?;
    if compared.iter().all(|one| one.series.is_empty()) {
        return Err(nothing(&compared, start, end));
    }
    let comparison = comparison(toolbox, &arguments, window, &compared);
    let context = words::guidance(&comparison);
    Ok(ToolEnvelope {
        message: words::without_readings(&compared_without_readings(&compared)),
        context: Some(context),
        ..ToolEnvelope::ok(comparison)
    })
}

fn check(arguments: &CompareLoggersArguments) -> Result<(), Error> {
    for (index, id) in arguments.logger_ids.iter().enumerate() {
        if arguments.logger_ids[..index].contains(id) {
            return Err(Error::invalid(
                &format!("/logger_ids/{index}"),
                format!("{id:?} is there twice"),
            ));
        }
    }
    let (Some(start), Some(end)) = (arguments.date, arguments.end_date) else {
        return Ok(());
    };
    if end < start {
        return Err(Error::reversed("/end_date", start, end));
    }
    if (end - start).num_days() > LONGEST_WINDOW {
        return Err(Error::invalid(
            "/end_date",
            format!("is more than {LONGEST_WINDOW} days after {start}"),
        ));
    }
    Ok(())
}

/// The loggers in the order asked for.
async fn subjects(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    tenant: &str,
    arguments: &CompareLoggersArguments,
) -> Result<Vec<Subject>, Error> {
    let ids: Vec<&str> = arguments.logger_ids.iter().map(String::as_str).collect();
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
    ids.iter()
        .filter_map(|id| found.remove(*id))
        .map(|logger| Subject::of(toolbox, logger))
        .collect()
}

/// A logger with its readings and days in the window.
struct Loaded {
    subject: Subject,
    series: Series,
    days: Vec<DayFigures>,
    context: LoggerContext,
}

impl Loaded {
    fn calibration(&self) -> &Calibration {
        &self.subject.logger.calibration
    }

    fn id(&self) -> &str {
        &self.subject.logger.logger_id
    }
}

async fn load(
    conn: &mut PgConnection,
    subjects: Vec<Subject>,
    window: DaySpan,
) -> Result<Vec<Loaded>, Error> {
    let loggers: Vec<&Logger> = subjects.iter().map(|subject| &subject.logger).collect();
    let mut series = readings::load_many(conn, &loggers, window, Detail::Power).await?;
    let keys: Vec<i32> = loggers.iter().map(|logger| logger.key).collect();
    let (firsts, lasts) = (
        vec![window.first; keys.len()],
        vec![window.last; keys.len()],
    );
    let mut days = daily::load_ranges(conn, &keys, &firsts, &lasts).await?;
    Ok(subjects
        .into_iter()
        .map(|subject| Loaded {
            series: series.remove(&subject.logger.key).unwrap_or_default(),
            days: days.remove(&subject.logger.key).unwrap_or_default(),
            context: subject.logger.context(),
            subject,
        })
        .collect())
}

fn nothing(compared: &[Loaded], start: NaiveDate, end: NaiveDate) -> Error {
    let ranges = || compared.iter().map(|one| one.subject.available);
    let all = AvailableRange {
        start: ranges().map(|range| range.start).min().unwrap_or(start),
        end: ranges().map(|range| range.end).max().unwrap_or(end),
    };
    Error::no_data_in_window(
        format!(
            "None of the loggers has data from {} to {}. There are data from {} to {}.",
            wire::spoken(start),
            wire::spoken(end),
            wire::spoken(all.start),
            wire::spoken(all.end)
        ),
        all,
    )
}

fn compared_without_readings(compared: &[Loaded]) -> Vec<&str> {
    compared
        .iter()
        .filter(|one| one.series.is_empty())
        .map(Loaded::id)
        .collect()
}

fn comparison(
    toolbox: &SolarTools,
    arguments: &CompareLoggersArguments,
    window: DaySpan,
    compared: &[Loaded],
) -> Comparison {
    let candidates: Vec<Candidate<'_>> = compared
        .iter()
        .map(|one| Candidate {
            series: &one.series,
            calibration: one.calibration(),
            context: &one.context,
        })
        .collect();
    let metric = arguments.metric;
    let figures = compare(&candidates);
    let chart = align(
        &candidates,
        chart_metric(metric),
        toolbox.settings.comparison_points,
    );
    let by_irradiance = metric == ComparisonMetric::Irradiance;
    let summary: IndexMap<String, ComparisonSummary> = compared
        .iter()
        .zip(&figures.loggers)
        .map(|(one, figures_of_one)| {
            let row = match metric {
                ComparisonMetric::Power => power(figures_of_one),
                ComparisonMetric::Energy => energy(figures_of_one, one),
                ComparisonMetric::Irradiance => irradiance::summary(&one.series, one.calibration()),
            };
            let common_records = u64::from(figures.common_records);
            (
                one.id().to_owned(),
                ComparisonSummary {
                    common_records,
                    ..row
                },
            )
        })
        .collect();
    let ranked = ranked(&summary, by_irradiance);
    let historical = compared.iter().all(|one| one.subject.historical);
    let flags = if by_irradiance {
        Flags::default()
    } else {
        figures.flags
    };
    Comparison {
        kind: "comparison".to_owned(),
        metric,
        logger_ids: arguments.logger_ids.clone(),
        date: window.first,
        period: Period {
            start: window.first,
            end: window.last,
        },
        record_count: figures.common_records.into(),
        data: rows(&chart, compared),
        basis: if by_irradiance {
            ComparisonBasis::Absolute
        } else {
            basis(figures.basis)
        },
        best: ranked.first().map(|(id, _)| (*id).to_owned()),
        worst: ranked.last().map(|(id, _)| (*id).to_owned()),
        spread_percent: spread(&ranked),
        ranking: ranked.iter().map(|(id, _)| (*id).to_owned()).collect(),
        charted: arguments.logger_ids.clone(),
        excluded: Vec::new(),
        total_kwh: None,
        underperformers: compared
            .iter()
            .zip(&figures.loggers)
            .filter(|(_, figures)| figures.underperformer && !by_irradiance)
            .map(|(one, _)| one.id().to_owned())
            .collect(),
        flags: wire::flags(flags, historical),
        summary,
    }
}

fn chart_metric(metric: ComparisonMetric) -> Metric {
    match metric {
        ComparisonMetric::Power => Metric::Power,
        ComparisonMetric::Energy => Metric::Energy,
        ComparisonMetric::Irradiance => Metric::Irradiance,
    }
}

fn basis(basis: YieldBasis) -> ComparisonBasis {
    match basis {
        YieldBasis::Capacity => ComparisonBasis::StatedCapacity,
        YieldBasis::StcPower => ComparisonBasis::StcPower,
        YieldBasis::RobustPeak => ComparisonBasis::RobustPeak,
    }
}

fn power(figures: &Compared) -> ComparisonSummary {
    ComparisonSummary {
        average: figures.average_w.map(wire::tenths),
        peak: figures.peak_w.map(wire::tenths),
        total: Some(wire::cents(figures.energy_kwh)),
        specific_yield: figures.specific_yield.map(wire::thousandths),
        capacity_kw: figures.basis_kw.map(wire::cents),
        vs_median_pct: figures.vs_median_pct.map(wire::cents),
        robust_z: figures.robust_z.map(wire::cents),
        ..ComparisonSummary::default()
    }
}

/// For energies: the mean and the best of the days, by the most trusted source.
fn energy(figures: &Compared, one: &Loaded) -> ComparisonSummary {
    let days: Vec<f64> = one
        .days
        .iter()
        .filter_map(|day| day.energy().map(|(kwh, _)| kwh))
        .collect();
    let known = !days.is_empty();
    ComparisonSummary {
        average: known.then(|| wire::cents(days.iter().sum::<f64>() / days.len() as f64)),
        peak: days.iter().copied().reduce(f64::max).map(wire::cents),
        ..power(figures)
    }
}

fn rows(chart: &AlignedChart, compared: &[Loaded]) -> Vec<ComparisonRow> {
    let zone = compared[0].context.zone;
    let value = |column: usize, row: usize| chart.values[column][row].map(wire::cents);
    chart
        .times
        .iter()
        .enumerate()
        .map(|(row, &time)| ComparisonRow {
            timestamp: wire::time(time, zone),
            values: compared
                .iter()
                .enumerate()
                .map(|(column, one)| (one.id().to_owned(), value(column, row)))
                .collect(),
        })
        .collect()
}

/// The loggers by what they are ranked by, best first.
fn ranked(summary: &IndexMap<String, ComparisonSummary>, by_average: bool) -> Vec<(&str, f64)> {
    let figure = |row: &ComparisonSummary| {
        if by_average {
            row.average
        } else {
            row.specific_yield
        }
    };
    let mut ranked: Vec<(&str, f64)> = summary
        .iter()
        .filter_map(|(id, row)| Some((id.as_str(), figure(row)?)))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}

fn spread(ranked: &[(&str, f64)]) -> Option<f64> {
    match ranked {
        [(_, best), .., (_, worst)] if *best > 0.0 => {
            Some(wire::tenths(100.0 * (best - worst) / best))
        }
        _ => None,
    }
}
