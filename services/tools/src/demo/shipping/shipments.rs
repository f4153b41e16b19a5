//! Shipments: what they carry, where they are, and how late.
//!
//! Arrivals come first: a number of shipments reach a port on a day, in some calls of vessels. The
//! plan is derived from them by the vessel's delay, so that figures over arrivals have the intended
//! values.

use chrono::{DateTime, Datelike, Days, NaiveDate, Utc, Weekday};

use super::fleet::{SLOW_CARRIER, STORM_VESSEL, Vessel};
use super::ports::{MIAMI, Port, days_at_sea};
use super::{LAST_DAY, at, minutes};
use crate::demo::weather::Chance;

/// A shipment.
#[derive(Debug, Clone)]
pub(super) struct Shipment {
    pub(super) id: String,
    pub(super) reference: String,
    pub(super) status: &'static str,
    pub(super) vessel_id: String,
    pub(super) vessel_name: &'static str,
    pub(super) carrier: &'static str,
    pub(super) origin: Port,
    pub(super) destination: Port,
    pub(super) commodity: &'static str,
    pub(super) container_count: i32,
    pub(super) weight_kg: f64,
    pub(super) value_usd: f64,
    pub(super) hazardous: bool,
    pub(super) planned_departure: DateTime<Utc>,
    pub(super) actual_departure: Option<DateTime<Utc>>,
    pub(super) planned_arrival: DateTime<Utc>,
    pub(super) actual_arrival: Option<DateTime<Utc>>,
    chance: Chance,
    number: u64,
}

/// A container of a shipment.
#[derive(Debug, Clone)]
pub(super) struct Container {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) size_ft: i32,
    pub(super) status: &'static str,
    pub(super) shipment_id: String,
    pub(super) location_port: Option<&'static str>,
    pub(super) last_event: &'static str,
    pub(super) last_event_at: DateTime<Utc>,
    pub(super) temperature_c: Option<f64>,
}

/// Days with arrivals, up to [`LAST_DAY`]; and days ahead that are planned.
const PAST_DAYS: u64 = 107;
const AHEAD_DAYS: u64 = 21;

/// What reached the Port of Miami on the last days, for `demo`: 142 in all.
const MIAMI_LAST_DAYS: [u32; 8] = [16, 19, 14, 21, 17, 18, 20, 17];

/// Since then Miami is congested.
const CONGESTED_SINCE: NaiveDate = match NaiveDate::from_ymd_opt(2024, 12, 12) {
    Some(day) => day,
    None => NaiveDate::MAX,
};

/// The days of the storm.
const STORM: [(i32, u32, u32); 2] = [(2025, 1, 9), (2025, 1, 11)];

/// A commodity, the value of a kilogram in dollars, and whether it is hazardous.
const COMMODITIES: [(&str, f64, bool); 10] = [
    ("electronics", 38.0, false),
    ("furniture", 4.5, false),
    ("apparel", 14.0, false),
    ("machinery", 11.0, false),
    ("coffee", 5.0, false),
    ("frozen seafood", 8.5, false),
    ("fresh fruit", 2.2, false),
    ("chemicals", 3.1, true),
    ("auto parts", 9.0, false),
    ("lithium batteries", 22.0, true),
];

/// Every shipment of a tenant, by arrival.
pub(super) fn of(tenant: &str, ports: &[Port], vessels: &[Vessel]) -> Vec<Shipment> {
    let maker = Maker {
        tenant,
        ports,
        vessels,
        seed: Chance::new(if tenant == "demo" { 20_250_115 } else { 4_711 }),
    };
    let mut shipments = Vec::new();
    let first = LAST_DAY - Days::new(PAST_DAYS - 1);
    for offset in 0..PAST_DAYS + AHEAD_DAYS {
        let day = first + Days::new(offset);
        for (place, port) in ports.iter().enumerate() {
            maker.arrivals(day, offset, place as u64, port, &mut shipments);
        }
    }
    shipments
}

