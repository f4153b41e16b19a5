//! The expected energy of a day, from the site's other inverters or the logger's own past.
//! The measure is the median of the peers' energies per capacity, stated or estimated from days
//! that are not judged. Where no capacity is known only the logger's share of the peers' yield is
//! judged: what it was before the window.

mod stretched;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::calibration::Calibration;
use crate::completeness;
use crate::context::{Capacity, IrradianceBasis};
use crate::days::DayFigures;
use crate::health::HealthQuestion;
use crate::ratio::is_dead;
use crate::stats;

pub(super) use stretched::Stretch;

/// Behind its peers by more than this a logger underperforms; the planes of roofs explain less.
const BEHIND: f64 = 0.15;

/// The same where there is only one peer, which may be the odd one itself. Beyond it, no spread
/// among the peers explains it.
const BEHIND_ONE: f64 = 0.25;

/// Minimum distance behind the peers, as a multiple of their usual spread, unless it is far behind.
const BEYOND_CHANCE: f64 = 3.0;

/// Minimum number of days before the window for a logger's usual share.
const FEWEST_DAYS: usize = 5;

/// Days before a dead day that say what the logger would have made of it. A day is complete by the
/// days around it, so these are fewer than the days that are known before any window.
const BEFORE_DEAD_DAY: i64 = 45;

/// Number of days on either side for a typical day.
const TYPICAL_NEIGHBOURS: i64 = 15;

/// AC energy per stated kW and kWh/m2 that a sound array reaches.
const USUAL_RATIO: f64 = 0.8;

/// A performance ratio from here on is normal.
const NORMAL_RATIO: f64 = 0.75;

/// Sunshine, kWh/m2, without which a window's performance ratio says nothing.
const LEAST_SUN: f64 = 3.0;

/// A logger whose peak is below this share of its peers' never really produced; it is taken to be
/// of their size.
const FEEBLE: f64 = 0.05;

/// Energy up to this share of what was to be expected is none.
pub(super) const DEAD_SHARE: f64 = 0.01;

/// A peer that produced for less than this share of its usual hours stood still for a part of the
/// day.
const WHOLE_DAY_SHARE: f64 = 0.9;

/// Below this share of the peers' median day a day has too little sun to compare yields.
const DARK_DAY: f64 = 0.1;

/// As long as that is more than a reading or two, hours.
const SHORTEST_STANDSTILL: f64 = 0.75;

/// Another inverter of the logger's site.
#[derive(Clone, Debug, PartialEq)]
pub struct Peer {
    /// The days of which it has the readings and on which it ran, in order.
    whole_days: Vec<PeerDay>,
    step_hours: f64,
    peak_kw: Option<f64>,
    capacity: Option<Capacity>,
}

/// A day of a peer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PeerDay {
    date: NaiveDate,
    kwh: f64,
    /// For how long it produced.
    hours: f64,
}

impl Peer {
    /// From daily figures, in order. Days on which register and power differ are not a reference
    /// for others.
    pub fn of(days: &[DayFigures], calibration: &Calibration, capacity: Option<Capacity>) -> Self {
        let whole = |day: &&DayFigures| {
            !is_dead(day, calibration)
                && !day.register_differs()
                && completeness::is_complete(days, day)
        };
        let of_day = |day: &DayFigures| {
            Some(PeerDay {
                date: day.date,
                kwh: day.energy()?.0,
                hours: producing_hours(day, calibration),
            })
        };
        Self {
            whole_days: days
                .iter()
                .filter(whole)
                .filter_map(of_day)
                .filter(|day| day.kwh > 0.0)
                .collect(),
            step_hours: calibration.step_hours,
            peak_kw: peak_kw(calibration),
            capacity: capacity.filter(|capacity| capacity.kw > 0.0),
        }
    }

    fn day(&self, date: NaiveDate) -> Option<&PeerDay> {
        let at = self
            .whole_days
            .binary_search_by_key(&date, |day| day.date)
            .ok()?;
        self.whole_days.get(at)
    }
}

fn producing_hours(day: &DayFigures, calibration: &Calibration) -> f64 {
    f64::from(day.producing) * calibration.step_hours
}

