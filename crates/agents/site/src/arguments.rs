//! Whether a task has what it needs, as a pure function.
//!
//! What the person chose in a picker wins over what their words name, and their words win over the
//! defaults. Defaults count from the newest day of data of the devices in question (the anchor),
//! never from the wall clock: the tools do the same, and old data stay useful. The days that words
//! name count from the newest day of the site, as a device may have fallen silent.

mod loggers;
mod picker;
mod silence;

use std::collections::BTreeSet;

use chrono::{DateTime, Days, Months, NaiveDate, Utc};
use chrono_tz::Tz;
use contracts::tools::{
    ComparisonMetric, DaysAsked, DevicesAsked, EnergyInterval, LoggerSummary, Period, registry,
};

use loggers::picker_argument;
pub(crate) use picker::{alternatives, date_picker, dates, device_option, logger_picker};
pub(crate) use silence::{Silent, dated_by, ended_on, silent, silent_sites};

use crate::{
    findings::{Missing, Resolved},
    language::{
        Argument, Extraction, Flow, Horizon, Note, Question, When, asks_for_reports,
        asks_of_all_days, best_interval, current_start, extract_for,
    },
    narrative::phrases,
    sentences,
    state::FlowContext,
};

/// Fewest and most devices that a picker lets choose for a comparison; in words there may be more.
pub(crate) const COMPARED: std::ops::RangeInclusive<usize> = 2..=5;

/// The financial report's days, the newest included, when the person names none.
const FINANCIAL_DAYS: u64 = 30;

/// The arguments that a task needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) loggers: LoggersNeeded,
    pub(crate) days: DaysNeeded,
}

/// Number of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoggersNeeded {
    None,
    /// One; with several the task becomes a comparison.
    One,
    /// Any number; asked for when none is named, unless the question is about any of them.
    OneOrMore,
    /// Any number; all of them when none is named.
    OneOrAll,
    /// At least [`COMPARED`].
    Several,
}

/// Which days, and what is taken when none are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaysNeeded {
    None,
    /// One day, by default the newest.
    Day,
    /// One day or several, by default the newest.
    DayOrDays,
    /// Any; the tool's own default when none are named.
    Optional,
    /// Several, by default the last thirty.
    Month,
    /// Several, by default as many as the weeks, months or years that are asked for need.
    Intervals,
}

/// The outcome of the check.
#[derive(Debug)]
pub(crate) enum Checked {
    /// Everything is known.
    Ready(Resolved),
    /// Something is not.
    Missing(Missing),
    /// Several devices were named for what is about one: they ask to be compared.
    Compare {
        logger_ids: Vec<String>,
        period: Option<Period>,
        metric: ComparisonMetric,
    },
}

/// What each workflow needs.
pub(crate) fn needs_of_flow(flow: Flow) -> Needs {
    match flow {
        Flow::HealthCheck => Needs {
            loggers: LoggersNeeded::OneOrMore,
            days: DaysNeeded::Optional,
        },
        Flow::FinancialReport => Needs {
            loggers: LoggersNeeded::OneOrAll,
            days: DaysNeeded::Month,
        },
        Flow::PerformanceAudit => Needs {
            loggers: LoggersNeeded::Several,
            days: DaysNeeded::Optional,
        },
        Flow::Greeting | Flow::MorningBriefing | Flow::FreeChat => Needs {
            loggers: LoggersNeeded::None,
            days: DaysNeeded::None,
        },
    }
}

/// What each question of free chat needs.
pub(crate) fn needs_of_question(question: Question) -> Needs {
    let (loggers, days) = match question {
        Question::PowerCurve => (LoggersNeeded::One, DaysNeeded::Day),
        Question::PowerNow => (LoggersNeeded::OneOrAll, DaysNeeded::Day),
        Question::PerformanceRatio => (LoggersNeeded::OneOrAll, DaysNeeded::DayOrDays),
        Question::Forecast => (LoggersNeeded::OneOrMore, DaysNeeded::None),
        Question::Compare => (LoggersNeeded::Several, DaysNeeded::Optional),
        Question::Savings => (LoggersNeeded::OneOrAll, DaysNeeded::Month),
        Question::Health => (LoggersNeeded::OneOrMore, DaysNeeded::Optional),
        Question::ErrorCodes => (LoggersNeeded::OneOrAll, DaysNeeded::Optional),
        Question::Tool(tool) => return needs_of_tool(tool),
        Question::Fleet
        | Question::ListLoggers
        | Question::Silence
        | Question::Reporting
        | Question::ServiceHealth
        | Question::Help
        | Question::Thanks
        | Question::Definition
        | Question::Beyond(_)
        | Question::Unknown => (LoggersNeeded::None, DaysNeeded::None),
    };
    Needs { loggers, days }
}

