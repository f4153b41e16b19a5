//! The loggers of a generated fleet, and their rows.

use std::fmt::Write as _;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use solar::Position;
use solar::calendar::DaySpan;

use super::weather::{Chance, Place, Sky, sky};
use crate::ingest::copy::{CopyBuffer, Values};
use crate::store::LoggerRole;

const ZONES: [(&str, Tz, f64, f64, f64); 5] = [
    ("Zurich", Tz::Europe__Zurich, 47.4, 8.5, 10.0),
    ("Denver", Tz::America__Denver, 39.7, -105.0, 11.0),
    ("Pune", Tz::Asia__Kolkata, 18.5, 73.9, 25.0),
    ("Adelaide", Tz::Australia__Adelaide, -34.9, 138.6, 17.0),
    ("Sevilla", Tz::Europe__Madrid, 37.4, -6.0, 19.0),
];
const BRANDS: [(&str, &str); 4] = [
    ("goodwe", "18"),
    ("lti", "040"),
    ("meier", "F12"),
    ("smartdog", "E4"),
];

/// What fleet to make.
pub(super) struct Fleet {
    pub(super) seed: u64,
    pub(super) sites: usize,
    pub(super) loggers: usize,
}

/// A site to be.
#[derive(Debug, Clone)]
pub(super) struct SitePlan {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) zone: Tz,
    pub(super) place: Place,
    /// The weather station first.
    pub(super) loggers: Vec<LoggerPlan>,
    chance: Chance,
}

/// A logger to be.
#[derive(Debug, Clone)]
pub(super) struct LoggerPlan {
    pub(super) id: String,
    pub(super) logger_type: &'static str,
    pub(super) role: LoggerRole,
    pub(super) capacity_kw: f64,
    error_code: &'static str,
    /// Share of the nameplate's energy that arrives, temperature apart.
    yield_share: f64,
    /// The inverter's own limit, share of the nameplate.
    limit: f64,
    has_register: bool,
    chance: Chance,
}

impl Fleet {
    pub(super) fn plan(&self) -> Vec<SitePlan> {
        (0..self.sites)
            .map(|site| {
                let loggers =
                    self.loggers / self.sites + usize::from(site < self.loggers % self.sites);
                site_plan(Chance::new(self.seed).of(site as u64), site, loggers)
            })
            .collect()
    }
}

fn site_plan(chance: Chance, number: usize, loggers: usize) -> SitePlan {
    let (town, zone, latitude, longitude, mean_temperature_c) = ZONES[number % ZONES.len()];
    let place = Place {
        latitude: latitude + chance.of(1).between(-0.3, 0.3),
        longitude: longitude + chance.of(2).between(-0.3, 0.3),
        tilt_deg: chance.of(3).between(10.0, 35.0).round(),
        azimuth_deg: if latitude > 0.0 { 180.0 } else { 0.0 },
        mean_temperature_c,
    };
    let prefix = format!("S{:03}", number + 1);
    SitePlan {
        id: format!("generated-{:03}", number + 1),
        name: format!("Generated {:03}, {town}", number + 1),
        zone,
        place,
        loggers: (0..loggers)
            .map(|at| logger_plan(chance.of(10 + at as u64), &prefix, at))
            .collect(),
        chance,
    }
}

fn logger_plan(chance: Chance, prefix: &str, at: usize) -> LoggerPlan {
    let is_station = at == 0;
    let (brand, error_code) = BRANDS[at % BRANDS.len()];
    let is_weak = chance.of(1).happens(0.08);
    LoggerPlan {
        id: if is_station {
            format!("{prefix}-WX")
        } else {
            format!("{prefix}-INV-{at:03}")
        },
        logger_type: if is_station { "mbmet" } else { brand },
        role: if is_station {
            LoggerRole::Weather
        } else {
            LoggerRole::Inverter
        },
        capacity_kw: chance.of(2).between(5.0, 60.0).round(),
        error_code,
        yield_share: chance.of(3).between(0.84, 0.90) * if is_weak { 0.7 } else { 1.0 },
        limit: if chance.of(4).happens(0.2) {
            0.75
        } else {
            0.95
        },
        has_register: chance.of(5).happens(0.8),
        chance,
    }
}

impl SitePlan {
    pub(super) fn position(&self) -> Position {
        Position {
            latitude: self.place.latitude,
            longitude: self.place.longitude,
        }
    }
}

/// Generates the rows of one site's loggers, all under the same sky.
pub(super) struct Generator {
    plan: SitePlan,
    days: Vec<Day>,
    step: TimeDelta,
}

/// A local day with its sky, step by step. The stamps end their steps.
struct Day {
    after: DateTime<Utc>,
    sky: Vec<Sky>,
}