/// The longest production of any inverter of the site on each day, hours.
struct LongestHours(BTreeMap<NaiveDate, f64>);

impl LongestHours {
    fn of(question: &HealthQuestion<'_>) -> Self {
        let own = question
            .days
            .iter()
            .map(|day| (day.date, producing_hours(day, question.calibration)));
        let theirs = question.peers.iter().flat_map(|peer| {
            let days = peer.whole_days.iter();
            days.map(|day| (day.date, day.hours))
        });
        let mut longest: BTreeMap<NaiveDate, f64> = BTreeMap::new();
        for (date, hours) in own.chain(theirs) {
            let known = longest.entry(date).or_default();
            *known = known.max(hours);
        }
        Self(longest)
    }

    fn on(&self, date: NaiveDate) -> f64 {
        self.0.get(&date).copied().unwrap_or(0.0)
    }

    /// The peer's usual share of these hours: an array that looks west has the sun for shorter.
    fn usual_share(&self, peer: &Peer) -> f64 {
        let mut shares: Vec<f64> = peer
            .whole_days
            .iter()
            .map(|day| (day.hours, self.on(day.date)))
            .filter(|(_, longest)| *longest > 0.0)
            .map(|(hours, longest)| hours / longest)
            .collect();
        stats::median(&mut shares).unwrap_or(0.0)
    }
}

/// A peer of a model.
#[derive(Clone, Copy)]
struct Measured<'a> {
    peer: &'a Peer,
    /// What its energies are divided by, kW.
    kw: f64,
    /// Its usual share of the site's longest hours.
    hours_share: f64,
}

/// The usual output of a logger beside one peer: its energy per yield of that peer, kW. Each peer
/// has its own, so that a day is judged by the peers that it has, also when one joins or leaves.
struct Beside<'a> {
    measured: Measured<'a>,
    share: f64,
}

fn peak_kw(calibration: &Calibration) -> Option<f64> {
    (calibration.robust_peak_w > 0.0).then(|| calibration.robust_peak_w / 1000.0)
}

/// The source of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// The site's other inverters.
    Peers,
    /// Stated capacity and irradiance.
    Capacity,
    /// The logger's usual response to its irradiance.
    Irradiance,
    /// The logger's typical day.
    Typical,
}

/// The shortfall of a logger while it ran.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shortfall {
    /// Share of what was to be expected of all days of the window, 0 to 1.
    pub(super) share: f64,
    /// kWh.
    pub(super) kwh: f64,
    /// The measure that shows it.
    pub(super) measure: Measure,
    /// The stretches of days that fell short; empty if these are all days.
    pub(super) stretches: Vec<Stretch>,
}

/// What says that a logger fell short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Measure {
    /// The yield per capacity, stated or estimated, of this many peers.
    Peers(u32),
    /// Its own share of its peers' yield before.
    OwnShare,
    /// This performance ratio.
    PerformanceRatio(f64),
}

/// What to expect of a logger.
pub(super) struct Model<'a> {
    question: &'a HealthQuestion<'a>,
    peers: Vec<Measured<'a>>,
    longest: LongestHours,
    /// The size of the logger; of one that never produced and has no size the peers' median.
    own_kw: Option<f64>,
    /// Whether the sizes of the logger and its peers are comparable, so that their levels are.
    sized: bool,
    beside: OnceCell<Vec<Beside<'a>>>,
}

