//! The figures that loggers are ranked by: the energy of each of them on the same days.
//!
//! Loggers that share days form groups, each of one site. Within a group a logger that lacks a day
//! is taken to have had the day of the others, at the relation that it has to them on the days that
//! both have; so no day is weak because only a weak logger has it. Groups are compared
//! only on days that each of them has: the sky of another site says nothing.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::calibration::Calibration;
use crate::compare::{Entrant, Places};
use crate::days::DayFigures;
use crate::stats;

/// A day with less than this share of the usual readings says little about the day.
const COMPLETE_SHARE: f64 = 0.9;

/// A group that has fewer of the days than this share is not ranked among others.
const SHARED: f64 = 0.5;

/// Rounds of the fit, and the change at which it ends.
const MOST_ROUNDS: u32 = 60;
const SETTLED: f64 = 1e-7;

/// The energy of a logger on each day, per kW.
type Days = BTreeMap<NaiveDate, f64>;

/// The figure that a logger is ranked by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    /// Per kW, over all days of the ranking; of places with different sun also per kWh/m2.
    pub(super) total: f64,
    /// Days of it that the logger lacks, and that count as those of the others of its site.
    pub(super) filled: u32,
    /// Days that the ranking is about.
    pub(super) days: u32,
}

/// What each logger is ranked by. A logger that has no day in common with any other stays without,
/// unless it is alone.
pub(super) fn worth(loggers: &[Entrant<'_>], by_size: bool, places: Places) -> Vec<Option<Worth>> {
    let best = best_coverage(loggers);
    let by_sun = places == Places::OwnSun;
    let days: Vec<Days> = loggers
        .iter()
        .map(|logger| {
            let size = if by_size {
                logger.rank_size_kw()
            } else {
                Some(1.0).filter(|_| !logger.is_meter)
            };
            let mut days = size
                .map(|kw| days_of(logger, kw, &best))
                .unwrap_or_default();
            days.retain(|date, _| !by_sun || sunlight_of(logger, *date) > 0.0);
            days
        })
        .collect();
    let groups = groups(loggers, &days);
    let (ranked, common) = comparable(&groups);
    let mut worth = vec![None; loggers.len()];
    for group in ranked {
        let members: Vec<&Days> = group.members.iter().map(|&logger| &days[logger]).collect();
        let whole = fitted(&members);
        for ((&logger, own), whole) in group.members.iter().zip(members).zip(whole) {
            let (mut total, mut filled) = (0.0, 0);
            for date in &common {
                total += own.get(date).or_else(|| whole.get(date)).unwrap_or(&0.0);
                filled += u32::from(!own.contains_key(date));
            }
            if by_sun {
                let days = common.iter();
                let sunlight: f64 = days.map(|date| sunlight_of(&loggers[logger], *date)).sum();
                total /= sunlight.max(f64::MIN_POSITIVE);
            }
            worth[logger] = Some(Worth {
                total,
                filled,
                days: u32::try_from(common.len()).unwrap_or(u32::MAX),
            });
        }
    }
    worth
}

/// The irradiation of a day where a logger is, kWh/m2; 0 if it is not known.
fn sunlight_of(logger: &Entrant<'_>, date: NaiveDate) -> f64 {
    let known = logger.sunlight.and_then(|days| days.get(&date));
    known.copied().unwrap_or(0.0)
}

/// Share of its usual day for which a day was measured, 1 at most.
fn coverage(day: &DayFigures, calibration: &Calibration) -> f64 {
    let usual = calibration
        .typical_completeness
        .filter(|usual| *usual > 0.0)
        .unwrap_or(1.0);
    (day.completeness / usual).min(1.0)
}

pub(super) fn is_complete(day: &DayFigures, calibration: &Calibration) -> bool {
    coverage(day, calibration) >= COMPLETE_SHARE
}

/// Of each site's days the best coverage that any logger has.
fn best_coverage<'a>(loggers: &[Entrant<'a>]) -> BTreeMap<(&'a str, NaiveDate), f64> {
    let mut best: BTreeMap<(&str, NaiveDate), f64> = BTreeMap::new();
    for logger in loggers {
        for day in logger.days.iter().filter(|day| day.energy().is_some()) {
            let best = best.entry((logger.site, day.date)).or_default();
            *best = best.max(coverage(day, logger.calibration));
        }
    }
    best
}