impl Generator {
    pub(super) fn new(
        plan: SitePlan,
        first: NaiveDate,
        days: u32,
        step_minutes: u32,
        seed: u64,
    ) -> Self {
        let step = TimeDelta::minutes(i64::from(step_minutes));
        let chance = plan.chance.of(seed);
        let days = (0..u64::from(days))
            .map(|number| {
                let span = DaySpan::of_day(first + Days::new(number), plan.zone);
                let (after, until) = (span.after_utc(), span.until_utc());
                let mut stamps = Vec::new();
                let mut at = after + step;
                while at <= until {
                    stamps.push(at);
                    at += step;
                }
                let sky = stamps
                    .into_iter()
                    .map(|at| sky(&plan.place, chance, number, at))
                    .collect();
                Day { after, sky }
            })
            .collect();
        Self { plan, days, step }
    }

    /// The first and the last stamp.
    pub(super) fn span(&self) -> (DateTime<Utc>, DateTime<Utc>) {
        let first = self
            .days
            .first()
            .map_or(DateTime::UNIX_EPOCH, |day| day.after + self.step);
        let last = self
            .days
            .last()
            .map_or(DateTime::UNIX_EPOCH, |day| self.stamp(day, day.sky.len()));
        (first, last)
    }

    /// The rows of one logger of the plan.
    pub(super) fn rows(&self, logger: usize, key: i32) -> Rows<'_> {
        Rows {
            generator: self,
            logger: &self.plan.loggers[logger],
            key,
            day: 0,
            lifetime_kwh: 0.0,
            buffer: Some(CopyBuffer::new()),
            text: String::new(),
        }
    }

    fn stamp(&self, day: &Day, steps: usize) -> DateTime<Utc> {
        // A day has 1440 steps at most.
        day.after + self.step * i32::try_from(steps).unwrap_or(i32::MAX)
    }
}

/// One logger's rows on their way to the server.
pub(super) struct Rows<'a> {
    generator: &'a Generator,
    logger: &'a LoggerPlan,
    key: i32,
    day: usize,
    lifetime_kwh: f64,
    buffer: Option<CopyBuffer>,
    text: String,
}

/// What goes wrong on one day of one inverter, in steps from midnight.
struct Trouble {
    fault: std::ops::Range<usize>,
    silence: std::ops::Range<usize>,
}

impl Rows<'_> {
    /// At least `bytes` bytes, or the rest; `None` after the last.
    pub(super) fn next_bytes(&mut self, bytes: usize) -> Option<Vec<u8>> {
        let mut buffer = self.buffer.take()?;
        while buffer.len() < bytes {
            let Some(day) = self.generator.days.get(self.day) else {
                return Some(buffer.finish());
            };
            match self.logger.role {
                LoggerRole::Weather => self.weather_day(day, &mut buffer),
                LoggerRole::Inverter | LoggerRole::Meter => self.inverter_day(day, &mut buffer),
            }
            self.day += 1;
        }
        let ready = buffer.take();
        self.buffer = Some(buffer);
        Some(ready)
    }

    fn weather_day(&mut self, day: &Day, buffer: &mut CopyBuffer) {
        for (step, sky) in day.sky.iter().enumerate() {
            self.text.clear();
            // Writing to a string cannot fail.
            let _ = write!(
                self.text,
                r#"{{"temperatureAmbientC":{:.1},"temperatureModuleC":{:.1},"windSpeedMs":{:.1}}}"#,
                sky.ambient_c, sky.module_c, sky.wind_ms
            );
            let values = Values {
                irradiance: Some((sky.irradiance * 10.0).round() / 10.0),
                metadata: Some(&self.text),
                ..Values::default()
            };
            buffer.push(self.key, self.generator.stamp(day, step + 1), &values);
        }
    }

    fn inverter_day(&mut self, day: &Day, buffer: &mut CopyBuffer) {
        let chance = self.logger.chance.of(1000 + self.day as u64);
        let trouble = Trouble::of(chance, day.sky.len());
        let hours = self.generator.step.as_seconds_f64() / 3600.0;
        let mut day_kwh = 0.0;
        for (step, sky) in day.sky.iter().enumerate() {
            let chance = chance.of(step as u64);
            let is_faulty = trouble.fault.contains(&step) && sky.irradiance > 0.0;
            let power = if is_faulty {
                0.0
            } else {
                self.logger.power(sky, chance)
            };
            day_kwh += power / 1000.0 * hours;
            if trouble.silence.contains(&step) || chance.of(2).happens(0.003) {
                continue;
            }
            self.describe(power, sky, is_faulty, self.lifetime_kwh + day_kwh);
            let values = Values {
                active_power_watts: Some(power),
                energy_daily_kwh: self
                    .logger
                    .has_register
                    .then(|| (day_kwh * 100.0).round() / 100.0),
                irradiance: None,
                metadata: (!self.text.is_empty()).then_some(&self.text),
            };
            buffer.push(self.key, self.generator.stamp(day, step + 1), &values);
        }
        self.lifetime_kwh += day_kwh;
    }

    /// The metadata: nothing at night, the error code while there is one.
    fn describe(&mut self, power: f64, sky: &Sky, is_faulty: bool, lifetime_kwh: f64) {
        self.text.clear();
        if sky.irradiance <= 0.0 {
            return;
        }
        let heat = sky.ambient_c + 10.0 + 15.0 * power / (1000.0 * self.logger.capacity_kw);
        let _ = write!(
            self.text,
            r#"{{"temperatureInverterC":{heat:.1},"energyLifetimeKwh":{lifetime_kwh:.1}"#
        );
        if is_faulty {
            let _ = write!(self.text, r#","errorCode":"{}""#, self.logger.error_code);
        }
        self.text.push('}');
    }
}

