//! The things that a message names: devices, days, rates.

use chrono::{Days, NaiveDate, TimeDelta};
use contracts::tools::{ComparisonMetric, LoggerSummary, Period};

use super::dates::Ahead;
use super::keywords::Keywords;
use super::loggers::{Finder, beside_peers};
use super::question::forecasts;
use super::text::Message;
use super::{LoggerMention, When, dates, figures, pairs};

/// The furthest that `forecast_production` looks ahead.
pub const MAX_DAYS_AHEAD: u32 = 7;

/// The rates that `calculate_financial_savings` takes.
const RATES: std::ops::RangeInclusive<f64> = 0.01..=1.0;

/// The facts that a message is read against.
#[derive(Debug, Clone, Copy)]
pub struct Horizon<'a> {
    /// The devices that exist.
    pub loggers: &'a [LoggerSummary],
    /// The newest local day of data: "today" in the answers.
    pub anchor: NaiveDate,
    /// Today on the site's clock.
    pub today: NaiveDate,
}

impl Horizon<'_> {
    /// The day that "yesterday" counts from: today, unless the data ended before yesterday.
    pub(super) fn now(&self) -> NaiveDate {
        if self.is_current() {
            self.today.max(self.anchor)
        } else {
            self.anchor
        }
    }

    /// Whether the data reach to yesterday or today.
    pub(super) fn is_current(&self) -> bool {
        (self.today - self.anchor).num_days() <= 1
    }
}

/// The things that a message names.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of the message, independent of the others"
)]
pub struct Extraction {
    /// Devices.
    pub loggers: LoggerMention,
    /// A day or a range in the past.
    pub when: Option<When>,
    /// Days ahead, 1 to 7; also set when `when` is a day shortly after the newest one.
    pub days_ahead: Option<u32>,
    /// The coming days that are named themselves ("tomorrow", "next weekend"), so that those
    /// before them are not asked for. Empty for a number of days.
    pub coming: Vec<Period>,
    /// Money per kWh, within the bounds of `calculate_financial_savings`.
    pub rate: Option<f64>,
    /// The currency that is named with the rate.
    pub rate_currency: Option<figures::NamedCurrency>,
    /// What to compare.
    pub metric: Option<ComparisonMetric>,
    /// DC nameplate, kW.
    pub capacity_kw: Option<f64>,
    /// The id of a site.
    pub site: Option<String>,
    /// A device that is set beside the others of its site: "compare LTI with its neighbours".
    pub beside_peers: Option<String>,
    /// An end of a ranking: "top 3".
    pub ranked: Option<figures::Ranked>,
    /// Whether the question is about any device, when it names none: "any problems?".
    pub of_any: bool,
    /// Whether the question is which device is best or worst.
    pub of_best: bool,
    /// Whether it asks which of them: "which inverter is more efficient?".
    pub which: bool,
    /// Whether the days begin with a named one and have no end: "from 20 October".
    pub onwards: bool,
    /// Two periods that are set side by side, the earlier one first: "the difference between
    /// October and November".
    pub beside: Option<(Period, Period)>,
    /// Requests that were understood and cannot be honoured; [`crate::narrative::phrases::note`]
    /// words them.
    pub notes: Vec<Note>,
}

/// Something understood that cannot be honoured as asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// More days ahead than the forecast reaches; `days_ahead` is the most it does.
    HorizonCapped {
        /// The days asked for.
        asked: u32,
    },
    /// The day of a forecast that is not ahead; `days_ahead` counts from the newest day.
    NotAhead {
        /// The day asked for.
        day: NaiveDate,
    },
    /// A date that can be read in two ways; `when` is the one that the data allow.
    ReadAs {
        /// The person's words.
        phrase: String,
        /// The period that they mean.
        period: Period,
    },
    /// "Yesterday" and the like, where the data ended before yesterday: they count from this day.
    CountedFrom {
        /// The newest day of data.
        day: NaiveDate,
    },
    /// A rate outside 0.01 to 1 per kWh; `rate` is none.
    RateOutOfRange {
        /// The rate asked for.
        asked: f64,
    },
}

/// What `message` names.
pub fn extract(message: &str, horizon: &Horizon<'_>) -> Extraction {
    let all: Vec<_> = horizon.loggers.iter().collect();
    extract_for(message, horizon, &all)
}