struct Maker<'a> {
    tenant: &'a str,
    ports: &'a [Port],
    vessels: &'a [Vessel],
    seed: Chance,
}

/// A vessel's call at a port.
struct PortCall<'a> {
    vessel: &'a Vessel,
    origin: Port,
    destination: Port,
    arrival: DateTime<Utc>,
    delay_hours: f64,
}

impl Maker<'_> {
    /// The shipments that reach a port on a day, or will.
    fn arrivals(
        &self,
        day: NaiveDate,
        offset: u64,
        place: u64,
        port: &Port,
        into: &mut Vec<Shipment>,
    ) {
        let chance = self.seed.of(offset).of(place);
        let count = self.count(day, port, chance);
        let calls = match count {
            0..=3 => 1,
            4..=9 => 2,
            _ => 3,
        };
        for call in 0..calls {
            let share = count / calls + u32::from(call < count % calls);
            if share == 0 {
                continue;
            }
            let call = self.call(day, port, chance.of(100 + u64::from(call)));
            for _ in 0..share {
                let number = into.len() as u64;
                into.push(self.shipment(&call, number));
            }
        }
    }

    fn count(&self, day: NaiveDate, port: &Port, chance: Chance) -> u32 {
        let back = (LAST_DAY - day).num_days();
        let quota = usize::try_from(back)
            .ok()
            .and_then(|back| MIAMI_LAST_DAYS.iter().rev().nth(back));
        match quota {
            Some(quota) if port.id == MIAMI && self.tenant == "demo" => *quota,
            _ => {
                let usual = port.arrivals * if self.tenant == "demo" { 1.0 } else { 0.4 };
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a handful"
                )]
                let count = (usual * chance.between(0.6, 1.4) + chance.of(1).unit()) as u32;
                count
            }
        }
    }

    fn call(&self, day: NaiveDate, port: &Port, chance: Chance) -> PortCall<'_> {
        let vessel = pick(self.vessels, chance.of(1));
        let far: Vec<Port> = self
            .ports
            .iter()
            .filter(|other| other.region != port.region && !other.terminal)
            .copied()
            .collect();
        PortCall {
            vessel,
            origin: *pick(&far, chance.of(2)),
            destination: *port,
            arrival: at(day, chance.of(3).between(1.0, 22.5)),
            delay_hours: delay(vessel, port, day, chance.of(4)),
        }
    }

    fn shipment(&self, call: &PortCall<'_>, number: u64) -> Shipment {
        let chance = self.seed.of(number).of(7);
        let (commodity, value_per_kg, hazardous) = *pick(&COMMODITIES, chance.of(1));
        let container_count = 1 + [0, 0, 0, 1, 1, 2, 3][index(7, chance.of(2))];
        let weight_kg =
            (f64::from(container_count) * chance.of(3).between(4_000.0, 22_000.0)).round();
        let value_usd = (weight_kg * value_per_kg * chance.of(4).between(0.7, 1.3)).round();
        let at_sea = days_at_sea(call.origin.region, call.destination.region);
        let late = minutes(call.delay_hours);
        let planned_arrival = call.arrival - late;
        let planned_departure = planned_arrival - minutes(24.0 * at_sea);
        let actual_departure = planned_departure + minutes(chance.of(5).between(0.0, 9.0));
        let now = at(LAST_DAY, 24.0);
        let cancelled = chance.of(6).happens(0.02) && call.destination.id != MIAMI;
        let arrived = call.arrival < now;
        let departed = actual_departure < now && !cancelled;
        let delivered = arrived
            && (LAST_DAY - call.arrival.date_naive()).num_days() >= 2
            && chance.of(8).happens(0.85);
        let status = match () {
            () if cancelled => "cancelled",
            () if delivered => "delivered",
            () if arrived => "arrived",
            () if departed => "in_transit",
            () => "booked",
        };
        Shipment {
            id: format!("SHP-{:06}", 100_001 + number),
            reference: format!(
                "{}-{:05}",
                if self.tenant == "demo" { "HF" } else { "RV" },
                10_007 + number * 3
            ),
            status,
            vessel_id: call.vessel.id.clone(),
            vessel_name: call.vessel.name,
            carrier: call.vessel.carrier,
            origin: call.origin,
            destination: call.destination,
            commodity,
            container_count,
            weight_kg,
            value_usd,
            hazardous,
            planned_departure,
            actual_departure: departed.then_some(actual_departure),
            // What has not arrived has no delay yet: its plan is when it will.
            planned_arrival: if arrived {
                planned_arrival
            } else {
                call.arrival
            },
            actual_arrival: (arrived && !cancelled).then_some(call.arrival),
            chance,
            number,
        }
    }
}