impl<'a> Model<'a> {
    pub(super) fn of(question: &'a HealthQuestion<'a>) -> Self {
        let longest = LongestHours::of(question);
        let known = |peer: &&Peer| !peer.whole_days.is_empty();
        let all = question.peers.iter().copied().filter(known);
        let measured = |(peer, kw): (&'a Peer, f64)| Measured {
            peer,
            kw,
            hours_share: longest.usual_share(peer),
        };
        let own = capacity(question);
        let with_size = all
            .clone()
            .filter_map(|peer| Some((peer, peer.capacity?)))
            .collect::<Vec<_>>();
        // A stated capacity is measured by stated ones only.
        let comparable: Vec<_> = with_size
            .iter()
            .filter(|(_, theirs)| theirs.is_stated() || own.is_some_and(|own| !own.is_stated()))
            .map(|(peer, theirs)| measured((*peer, theirs.kw)))
            .collect();
        let sized = own.is_some() && !comparable.is_empty();
        // Otherwise they only distinguish one day from another.
        let peers: Vec<_> = if sized {
            comparable
        } else if with_size.is_empty() {
            all.filter_map(|peer| Some(measured((peer, peer.peak_kw?))))
                .collect()
        } else {
            with_size
                .iter()
                .map(|(peer, theirs)| measured((*peer, theirs.kw)))
                .collect()
        };
        let theirs = stats::median(&mut peers.iter().map(|peer| peer.kw).collect::<Vec<_>>());
        let never_produced = theirs.is_some_and(|theirs| {
            peak_kw(question.calibration).is_none_or(|peak| peak < FEEBLE * theirs)
        });
        let own_kw = own
            .filter(|_| sized || !with_size.is_empty())
            .map(|own| own.kw);
        Self {
            question,
            peers,
            longest,
            own_kw: own_kw.or(theirs.filter(|_| never_produced)),
            sized,
            beside: OnceCell::new(),
        }
    }

    /// The yield of a peer that ran all day. An outage of one peer is not a reference for the
    /// others.
    fn peer_yield(&self, measured: &Measured<'_>, date: NaiveDate) -> Option<f64> {
        let day = measured.peer.day(date)?;
        let usual = measured.hours_share * self.longest.on(date);
        let shortest = SHORTEST_STANDSTILL.max(1.5 * measured.peer.step_hours);
        let stood_still = day.hours < WHOLE_DAY_SHARE * usual && usual - day.hours >= shortest;
        (!stood_still).then(|| day.kwh / measured.kw)
    }

    /// The peers' yield per kW that day: the median of those that have the whole day. If all of
    /// them are dead the site was off, and there is no yield.
    fn peers_yield(&self, date: NaiveDate) -> Option<f64> {
        let mut yields: Vec<f64> = self
            .peers
            .iter()
            .filter_map(|peer| self.peer_yield(peer, date))
            .collect();
        stats::median(&mut yields).filter(|median| *median > 0.0)
    }

    /// The output of the logger beside each peer on its good days before and after the window.
    fn beside(&self) -> &[Beside<'a>] {
        self.beside.get_or_init(|| {
            let window = self.question.window;
            let outside = |day: &&DayFigures| day.date < window.first || day.date > window.last;
            let days: Vec<&DayFigures> = self.question.days.iter().filter(outside).collect();
            self.shares(&days, self.peers.iter().copied())
        })
    }

