//! `compare_loggers`: loggers side by side, normalised by their size. All are ranked and summed;
//! the chart shows the ends.

mod chosen;
mod irradiance;
mod places;
mod words;

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use contracts::tools::{
    AvailableRange, CapacityBasis, CompareLoggersArguments, ComparedPlaces, Comparison,
    ComparisonBasis, ComparisonMetric, ComparisonRow, ComparisonSummary, ExcludedLogger,
    ExclusionReason, Period, ToolEnvelope, Unranked,
};
use indexmap::IndexMap;
use solar::calendar::DaySpan;
use solar::compare::{
    AlignedChart, Candidate, Compared, Entrant, Metric, Places, align, common_records, compare_at,
};
use solar::series::epoch;
use solar::size::{Size, SizeBasis};
use solar::{DayFigures, Flag, Flags, LoggerContext, Series};
use sqlx::PgConnection;

use self::chosen::{Chosen, choose, sites_with_inverters};
use self::places::Sun;
use super::hours::comparable;
use super::moment::LONGEST_NIGHT;
use super::subject::Subject;
use super::window::LONGEST;
use super::{SolarTools, remarks, sizes, wire};
use crate::error::Error;
use crate::store::readings::{self, Detail};
use crate::store::{Logger, LoggerRole, daily, loggers};

/// Maximum number of days in a chart: the readings of more are too many for one answer.
const LONGEST_CHART: u64 = 366;

/// Maximum number of days of all devices together.
const MOST_DAYS: i64 = 400_000;

/// Maximum number of loggers in a chart; of more the first and the last of the ranking.
const CHARTED: usize = 5;
const LAST_CHARTED: usize = 2;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: CompareLoggersArguments,
) -> Result<ToolEnvelope<Comparison>, Error> {
    check(&arguments)?;
    let mut conn = toolbox.kept.acquire().await?;
    let Chosen {
        subjects,
        mut excluded,
    } = choose(toolbox, &mut conn, tenant, &arguments).await?;
    let start = arguments.date.unwrap_or_else(|| newest_day(&subjects));
    let end = arguments.end_date.unwrap_or(start);
    if arguments.date.is_none() && end < start {
        return Err(Error::reversed("/end_date", start, end));
    }
    let window = Period { start, end };
    check_size(subjects.len(), window)?;
    let is_named = arguments.date.is_some() || arguments.end_date.is_some();
    let clock = epoch(toolbox.clock.now());
    let fair = comparable(subjects, window, is_named, clock, &mut excluded);
    let (subjects, window) = (fair.subjects, fair.window);
    let available = available(&subjects, window);
    let compared = load(&mut conn, subjects, window).await?;
    let compared = with_values(compared, window, arguments.metric, &mut excluded);
    let without_values = |one: &ExcludedLogger| one.reason == ExclusionReason::NoValues;
    if compared.is_empty() && !excluded.iter().any(without_values) {
        return Err(nothing(window, available));
    }
    let sun = Sun::of(&mut conn, tenant, &compared, window).await?;
    let ranked = Ranked::of(&compared, arguments.metric, &sun);
    let registers = compared
        .iter()
        .find_map(|one| remarks::register(one.id(), &one.days));
    let chart = Chart::load(
        &mut conn, toolbox, tenant, &arguments, window, &compared, &ranked,
    );
    let chart = chart.await?;
    let notes = words::notes(&compared, &ranked);
    let mut comparison = comparison(arguments.metric, window, &compared, ranked, chart, excluded);
    comparison.unfinished_day = fair.unfinished;
    comparison.places = sun.told(arguments.metric);
    let context = words::guidance(&comparison, arguments.site_id.as_deref(), registers);
    conn.keep();
    Ok(ToolEnvelope {
        message: words::message(&comparison, &notes),
        context: Some(context),
        ..ToolEnvelope::ok(comparison)
    })
}

fn check(arguments: &CompareLoggersArguments) -> Result<(), Error> {
    if arguments.site_id.is_some() && !arguments.logger_ids.is_empty() {
        return Err(Error::invalid(
            "/site_id",
            "contradicts logger_ids: name the loggers or their site",
        ));
    }
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
    if (end - start).num_days() >= LONGEST {
        return Err(Error::invalid(
            "/end_date",
            format!("a period has at most {LONGEST} days; this one begins on {start}"),
        ));
    }
    Ok(())
}

