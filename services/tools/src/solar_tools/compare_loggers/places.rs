//! The sunlight of the sites that are compared: where they are far apart, a device is not worse
//! because it stands under less sun.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use contracts::tools::{ComparedPlaces, ComparisonMetric, Period};
use solar::compare::{Places, Sunlight};
use solar::{DayFigures, Position};
use sqlx::PgConnection;

use super::Loaded;
use crate::error::Error;
use crate::store::{LoggerRole, Site, daily, loggers};

/// Sites within this distance have the same sun, km.
const NEAR: f64 = 50.0;

/// Mean radius of the earth, km.
const RADIUS: f64 = 6371.0;

/// Each site is ranked by its own sunlight if at least this share of its days has some.
const KNOWN: f64 = 0.5;

/// Whether the compared devices have the same sun, and the sunlight of each site if not.
pub(super) struct Sun {
    pub(super) places: Places,
    sites: BTreeMap<String, Sunlight>,
}

impl Sun {
    /// Of the devices that deliver energy in a window.
    pub(super) async fn of(
        conn: &mut PgConnection,
        tenant: &str,
        compared: &[Loaded],
        window: Period,
    ) -> Result<Self, Error> {
        let mut there: BTreeMap<&str, &Site> = BTreeMap::new();
        for one in compared {
            let site = &one.logger().site;
            if one.logger().role != LoggerRole::Weather {
                there.insert(&site.site_id, site);
            }
        }
        let sites: Vec<&Site> = there.into_values().collect();
        let apart = sites.iter().enumerate().any(|(at, one)| {
            sites[at + 1..]
                .iter()
                .any(|other| are_far_apart(one, other))
        });
        if !apart {
            return Ok(Self {
                places: Places::Same,
                sites: BTreeMap::new(),
            });
        }
        let sites = sunlight(conn, tenant, &sites, window).await?;
        let days_of = |site: &str| {
            let devices = compared
                .iter()
                .filter(|one| one.logger().site.site_id == site);
            devices
                .map(|one| one.days.iter().filter(|day| day.energy().is_some()).count())
                .max()
                .unwrap_or(0)
        };
        let known = sites.iter().all(|(site, days)| {
            days.len() as f64 >= KNOWN * days_of(site) as f64 && !days.is_empty()
        });
        Ok(Self {
            places: if known {
                Places::OwnSun
            } else {
                Places::Different
            },
            sites,
        })
    }

    pub(super) fn of_site(&self, site_id: &str) -> Option<&Sunlight> {
        self.sites.get(site_id)
    }

    /// The statement of a comparison about it; irradiance is compared as it is.
    pub(super) fn told(&self, metric: ComparisonMetric) -> ComparedPlaces {
        match self.places {
            _ if metric == ComparisonMetric::Irradiance => ComparedPlaces::Same,
            Places::Same => ComparedPlaces::Same,
            Places::OwnSun => ComparedPlaces::OwnSun,
            Places::Different => ComparedPlaces::Different,
        }
    }
}

/// By their positions; where one of them is not known, by their time zones.
fn are_far_apart(a: &Site, b: &Site) -> bool {
    match (a.position, b.position) {
        (Some(a), Some(b)) => distance(a, b) > NEAR,
        _ => a.zone != b.zone,
    }
}

/// The distance on the surface of the earth, km.
fn distance(a: Position, b: Position) -> f64 {
    let (from, to) = (a.latitude.to_radians(), b.latitude.to_radians());
    let half = |difference: f64| (difference / 2.0).sin().powi(2);
    let longitudes = (b.longitude - a.longitude).to_radians();
    let chord = half(to - from) + from.cos() * to.cos() * half(longitudes);
    2.0 * RADIUS * chord.sqrt().clamp(0.0, 1.0).asin()
}

/// The irradiation of each day at each site: of the first of its devices, weather stations before
/// others, that has it for that day.
async fn sunlight(
    conn: &mut PgConnection,
    tenant: &str,
    sites: &[&Site],
    window: Period,
) -> Result<BTreeMap<String, Sunlight>, Error> {
    let ids: Vec<&str> = sites.iter().map(|site| site.site_id.as_str()).collect();
    let mut witnesses = loggers::witnesses(conn, tenant, &ids).await?;
    let keys: Vec<i32> = witnesses.values().flatten().map(|one| one.key).collect();
    let (firsts, lasts) = (vec![window.start; keys.len()], vec![window.end; keys.len()]);
    let days: HashMap<i32, Vec<DayFigures>> =
        daily::load_ranges(conn, &keys, &firsts, &lasts).await?;
    let mut found = BTreeMap::new();
    for site in sites {
        let mut sunlight = Sunlight::new();
        for witness in witnesses.remove(&site.site_id).unwrap_or_default() {
            for (date, kwh) in days
                .get(&witness.key)
                .into_iter()
                .flatten()
                .filter_map(measured)
            {
                sunlight.entry(date).or_insert(kwh);
            }
        }
        found.insert(site.site_id.clone(), sunlight);
    }
    Ok(found)
}

fn measured(day: &DayFigures) -> Option<(NaiveDate, f64)> {
    let sun = &day.sun;
    let is_known = !sun.suspect && sun.insolation_kwh_m2 > 0.0;
    is_known.then_some((day.date, sun.insolation_kwh_m2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_globe() {
        let berlin = Position {
            latitude: 52.52,
            longitude: 13.40,
        };
        let madrid = Position {
            latitude: 40.42,
            longitude: -3.70,
        };
        let far = distance(berlin, madrid);
        assert!((far - 1869.0).abs() < 10.0, "{far}");
        assert!(distance(berlin, berlin).abs() < 1e-9);
    }
}