    /// The output of the logger beside each peer on the good ones of these days; not beside a peer
    /// that has too few of them.
    fn shares(
        &self,
        days: &[&DayFigures],
        peers: impl Iterator<Item = Measured<'a>>,
    ) -> Vec<Beside<'a>> {
        let good: Vec<(NaiveDate, f64)> = days
            .iter()
            .filter(|day| self.is_good(day))
            .filter_map(|day| Some((day.date, day.judged_kwh(self.question.calibration)?)))
            .collect();
        let feeble = self.own_kw.map_or(0.0, |kw| FEEBLE * kw);
        peers
            .filter_map(|measured| {
                let mut shares: Vec<f64> = good
                    .iter()
                    .filter_map(|(date, own)| Some(own / self.peer_yield(&measured, *date)?))
                    .collect();
                let enough = shares.len() >= FEWEST_DAYS;
                let share = stats::median(&mut shares).filter(|share| enough && *share > feeble)?;
                Some(Beside { measured, share })
            })
            .collect()
    }

    /// The energy of a day by what the logger usually makes beside each peer that has that day.
    fn by_shares(&self, beside: &[Beside<'_>], date: NaiveDate) -> Option<f64> {
        let mut energies: Vec<f64> = beside
            .iter()
            .filter_map(|own| Some(own.share * self.peer_yield(&own.measured, date)?))
            .collect();
        stats::median(&mut energies).filter(|kwh| *kwh > 0.0)
    }

    /// Whether the logger ran that day, and its readings are all there.
    fn is_good(&self, day: &DayFigures) -> bool {
        !is_dead(day, self.question.calibration)
            && completeness::is_complete(self.question.days, day)
            && day.energy().is_some_and(|(kwh, _)| kwh > 0.0)
    }

    /// The expected energy of the day, by the best available measure.
    pub(super) fn expected(&self, date: NaiveDate) -> Option<(f64, Basis)> {
        let day = self.day(date);
        self.by_peers(date)
            .map(|kwh| (kwh, Basis::Peers))
            .or_else(|| Some((self.by_irradiance(day?)?, Basis::Irradiance)))
            .or_else(|| Some((self.by_capacity(day?)?, Basis::Capacity)))
            .or_else(|| Some((self.typical(date)?, Basis::Typical)))
    }

    /// [`Model::expected`] of a dead day: by the days before that day, and not by those around the
    /// window, so that its loss is the same whatever window it is asked for in.
    pub(super) fn expected_of_dead_day(&self, date: NaiveDate) -> Option<(f64, Basis)> {
        self.by_peers_before(date)
            .map(|kwh| (kwh, Basis::Peers))
            .or_else(|| self.expected(date))
    }

    /// The energy of the day by what the logger made beside each peer before it.
    fn by_peers_before(&self, date: NaiveDate) -> Option<f64> {
        let days = &self.question.days;
        let first = date - chrono::Duration::days(BEFORE_DEAD_DAY);
        let before: Vec<&DayFigures> = days[days.partition_point(|day| day.date < first)
            ..days.partition_point(|day| day.date < date)]
            .iter()
            .collect();
        let peers = self.question.peers.iter().copied().filter_map(|peer| {
            Some(Measured {
                peer,
                kw: peer.peak_kw?,
                hours_share: self.hours_share_before(peer, first, date),
            })
        });
        let beside = self.shares(&before, peers);
        self.by_shares(&beside, date)
    }

    /// A peer's usual share of the longest hours on these days.
    fn hours_share_before(&self, peer: &Peer, first: NaiveDate, end: NaiveDate) -> f64 {
        let days = &peer.whole_days[peer.whole_days.partition_point(|day| day.date < first)
            ..peer.whole_days.partition_point(|day| day.date < end)];
        let shares = days
            .iter()
            .map(|day| (day.hours, self.longest.on(day.date)))
            .filter(|(_, longest)| *longest > 0.0)
            .map(|(hours, longest)| hours / longest);
        stats::median(&mut shares.collect::<Vec<_>>()).unwrap_or(0.0)
    }

    fn day(&self, date: NaiveDate) -> Option<&'a DayFigures> {
        let days = self.question.days;
        let at = days.binary_search_by_key(&date, |day| day.date).ok()?;
        days.get(at)
    }

    /// By the peers: at the share that the logger usually has of their yield, otherwise by
    /// capacity.
    fn by_peers(&self, date: NaiveDate) -> Option<f64> {
        self.by_shares(self.beside(), date)
            .or_else(|| self.by_size(self.own_kw?, date))
    }

    /// By the yield of the peers and a size.
    fn by_size(&self, kw: f64, date: NaiveDate) -> Option<f64> {
        Some(kw * self.peers_yield(date)?)
    }

    fn by_irradiance(&self, day: &DayFigures) -> Option<f64> {
        let ratio = self.question.calibration.power_per_irradiance?;
        let sun = &day.sun;
        (ratio > 0.0 && !sun.suspect && sun.insolation_kwh_m2 > 0.0)
            .then_some(ratio * sun.insolation_kwh_m2)
    }

    /// By stated capacity and irradiance; finds a logger that never produced.
    fn by_capacity(&self, day: &DayFigures) -> Option<f64> {
        let kw = stated_capacity(self.question)?;
        let sun = &day.sun;
        (!sun.suspect && sun.insolation_kwh_m2 > 0.0)
            .then_some(kw * sun.insolation_kwh_m2 * USUAL_RATIO)
    }

    fn typical(&self, date: NaiveDate) -> Option<f64> {
        let near = |day: &&DayFigures| (day.date - date).num_days().abs() <= TYPICAL_NEIGHBOURS;
        let energies = |days: &mut dyn Iterator<Item = &DayFigures>| {
            let mut values: Vec<f64> = days
                .filter(|day| self.is_good(day))
                .filter_map(|day| Some(day.energy()?.0))
                .collect();
            stats::median(&mut values)
        };
        energies(&mut self.question.days.iter().filter(near))
            .or(self.question.calibration.median_day_kwh)
    }

    /// Whether next to nothing came of a day on which the peers, or the sun, say that there was
    /// something to be had; and what.
    pub(super) fn is_dead(&self, day: &DayFigures) -> Option<(f64, Basis)> {
        let (kwh, _) = day.energy()?;
        let usual = self
            .question
            .calibration
            .usual_day_records
            .is_none_or(|usual| f64::from(day.valid) >= 0.5 * usual);
        if day.valid == 0 || !usual {
            return None;
        }
        let peers = self.by_peers(day.date).map(|kwh| (kwh, Basis::Peers));
        let expected = peers.or_else(|| Some((self.by_capacity(day)?, Basis::Capacity)));
        expected.filter(|(expected, _)| *expected >= 0.1 && kwh <= DEAD_SHARE * expected)
    }

    /// How the logger did on the days on which it ran, against its peers, its own share of their
    /// yield, or a sound array: the worst that is beyond chance. A window that is sound as a whole
    /// can have stretches of days that are not. The second figure is its deviation from its peers
    /// as a share.
    pub(super) fn shortfall(&self, ran: &[(&DayFigures, f64)]) -> (Option<Shortfall>, Option<f64>) {
        let level = self
            .own_kw
            .filter(|_| self.sized)
            .and_then(|kw| self.against(ran, self.peers.len(), |date| self.by_size(kw, date)));
        let beside = self.beside();
        let share = self.against(ran, beside.len(), |date| self.by_shares(beside, date));
        let deviation = level.or(share).map(|found| found.ratio - 1.0);
        let by_peers = level
            .filter(|found| self.is_beyond_chance(found, ran) && self.is_behind_most(found, ran))
            .map(|found| found.shortfall(Measure::Peers(found.peers)));
        let by_past = share
            .filter(|found| found.ratio < 1.0 - found.tolerance())
            .map(|found| found.shortfall(Measure::OwnShare));
        let peers = u32::try_from(self.peers.len()).unwrap_or(u32::MAX);
        let by_peers = self.stretched(ran, Measure::Peers(peers), by_peers, |date| {
            self.by_size(self.own_kw.filter(|_| self.sized)?, date)
        });
        let by_past = self.stretched(ran, Measure::OwnShare, by_past, |date| {
            self.by_shares(beside, date)
        });
        let by_ratio = self.by_performance_ratio(ran);
        let found = [by_ratio, by_past, by_peers]
            .into_iter()
            .flatten()
            .max_by(|a, b| a.share.total_cmp(&b.share));
        (found, deviation)
    }

    /// Whether the sizes of the logger and its peers are comparable, so that their levels are.
    pub(super) fn is_sized(&self) -> bool {
        self.sized
    }

    /// The yields per kW on the days on which it ran, as multiples of the median of its peers'.
    /// Without a size they are by the robust peaks. A day of little sun says little.
    pub(super) fn ratios(&self, ran: &[(&DayFigures, f64)]) -> Vec<(NaiveDate, f64)> {
        let Some(kw) = self.own_kw.or(peak_kw(self.question.calibration)) else {
            return Vec::new();
        };
        let days: Vec<(NaiveDate, f64, f64)> = ran
            .iter()
            .filter_map(|(day, lost)| {
                let kwh = day.judged_kwh(self.question.calibration)? + lost;
                Some((day.date, kwh / kw, self.peers_yield(day.date)?))
            })
            .collect();
        let mut yields: Vec<f64> = days.iter().map(|(.., theirs)| *theirs).collect();
        let dark = DARK_DAY * stats::median(&mut yields).unwrap_or(0.0);
        days.into_iter()
            .filter(|(.., theirs)| *theirs > dark)
            .map(|(date, own, theirs)| (date, own / theirs))
            .collect()
    }

    /// The energies of the days that have an expectation by this number of peers, against it.
    fn against(
        &self,
        ran: &[(&DayFigures, f64)],
        peers: usize,
        expectation: impl Fn(NaiveDate) -> Option<f64>,
    ) -> Option<Against> {
        let (mut made, mut expected) = (0.0, 0.0);
        for (day, lost) in ran {
            let Some(kwh) = expectation(day.date) else {
                continue;
            };
            made += day.judged_kwh(self.question.calibration).unwrap_or(0.0) + lost;
            expected += kwh;
        }
        (expected > 0.0).then(|| Against {
            ratio: made / expected,
            expected,
            peers: u32::try_from(peers).unwrap_or(u32::MAX),
        })
    }

    fn is_beyond_chance(&self, found: &Against, ran: &[(&DayFigures, f64)]) -> bool {
        if found.ratio >= 1.0 - found.tolerance() {
            return false;
        }
        if self.peers.len() < 2 || found.ratio < 1.0 - BEHIND_ONE {
            return true;
        }
        let mut distances: Vec<f64> = self
            .peers
            .iter()
            .filter_map(|peer| {
                let (mut made, mut median) = (0.0, 0.0);
                for (day, _) in ran {
                    if let Some(yielded) = self.peer_yield(peer, day.date) {
                        made += yielded;
                        median += self.peers_yield(day.date).unwrap_or(0.0);
                    }
                }
                (median > 0.0).then(|| (made / median - 1.0).abs())
            })
            .collect();
        let spread = stats::spread(&mut distances);
        1.0 - found.ratio > BEYOND_CHANCE * spread
    }

    /// Whether it is behind more than half of its peers, each on the days that both have: beside
    /// one that makes far more, the others are still its equals.
    fn is_behind_most(&self, found: &Against, ran: &[(&DayFigures, f64)]) -> bool {
        let Some(kw) = self.own_kw else { return true };
        let ratios: Vec<f64> = self
            .peers
            .iter()
            .filter_map(|peer| {
                let yielded = |date| Some(kw * self.peer_yield(peer, date)?);
                Some(self.against(ran, 1, yielded)?.ratio)
            })
            .collect();
        let behind = |ratio: &&f64| **ratio < 1.0 - found.tolerance();
        2 * ratios.iter().filter(behind).count() > ratios.len()
    }

    fn by_performance_ratio(&self, ran: &[(&DayFigures, f64)]) -> Option<Shortfall> {
        let kw = stated_capacity(self.question)?;
        if self.question.context.irradiance_basis != IrradianceBasis::Poa {
            return None;
        }
        let (mut energy, mut sun) = (0.0, 0.0);
        for (day, lost) in ran.iter().filter(|(day, _)| !day.sun.suspect) {
            // The loss of an outage is not a shortfall of the time that it ran.
            energy += day.energy_per_power(true).min(1.0) * day.sun.pairs.energy_kwh + lost;
            sun += day.sun.pairs.insolation_kwh_m2;
        }
        let ratio = (sun >= LEAST_SUN).then(|| energy / (kw * sun))?;
        // A ratio that no array has says something about the stated capacity instead.
        (0.2..NORMAL_RATIO).contains(&ratio).then(|| Shortfall {
            share: 1.0 - ratio / NORMAL_RATIO,
            kwh: NORMAL_RATIO * kw * sun - energy,
            measure: Measure::PerformanceRatio(ratio),
            stretches: Vec::new(),
        })
    }
}

/// A logger's energy against the expected one.
#[derive(Clone, Copy)]
struct Against {
    ratio: f64,
    expected: f64,
    peers: u32,
}

impl Against {
    fn tolerance(self) -> f64 {
        tolerance(self.peers as usize)
    }

    fn shortfall(self, measure: Measure) -> Shortfall {
        let share = (1.0 - self.ratio).clamp(0.0, 1.0);
        Shortfall {
            share,
            kwh: share * self.expected,
            measure,
            stretches: Vec::new(),
        }
    }
}

/// The distance behind this number of peers up to which a logger is sound.
fn tolerance(peers: usize) -> f64 {
    if peers < 2 { BEHIND_ONE } else { BEHIND }
}

fn capacity(question: &HealthQuestion<'_>) -> Option<Capacity> {
    question
        .context
        .capacity
        .filter(|capacity| capacity.kw > 0.0)
}

fn stated_capacity(question: &HealthQuestion<'_>) -> Option<f64> {
    capacity(question)
        .filter(|capacity| capacity.is_stated())
        .map(|capacity| capacity.kw)
}