/// The newest day that every site has, as its own newest one: a site in another zone may be a day
/// behind. A site that is silent for longer than a night has stopped and does not count.
fn newest_day(subjects: &[Subject]) -> NaiveDate {
    let mut sites: HashMap<&str, (i64, NaiveDate)> = HashMap::new();
    for subject in subjects {
        let site = sites
            .entry(&subject.logger.site.site_id)
            .or_insert((subject.anchor, subject.newest_day));
        if subject.anchor > site.0 {
            *site = (subject.anchor, subject.newest_day);
        }
    }
    let newest = sites.values().map(|(anchor, _)| *anchor).max();
    sites
        .values()
        .filter(|(anchor, _)| newest.is_some_and(|newest| newest - anchor <= LONGEST_NIGHT))
        .map(|(_, day)| *day)
        .min()
        .unwrap_or_default()
}

/// The days of very many devices are too many for one answer.
fn check_size(devices: usize, window: Period) -> Result<(), Error> {
    let each = (window.end - window.start).num_days() + 1;
    let days = i64::try_from(devices)
        .unwrap_or(i64::MAX)
        .saturating_mul(each);
    if days > MOST_DAYS {
        return Err(Error::invalid(
            "/end_date",
            format!(
                "{devices} devices over {each} days are {days} days of devices, and at most {MOST_DAYS} can be compared at once; name fewer devices, or fewer days"
            ),
        ));
    }
    Ok(())
}

/// A logger with its days in the window.
struct Loaded {
    subject: Subject,
    days: Vec<DayFigures>,
    size: Option<Size>,
    /// Whether that is a stated capacity that what it delivers contradicts.
    is_implausible: bool,
    /// Whether it is a meter beside the inverters that it measures.
    is_meter: bool,
}

impl Loaded {
    fn logger(&self) -> &Logger {
        &self.subject.logger
    }

    fn id(&self) -> &str {
        &self.subject.logger.logger_id
    }
}

async fn load(
    conn: &mut PgConnection,
    subjects: Vec<Subject>,
    window: Period,
) -> Result<Vec<Loaded>, Error> {
    let loggers: Vec<&Logger> = subjects.iter().map(|subject| &subject.logger).collect();
    let keys: Vec<i32> = loggers.iter().map(|logger| logger.key).collect();
    let (firsts, lasts) = (vec![window.start; keys.len()], vec![window.end; keys.len()]);
    let mut days = daily::load_ranges(conn, &keys, &firsts, &lasts).await?;
    let sizes = sizes::of(conn, &loggers, &firsts, &lasts).await?;
    Ok(subjects
        .into_iter()
        .map(|subject| Loaded {
            days: days.remove(&subject.logger.key).unwrap_or_default(),
            size: sizes.get(subject.logger.key),
            is_implausible: sizes.is_implausible(subject.logger.key),
            is_meter: sizes.is_meter_without(subject.logger.key),
            subject,
        })
        .collect())
}

/// The loggers with a value to compare; the reasons for leaving out others go to `excluded`.
fn with_values(
    loaded: Vec<Loaded>,
    window: Period,
    metric: ComparisonMetric,
    excluded: &mut Vec<ExcludedLogger>,
) -> Vec<Loaded> {
    let has_values = |day: &DayFigures| match metric {
        ComparisonMetric::Irradiance => day.sun.daylight > 0,
        ComparisonMetric::Power | ComparisonMetric::Energy => day.energy().is_some(),
    };
    let mut kept = Vec::with_capacity(loaded.len());
    for one in loaded {
        if one.days.iter().any(has_values) {
            kept.push(one);
        } else {
            excluded.push(left_out(&one, window, metric));
        }
    }
    kept
}

