//! Examining loggers beside what stands around them: the same few queries for one logger and for a
//! hundred.

use std::collections::{BTreeSet, HashMap};

use chrono::{Days, NaiveDate};
use contracts::tools::Silence;
use solar::calendar::{DaySpan, local_day};
use solar::health::{
    Gap, Health, HealthQuestion, Peer, Surroundings, analyze, gaps, site_irradiance,
    site_utilisation,
};
use solar::size::is_implausible;
use solar::{
    Calibration, Capacity, CapacityBasis, DayFigures, Flag, IrradianceBasis, LoggerContext, Series,
};
use sqlx::PgConnection;

use crate::error::Error;
use crate::solar_tools::sizes::{self, Sizes};
use crate::solar_tools::subject::{Subject, period};
use crate::solar_tools::subjects::{has_stopped, silence};
use crate::store::loggers::Companion;
use crate::store::readings::{self, Detail};
use crate::store::{Logger, LoggerRole, daily, loggers};

/// Days before the window: what is usual, and whether the clock was moved.
const DAYS_BEFORE: u64 = 60;

/// Days after it.
const DAYS_AFTER: u64 = 15;

/// Witnesses of sunshine beside a logger.
const WITNESSES: usize = 5;

/// Days of loggers whose readings are held at a time.
const HELD: usize = 6_000;

/// A logger and the window that it is examined in.
pub(in crate::solar_tools) type Asked<'a> = (&'a Subject, DaySpan);

/// The findings, and the readings that they are based on.
pub(in crate::solar_tools) struct Examined {
    pub(super) series: Series,
    pub(in crate::solar_tools) health: Health,
    /// The hours of daylight without readings.
    pub(super) gaps: Vec<Gap>,
    /// Since when it is silent, if the window reaches beyond its newest day.
    pub(super) silence: Option<Silence>,
    /// The size that it was judged by.
    pub(super) capacity: Option<Capacity>,
}

/// The devices around loggers.
pub(in crate::solar_tools) struct Neighbourhood {
    peers: HashMap<String, Vec<(i32, Peer)>>,
    sizes: Sizes,
    witnesses: HashMap<String, Vec<Companion>>,
    /// The newest reading of each site, seconds since 1970.
    newest: HashMap<String, i64>,
}

