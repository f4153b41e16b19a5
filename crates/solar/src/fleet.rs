//! The state of a site: loggers that produce, that are at rest, that do not report.

use crate::context::{EnergySource, Position, Role};
use crate::days::PRODUCING_SHARE;
use crate::sun::is_night;

/// In this much light, W/m2, a logger below this share of what is expected does not do its part.
const BRIGHT: f64 = 200.0;
const WEAK_SHARE: f64 = 0.25;

/// A logger that was silent for longer than this is not asleep, seconds: no night is longer.
const LONGEST_SLEEP: i64 = 16 * 3600;

/// A logger that was silent for more daylight than this is not asleep, seconds. Loggers fall asleep
/// before sunset.
const LONGEST_DUSK: i64 = 3 * 3600;

/// Seconds between the moments at which the position of the sun is looked at.
const LOOK: i64 = 900;

/// The newest figures of one logger.
#[derive(Clone, Debug, PartialEq)]
pub struct LatestReading {
    /// The device that it measures.
    pub role: Role,
    /// Its newest reading of any kind, seconds since 1970.
    pub last_time: Option<i64>,
    /// Its newest valid (cleaned) power: seconds since 1970 and W.
    pub last_power: Option<(i64, f64)>,
    /// Whether it sends energies and no power.
    pub counts_alone: bool,
    /// Its newest irradiance: seconds since 1970 and W/m2.
    pub last_irradiance: Option<(i64, f64)>,
    /// Nominal step, hours.
    pub step_hours: f64,
    /// Robust peak, W.
    pub robust_peak_w: f64,
    /// Median P/G, W per W/m2, when known: says what to expect of it.
    pub power_per_irradiance: Option<f64>,
    /// Energy of the anchor's local day.
    pub today: Option<(f64, EnergySource)>,
    /// Nameplate, kW.
    pub capacity_kw: Option<f64>,
    /// Whether its newest day, or the day before, is a dead one (section 9).
    pub dead_lately: bool,
}

/// The activity of a logger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It reports and produces.
    Producing,
    /// It reports and stands still in daylight.
    Idle,
    /// It stands still or is silent in the night.
    Asleep,
    /// It should report and does not.
    Offline,
}

impl Activity {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Activity::Producing => "producing",
            Activity::Idle => "idle",
            Activity::Asleep => "asleep",
            Activity::Offline => "offline",
        }
    }
}

/// The state of one logger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoggerState {
    /// The logger's activity.
    pub activity: Activity,
    /// Its newest valid power (of a sensor: its newest reading) is recent.
    pub active: bool,
    /// Age of its newest reading at the anchor, minutes.
    pub age_minutes: Option<f64>,
    /// Power now, W, when active and awake.
    pub power_w: Option<f64>,
    /// Whether the sums of the site count it.
    pub counted: bool,
}

/// How the site is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteHealth {
    /// More than 90 %.
    Healthy,
    /// More than 50 %.
    Degraded,
    /// Less.
    Critical,
}

impl SiteHealth {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            SiteHealth::Healthy => "Healthy",
            SiteHealth::Degraded => "Degraded",
            SiteHealth::Critical => "Critical",
        }
    }
}

/// The state of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    /// One per logger, in the order given.
    pub loggers: Vec<LoggerState>,
    /// Whether it is night.
    pub night: bool,
    /// Loggers of any role.
    pub total: u32,
    /// Loggers with a recent reading.
    pub active: u32,
    /// Active inverters and meters that produce.
    pub producing: u32,
    /// Silent or still in the night.
    pub asleep: u32,
    /// Reporting but still in daylight.
    pub idle: u32,
    /// Silent and not asleep.
    pub offline: u32,
    /// Active or asleep, of all, percent.
    pub percent_online: f64,
    /// Sum of the newest power of active loggers, meters left out where there are inverters, W.
    pub power_w: f64,
    /// Energy of the anchor's day, kWh; meters left out likewise.
    pub today_kwh: f64,
    /// The source of that energy: the least trusted one.
    pub energy_source: Option<EnergySource>,
    /// Energy of the day per kW of those with a capacity, h.
    pub specific_yield: Option<f64>,
    /// Mean of the recent irradiance readings, W/m2.
    pub irradiance: Option<f64>,
    /// Age of the oldest reading among active loggers, minutes.
    pub oldest_reading_minutes: Option<f64>,
    /// In daylight from producing of expected, otherwise and besides from dead days.
    pub health: SiteHealth,
}