fn left_out(one: &Loaded, window: Period, metric: ComparisonMetric) -> ExcludedLogger {
    let (id, range) = (one.id(), one.subject.available);
    let when = words::when(window);
    let (reason, message) = if one.days.is_empty() {
        let message = format!(
            "{id} has no data {when}. It has data from {} to {}.",
            wire::spoken(range.start),
            wire::spoken(range.end)
        );
        (ExclusionReason::NoDataInWindow, message)
    } else {
        let what = match metric {
            ComparisonMetric::Irradiance => "irradiance",
            ComparisonMetric::Power | ComparisonMetric::Energy => "power",
        };
        let message = format!("{id} sent readings {when}, none of them with {what}.");
        (ExclusionReason::NoValues, message)
    };
    ExcludedLogger {
        logger_id: id.to_owned(),
        reason,
        message,
        first_day: Some(range.start),
        last_day: Some(range.end),
    }
}

fn available(subjects: &[Subject], window: Period) -> AvailableRange {
    let ranges = || subjects.iter().map(|subject| subject.available);
    AvailableRange {
        start: ranges()
            .map(|range| range.start)
            .min()
            .unwrap_or(window.start),
        end: ranges().map(|range| range.end).max().unwrap_or(window.end),
    }
}

fn nothing(window: Period, all: AvailableRange) -> Error {
    let message = format!(
        "None of the loggers has data {}. There are data from {} to {}.",
        words::when(window),
        wire::spoken(all.start),
        wire::spoken(all.end)
    );
    Error::no_data_in_window(message, all)
}

/// The summary of every logger, and their order.
struct Ranked {
    summaries: Vec<ComparisonSummary>,
    /// Best first, by their place in `summaries`.
    ranking: Vec<usize>,
    spread_pct: Option<f64>,
    underperformers: Vec<usize>,
    by_size: bool,
}

impl Ranked {
    fn of(compared: &[Loaded], metric: ComparisonMetric, sun: &Sun) -> Self {
        let mut ranked = if metric == ComparisonMetric::Irradiance {
            Self::by_irradiance(compared)
        } else {
            Self::by_energy(compared, metric, sun)
        };
        for (place, &index) in ranked.ranking.iter().enumerate() {
            ranked.summaries[index].rank = u32::try_from(place + 1).ok();
        }
        ranked
    }

    fn by_energy(compared: &[Loaded], metric: ComparisonMetric, sun: &Sun) -> Self {
        let is_inverter = |one: &Loaded| one.logger().role == LoggerRole::Inverter;
        let beside_inverters = compared.iter().any(is_inverter);
        let entrants: Vec<Entrant<'_>> = compared
            .iter()
            .map(|one| Entrant {
                days: &one.days,
                calibration: &one.logger().calibration,
                size_kw: one.size.map(|size| size.kw),
                is_implausible: one.is_implausible,
                is_estimated: one.size.is_some_and(is_estimate),
                is_meter: beside_inverters && one.logger().role == LoggerRole::Meter,
                site: &one.logger().site.site_id,
                sunlight: sun.of_site(&one.logger().site.site_id),
            })
            .collect();
        let figures = compare_at(&entrants, sun.places);
        let own_sun = sun.places == Places::OwnSun;
        let of_each = compared.iter().zip(&entrants).zip(&figures.loggers);
        let summaries = of_each.map(|((one, entrant), own)| {
            let apart = figures.stated_only && entrant.is_estimated;
            let reason = || unranked(one, entrant.is_meter, figures.by_size, apart);
            let mut summary = ComparisonSummary {
                unranked: own.rank.is_none().then(reason),
                ..summary(one, own, figures.by_size && !own_sun)
            };
            if own_sun {
                summary.per_sunlight = own.compared.map(wire::thousandths);
                summary.ranked_days = own.compared.map(|_| own.ranked_days);
            }
            if metric == ComparisonMetric::Energy {
                of_days(summary, one)
            } else {
                summary
            }
        });
        let underperforms = |index: &usize| figures.loggers[*index].underperformer;
        Self {
            summaries: summaries.collect(),
            underperformers: (0..compared.len()).filter(underperforms).collect(),
            spread_pct: figures.spread_pct,
            by_size: figures.by_size,
            ranking: figures.ranking,
        }
    }