/// Hours behind the plan. Some are ahead of it.
fn delay(vessel: &Vessel, port: &Port, day: NaiveDate, chance: Chance) -> f64 {
    let mut hours = chance.between(-6.0, 14.0) + 9.0 * chance.of(1).unit().powi(3);
    if vessel.carrier == SLOW_CARRIER {
        hours += 17.0;
    }
    if matches!(day.weekday(), Weekday::Sat | Weekday::Sun) {
        hours += 6.0;
    }
    if port.city == "Miami" && day >= CONGESTED_SINCE {
        hours += 13.0;
    }
    let storm = STORM.map(|(year, month, day)| NaiveDate::from_ymd_opt(year, month, day));
    if vessel.name == STORM_VESSEL && storm[0] <= Some(day) && Some(day) <= storm[1] {
        hours += 88.0;
    }
    (hours * 10.0).round() / 10.0
}

impl Shipment {
    /// Its containers, and where each is.
    pub(super) fn containers(&self) -> impl Iterator<Item = Container> + '_ {
        let count = u64::try_from(self.container_count).unwrap_or_default();
        (0..count).filter(|_| self.status != "cancelled").map(|n| {
            let chance = self.chance.of(50 + n);
            let kind = match self.commodity {
                "frozen seafood" | "fresh fruit" => "reefer",
                "chemicals" => "tank",
                _ if chance.happens(0.05) => "open_top",
                _ => "dry",
            };
            let (status, place, last_event, last_event_at) = self.whereabouts(chance.of(1));
            Container {
                id: container_number(self.vessel_name, self.number * 4 + n),
                kind,
                size_ft: if chance.of(2).happens(0.7) { 40 } else { 20 },
                status,
                shipment_id: self.id.clone(),
                location_port: place,
                last_event,
                last_event_at,
                temperature_c: (kind == "reefer")
                    .then(|| (chance.of(3).between(-21.0, -17.0) * 10.0).round() / 10.0),
            }
        })
    }

    fn whereabouts(
        &self,
        chance: Chance,
    ) -> (
        &'static str,
        Option<&'static str>,
        &'static str,
        DateTime<Utc>,
    ) {
        match (self.status, self.actual_arrival, self.actual_departure) {
            ("delivered", Some(arrival), _) => {
                let returned = chance.happens(0.5);
                let event = if returned {
                    "returned empty"
                } else {
                    "delivered to consignee"
                };
                let status = if returned { "returned" } else { "gate_out" };
                let later =
                    (arrival + minutes(chance.of(1).between(20.0, 44.0))).min(at(LAST_DAY, 23.9));
                (status, None, event, later)
            }
            (_, Some(arrival), _) => {
                let place = Some(self.destination.name);
                (
                    "in_port",
                    place,
                    "discharged from vessel",
                    arrival + minutes(chance.between(0.2, 1.4)),
                )
            }
            (_, None, Some(departure)) => ("at_sea", None, "vessel departed", departure),
            _ => {
                let place = Some(self.origin.name);
                let before = self.planned_departure.min(at(LAST_DAY, 12.0))
                    - minutes(chance.between(20.0, 90.0));
                ("empty", place, "empty released to shipper", before)
            }
        }
    }
}

