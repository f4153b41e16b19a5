//! `pattern_recognition`: anomalies, seasons, changes of level, concentrations.

mod anomalies;
mod changes;
mod concentrations;
mod seasons;

use analytics::calendar::{self, Interval, Series};
use analytics::column::Column;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use contracts::tools::ToolEnvelope;
use contracts::tools::analysis::{PatternRecognition, PatternRecognitionArguments, SeriesInfo};
use service_kit::identity::Identity;

use super::choice::{Choice, Dates, Measure};
use super::data::Rows;
use super::subject::{self, Subject};
use super::{AnalysisTools, computed, take};
use crate::error::Error;

/// Longer series would take too long.
const MOST_PERIODS: usize = 2_000;
/// Maximum number of sentences in the summary.
const MOST_FINDINGS: usize = 10;
/// The measure that every table has.
const COUNT: &str = "count";

/// The quantity that is analysed: a number of the rows, or their count.
#[derive(Clone, Copy)]
struct Target<'a> {
    measure: Option<Measure<'a>>,
}

impl<'a> Target<'a> {
    fn name(&self) -> &'a str {
        self.measure.map_or(COUNT, |measure| &measure.field.name)
    }

    fn label(&self) -> &'a str {
        self.measure
            .map_or("number of records", |measure| &measure.field.label)
    }

    fn unit(&self) -> Option<&'a str> {
        self.measure
            .and_then(|measure| measure.field.unit.as_deref())
    }

    fn column(&self) -> Option<&'a Column> {
        self.measure.map(|measure| measure.column)
    }

    fn series(
        &self,
        times: &[Option<DateTime<Utc>>],
        zone: Tz,
        interval: Interval,
        most: usize,
    ) -> Option<Series> {
        match self.measure {
            Some(measure) => calendar::means(times, measure.column, zone, interval, most),
            None => calendar::counts(times, zone, interval, most),
        }
    }
}

pub(super) async fn run(
    tools: &AnalysisTools,
    caller: &Identity,
    mut arguments: PatternRecognitionArguments,
) -> Result<ToolEnvelope<PatternRecognition>, Error> {
    let rows = tools.rows(caller, take(&mut arguments.data)).await?;
    let result = computed(move || analyse(&arguments, rows)).await?;
    Ok(ToolEnvelope::ok(result))
}

/// Takes a while: not for threads that others wait for.
fn analyse(
    arguments: &PatternRecognitionArguments,
    rows: Rows,
) -> Result<PatternRecognition, Error> {
    let subject = Subject::of(rows, arguments.time_zone.as_deref())?;
    let table = subject.table();
    let mut choice = Choice::new(&table, arguments.question.as_deref());
    let target = target(&mut choice, arguments.measure.as_deref())?;
    let dates = choice.dates(
        arguments.time_field.as_deref(),
        subject.rows.date_field.as_deref(),
    );
    let groupings = choice.groupings(&arguments.group_by, concentrations::MOST_GROUPS);
    let mut notes = std::mem::take(&mut choice.notes);

    let series = dates.and_then(|dates| {
        let interval = subject::fitting(
            dates.times,
            subject.zone,
            arguments.interval,
            MOST_PERIODS,
            &mut notes,
        )?;
        target.series(dates.times, subject.zone, interval, MOST_PERIODS)
    });
    let found = dates.map_or_else(Vec::new, |dates| seasons::find(target, dates, subject.zone));
    let seasonal = series.as_ref().and_then(|series| {
        let season = found
            .iter()
            .find(|season| season.cycle.interval() == series.interval)?;
        let same = season.decomposition.remainder.len() == series.values.len();
        same.then_some(&season.decomposition)
    });
    let mut all_anomalies = Vec::new();
    let records = target
        .column()
        .and_then(|column| anomalies::of_records(target, column, &table, dates, subject.zone));
    let odd_rows: Vec<usize> = records
        .iter()
        .flat_map(|(_, rows)| rows.iter().copied())
        .collect();
    all_anomalies.extend(records.map(|(anomalies, _)| anomalies));
    all_anomalies.extend(
        series
            .as_ref()
            .and_then(|series| anomalies::of_periods(target, series, seasonal)),
    );
    let change_points = series
        .as_ref()
        .and_then(|series| changes::of(target, series, seasonal));
    let concentrations = target.measure.map_or_else(Vec::new, |measure| {
        concentrations::of(measure, &groupings, &odd_rows, &mut notes)
    });
    if !concentrations.is_empty() {
        notes.push(subject::INDEPENDENT.to_owned());
    }
    let seasons: Vec<_> = found
        .iter()
        .map(|season| seasons::told(target, season))
        .collect();

    let mut findings: Vec<String> = concentrations
        .iter()
        .take(4)
        .map(|found| found.finding.clone())
        .collect();
    let changed = change_points
        .iter()
        .filter(|changes| !changes.points.is_empty());
    findings.extend(changed.map(|changes| changes.finding.clone()));
    findings.extend(seasons.iter().map(|season| season.finding.clone()));
    let odd = all_anomalies.iter().filter(|anomalies| anomalies.count > 0);
    findings.extend(odd.map(|anomalies| anomalies.finding.clone()));
    if findings.is_empty() {
        findings.push(format!(
            "{} shows no clear pattern.",
            super::wording::sentence(target.label())
        ));
    }
    findings.truncate(MOST_FINDINGS);
    subject::notes(&subject, &mut notes);
    Ok(PatternRecognition {
        data: subject.described(dates),
        measure: target.name().to_owned(),
        label: target.label().to_owned(),
        unit: target.unit().map(str::to_owned),
        series: series.as_ref().map(|series| series_info(target, series)),
        anomalies: all_anomalies,
        seasons,
        change_points,
        concentrations,
        findings,
        notes,
    })
}

fn target<'a>(choice: &mut Choice<'a>, named: Option<&str>) -> Result<Target<'a>, Error> {
    let named = match named {
        Some(COUNT) => return Ok(Target { measure: None }),
        Some(named) => vec![named.to_owned()],
        None => Vec::new(),
    };
    let measures = choice.measures(&named)?;
    Ok(Target {
        measure: measures.first().copied(),
    })
}

fn series_info(target: Target<'_>, series: &Series) -> SeriesInfo {
    SeriesInfo {
        interval: subject::interval(series.interval).0,
        periods: series.values.len() as u64,
        periods_with_values: series.known() as u64,
        value: if target.measure.is_some() {
            "mean"
        } else {
            COUNT
        }
        .to_owned(),
    }
}

/// The date of a row.
fn at(dates: Option<Dates<'_>>, row: usize, zone: Tz) -> Option<DateTime<chrono::FixedOffset>> {
    let time = (*dates?.times.get(row)?)?;
    Some(subject::fixed(time.with_timezone(&zone)))
}