    fn by_irradiance(compared: &[Loaded]) -> Self {
        let summaries: Vec<ComparisonSummary> = compared
            .iter()
            .map(|one| irradiance::summary(&one.days, &one.logger().calibration))
            .collect();
        let mean = |index: usize| summaries[index].average.unwrap_or(0.0);
        let mut ranking: Vec<usize> = (0..summaries.len()).collect();
        ranking.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
        let ends = ranking
            .first()
            .zip(ranking.last())
            .filter(|_| ranking.len() > 1);
        let spread_pct = ends
            .map(|(&best, &worst)| (mean(best), mean(worst)))
            .filter(|(best, _)| *best > 0.0)
            .map(|(best, worst)| 100.0 * (best - worst) / best);
        Self {
            ranking,
            spread_pct,
            underperformers: Vec::new(),
            by_size: false,
            summaries,
        }
    }

    /// Which loggers a chart shows, best first where not all fit.
    fn charted(&self) -> Vec<usize> {
        if self.summaries.len() <= CHARTED {
            return (0..self.summaries.len()).collect();
        }
        let last = self
            .ranking
            .len()
            .saturating_sub(LAST_CHARTED)
            .max(CHARTED - LAST_CHARTED);
        let first = self.ranking.iter().take(CHARTED - LAST_CHARTED);
        first
            .chain(self.ranking.iter().skip(last))
            .copied()
            .collect()
    }
}

fn summary(one: &Loaded, own: &Compared, by_size: bool) -> ComparisonSummary {
    let compared = own.compared.filter(|compared| {
        let differs = |own: f64| (own - compared).abs() > 1e-9 * own.abs();
        by_size && own.specific_yield.is_none_or(differs)
    });
    ComparisonSummary {
        average: own.average_w.map(wire::tenths),
        peak: own.peak_w.map(wire::tenths),
        total: own.energy_kwh.map(wire::cents),
        specific_yield: own.specific_yield.map(wire::thousandths),
        capacity_kw: one.size.map(|size| wire::cents(size.kw)),
        capacity_basis: one.size.map(|size| capacity_basis(size.basis)),
        compared_yield: compared.map(wire::thousandths),
        per_sunlight: None,
        filled_days: own.filled_days,
        ranked_days: compared.map(|_| own.ranked_days),
        register_differs: own.doubtful,
        vs_median_pct: own.vs_median_pct.map(wire::cents),
        robust_z: own.robust_z.map(wire::cents),
        unranked: None,
        rank: None,
        days_with_data: own.days,
        incomplete_days: own.incomplete_days,
        common_records: 0,
    }
}

/// Whether a size is not stated: that of its own best days, or that of its peers.
fn is_estimate(size: Size) -> bool {
    size.basis != SizeBasis::Stated
}

/// Why a logger has no rank.
fn unranked(one: &Loaded, is_meter: bool, by_size: bool, is_apart: bool) -> Unranked {
    match one.size {
        _ if is_meter => Unranked::Meter,
        _ if !by_size => Unranked::NoCommonDay,
        _ if one.is_meter => Unranked::Meter,
        None => Unranked::SizeUnknown,
        Some(_) if one.is_implausible => Unranked::CapacityImplausible,
        Some(_) if is_apart => Unranked::SizeEstimated,
        Some(_) => Unranked::NoCommonDay,
    }
}

/// For energies: the mean and the best of the days.
fn of_days(mut summary: ComparisonSummary, one: &Loaded) -> ComparisonSummary {
    let days: Vec<f64> = one
        .days
        .iter()
        .filter_map(|day| day.energy().map(|(kwh, _)| kwh))
        .collect();
    let known = !days.is_empty();
    summary.average = known.then(|| wire::cents(days.iter().sum::<f64>() / days.len() as f64));
    summary.peak = days.iter().copied().reduce(f64::max).map(wire::cents);
    summary
}

fn capacity_basis(basis: SizeBasis) -> CapacityBasis {
    match basis {
        SizeBasis::Stated => CapacityBasis::Configured,
        SizeBasis::BestDays | SizeBasis::BestPeaks => CapacityBasis::Inferred,
        SizeBasis::Peers => CapacityBasis::Peers,
    }
}

/// The chart, and what it is made of.
struct Chart {
    /// The days that it shows.
    period: Period,
    charted: Vec<String>,
    rows: Vec<ComparisonRow>,
    common_records: u32,
}