/// The needs of a tool that is asked for by its own words.
fn needs_of_tool(name: &str) -> Needs {
    let asked_for = registry::descriptor(name).and_then(|tool| tool.asked_for);
    let loggers = match asked_for.map(|asked_for| asked_for.devices) {
        Some(DevicesAsked::One) => LoggersNeeded::One,
        Some(DevicesAsked::OneOrAll) => LoggersNeeded::OneOrAll,
        Some(DevicesAsked::None) | None => LoggersNeeded::None,
    };
    let days = match asked_for.map(|asked_for| asked_for.days) {
        Some(DaysAsked::Day) => DaysNeeded::Day,
        Some(DaysAsked::Month) => DaysNeeded::Month,
        Some(DaysAsked::Intervals) => DaysNeeded::Intervals,
        Some(DaysAsked::Optional) => DaysNeeded::Optional,
        Some(DaysAsked::None) | None => DaysNeeded::None,
    };
    Needs { loggers, days }
}

/// Checks what `context` and the request say against the devices that exist.
pub(crate) fn check(
    needs: Needs,
    flow: Flow,
    context: &FlowContext,
    known: &[LoggerSummary],
    now: DateTime<Utc>,
) -> Checked {
    if known.is_empty() {
        return Checked::Missing(Missing::Loggers);
    }
    let all: Vec<_> = known.iter().collect();
    let everywhere = read(context, known, &all, now);
    let (chosen, scope) = match loggers::choose(needs.loggers, flow, context, &everywhere, known) {
        loggers::Chosen::These(chosen, scope) => (chosen, scope),
        loggers::Chosen::Compare(several) => {
            return compare_instead(needs.days, flow, context, known, &several, now);
        }
        loggers::Chosen::Ask(missing) => return Checked::Missing(*missing),
    };
    // What "yesterday" is depends on the devices, so the words are read again where their clock is
    // another one.
    let first_day = |loggers: &[&LoggerSummary]| span(loggers).map(|days| days.start);
    // Whether a device reported is asked on the days of all.
    let dated_by = if asks_for_reports(&context.words(), known) {
        all.clone()
    } else {
        dated_by(&chosen, known)
    };
    let same_clock = clock(&all, now) == clock(&dated_by, now)
        && current_start(&all) == current_start(&chosen)
        && first_day(&all) == first_day(&chosen);
    let words = if same_clock {
        everywhere
    } else {
        read_at(context, known, &chosen, clock(&dated_by, now))
    };
    let anchor = newest_day(&chosen);
    let today = Some(site_day(&chosen, now));
    match days(needs.days, flow, context, &words, (anchor, today), &chosen) {
        Ok(period) => Checked::Ready(Resolved {
            // A question about faults that names no days is about all of them, those of a silence
            // included.
            period: period.or_else(|| {
                let all = needs.days == DaysNeeded::Optional && asks_of_all_days(&context.words());
                let end = newest_day(&dated_by);
                let whole = span(&chosen).map(|days| Period {
                    end: end.unwrap_or(days.end).max(days.end),
                    ..days
                });
                whole.filter(|_| all)
            }),
            beside: words.beside.map(|(first, _)| first),
            today: site_day(&chosen, now),
            // Who is best is a matter of energy.
            metric: words
                .metric
                .or((words.of_best || words.beside_peers.is_some())
                    .then_some(ComparisonMetric::Energy)),
            rate: words.rate.or(context.electricity_rate),
            rate_currency: words.rate_currency,
            days_ahead: words.days_ahead,
            coming: words.coming,
            capacity_kw: words.capacity_kw,
            notes: notes(words.notes, words.onwards && needs.days == DaysNeeded::Day),
            ranked: context.ranked.or(words.ranked),
            scope,
            loggers: chosen.into_iter().cloned().collect(),
        }),
        Err(missing) => Checked::Missing(*missing),
    }
}

/// What to say of the days; of a single day that it was taken from has nothing to be said.
fn notes(notes: Vec<Note>, one_day: bool) -> Vec<Note> {
    let unsaid = |note: &Note| one_day && matches!(note, Note::ReadAs { .. });
    notes.into_iter().filter(|note| !unsaid(note)).collect()
}

