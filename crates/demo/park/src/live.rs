//! A site that is measured now: "Lakeside Depot", four inverters and a weather station in Zurich.
//!
//! Its readings follow from their instant: sun and clouds by formula, losses, and events on fixed
//! seeds. A reading that is computed again is the same, so history can be filled at any time and
//! continued in real time. Events:
//!
//! - each inverter fails on about one day in thirty, for one to five hours, with an error code;
//! - `LAKE-INV-2` loses its connection for hours on about one day in twenty;
//! - one of the two strings of `LAKE-INV-3` collects dirt until it rains;
//! - the clock of `LAKE-INV-4` is an hour late on four days of each 28.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use demo_chance::Chance;
use serde_json::{Map, Value, json};
use solar::calendar::DaySpan;
use sqlx::PgPool;
use tools::ingest::sites;
use tools::store::loggers;

use crate::weather::{Place, Sky, is_overcast, sky};
use crate::{SeedError, TENANT};

/// The description of the site.
const SITES: &str = include_str!("live.toml");
/// The id of the site.
pub const SITE: &str = "lakeside";
/// Interval between two readings of a device.
pub const STEP: TimeDelta = TimeDelta::minutes(5);
/// Length of the history.
const HISTORY: TimeDelta = TimeDelta::days(60);
const ZONE: Tz = chrono_tz::Europe::Zurich;
const PLACE: Place = Place {
    latitude: 47.37,
    longitude: 8.54,
    tilt_deg: 20.0,
    azimuth_deg: 180.0,
    mean_temperature_c: 10.0,
};
const SEED: u64 = 20;
/// Dirt of the soiled string per day without rain, and its maximum.
const SOILING_PER_DAY: f64 = 0.015;
const MOST_SOILING: f64 = 0.4;
/// Days without rain that are looked at.
const MOST_DRY_DAYS: u64 = 30;

/// An inverter: id, nameplate in kW, and the number that its chance has.
const INVERTERS: [(&str, f64, u64); 4] = [
    ("LAKE-INV-1", 30.0, 1),
    ("LAKE-INV-2", 30.0, 2),
    ("LAKE-INV-3", 20.0, 3),
    ("LAKE-INV-4", 12.0, 4),
];
const STATION: &str = "LAKE-WX";

/// The instants of the first and the last reading that is stored.
pub type Stored = Option<(DateTime<Utc>, DateTime<Utc>)>;

/// Describes the site in the catalogue, and returns what is stored of it. `None` if the tenant has
/// other sites than those of the demonstration: then nothing is added.
pub async fn prepare(pool: &PgPool) -> Result<Option<Stored>, SeedError> {
    let mut conn = pool.acquire().await?;
    if crate::has_own_sites(&mut conn).await? {
        return Ok(None);
    }
    sites::apply(pool, TENANT, SITES).await?;
    let found = loggers::list(&mut conn, TENANT, Some(SITE)).await?;
    let first = found.iter().filter_map(|logger| logger.first_at).min();
    let last = found.iter().filter_map(|logger| logger.last_at).max();
    Ok(Some(first.zip(last)))
}

/// The spans of time to fill, a local day at most each: first what follows the stored readings,
/// then earlier days, the newest first. A span excludes its start and includes its end.
pub fn missing(stored: Stored, now: DateTime<Utc>) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
    let oldest = now - HISTORY;
    let mut spans = match stored {
        Some((_, last)) => days(last.max(oldest), now),
        None => Vec::new(),
    };
    let mut history = days(oldest, stored.map_or(now, |(first, _)| first - STEP));
    history.reverse();
    spans.append(&mut history);
    spans
}

/// The local days between two instants.
fn days(after: DateTime<Utc>, until: DateTime<Utc>) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
    let mut spans = Vec::new();
    let mut from = after;
    while from < until {
        let day = DaySpan::of_day(from.with_timezone(&ZONE).date_naive(), ZONE);
        let to = day.until_utc().min(until);
        spans.push((from, to));
        from = to;
    }
    spans
}

/// The readings after `after`, up to and including `until`, as `POST /api/measurements` takes them.
pub fn readings(after: DateTime<Utc>, until: DateTime<Utc>) -> Vec<Value> {
    days(after, until)
        .into_iter()
        .flat_map(|(from, to)| {
            let day = Day::of(from);
            let of_inverters = INVERTERS
                .into_iter()
                .flat_map(move |inverter| day.of_inverter(inverter, from, to));
            day.of_station(from, to).into_iter().chain(of_inverters)
        })
        .collect()
}