impl Neighbourhood {
    /// The devices at the sites of these loggers.
    pub(in crate::solar_tools) async fn of(
        conn: &mut PgConnection,
        tenant: &str,
        asked: &[Asked<'_>],
    ) -> Result<Self, Error> {
        let sites: BTreeSet<&str> = asked.iter().map(|(subject, _)| site_id(subject)).collect();
        let sites: Vec<&str> = sites.into_iter().collect();
        let mut peers = loggers::peers(conn, tenant, &sites).await?;
        // Alone at its site an inverter has no peers.
        peers.retain(|_, peers| peers.len() > 1);
        let (mut keys, mut firsts, mut lasts) = (Vec::new(), Vec::new(), Vec::new());
        for (site, peers) in &peers {
            let spans = || {
                asked
                    .iter()
                    .filter(|(subject, _)| site_id(subject) == site)
                    .map(|(_, span)| *span)
            };
            let (Some(first), Some(last)) = (
                spans().map(|span| span.first).min(),
                spans().map(|span| span.last).max(),
            ) else {
                continue;
            };
            for peer in peers {
                keys.push(peer.key);
                firsts.push(before(first));
                lasts.push(after(last));
            }
        }
        let days = if keys.is_empty() {
            HashMap::new()
        } else {
            daily::load_ranges(conn, &keys, &firsts, &lasts).await?
        };
        let inverters: Vec<Asked<'_>> = asked
            .iter()
            .copied()
            .filter(|(subject, _)| subject.logger.role == LoggerRole::Inverter)
            .collect();
        let sizes = sizes::of(
            conn,
            &inverters
                .iter()
                .map(|(one, _)| &one.logger)
                .collect::<Vec<_>>(),
            &inverters
                .iter()
                .map(|(_, span)| span.first)
                .collect::<Vec<_>>(),
            &inverters
                .iter()
                .map(|(_, span)| span.last)
                .collect::<Vec<_>>(),
        )
        .await?;
        let peer = |companion: Companion| {
            let days = days.get(&companion.key)?;
            let stated = companion.capacity_kw.map(|kw| Capacity {
                kw,
                basis: CapacityBasis::Configured,
            });
            // By a capacity that it contradicts a device says nothing about the others.
            let stated = stated.filter(|stated| {
                !is_implausible(stated.kw, &companion.calibration, IrradianceBasis::Unknown)
            });
            let estimate = sizes
                .get(companion.key)
                .map(Capacity::from)
                .filter(|size| !size.is_stated());
            let peer = Peer::of(days, &companion.calibration, stated.or(estimate));
            Some((companion.key, peer))
        };
        Ok(Self {
            peers: peers
                .into_iter()
                .map(|(site, peers)| (site, peers.into_iter().filter_map(peer).collect()))
                .collect(),
            sizes,
            witnesses: loggers::witnesses(conn, tenant, &sites).await?,
            newest: loggers::newest_of_sites(conn, tenant, &sites).await?,
        })
    }

    /// The other inverters of an inverter's site.
    fn peers(&self, logger: &Logger) -> Vec<&Peer> {
        let peers = self.peers.get(&logger.site.site_id);
        peers
            .filter(|_| logger.role == LoggerRole::Inverter)
            .into_iter()
            .flatten()
            .filter(|(key, _)| *key != logger.key)
            .map(|(_, peer)| peer)
            .collect()
    }

    fn witnesses(&self, logger: &Logger) -> impl Iterator<Item = &Companion> {
        let witnesses = self.witnesses.get(&logger.site.site_id);
        let others = witnesses.into_iter().flatten();
        others
            .filter(|witness| witness.key != logger.key)
            .take(WITNESSES)
    }
}

/// Parts of a list that are examined at a time, so that the readings fit into memory.
pub(in crate::solar_tools) fn parts<'a, 'b>(
    asked: &'a [Asked<'b>],
) -> impl Iterator<Item = &'a [Asked<'b>]> {
    let longest = asked.iter().map(|(_, span)| span.days()).max();
    asked.chunks((HELD / longest.unwrap_or(1).max(1)).max(1))
}

