//! The month of Demo Solar Park, by formula: the same readings on every machine and every run.

use chrono::{DateTime, Days, NaiveTime, TimeDelta};
use serde_json::{Map, Value, json};

use super::LAST_DAY;
use tools::ingest::Reading;

const DAYS: u32 = 30;
const SLOTS_PER_DAY: u32 = 288;
const SLOT_MINUTES: u32 = 5;
/// Slots are dropped where a wave through their seed falls below this: some 8 % of them.
const DROPPED_BELOW: f64 = 0.017;

/// One inverter.
struct Inverter {
    id: &'static str,
    logger_type: &'static str,
    peak_watts: f64,
    /// From the share of the clear sky and the slot's chance to power.
    power: fn(f64) -> f64,
    /// Days on which it stands still around noon.
    faulty_days: &'static [u32],
}

const INVERTERS: [Inverter; 4] = [
    Inverter {
        id: "GW-INV-001",
        logger_type: "goodwe",
        peak_watts: 5000.0,
        power: |chance| 0.95 + 0.10 * chance,
        faulty_days: &[],
    },
    Inverter {
        id: "LTI-INV-001",
        logger_type: "lti",
        peak_watts: 6000.0,
        power: |chance| 0.90 + 0.15 * chance,
        faulty_days: &[3, 5, 7, 12, 18, 25],
    },
    Inverter {
        id: "MEIER-INV-001",
        logger_type: "meier",
        peak_watts: 5500.0,
        power: |chance| 0.70 * (0.90 + 0.15 * chance),
        faulty_days: &[],
    },
    Inverter {
        id: "SD-INV-001",
        logger_type: "smartdog",
        peak_watts: 4500.0,
        power: |chance| {
            let wave = (4.0 * std::f64::consts::PI * chance).sin();
            (0.6 + 0.5 * chance + 0.2 * wave).clamp(0.3, 1.2)
        },
        faulty_days: &[],
    },
];

/// One five-minute slot of one day.
struct Slot {
    minute_of_day: u32,
    /// Pseudo-random, 0 to 1.
    chance: f64,
}

/// All readings, inverter by inverter, day by day.
pub(super) fn readings() -> impl Iterator<Item = Reading> {
    INVERTERS
        .iter()
        .flat_map(|inverter| (1..=DAYS).flat_map(move |day| day_readings(inverter, day)))
}

fn day_readings(inverter: &'static Inverter, day: u32) -> impl Iterator<Item = Reading> {
    let midnight = midnight(day);
    let mut energy_kwh = 0.0;
    slots(inverter, day).map(move |slot| {
        let at = midnight + TimeDelta::minutes(i64::from(slot.minute_of_day));
        inverter.reading(day, &slot, at, &mut energy_kwh)
    })
}

fn midnight(day: u32) -> DateTime<chrono::Utc> {
    let date = LAST_DAY - Days::new(u64::from(DAYS - day));
    date.and_time(NaiveTime::MIN).and_utc()
}

/// The slots of a day that were not lost.
fn slots(inverter: &Inverter, day: u32) -> impl Iterator<Item = Slot> {
    let first_letter = inverter.id.chars().next().map_or(0, u32::from);
    let day_seed = day * 1000 + first_letter;
    (0..SLOTS_PER_DAY).filter_map(move |slot| {
        let minute_of_day = slot * SLOT_MINUTES;
        let seed = f64::from(day_seed + minute_of_day / 60 * 100 + minute_of_day % 60);
        let kept = wave(7.0 * seed) >= DROPPED_BELOW;
        kept.then(|| Slot {
            minute_of_day,
            chance: wave(seed),
        })
    })
}

fn wave(seed: f64) -> f64 {
    f64::midpoint(seed.sin(), 1.0)
}

impl Inverter {
    fn reading(
        &self,
        day: u32,
        slot: &Slot,
        at: DateTime<chrono::Utc>,
        energy_kwh: &mut f64,
    ) -> Reading {
        let hour = f64::from(slot.minute_of_day) / 60.0;
        let is_day = (6.0..20.0).contains(&hour);
        let sun = if is_day {
            (-(hour - 13.0).powi(2) / 32.0).exp()
        } else {
            0.0
        };
        let is_faulty = (10.0..14.0).contains(&hour) && self.faulty_days.contains(&day);
        let power = is_day.then(|| {
            if is_faulty {
                0.0
            } else {
                (self.peak_watts * sun * (self.power)(slot.chance)).round()
            }
        });
        *energy_kwh += power.unwrap_or(0.0) * f64::from(SLOT_MINUTES) / 60.0 / 1000.0;
        let irradiance = rounded(1000.0 * sun * (0.9 + 0.2 * slot.chance), 1);
        Reading {
            at,
            logger_id: self.id.to_owned(),
            logger_type: Some(self.logger_type.to_owned()),
            active_power_watts: power,
            energy_daily_kwh: is_day.then(|| rounded(*energy_kwh, 2)),
            irradiance: (irradiance > 0.0).then_some(irradiance),
            metadata: Some(metadata(slot, sun, power, is_faulty.then_some(at))),
        }
    }
}