impl Chart {
    async fn load(
        conn: &mut PgConnection,
        toolbox: &SolarTools,
        tenant: &str,
        arguments: &CompareLoggersArguments,
        window: Period,
        compared: &[Loaded],
        ranked: &Ranked,
    ) -> Result<Self, Error> {
        let shown: Vec<&Loaded> = ranked
            .charted()
            .into_iter()
            .map(|index| &compared[index])
            .collect();
        let ids: Vec<&str> = shown.iter().map(|one| one.id()).collect();
        let period = at_most(window, LONGEST_CHART);
        // Lists come without the sensors that serve a logger.
        let details = loggers::find_many(conn, tenant, &ids).await?;
        let details: Vec<&Logger> = details.iter().collect();
        let spans: HashMap<i32, DaySpan> = details
            .iter()
            .map(|logger| {
                (
                    logger.key,
                    DaySpan::of_days(period.start, period.end, logger.site.zone),
                )
            })
            .collect();
        let mut series = HashMap::new();
        // The days of different zones begin at different times.
        for span in distinct(spans.values().copied()) {
            let there: Vec<&Logger> = details
                .iter()
                .copied()
                .filter(|logger| spans[&logger.key] == span)
                .collect();
            series.extend(readings::load_many(conn, &there, span, Detail::Power).await?);
        }
        let series: Vec<Series> = shown
            .iter()
            .map(|one| series.remove(&one.logger().key).unwrap_or_default())
            .collect();
        let contexts: Vec<LoggerContext> = shown.iter().map(|one| one.logger().context()).collect();
        let candidates: Vec<Candidate<'_>> = (0..shown.len())
            .map(|index| Candidate {
                series: &series[index],
                days: &shown[index].days,
                calibration: &shown[index].logger().calibration,
                context: &contexts[index],
            })
            .collect();
        let metric = match arguments.metric {
            ComparisonMetric::Power => Metric::Power,
            ComparisonMetric::Energy => Metric::Energy,
            ComparisonMetric::Irradiance => Metric::Irradiance,
        };
        let chart = align(&candidates, metric, toolbox.settings.comparison_points);
        Ok(Self {
            period,
            rows: rows(&chart, &shown),
            common_records: common_records(&candidates),
            charted: ids.into_iter().map(str::to_owned).collect(),
        })
    }
}

/// The period's last days, as many as there may be.
fn at_most(period: Period, days: u64) -> Period {
    let first = period.end.checked_sub_days(Days::new(days - 1));
    Period {
        start: first.map_or(period.start, |first| first.max(period.start)),
        end: period.end,
    }
}

fn distinct(spans: impl Iterator<Item = DaySpan>) -> Vec<DaySpan> {
    let mut distinct = Vec::new();
    for span in spans {
        if !distinct.contains(&span) {
            distinct.push(span);
        }
    }
    distinct
}

fn rows(chart: &AlignedChart, shown: &[&Loaded]) -> Vec<ComparisonRow> {
    let Some(first) = shown.first() else {
        return Vec::new();
    };
    let zone = first.logger().site.zone;
    let value = |column: usize, row: usize| chart.values[column][row].map(wire::cents);
    chart
        .times
        .iter()
        .enumerate()
        .map(|(row, &time)| ComparisonRow {
            timestamp: wire::time(time, zone),
            values: shown
                .iter()
                .enumerate()
                .map(|(column, one)| (one.id().to_owned(), value(column, row)))
                .collect(),
        })
        .collect()
}