/// Examines loggers, each in its window; each answer is its own.
pub(in crate::solar_tools) async fn examine(
    conn: &mut PgConnection,
    neighbourhood: &Neighbourhood,
    asked: &[Asked<'_>],
) -> Result<Vec<Result<Examined, Error>>, Error> {
    let keys: Vec<i32> = asked.iter().map(|(one, _)| one.logger.key).collect();
    let firsts: Vec<NaiveDate> = asked.iter().map(|(_, span)| before(span.first)).collect();
    let lasts: Vec<NaiveDate> = asked.iter().map(|(_, span)| after(span.last)).collect();
    let days = daily::load_ranges(conn, &keys, &firsts, &lasts).await?;
    let no_days = Vec::new();
    let days_of = |logger: &Logger| days.get(&logger.key).unwrap_or(&no_days);
    let mut readings: HashMap<i32, Series> = HashMap::new();
    let mut lights: HashMap<(i64, i64), HashMap<i32, Series>> = HashMap::new();
    for span in spans(asked) {
        let there: Vec<&Logger> = asked
            .iter()
            .filter(|(_, own)| *own == span)
            .map(|(subject, _)| &subject.logger)
            .collect();
        let found = readings::load_many(conn, &there, span, Detail::Power).await?;
        let needed: BTreeSet<i32> = there
            .iter()
            .filter(|logger| needs_witnesses(found.get(&logger.key), days_of(logger), span))
            .flat_map(|logger| neighbourhood.witnesses(logger).map(|witness| witness.key))
            .collect();
        readings.extend(found);
        if !needed.is_empty() {
            let needed: Vec<i32> = needed.into_iter().collect();
            let seen = readings::load_keys(conn, &needed, span).await?;
            lights.insert((span.after, span.until), seen);
        }
    }
    let no_light = HashMap::new();
    Ok(asked
        .iter()
        .map(|(subject, span)| {
            let series = readings.remove(&subject.logger.key).unwrap_or_default();
            let light = lights.get(&(span.after, span.until)).unwrap_or(&no_light);
            let days = days_of(&subject.logger);
            examined(subject, *span, series, days, light, neighbourhood)
        })
        .collect())
}

fn examined(
    subject: &Subject,
    window: DaySpan,
    series: Series,
    days: &[DayFigures],
    light: &HashMap<i32, Series>,
    neighbourhood: &Neighbourhood,
) -> Result<Examined, Error> {
    let logger = &subject.logger;
    // Before its first day a logger has at most the reading at the midnight that opens that day.
    let before = window.last < subject.available.start;
    let newest = neighbourhood.newest.get(&logger.site.site_id);
    let newest = newest.copied().unwrap_or(subject.anchor);
    // A logger that stopped while others of its site continue has a window without readings, and
    // that is a finding. After the end of its site there is nothing to find.
    let ended = subject.available.end < window.first && series.is_empty();
    let after = ended && local_day(newest, logger.site.zone) < window.first;
    if before || (after && !has_stopped(subject, window.first)) {
        return Err(subject.nothing_in(period(window)));
    }
    let silence = silence(subject, newest).filter(|_| subject.newest_day < window.last);
    let others: Vec<(&Series, &Calibration)> = if needs_witnesses(Some(&series), days, window) {
        neighbourhood
            .witnesses(logger)
            .filter_map(|witness| Some((light.get(&witness.key)?, &witness.calibration)))
            .collect()
    } else {
        Vec::new()
    };
    let lit: Vec<_> = others
        .iter()
        .copied()
        .filter(|(series, _)| series.has_irradiance())
        .collect();
    let irradiance = (!lit.is_empty()).then(|| site_irradiance(series.time(), &lit));
    let producing: Vec<_> = others
        .iter()
        .copied()
        .filter(|(_, c)| c.robust_peak_w > 0.0)
        .collect();
    let own = (&series, &logger.calibration);
    let utilisation =
        (!producing.is_empty()).then(|| site_utilisation(own, &producing, logger.site.zone));
    let implausible = neighbourhood.sizes.is_implausible(logger.key);
    let context = sizes::context(logger, &neighbourhood.sizes);
    // Nor is the device itself judged by it.
    let context = LoggerContext {
        capacity: context.capacity.filter(|_| !implausible),
        ..context
    };
    let peers = neighbourhood.peers(logger);
    let question = HealthQuestion {
        silent_after: silence.map(|_| subject.newest_day),
        series: &series,
        window,
        days,
        calibration: &logger.calibration,
        context: &context,
        surroundings: Surroundings {
            irradiance: irradiance.as_deref(),
            utilisation: utilisation.as_deref(),
        },
        peers: &peers,
    };
    let mut health = analyze(&question);
    health
        .flags
        .insert_if(Flag::CapacityImplausible, implausible);
    health
        .flags
        .insert_if(Flag::PowerFromRegister, logger.counts_alone());
    let gaps = gaps(&question, newest);
    Ok(Examined {
        gaps,
        silence,
        health,
        capacity: context.capacity,
        series,
    })
}

/// Whether the logger's own irradiance is not sufficient.
fn needs_witnesses(series: Option<&Series>, days: &[DayFigures], window: DaySpan) -> bool {
    let in_window = |date: NaiveDate| (window.first..=window.last).contains(&date);
    series.is_none_or(|series| !series.has_irradiance())
        || days
            .iter()
            .any(|day| day.sun.suspect && in_window(day.date))
}

/// The different windows.
fn spans(asked: &[Asked<'_>]) -> Vec<DaySpan> {
    let mut spans: Vec<DaySpan> = Vec::new();
    for (_, span) in asked {
        if !spans.contains(span) {
            spans.push(*span);
        }
    }
    spans
}

fn site_id(subject: &Subject) -> &str {
    &subject.logger.site.site_id
}

fn before(day: NaiveDate) -> NaiveDate {
    day.checked_sub_days(Days::new(DAYS_BEFORE)).unwrap_or(day)
}

fn after(day: NaiveDate) -> NaiveDate {
    day.checked_add_days(Days::new(DAYS_AFTER)).unwrap_or(day)
}