/// Reads the request against the clock of some devices.
fn read(
    context: &FlowContext,
    known: &[LoggerSummary],
    devices: &[&LoggerSummary],
    now: DateTime<Utc>,
) -> Extraction {
    read_at(context, known, devices, clock(devices, now))
}

/// Reads the request about some devices against a clock: the newest day, and today.
fn read_at(
    context: &FlowContext,
    known: &[LoggerSummary],
    devices: &[&LoggerSummary],
    (anchor, today): (NaiveDate, NaiveDate),
) -> Extraction {
    extract_for(
        &context.words(),
        &Horizon {
            loggers: known,
            anchor,
            today,
        },
        devices,
    )
}

/// The newest day of data, and today, where the devices are.
fn clock(devices: &[&LoggerSummary], now: DateTime<Utc>) -> (NaiveDate, NaiveDate) {
    let today = site_day(devices, now);
    (newest_day(devices).unwrap_or(today), today)
}

/// No night lasts longer, hours.
const LONGEST_NIGHT: i64 = 16;

/// The newest local day of the devices, by the newest reading of any. With different clocks it is
/// the day that has begun at all devices that still report.
pub(crate) fn newest_day(loggers: &[&LoggerSummary]) -> Option<NaiveDate> {
    let latest = || loggers.iter().filter_map(|logger| logger.latest_data);
    let newest = latest().max()?;
    latest()
        .filter(|own| (newest - *own).num_hours() <= LONGEST_NIGHT)
        // A stamp ends its step, so midnight belongs to the day before.
        .map(|own| {
            (newest.with_timezone(own.offset()) - chrono::TimeDelta::seconds(1)).date_naive()
        })
        .min()
}

/// The first and last local day that any of the devices has.
fn span(loggers: &[&LoggerSummary]) -> Option<Period> {
    let start = loggers
        .iter()
        .filter_map(|logger| logger.earliest_data)
        .map(|first| first.date_naive())
        .min()?;
    Some(Period {
        start,
        end: newest_day(loggers)?,
    })
}

/// Today where the devices are: the day that has begun at all of them.
fn site_day(loggers: &[&LoggerSummary], now: DateTime<Utc>) -> NaiveDate {
    let zones: BTreeSet<&str> = loggers
        .iter()
        .map(|logger| logger.timezone.as_str())
        .collect();
    zones
        .into_iter()
        .map(|zone| zone.parse::<Tz>().unwrap_or(Tz::UTC))
        .map(|zone| now.with_timezone(&zone).date_naive())
        .min()
        .unwrap_or_else(|| now.date_naive())
}

fn days(
    needed: DaysNeeded,
    flow: Flow,
    context: &FlowContext,
    words: &Extraction,
    (anchor, today): (Option<NaiveDate>, Option<NaiveDate>),
    loggers: &[&LoggerSummary],
) -> Result<Option<Period>, Box<Missing>> {
    if needed == DaysNeeded::None {
        return Ok(None);
    }
    let named = match (context.chosen_period(), &words.when) {
        (Some(chosen), _) => Some(chosen),
        (None, _) if let Some((_, second)) = words.beside => Some(second),
        (None, Some(When::Day(day))) => Some(Period {
            start: *day,
            end: *day,
        }),
        (None, Some(When::Range(range))) => Some(so_far(*range, today.max(anchor))),
        (None, Some(When::Apart(periods))) => {
            let remark = phrases::several_periods(periods);
            return Err(Box::new(ask_for_days(
                needed,
                flow,
                span(loggers),
                Some(remark),
            )));
        }
        (None, Some(When::NotADate { phrase })) => {
            let remark = phrases::not_a_date(phrase);
            return Err(Box::new(ask_for_days(
                needed,
                flow,
                span(loggers),
                Some(remark),
            )));
        }
        (None, None) => None,
    };
    match (needed, named) {
        // "The power curve from 20 October" is that of the day.
        (DaysNeeded::Day, Some(range)) if words.onwards && context.chosen_period().is_none() => {
            Ok(Some(Period {
                start: range.start,
                end: range.start,
            }))
        }
        (DaysNeeded::Day, Some(range)) if range.start != range.end => {
            let remark = sentences::one_day_only(range);
            Err(Box::new(ask_for_days(
                needed,
                flow,
                Some(range),
                Some(remark),
            )))
        }
        (_, Some(range)) => Ok(Some(range)),
        (DaysNeeded::Day | DaysNeeded::DayOrDays, None) => Ok(anchor.map(|day| Period {
            start: day,
            end: day,
        })),
        (DaysNeeded::Month, None) => Ok(anchor.map(|end| Period {
            start: days_before(end, FINANCIAL_DAYS - 1),
            end,
        })),
        // The best day is that of all.
        (DaysNeeded::Intervals, None) if best_interval(&context.words()).is_some() => {
            Ok(span(loggers))
        }
        (DaysNeeded::Intervals, None) => {
            Ok(anchor.map(|end| intervals(&context.words(), end, span(loggers))))
        }
        (DaysNeeded::Optional | DaysNeeded::None, None) => Ok(None),
    }
}