fn comparison(
    metric: ComparisonMetric,
    window: Period,
    compared: &[Loaded],
    ranked: Ranked,
    chart: Chart,
    excluded: Vec<ExcludedLogger>,
) -> Comparison {
    let id = |index: usize| compared[index].id().to_owned();
    let by_irradiance = metric == ComparisonMetric::Irradiance;
    let basis = basis(compared, &ranked);
    let historical = compared.iter().all(|one| one.subject.historical);
    let total_kwh = (!by_irradiance).then(|| wire::cents(total(compared)));
    let flags = if by_irradiance {
        Flags::default()
    } else {
        flags(compared, &ranked)
    };
    let common_records = u64::from(chart.common_records);
    let (ranking, underperformers) = (&ranked.ranking, &ranked.underperformers);
    Comparison {
        kind: "comparison".to_owned(),
        metric,
        logger_ids: compared.iter().map(|one| one.id().to_owned()).collect(),
        date: window.start,
        period: window,
        record_count: common_records,
        data: chart.rows,
        basis,
        // A device that made nothing leads nothing.
        best: ranking
            .first()
            .copied()
            .filter(|first| by_irradiance || made_any(&compared[*first]))
            .map(id),
        worst: ranking.last().copied().map(id),
        spread_percent: ranked.spread_pct.map(wire::tenths),
        underperformers: underperformers.iter().copied().map(id).collect(),
        ranking: ranking.iter().copied().map(id).collect(),
        unfinished_day: None,
        places: ComparedPlaces::Same,
        chart_period: (chart.period != window).then_some(chart.period),
        charted: chart.charted,
        excluded,
        total_kwh,
        flags: wire::flags(flags, historical),
        summary: compared
            .iter()
            .zip(ranked.summaries)
            .map(|(one, summary)| {
                let summary = ComparisonSummary {
                    common_records,
                    ..summary
                };
                (one.id().to_owned(), summary)
            })
            .collect::<IndexMap<_, _>>(),
    }
}

fn made_any(one: &Loaded) -> bool {
    let mut energies = one.days.iter().filter_map(DayFigures::energy);
    energies.any(|(kwh, _)| kwh > 0.0)
}

fn basis(compared: &[Loaded], ranked: &Ranked) -> ComparisonBasis {
    if !ranked.by_size {
        return ComparisonBasis::Absolute;
    }
    let is = |basis| move |one: &&Loaded| one.size.is_some_and(|size: Size| size.basis == basis);
    let rows = || ranked.ranking.iter().map(|&index| &compared[index]);
    let any = |basis| rows().any(|one| is(basis)(&one));
    if rows().all(|one| is(SizeBasis::Stated)(&one)) {
        ComparisonBasis::StatedCapacity
    } else if any(SizeBasis::BestPeaks) {
        ComparisonBasis::RobustPeak
    } else {
        ComparisonBasis::StcPower
    }
}

/// The energy of the loggers together, the sum of their totals as they are shown; a meter is not
/// added to the inverters that it measures.
fn total(compared: &[Loaded]) -> f64 {
    let measured = sites_with_inverters(compared.iter().map(Loaded::logger));
    compared
        .iter()
        .filter(|one| {
            let logger = one.logger();
            logger.role != LoggerRole::Meter || !measured.contains(&logger.site.site_id)
        })
        .map(|one| {
            let days = one.days.iter().filter_map(DayFigures::energy);
            wire::cents(days.map(|(kwh, _)| kwh).sum())
        })
        .sum()
}

fn flags(compared: &[Loaded], ranked: &Ranked) -> Flags {
    let mut flags = Flags::default();
    let stated = |one: &Loaded| one.size.is_some_and(|size| size.basis == SizeBasis::Stated);
    flags.insert_if(Flag::CapacityInferred, !compared.iter().all(stated));
    let implausible = compared.iter().any(|one| one.is_implausible);
    flags.insert_if(Flag::CapacityImplausible, implausible);
    let of_days = compared.iter().flat_map(|one| &one.days);
    for day in of_days {
        let day = day.flags();
        for flag in [Flag::RegisterPowerMismatch, Flag::RegisterSuspect] {
            flags.insert_if(flag, day.contains(flag));
        }
    }
    let incomplete = ranked
        .summaries
        .iter()
        .any(|summary| summary.incomplete_days > 0);
    flags.insert_if(Flag::IncompleteDay, incomplete);
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_loggers_the_chart_shows_the_ends_of_the_ranking() {
        let ranked = |count: usize| Ranked {
            summaries: vec![ComparisonSummary::default(); count],
            ranking: (0..count).rev().collect(),
            spread_pct: None,
            underperformers: Vec::new(),
            by_size: true,
        };
        assert_eq!(ranked(5).charted(), [0, 1, 2, 3, 4]);
        assert_eq!(ranked(7).charted(), [6, 5, 4, 1, 0]);
    }
}