fn metadata(
    slot: &Slot,
    sun: f64,
    power: Option<f64>,
    faulty_at: Option<DateTime<chrono::Utc>>,
) -> String {
    let by_day = |value: f64| power.map_or(Value::Null, |_| json!(rounded(value, 2)));
    let mut members = Map::new();
    members.insert(
        "temperature".to_owned(),
        by_day(25.0 + 20.0 * sun + 5.0 * slot.chance),
    );
    members.insert("voltage".to_owned(), by_day(350.0 + 30.0 * slot.chance));
    let delivered = power.filter(|watts| *watts > 0.0);
    members.insert(
        "current".to_owned(),
        delivered.map_or(Value::Null, |watts| json!(rounded(watts / 350.0, 2))),
    );
    if let Some(at) = faulty_at {
        members.insert("errorCode".to_owned(), json!("E-501"));
        members.insert(
            "errorTimestamp".to_owned(),
            json!(at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
        );
    }
    Value::Object(members).to_string()
}

fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10f64.powi(places);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(id: &str) -> Vec<Reading> {
        readings()
            .filter(|reading| reading.logger_id == id)
            .collect()
    }

    /// Delivered against possible energy on the last day, as the performance ratio is defined.
    fn performance_ratio(id: &str, nameplate_kw: f64) -> f64 {
        let (mut energy, mut sun) = (0.0, 0.0);
        let readings = of(id).into_iter();
        for reading in readings.filter(|reading| reading.at.date_naive() == LAST_DAY) {
            if let (Some(power), Some(irradiance)) =
                (reading.active_power_watts, reading.irradiance)
                && irradiance >= 20.0
            {
                energy += power;
                sun += irradiance;
            }
        }
        energy / (nameplate_kw * sun)
    }

    #[test]
    fn each_inverter_has_the_documented_number_of_readings() {
        for (id, count) in [
            ("GW-INV-001", 7938),
            ("LTI-INV-001", 7937),
            ("MEIER-INV-001", 7935),
            ("SD-INV-001", 7913),
        ] {
            assert_eq!(of(id).len(), count, "{id}");
        }
    }

    #[test]
    fn the_flawless_and_the_weak_inverter_have_their_ratios() {
        assert!((performance_ratio("GW-INV-001", 5.0) - 1.001).abs() < 0.0005);
        assert!((performance_ratio("MEIER-INV-001", 5.5) - 0.683).abs() < 0.0005);
    }

    #[test]
    fn the_faults_lie_where_they_are_documented() {
        let faulty: Vec<Reading> = of("LTI-INV-001")
            .into_iter()
            .filter(|reading| reading.metadata.as_deref().unwrap().contains("E-501"))
            .collect();
        let mut days: Vec<String> = faulty
            .iter()
            .map(|reading| reading.at.format("%m-%d").to_string())
            .collect();
        days.dedup();
        assert_eq!(days, ["11-07", "11-09", "11-11", "11-16", "11-22", "11-29"]);
        assert!(
            faulty
                .iter()
                .all(|reading| reading.active_power_watts == Some(0.0)
                    && reading.irradiance > Some(50.0))
        );
    }

    #[test]
    fn nights_have_rows_without_values() {
        let readings = of("GW-INV-001");
        let night = readings
            .iter()
            .find(|reading| reading.at.format("%H").to_string() == "02")
            .unwrap();
        assert_eq!(
            (
                night.active_power_watts,
                night.energy_daily_kwh,
                night.irradiance
            ),
            (None, None, None)
        );
        assert_eq!(
            night.metadata.as_deref(),
            Some(r#"{"temperature":null,"voltage":null,"current":null}"#)
        );
    }

    #[test]
    fn the_month_ends_where_it_is_documented() {
        let last = readings().map(|reading| reading.at).max().unwrap();
        let first = readings().map(|reading| reading.at).min().unwrap();
        assert_eq!(first.date_naive().to_string(), "2025-11-05");
        assert_eq!(last.date_naive().to_string(), "2025-12-04");
    }
}