/// The days of a period that have come, unless none has.
fn so_far(period: Period, today: Option<NaiveDate>) -> Period {
    match today {
        Some(today) if period.start <= today => Period {
            end: period.end.min(today),
            ..period
        },
        _ => period,
    }
}

/// The days that energy by day, week, month or year is of, when the person names none: the last
/// thirty, the last five weeks, the last twelve months, or all, as far as there are data.
fn intervals(words: &str, end: NaiveDate, data: Option<Period>) -> Period {
    let first = data.map_or(NaiveDate::MIN, |data| data.start);
    let this = |interval: EnergyInterval| interval.around(end).start;
    let start = match EnergyInterval::named(&words.to_lowercase()) {
        Some(EnergyInterval::Year) => first,
        Some(EnergyInterval::Month) => {
            let month = this(EnergyInterval::Month);
            month.checked_sub_months(Months::new(11)).unwrap_or(month)
        }
        Some(EnergyInterval::Week) => days_before(this(EnergyInterval::Week), 28),
        Some(EnergyInterval::Day) | None => days_before(end, FINANCIAL_DAYS - 1),
    };
    let start = start.max(first).min(end);
    Period { start, end }
}

fn ask_for_days(
    needed: DaysNeeded,
    flow: Flow,
    span: Option<Period>,
    remark: Option<String>,
) -> Missing {
    let argument = if needed == DaysNeeded::Day {
        Argument::Date
    } else {
        Argument::DateRange
    };
    Missing::Choice {
        argument,
        request: Box::new(date_picker(argument, flow, span)),
        remark,
    }
}

/// The day `count` days earlier; the first day that the calendar knows when there is none.
pub(crate) fn days_before(day: NaiveDate, count: u64) -> NaiveDate {
    day.checked_sub_days(Days::new(count))
        .unwrap_or(NaiveDate::MIN)
}

/// Number of days that a period has, both ends included.
pub(crate) fn length(period: Period) -> u32 {
    let days = (period.end - period.start).num_days() + 1;
    u32::try_from(days.max(1)).unwrap_or(u32::MAX)
}

/// The period's last days, as many as there may be.
pub(crate) fn at_most(period: Period, days: u32) -> Period {
    Period {
        start: period
            .start
            .max(days_before(period.end, u64::from(days.saturating_sub(1)))),
        end: period.end,
    }
}

/// What to say of a period that is longer than `days`, of which only the last ones were looked at.
pub(crate) fn cut(period: Option<Period>, days: u32) -> Option<String> {
    let asked = period?;
    let looked_at = at_most(asked, days);
    (looked_at != asked).then(|| sentences::only_the_last_days(asked, looked_at))
}

/// The comparison that takes the place of a task about one device: savings become energy, because
/// at one tariff money follows energy.
fn compare_instead(
    needed: DaysNeeded,
    flow: Flow,
    context: &FlowContext,
    known: &[LoggerSummary],
    several: &[&LoggerSummary],
    now: DateTime<Utc>,
) -> Checked {
    let words = read(context, known, several, now);
    let clock = (newest_day(several), Some(site_day(several, now)));
    match days(needed, flow, context, &words, clock, several) {
        Ok(period) => Checked::Compare {
            logger_ids: several
                .iter()
                .map(|logger| logger.logger_id.clone())
                .collect(),
            period,
            metric: if needed == DaysNeeded::Month {
                ComparisonMetric::Energy
            } else {
                words.metric.unwrap_or_default()
            },
        },
        Err(missing) => Checked::Missing(*missing),
    }
}

#[cfg(test)]
mod tests;