/// A local day of the site.
#[derive(Clone, Copy)]
struct Day {
    /// Days since 1970.
    number: u64,
    span: DaySpan,
}

impl Day {
    /// The day of the readings that follow an instant.
    fn of(instant: DateTime<Utc>) -> Self {
        let date = instant.with_timezone(&ZONE).date_naive();
        Self {
            number: number_of(date),
            span: DaySpan::of_day(date, ZONE),
        }
    }

    /// The stamps of the day; each ends its step.
    fn stamps(self) -> impl Iterator<Item = DateTime<Utc>> {
        let (after, until) = (self.span.after_utc(), self.span.until_utc());
        (1..)
            .map(move |step| after + STEP * step)
            .take_while(move |at| *at <= until)
    }

    fn of_station(self, from: DateTime<Utc>, to: DateTime<Utc>) -> Vec<Value> {
        self.stamps()
            .filter(|at| *at > from && *at <= to)
            .map(|at| {
                let sky = self.sky(at);
                json!({
                    "timestamp": at.to_rfc3339(),
                    "loggerId": STATION,
                    "irradiance": tenth(sky.irradiance),
                    "metadata": {
                        "temperatureAmbientC": tenth(sky.ambient_c),
                        "temperatureModuleC": tenth(sky.module_c),
                        "windSpeedMs": tenth(sky.wind_ms),
                    },
                })
            })
            .collect()
    }

