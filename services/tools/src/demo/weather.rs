//! The sky over a generated site: sun, clouds, temperature, by formula from a seed.
//!
//! Plausible, not exact: clear-sky irradiance by Haurwitz, a tilted plane with a fixed share of
//! diffuse light, cloudiness that lasts some days, broken clouds on mixed ones.

use chrono::{DateTime, Datelike, Timelike, Utc};

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

/// Repeatable chance: the same seed and coordinates give the same number on every machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// A chance of its own for one of many things.
    pub(super) fn of(self, thing: u64) -> Self {
        Self(mix(self.0 ^ thing.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// 0 to 1.
    pub(super) fn unit(self) -> f64 {
        // 53 bits are what a double holds.
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `low` to `high`.
    pub(super) fn between(self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Whether something of this probability happens.
    pub(super) fn happens(self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// The finalizer of `SplitMix64`: spreads any pattern of bits.
fn mix(bits: u64) -> u64 {
    let mut z = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
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

/// The share of the clear sky's light that comes through.
fn clearness(chance: Chance, day: u64, minute: u64) -> f64 {
    // Three days in a row share their weather in part, so that a clear day is likelier after a
    // clear one.
    let weather = |day: u64| chance.of(day).unit();
    let mood = 0.6 * weather(day)
        + 0.3 * weather(day.wrapping_sub(1))
        + 0.1 * weather(day.wrapping_sub(2));
    let cloud = |spell: u64| chance.of(3_000_000 + minute / spell * 64 + spell).unit();
    if mood > 0.55 {
        0.98 + 0.02 * cloud(5)
    } else if mood > 0.3 {
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

    #[test]
    fn chance_is_fair_and_never_leaves_its_bounds() {
        let all: Vec<f64> = (0..10_000)
            .map(|thing| Chance::new(5).of(thing).unit())
            .collect();
        assert!(all.iter().all(|value| (0.0..1.0).contains(value)));
        let mean = all.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