/// Classifies the loggers of a site at `anchor`, its newest reading. `sun_up` is what the
/// coordinates say, if they are known; without them it is night when no device produces and no
/// sensor sees light. With the `position` of the site, silence in daylight is not sleep.
pub fn fleet(
    anchor: i64,
    loggers: &[LatestReading],
    sun_up: Option<bool>,
    position: Option<Position>,
) -> Fleet {
    let anybody_produces = loggers
        .iter()
        .any(|logger| logger.is_active(anchor) && logger.produces());
    let light = loggers
        .iter()
        .filter_map(|logger| logger.recent_irradiance(anchor));
    let irradiance = crate::stats::mean(light);
    let night = match sun_up {
        Some(up) => !up,
        None => !anybody_produces && irradiance.is_none_or(|g| g <= 75.0),
    };
    let has_inverters = loggers.iter().any(|logger| logger.role == Role::Inverter);
    let states: Vec<LoggerState> = loggers
        .iter()
        .map(|logger| {
            let asleep = night && logger.may_sleep(anchor, position);
            logger.state(anchor, night, asleep, has_inverters)
        })
        .collect();
    let count = |wanted: &dyn Fn(&LoggerState) -> bool| {
        states
            .iter()
            .fold(0_u32, |count, state| count + u32::from(wanted(state)))
    };
    let activity = |activity| count(&move |state| state.activity == activity);
    let (active, asleep) = (count(&|state| state.active), activity(Activity::Asleep));
    let total = count(&|_| true);
    let online = count(&|state| state.active || state.activity == Activity::Asleep);
    let sums = Sums::of(loggers, &states);
    Fleet {
        night,
        total,
        active,
        producing: activity(Activity::Producing),
        asleep,
        idle: activity(Activity::Idle),
        offline: activity(Activity::Offline),
        percent_online: if total == 0 {
            0.0
        } else {
            100.0 * f64::from(online) / f64::from(total)
        },
        power_w: sums.power_w,
        today_kwh: sums.today_kwh,
        energy_source: sums.source,
        specific_yield: (sums.capacity_kw > 0.0)
            .then(|| sums.capacity_energy_kwh / sums.capacity_kw),
        irradiance,
        oldest_reading_minutes: states
            .iter()
            .filter(|state| state.active)
            .filter_map(|state| state.age_minutes)
            .reduce(f64::max),
        health: health(loggers, &states, night, irradiance),
        loggers: states,
    }
}

impl LatestReading {
    /// Its newest reading: of a device that sends power, one with power.
    pub fn newest(&self) -> Option<i64> {
        match self.role {
            Role::Inverter | Role::Meter if !self.counts_alone => {
                self.last_power.map(|(time, _)| time)
            }
            Role::Inverter | Role::Meter | Role::Sensor => self.last_time,
        }
    }

    fn is_active(&self, anchor: i64) -> bool {
        let longest = (3.0 * self.step_hours).max(2.0) * 3600.0;
        self.newest()
            .is_some_and(|time| (anchor - time) as f64 <= longest)
    }

    /// Whether it produces: by its power, or without one by the energy of the day.
    fn produces(&self) -> bool {
        if self.counts_alone && self.role != Role::Sensor {
            return self.today.is_none_or(|(kwh, _)| kwh > 0.0);
        }
        self.role != Role::Sensor
            && self.last_power.is_some_and(|(_, power)| {
                power > 0.0 && power > PRODUCING_SHARE * self.robust_peak_w
            })
    }