    /// The readings of an inverter. The whole day is computed, because of its register.
    fn of_inverter(
        self,
        (id, capacity_kw, number): (&str, f64, u64),
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Vec<Value> {
        let chance = Chance::new(SEED).of(number).of(self.number);
        let outage = hours_of_trouble(chance.of(1), 1.0 / 30.0);
        let silence = match number {
            2 => hours_of_trouble(chance.of(2), 1.0 / 20.0),
            _ => None,
        };
        // The stamps of a late clock carry what was measured an hour later.
        let late = number == 4 && self.number % 28 < 4;
        let clean = match number {
            3 => 1.0 - 0.5 * self.soiling(),
            _ => 1.0,
        };
        let share = Chance::new(SEED).of(number).between(0.86, 0.91) * clean;
        let mut register_kwh = 0.0;
        let mut readings = Vec::new();
        for at in self.stamps() {
            let measured = if late { at + TimeDelta::hours(1) } else { at };
            let hour = (measured - self.span.after_utc()).as_seconds_f64() / 3600.0;
            let is_in = |range: Option<(f64, f64)>| {
                range.is_some_and(|(first, last)| (first..last).contains(&hour))
            };
            let sky = self.sky(measured);
            let is_out = is_in(outage) && sky.irradiance > 20.0;
            let noise = chance.of(at.timestamp().unsigned_abs()).between(0.99, 1.01);
            let watts = if is_out {
                0.0
            } else {
                power(&sky, capacity_kw, share * noise)
            };
            register_kwh += watts / 1000.0 * STEP.as_seconds_f64() / 3600.0;
            if at <= from || at > to || is_in(silence) {
                continue;
            }
            let mut metadata = Map::new();
            if sky.irradiance > 20.0 {
                let heat = sky.ambient_c + 10.0 + 15.0 * watts / (1000.0 * capacity_kw);
                metadata.insert("temperatureInverterC".to_owned(), json!(tenth(heat)));
            }
            if is_out {
                metadata.insert("errorCode".to_owned(), json!("18"));
            }
            readings.push(json!({
                "timestamp": at.to_rfc3339(),
                "loggerId": id,
                "activePowerWatts": watts,
                "energyDailyKwh": (register_kwh * 100.0).round() / 100.0,
                "metadata": metadata,
            }));
        }
        readings
    }

    fn sky(self, at: DateTime<Utc>) -> Sky {
        sky(&PLACE, Chance::new(SEED), self.number, at)
    }

    /// The light that dirt takes from the soiled string, 0 to 1. It rains on days with an
    /// overcast sky.
    fn soiling(self) -> f64 {
        let dry = (0..MOST_DRY_DAYS)
            .take_while(|days| !is_overcast(Chance::new(SEED), self.number.wrapping_sub(*days)))
            .count();
        #[expect(clippy::cast_precision_loss, reason = "thirty days at most")]
        let days = dry as f64;
        (SOILING_PER_DAY * days).min(MOST_SOILING)
    }
}

/// The AC power, W.
fn power(sky: &Sky, capacity_kw: f64, share: f64) -> f64 {
    let nameplate = capacity_kw * 1000.0;
    let heat = 1.0 - 0.004 * (sky.module_c - 25.0);
    let power = nameplate * sky.irradiance / 1000.0 * share * heat;
    power.min(nameplate * 0.95).round().max(0.0)
}

/// The hours of the day that something fails for, if it fails on this day.
fn hours_of_trouble(chance: Chance, probability: f64) -> Option<(f64, f64)> {
    chance.of(1).happens(probability).then(|| {
        let first = chance.of(2).between(8.0, 13.0);
        (first, first + chance.of(3).between(1.0, 5.0))
    })
}

/// Number of days since 1970.
fn number_of(date: NaiveDate) -> u64 {
    let since = date.signed_duration_since(NaiveDate::default() + Days::new(0));
    since.num_days().unsigned_abs()
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn watts(reading: &Value) -> f64 {
        reading["activePowerWatts"].as_f64().unwrap_or_default()
    }

    fn of<'r>(readings: &'r [Value], id: &str) -> Vec<&'r Value> {
        readings
            .iter()
            .filter(|reading| reading["loggerId"] == id)
            .collect()
    }

    #[test]
    fn readings_of_parts_are_those_of_the_whole() {
        let (first, middle, last) = (
            at("2026-06-10T22:00:00Z"),
            at("2026-06-11T11:07:00Z"),
            at("2026-06-13T05:00:00Z"),
        );
        let mut parts = readings(first, middle);
        parts.append(&mut readings(middle, last));
        let mut whole = readings(first, last);
        let key = |reading: &Value| {
            (
                reading["timestamp"].as_str().unwrap().to_owned(),
                reading["loggerId"].as_str().unwrap().to_owned(),
            )
        };
        parts.sort_by_key(key);
        whole.sort_by_key(key);
        assert_eq!(parts, whole);
    }

    #[test]
    fn there_is_power_by_day_and_none_at_night() {
        let day = readings(at("2026-06-19T22:00:00Z"), at("2026-06-20T22:00:00Z"));
        let inverter = of(&day, "LAKE-INV-1");
        assert_eq!(inverter.len(), 288);
        let night = inverter
            .iter()
            .take(24)
            .map(|r| watts(r))
            .fold(0.0, f64::max);
        assert!(night.abs() < f64::EPSILON, "{night}");
        let peak = inverter.iter().map(|r| watts(r)).fold(0.0, f64::max);
        assert!((3_000.0..28_500.1).contains(&peak), "{peak}");
        let register = inverter.last().unwrap()["energyDailyKwh"].as_f64().unwrap();
        let energy: f64 = inverter.iter().map(|r| watts(r) / 12_000.0).sum();
        assert!((register - energy).abs() < 0.01, "{register} {energy}");
    }

    #[test]
    fn each_kind_of_event_happens_within_two_months() {
        let (from, to) = (at("2026-09-20T22:00:00Z"), at("2026-11-20T23:00:00Z"));
        let all = readings(from, to);
        let faults = all
            .iter()
            .filter(|reading| reading["metadata"]["errorCode"] == "18")
            .count();
        assert!((30..1_000).contains(&faults), "{faults}");
        let complete = of(&all, STATION).len();
        assert_eq!(of(&all, "LAKE-INV-1").len(), complete);
        assert!(of(&all, "LAKE-INV-2").len() < complete, "gaps");
        let worst = days(from, to)
            .iter()
            .map(|(from, _)| Day::of(*from).soiling())
            .fold(0.0, f64::max);
        assert!(worst > 0.05, "{worst}");
        let late = days(from, to)
            .iter()
            .filter(|(from, _)| Day::of(*from).number % 28 < 4)
            .count();
        assert!(late >= 8, "{late}");
    }

    #[test]
    fn history_and_gaps_are_filled_without_overlap() {
        let now = at("2026-11-20T10:02:00Z");
        let empty = missing(None, now);
        assert_eq!(empty.first().unwrap().1, now, "today comes first");
        assert_eq!(empty.last().unwrap().0, now - HISTORY);

        let stored = Some((at("2026-11-10T00:05:00Z"), at("2026-11-20T09:00:00Z")));
        let rest = missing(stored, now);
        assert_eq!(rest[0], (at("2026-11-20T09:00:00Z"), now));
        assert_eq!(rest[1].1, at("2026-11-10T00:00:00Z"));

        let old = Some((at("2026-01-01T00:05:00Z"), at("2026-02-01T00:00:00Z")));
        let gap = missing(old, now);
        assert_eq!(gap.first().unwrap().0, now - HISTORY);
        assert_eq!(gap.last().unwrap().1, now);
        assert_eq!(missing(Some((now - HISTORY, now)), now), []);
    }
}