/// The energy of each day per kW: of the days that were measured as the others' were, or of all
/// where none was. A register that counts more than the power of a day with missing readings may be
/// right or not, so such a day is none to judge by.
fn days_of(
    logger: &Entrant<'_>,
    kw: f64,
    best: &BTreeMap<(&str, NaiveDate), f64>,
) -> BTreeMap<NaiveDate, f64> {
    let is_fair = |day: &DayFigures| {
        let own = coverage(day, logger.calibration);
        let best = best.get(&(logger.site, day.date)).copied().unwrap_or(0.0);
        own >= COMPLETE_SHARE * best && (own >= COMPLETE_SHARE || !day.register_differs())
    };
    let worth = |fair_only: bool| {
        logger
            .days
            .iter()
            .filter(|day| !fair_only || is_fair(day))
            .filter_map(|day| {
                day.judged_kwh(logger.calibration)
                    .map(|kwh| (day.date, kwh / kw))
            })
            .collect::<Days>()
    };
    let fair = worth(true);
    if fair.is_empty() { worth(false) } else { fair }
}

/// Loggers of one site that are joined by days that they share, and all their days.
struct Group {
    members: Vec<usize>,
    days: BTreeSet<NaiveDate>,
}

fn groups(loggers: &[Entrant<'_>], days: &[Days]) -> Vec<Group> {
    let mut groups: Vec<(&str, Group)> = Vec::new();
    for (logger, own) in days.iter().enumerate() {
        if own.is_empty() {
            continue;
        }
        let site = loggers[logger].site;
        let mut joined = Group {
            members: vec![logger],
            days: own.keys().copied().collect(),
        };
        // A logger may join two groups that had no day in common.
        let mut others = Vec::with_capacity(groups.len() + 1);
        for (of, group) in groups {
            if of == site && own.keys().any(|date| group.days.contains(date)) {
                joined.members.extend(group.members);
                joined.days.extend(group.days);
            } else {
                others.push((of, group));
            }
        }
        others.push((site, joined));
        groups = others;
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The groups that can be ranked against each other, and the days that all of them have. The
/// largest one first; another one joins it when it has enough of the days, or when there would be
/// nothing to rank without it.
fn comparable(groups: &[Group]) -> (Vec<&Group>, BTreeSet<NaiveDate>) {
    let mut by_size: Vec<&Group> = groups.iter().collect();
    by_size.sort_by_key(|group| std::cmp::Reverse((group.members.len(), group.days.len())));
    let Some((first, others)) = by_size.split_first() else {
        return (Vec::new(), BTreeSet::new());
    };
    let mut ranked = vec![*first];
    let mut common = first.days.clone();
    for group in others {
        let shared: BTreeSet<NaiveDate> = common.intersection(&group.days).copied().collect();
        let enough = shared.len() as f64 >= SHARED * common.len() as f64;
        let alone = ranked.len() == 1 && first.members.len() == 1;
        if !shared.is_empty() && (enough || alone) {
            ranked.push(group);
            common = shared;
        }
    }
    // Of several loggers, one that shares no day with another has nothing to be ranked against.
    if ranked.len() == 1 && first.members.len() == 1 && groups.len() > 1 {
        return (Vec::new(), BTreeSet::new());
    }
    (ranked, common)
}

/// For each logger of a group the energy that each day of the group would have had: each day has
/// one strength and each logger one factor, and the strength of a day is the median of what its
/// loggers made of it, each by its factor.
fn fitted(members: &[&Days]) -> Vec<Days> {
    let all: BTreeSet<NaiveDate> = members
        .iter()
        .flat_map(|days| days.keys())
        .copied()
        .collect();
    if members.iter().all(|days| days.len() == all.len()) {
        return vec![Days::new(); members.len()];
    }
    let mut factors = vec![1.0_f64; members.len()];
    let mut strengths = Days::new();
    for _ in 0..MOST_ROUNDS {
        let mut by_day: BTreeMap<NaiveDate, Vec<f64>> = BTreeMap::new();
        for (days, factor) in members.iter().zip(&factors) {
            for (date, value) in *days {
                by_day.entry(*date).or_default().push(value / factor);
            }
        }
        strengths = by_day
            .into_iter()
            .map(|(date, mut values)| (date, stats::median(&mut values).unwrap_or(0.0)))
            .collect();
        let mut change = 0.0_f64;
        for (days, factor) in members.iter().zip(&mut factors) {
            let made: f64 = days.values().sum();
            let there: f64 = days.keys().filter_map(|date| strengths.get(date)).sum();
            if made > 0.0 && there > 0.0 {
                let next = made / there;
                change = change.max((next / *factor - 1.0).abs());
                *factor = next;
            }
        }
        if change < SETTLED {
            break;
        }
    }
    factors
        .iter()
        .map(|factor| {
            strengths
                .iter()
                .map(|(date, strength)| (*date, factor * strength))
                .collect()
        })
        .collect()
}