impl LoggerPlan {
    fn power(&self, sky: &Sky, chance: Chance) -> f64 {
        let nameplate = self.capacity_kw * 1000.0;
        let heat = 1.0 - 0.004 * (sky.module_c - 25.0);
        let noise = chance.of(1).between(0.99, 1.01);
        let power = nameplate * sky.irradiance / 1000.0 * self.yield_share * heat * noise;
        power.min(nameplate * self.limit).round().max(0.0)
    }
}

impl Trouble {
    fn of(chance: Chance, steps: usize) -> Self {
        let range = |chance: Chance, probability: f64, longest: f64| {
            if !chance.happens(probability) {
                return 0..0;
            }
            let steps = steps as f64;
            let start = steps * chance.of(1).between(0.3, 0.6);
            let length = steps * chance.of(2).between(0.02, longest);
            whole(start)..whole(start + length)
        };
        Self {
            fault: range(chance.of(1_000_001), 0.015, 0.25),
            silence: range(chance.of(1_000_002), 0.02, 0.2),
        }
    }
}

/// A step of the day: never negative, never beyond some thousands.
fn whole(step: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the steps of a day"
    )]
    let step = step as usize;
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(seed: u64, logger: usize) -> Vec<u8> {
        let plan = Fleet {
            seed,
            sites: 1,
            loggers: 4,
        }
        .plan()
        .remove(0);
        let first = NaiveDate::from_ymd_opt(2025, 3, 28).unwrap();
        let generator = Generator::new(plan, first, 4, 15, seed);
        let mut rows = generator.rows(logger, 7);
        std::iter::from_fn(|| rows.next_bytes(1000))
            .flatten()
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_rows() {
        assert_eq!(bytes(1, 1), bytes(1, 1));
        assert_ne!(bytes(1, 1), bytes(2, 1));
        assert_ne!(bytes(1, 1), bytes(1, 2));
    }

    #[test]
    fn loggers_are_spread_over_the_sites() {
        let plans = Fleet {
            seed: 1,
            sites: 3,
            loggers: 11,
        }
        .plan();
        assert_eq!(
            plans
                .iter()
                .map(|plan| plan.loggers.len())
                .collect::<Vec<_>>(),
            [4, 4, 3]
        );
        assert!(
            plans
                .iter()
                .all(|plan| plan.loggers[0].role == LoggerRole::Weather)
        );
    }

    #[test]
    fn the_shorter_day_has_fewer_steps() {
        let plan = Fleet {
            seed: 1,
            sites: 1,
            loggers: 2,
        }
        .plan()
        .remove(0);
        let first = NaiveDate::from_ymd_opt(2025, 3, 30).unwrap();
        let generator = Generator::new(plan, first, 2, 15, 1);
        let steps: Vec<_> = generator.days.iter().map(|day| day.sky.len()).collect();
        assert_eq!(steps, [92, 96]);
        assert_eq!(generator.span().1.to_rfc3339(), "2025-03-31T22:00:00+00:00");
    }

    #[test]
    fn an_inverter_delivers_by_day_and_within_its_limit() {
        let plan = Fleet {
            seed: 3,
            sites: 1,
            loggers: 2,
        }
        .plan()
        .remove(0);
        let inverter = plan.loggers[1].clone();
        let sky = |irradiance| Sky {
            irradiance,
            ambient_c: 20.0,
            module_c: 25.0,
            wind_ms: 1.0,
        };
        let power = |irradiance| inverter.power(&sky(irradiance), Chance::new(1));
        assert!(power(0.0).abs() < f64::EPSILON);
        let half = power(500.0) / (inverter.capacity_kw * 1000.0);
        assert!((0.25..0.5).contains(&half), "{half}");
        assert!(power(2000.0) <= inverter.capacity_kw * 1000.0 * inverter.limit);
    }
}
