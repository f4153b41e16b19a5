//! The sky over a generated site: sun, clouds, temperature, by formula from a seed.
//!
//! Plausible, not exact: clear-sky irradiance by Haurwitz, a tilted plane with a fixed share of
//! diffuse light, cloudiness that lasts some days, broken clouds on mixed ones.

use chrono::{DateTime, Datelike, Timelike, Utc};
use demo_chance::Chance;

/// The weather above which a day is clear.
const CLEAR: f64 = 0.55;
/// The weather above which a day has broken clouds; below, it is overcast.
const MIXED: f64 = 0.3;

/// The location of a site and the orientation of its arrays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) tilt_deg: f64,
    pub(super) azimuth_deg: f64,
    /// Yearly mean of the air's temperature, C.
    pub(super) mean_temperature_c: f64,
}

/// The readings of a site's weather station at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sky {
    /// Irradiance of the array's plane, W/m2.
    pub(super) irradiance: f64,
    pub(super) ambient_c: f64,
    pub(super) module_c: f64,
    pub(super) wind_ms: f64,
}

/// The sky at an instant; `day` counts the generated days.
pub(super) fn sky(place: &Place, chance: Chance, day: u64, at: DateTime<Utc>) -> Sky {
    let clear = clear_sky(place, at);
    let minute = u64::try_from(at.timestamp() / 60).unwrap_or_default();
    let irradiance = (clear * clearness(chance, day, minute)).max(0.0);
    let year = std::f64::consts::TAU * (f64::from(at.ordinal()) - 15.0) / 365.0;
    let season = -10.0 * year.cos() * place.latitude.signum();
    let of_day = chance.of(1_000_000 + day).between(-4.0, 4.0);
    let ambient_c = place.mean_temperature_c + season + of_day + irradiance / 120.0;
    let wind_ms = chance.of(2_000_000 + day).between(0.5, 7.0);
    Sky {
        irradiance,
        ambient_c,
        module_c: ambient_c + irradiance / (25.0 + 6.8 * wind_ms),
        wind_ms,
    }
}

/// Whether the sky of a day is overcast.
pub(super) fn is_overcast(chance: Chance, day: u64) -> bool {
    weather(chance, day) <= MIXED
}

/// The weather of a day, from dull (0) to clear (1). Three days in a row share it in part, so that
/// a clear day is likelier after a clear one.
fn weather(chance: Chance, day: u64) -> f64 {
    let of = |day: u64| chance.of(day).unit();
    0.6 * of(day) + 0.3 * of(day.wrapping_sub(1)) + 0.1 * of(day.wrapping_sub(2))
}

/// The share of the clear sky's light that comes through.
fn clearness(chance: Chance, day: u64, minute: u64) -> f64 {
    let mood = weather(chance, day);
    let cloud = |spell: u64| chance.of(3_000_000 + minute / spell * 64 + spell).unit();
    if mood > CLEAR {
        0.98 + 0.02 * cloud(5)
    } else if mood > MIXED {
        let broken = if cloud(20) > 0.5 { 1.0 } else { 0.35 };
        broken * (0.85 + 0.15 * cloud(5))
    } else {
        0.12 + 0.25 * cloud(30) + 0.05 * cloud(5)
    }
}

/// Irradiance of the array's plane under a clear sky, W/m2.
fn clear_sky(place: &Place, at: DateTime<Utc>) -> f64 {
    let day = f64::from(at.ordinal());
    let declination = 0.409 * (std::f64::consts::TAU * day / 365.0 - 1.39).sin();
    let hour = f64::from(at.num_seconds_from_midnight()) / 3600.0 + place.longitude / 15.0;
    let angle = (hour - 12.0) / 12.0 * std::f64::consts::PI;
    let latitude = place.latitude.to_radians();
    let up = latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * angle.cos();
    if up <= 0.0 {
        return 0.0;
    }
    let east = -declination.cos() * angle.sin();
    let north =
        latitude.cos() * declination.sin() - latitude.sin() * declination.cos() * angle.cos();
    let (tilt, azimuth) = (place.tilt_deg.to_radians(), place.azimuth_deg.to_radians());
    let facing = tilt.cos() * up + tilt.sin() * (azimuth.sin() * east + azimuth.cos() * north);
    let horizontal = 1098.0 * up * (-0.057 / up).exp();
    // A fifth of the light is diffuse. Near the horizon the quotient runs away; the sky does not.
    let beam = 0.8 * horizontal * (facing.max(0.0) / up.max(0.08));
    beam + 0.2 * horizontal * f64::midpoint(1.0, tilt.cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZURICH: Place = Place {
        latitude: 47.4,
        longitude: 8.5,
        tilt_deg: 25.0,
        azimuth_deg: 180.0,
        mean_temperature_c: 10.0,
    };

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn the_sun_is_where_it_should_be() {
        assert!(clear_sky(&ZURICH, at("2025-06-21T00:00:00Z")).abs() < f64::EPSILON);
        let summer = clear_sky(&ZURICH, at("2025-06-21T11:30:00Z"));
        let winter = clear_sky(&ZURICH, at("2025-12-21T11:30:00Z"));
        assert!((900.0..1150.0).contains(&summer), "{summer}");
        assert!((300.0..750.0).contains(&winter), "{winter}");
        let morning = clear_sky(&ZURICH, at("2025-06-21T06:00:00Z"));
        assert!((100.0..500.0).contains(&morning), "{morning}");
    }

    #[test]
    fn the_same_seed_gives_the_same_sky() {
        let noon = at("2025-06-21T11:30:00Z");
        let here = |seed| sky(&ZURICH, Chance::new(seed), 7, noon);
        assert_eq!(here(1), here(1));
        assert_ne!(here(1), here(2));
    }
}