    fn recent_irradiance(&self, anchor: i64) -> Option<f64> {
        self.last_irradiance
            .filter(|&(time, g)| anchor - time <= 2 * 3600 && g.is_finite())
            .map(|(_, g)| g)
    }

    /// Whether its silence may be that of a night.
    fn may_sleep(&self, anchor: i64, position: Option<Position>) -> bool {
        let Some(newest) = self.newest() else {
            return false;
        };
        if anchor - newest > LONGEST_SLEEP {
            return false;
        }
        let Some(position) = position else {
            return true;
        };
        let looks = (1..).map(|look| newest + look * LOOK);
        let lit = looks
            .take_while(|time| *time <= anchor)
            .filter(|time| !is_night(*time, position));
        i64::try_from(lit.count()).is_ok_and(|lit| lit * LOOK <= LONGEST_DUSK)
    }

    fn state(&self, anchor: i64, night: bool, asleep: bool, has_inverters: bool) -> LoggerState {
        let active = self.is_active(anchor);
        let silent = self.newest().map(|time| anchor - time);
        let activity = match (active, self.role) {
            (true, _) if self.produces() => Activity::Producing,
            // A sensor has nothing to produce: reporting is all it does.
            (true, Role::Sensor) => Activity::Idle,
            (true, _) if night => Activity::Asleep,
            (true, _) => Activity::Idle,
            (false, _) if asleep => Activity::Asleep,
            (false, _) => Activity::Offline,
        };
        LoggerState {
            activity,
            active,
            age_minutes: silent.map(|seconds| seconds as f64 / 60.0),
            power_w: self
                .last_power
                .filter(|_| active && activity != Activity::Asleep)
                .map(|(_, power)| power),
            counted: match self.role {
                Role::Inverter => true,
                Role::Meter => !has_inverters,
                Role::Sensor => false,
            },
        }
    }
}

#[derive(Default)]
struct Sums {
    power_w: f64,
    today_kwh: f64,
    source: Option<EnergySource>,
    capacity_kw: f64,
    capacity_energy_kwh: f64,
}

impl Sums {
    fn of(loggers: &[LatestReading], states: &[LoggerState]) -> Self {
        let mut sums = Sums::default();
        for (logger, _) in loggers
            .iter()
            .zip(states)
            .filter(|(_, state)| state.counted)
        {
            let Some((kwh, source)) = logger.today else {
                continue;
            };
            sums.today_kwh += kwh;
            sums.source = Some(
                sums.source
                    .map_or(source, |worst| crate::money::less_trusted(worst, source)),
            );
            if let Some(kw) = logger.capacity_kw.filter(|kw| *kw > 0.0) {
                sums.capacity_kw += kw;
                sums.capacity_energy_kwh += kwh;
            }
        }
        sums.power_w = states
            .iter()
            .filter(|state| state.counted)
            .filter_map(|state| state.power_w)
            .sum();
        sums
    }
}

/// The share of loggers that do what is expected of them: by day produce, and in bright light not
/// far too little.
fn health(
    loggers: &[LatestReading],
    states: &[LoggerState],
    night: bool,
    irradiance: Option<f64>,
) -> SiteHealth {
    let light = irradiance.filter(|light| *light > BRIGHT && !night);
    let (mut expected, mut fine) = (0_u32, 0_u32);
    for (logger, state) in loggers
        .iter()
        .zip(states)
        .filter(|(logger, _)| logger.role != Role::Sensor)
    {
        expected += 1;
        let works = if night {
            state.activity != Activity::Offline
        } else {
            state.activity == Activity::Producing
        };
        let weak = light
            .zip(logger.power_per_irradiance)
            .zip(state.power_w)
            .is_some_and(|((light, ratio), power)| power < WEAK_SHARE * ratio * light);
        fine += u32::from(works && !weak && !logger.dead_lately);
    }
    match f64::from(fine) / f64::from(expected.max(1)) {
        share if share > 0.9 || expected == 0 => SiteHealth::Healthy,
        share if share > 0.5 => SiteHealth::Degraded,
        _ => SiteHealth::Critical,
    }
}