/// What `message` names, when it is about the data of `meant`: they say how a date is read that can
/// be read in two ways.
pub fn extract_for(message: &str, horizon: &Horizon<'_>, meant: &[&LoggerSummary]) -> Extraction {
    let beside_peers = beside_peers(message, horizon.loggers);
    let mut message = Message::new(message);
    let text = message.text().to_owned();
    let keywords = Keywords::of(&text);
    let mut extraction = Extraction {
        beside_peers,
        metric: figures::metric(&keywords),
        ranked: figures::ranked(&keywords),
        of_any: super::question::asks_of_any(&keywords),
        of_best: super::question::asks_of_best(&keywords),
        which: keywords.word(&["which", "who"]),
        ..Extraction::default()
    };
    let mut devices = Finder::new(horizon.loggers);
    devices.ids(&mut message);
    extraction.beside = beside(&message, horizon, meant);
    extraction.capacity_kw = figures::take_capacity(&mut message);
    take_rate(&mut message, &mut extraction);
    let current = current_start(meant).unwrap_or(horizon.anchor);
    let spans: Vec<_> = meant.iter().filter_map(|logger| days_of(logger)).collect();
    take_days(
        &mut message,
        horizon,
        (current, &spans),
        forecasts(&keywords),
        &mut extraction,
    );
    (extraction.loggers, extraction.site) = devices.rest(&mut message);
    // "Is MESA-A the best?": only the list of devices shows that one is named.
    extraction.of_best |= matches!(extraction.loggers, LoggerMention::One(_))
        && super::question::yes_or_no(&keywords)
        && keywords.word(&["best", "worst", "strongest", "weakest"]);
    extraction
}

/// The two periods that a message, whose devices are masked, sets side by side, the earlier one
/// first.
fn beside(
    message: &Message<'_>,
    horizon: &Horizon<'_>,
    meant: &[&LoggerSummary],
) -> Option<(Period, Period)> {
    let spans: Vec<_> = meant.iter().filter_map(|logger| days_of(logger)).collect();
    let clock = dates::Clock {
        anchor: horizon.anchor,
        now: horizon.now(),
        earliest: earliest(horizon),
        current: current_start(meant).unwrap_or(horizon.anchor),
        spans: &spans,
    };
    pairs::two_periods(message.text())?.periods(&clock)
}

fn take_rate(message: &mut Message<'_>, extraction: &mut Extraction) {
    match figures::take_rate(message) {
        Some(rate) if RATES.contains(&rate.per_kwh) => {
            extraction.rate = Some(rate.per_kwh);
            extraction.rate_currency = rate.currency;
        }
        Some(rate) => {
            let asked = rate.per_kwh;
            extraction.notes.push(Note::RateOutOfRange { asked });
        }
        None => {}
    }
}

fn take_days(
    message: &mut Message<'_>,
    horizon: &Horizon<'_>,
    (current, spans): (NaiveDate, &[(NaiveDate, NaiveDate)]),
    forecasting: bool,
    extraction: &mut Extraction,
) {
    let now = horizon.now();
    let counted = Note::CountedFrom {
        day: horizon.anchor,
    };
    let mut ahead = Coming::default();
    while let Some((asked, span)) = dates::find_ahead(message, now, forecasting) {
        if !ahead.take(asked, now, horizon.anchor) {
            extraction.notes.push(Note::NotAhead { day: now });
        }
        // "Next week" may be the one of the calendar, and hours are whole days here.
        let words = &message.text()[span.clone()];
        let weekly = words.contains("week") && !words.contains("weekend");
        let loose = (weekly || words.contains("hour")) && !words.contains("ahead");
        if let Ahead::Next(days @ 1..=MAX_DAYS_AHEAD) = asked
            && let Some(start) = horizon.anchor.succ_opt()
            && let Some(end) = horizon.anchor.checked_add_days(Days::new(days.into()))
            && loose
        {
            let phrase = message.words_of(span.clone()).to_owned();
            let period = Period { start, end };
            extraction.notes.push(Note::ReadAs { phrase, period });
        }
        let one_day = matches!(asked, Ahead::Only { .. });
        if one_day && !horizon.is_current() && !extraction.notes.contains(&counted) {
            extraction.notes.push(counted.clone());
        }
        message.mask(span);
        // "Tomorrow and next Friday" are two days.
        if !one_day || !forecasting {
            break;
        }
    }
    let none_yet = ahead.is_empty();
    let coming = forecasting && !ahead.counted;
    let found = if coming {
        dates::find_coming(message, now)
    } else {
        let clock = dates::Clock {
            anchor: horizon.anchor,
            now,
            earliest: spans
                .iter()
                .map(|(first, _)| *first)
                .min()
                .unwrap_or_else(|| earliest(horizon)),
            current,
            spans,
        };
        dates::find_by(message, &clock)
    };
    if let Some(found) = &found
        && let Some(period) = found.when.period()
        && (none_yet || coming && (period.end - horizon.anchor).num_days() <= MAX_DAYS_AHEAD.into())
    {
        let taken = ahead.take_period(period, horizon.anchor);
        if let When::Day(day) = found.when
            && forecasting
            && none_yet
            && !taken
        {
            extraction.notes.push(Note::NotAhead { day });
        }
    }
    let further = found.is_some() && coming;
    let Some(found) = found else {
        ahead.set(forecasting, extraction);
        return;
    };
    let read_as = found.ambiguous || found.onwards;
    if let Some(period) = found.when.period().filter(|_| read_as) {
        let phrase = message.words_of(found.span.clone()).to_owned();
        extraction.notes.push(Note::ReadAs { phrase, period });
    }
    let words = &message.text()[found.span.clone()];
    // A period that ends with the newest day is named by its days in the answer; "this week" is
    // another one by the calendar of today.
    let rolling = matches!(
        &found.when,
        When::Range(period) if period.end == horizon.anchor
    ) && !words.contains("this ")
        && !words.contains("current ");
    let from_today = found.relative && !rolling && names_distance(words);
    if from_today && !horizon.is_current() && !extraction.notes.contains(&counted) {
        extraction.notes.push(counted);
    }
    for span in std::iter::once(found.span).chain(found.more) {
        message.mask(span);
    }
    // "On Thursday and Friday".
    while further
        && let Some(more) = dates::find_coming(message, now)
        && let Some(period) = more.when.period()
        && ahead.take_period(period, horizon.anchor)
    {
        message.mask(more.span);
    }
    ahead.set(forecasting, extraction);
    extraction.onwards = found.onwards;
    extraction.when = Some(found.when);
}