/// A container's number: owner, serial, and the check digit of ISO 6346.
fn container_number(vessel: &str, serial: u64) -> String {
    let owner = match vessel.split(' ').next() {
        Some("MSC") => "MSCU",
        Some("MERIDIAN") => "BMLU",
        Some("PACIFIC" | "CROWN") => "PCRU",
        Some("SOUTHERN") => "SSMU",
        _ => "NHCU",
    };
    let body = format!("{owner}{:06}", 100_000 + serial * 17 % 900_000);
    format!("{body}{}", check_digit(&body))
}

/// ISO 6346: letters count from 10 on, leaving out multiples of 11; each is weighed by a power of
/// two.
fn check_digit(body: &str) -> u64 {
    let value = |c: char| match c {
        'A' => 10,
        'B'..='K' => u64::from(c) - u64::from('B') + 12,
        'L'..='U' => u64::from(c) - u64::from('L') + 23,
        'V'..='Z' => u64::from(c) - u64::from('V') + 34,
        _ => u64::from(c.to_digit(10).unwrap_or_default()),
    };
    let sum: u64 = body
        .chars()
        .enumerate()
        .map(|(place, c)| value(c) << place)
        .sum();
    sum % 11 % 10
}

fn pick<T>(from: &[T], chance: Chance) -> &T {
    &from[index(from.len(), chance)]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "less than the length"
)]
fn index(length: usize, chance: Chance) -> usize {
    ((chance.unit() * length as f64) as usize).min(length - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::demo::shipping::{fleet, ports};

    fn made(tenant: &str) -> Vec<Shipment> {
        of(tenant, &ports::of(tenant), &fleet::of(tenant))
    }

    #[test]
    fn a_hundred_and_forty_two_reached_miami_in_the_last_week() {
        let since = LAST_DAY - Days::new(7);
        let count = |tenant: &str, name: &str| {
            made(tenant)
                .iter()
                .filter(|shipment| shipment.destination.name == name)
                .filter_map(|shipment| shipment.actual_arrival)
                .filter(|arrival| (since..=LAST_DAY).contains(&arrival.date_naive()))
                .count()
        };
        assert_eq!(count("demo", "Port of Miami"), 142);
        assert!(count("demo", "Miami Container Terminal") > 20);
        assert!((30..100).contains(&count("rival", "Port of Miami")));
        assert_eq!(count("rival", "Miami Container Terminal"), 0);
    }

    #[test]
    fn what_happened_happened_in_order_and_before_the_end() {
        let end = at(LAST_DAY, 24.0);
        for shipment in made("demo") {
            assert!(shipment.planned_departure < shipment.planned_arrival);
            if let (Some(departure), Some(arrival)) =
                (shipment.actual_departure, shipment.actual_arrival)
            {
                assert!(departure < arrival && arrival < end, "{shipment:?}");
            }
            assert_eq!(
                ["arrived", "delivered"].contains(&shipment.status),
                shipment.actual_arrival.is_some(),
                "{shipment:?}"
            );
            for container in shipment.containers() {
                assert!(container.last_event_at < end, "{container:?}");
            }
        }
    }

    #[test]
    fn numbers_are_unique_and_check_themselves() {
        // The example of ISO 6346.
        assert_eq!(check_digit("CSQU305438"), 3);
        let shipments = made("demo");
        let containers: Vec<Container> = shipments.iter().flat_map(Shipment::containers).collect();
        let ids: HashSet<&str> = containers
            .iter()
            .map(|container| container.id.as_str())
            .collect();
        assert_eq!(ids.len(), containers.len());
        assert!(containers.iter().all(|container| container.id.len() == 11));
        let ids: HashSet<&str> = shipments
            .iter()
            .map(|shipment| shipment.id.as_str())
            .collect();
        assert_eq!(ids.len(), shipments.len());
        assert!(
            (4_000..20_000).contains(&shipments.len()),
            "{}",
            shipments.len()
        );
    }
}