/// Whether days are named by how far they are from today, and not as all that there are.
fn names_distance(words: &str) -> bool {
    const ALL: &[&str] = &[
        "all",
        "whole",
        "entire",
        "lifetime",
        "total",
        "ever",
        "since",
        "so far",
        "altogether",
        "to date",
        "now",
        "latest",
        "newest",
        "recent",
        "available",
        "known",
        "recorded",
    ];
    !ALL.iter().any(|all| words.contains(all))
}

/// The coming days of a message, mention by mention.
#[derive(Debug, Default)]
struct Coming {
    /// The furthest day, as its distance from the newest day of data.
    furthest: Option<u32>,
    /// The days that are named themselves.
    named: Vec<Period>,
    /// A number of days is asked for, too.
    counted: bool,
}

impl Coming {
    fn is_empty(&self) -> bool {
        self.furthest.is_none()
    }

    /// A number of days follows the data; named days count from `now`. `false` if none is ahead.
    fn take(&mut self, asked: Ahead, now: NaiveDate, anchor: NaiveDate) -> bool {
        match asked {
            Ahead::Next(days) => {
                self.counted = true;
                self.furthest = self.furthest.max(Some(days));
                true
            }
            Ahead::Only { first, last } => {
                let day = |distance: u32| now.checked_add_days(Days::new(distance.into()));
                let (Some(start), Some(end)) = (day(first), day(last)) else {
                    return false;
                };
                self.take_period(Period { start, end }, anchor)
            }
        }
    }

    /// Takes the part of a period that is ahead; `false` if no part of it is.
    fn take_period(&mut self, period: Period, anchor: NaiveDate) -> bool {
        let distance = u32::try_from((period.end - anchor).num_days()).unwrap_or(0);
        let Some(next) = anchor.succ_opt().filter(|_| distance > 0) else {
            return false;
        };
        self.furthest = self.furthest.max(Some(distance));
        self.named.push(Period {
            start: period.start.max(next),
            end: period.end,
        });
        true
    }

    fn set(self, forecasting: bool, extraction: &mut Extraction) {
        let Some(asked) = self.furthest else { return };
        extraction.days_ahead = Some(asked.clamp(1, MAX_DAYS_AHEAD));
        // What was made in a month that has not ended is asked of its days so far.
        if asked > MAX_DAYS_AHEAD && (forecasting || self.counted) {
            extraction.notes.push(Note::HorizonCapped { asked });
        }
        if !self.counted {
            extraction.coming = self.named;
        }
    }
}

/// The first and last local day of a device's data.
fn days_of(logger: &LoggerSummary) -> Option<(NaiveDate, NaiveDate)> {
    // A stamp ends its step, so midnight belongs to the day before.
    let last = (logger.latest_data? - TimeDelta::seconds(1)).date_naive();
    Some((logger.earliest_data?.date_naive(), last))
}

/// The first local day of data.
pub(super) fn earliest(horizon: &Horizon<'_>) -> NaiveDate {
    horizon
        .loggers
        .iter()
        .filter_map(|logger| logger.earliest_data)
        .map(|at| at.date_naive())
        .min()
        .unwrap_or(horizon.anchor)
}

/// The first local day from which on every site has data, of the sites whose data reach the newest
/// day: a site whose data ended before does not count.
pub fn current_start(loggers: &[&LoggerSummary]) -> Option<NaiveDate> {
    // A stamp ends its step, so midnight belongs to the day before.
    let last = |logger: &LoggerSummary| {
        logger
            .latest_data
            .map(|newest| (newest - TimeDelta::seconds(1)).date_naive())
    };
    let newest = loggers.iter().filter_map(|logger| last(logger)).max()?;
    loggers
        .iter()
        .filter(|logger| last(logger) == Some(newest))
        .filter_map(|current| {
            loggers
                .iter()
                .filter(|logger| logger.site_id == current.site_id)
                .filter_map(|logger| logger.earliest_data)
                .map(|first| first.date_naive())
                .min()
        })
        .max()
}
