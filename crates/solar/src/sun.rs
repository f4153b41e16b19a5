//! The position of the sun, as far as a monitoring site needs it: no refraction, a few tenths of a
//! degree, a minute.

use std::f64::consts::PI;

use chrono::{Datelike, NaiveDate};

use crate::context::Position;

/// Solar constant, kW/m2.
const SOLAR_CONSTANT: f64 = 1.367;

/// Daily extraterrestrial irradiation of a horizontal plane, kWh/m2: the irradiation of a day
/// without an atmosphere.
pub fn extraterrestrial_kwh(latitude: f64, date: NaiveDate) -> f64 {
    let day = f64::from(date.ordinal());
    let latitude = latitude.to_radians();
    let declination = 0.409 * (2.0 * PI * day / 365.0 - 1.39).sin();
    // Polar day and night clamp to a sun that never sets or never rises.
    let sunset = (-latitude.tan() * declination.tan())
        .clamp(-1.0, 1.0)
        .acos();
    let distance = 1.0 + 0.033 * (2.0 * PI * day / 365.0).cos();
    let geometry = latitude.cos() * declination.cos() * sunset.sin()
        + sunset * latitude.sin() * declination.sin();
    24.0 / PI * SOLAR_CONSTANT * distance * geometry
}

/// Elevation of the sun above the horizon, degrees.
pub fn elevation(time: i64, position: Position) -> f64 {
    let (declination, equation_minutes) = declination_and_equation(time);
    let minutes =
        (time.rem_euclid(86_400)) as f64 / 60.0 + 4.0 * position.longitude + equation_minutes;
    let hour_angle = (minutes / 4.0 - 180.0).to_radians();
    let latitude = position.latitude.to_radians();
    (latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * hour_angle.cos())
        .asin()
        .to_degrees()
}

/// Whether the sun is below the horizon.
pub fn is_night(time: i64, position: Position) -> bool {
    elevation(time, position) < 0.0
}

/// The moment nearest to `around` at which the sun stands highest, seconds since 1970.
pub fn transit(around: i64, longitude: f64) -> f64 {
    let (_, equation_minutes) = declination_and_equation(around);
    let noon = 43_200.0 - (4.0 * longitude + equation_minutes) * 60.0;
    let day = ((around as f64 - noon) / 86_400.0).round();
    day * 86_400.0 + noon
}

/// Declination, radians, and equation of time, minutes (NOAA's short series).
fn declination_and_equation(time: i64) -> (f64, f64) {
    let date = crate::calendar::instant(time).date_naive();
    let hours = time.rem_euclid(86_400) as f64 / 3600.0;
    let g = 2.0 * PI / 365.0 * (f64::from(date.ordinal0()) + (hours - 12.0) / 24.0);
    let declination = 0.006_918 - 0.399_912 * g.cos() + 0.070_257 * g.sin()
        - 0.006_758 * (2.0 * g).cos()
        + 0.000_907 * (2.0 * g).sin()
        - 0.002_697 * (3.0 * g).cos()
        + 0.001_48 * (3.0 * g).sin();
    let equation = 229.18
        * (0.000_075 + 0.001_868 * g.cos()
            - 0.032_077 * g.sin()
            - 0.014_615 * (2.0 * g).cos()
            - 0.040_849 * (2.0 * g).sin());
    (declination, equation)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLDEN: Position = Position {
        latitude: 39.742,
        longitude: -105.1727,
    };

    fn time(text: &str) -> i64 {
        chrono::DateTime::parse_from_rfc3339(text)
            .unwrap()
            .timestamp()
    }

    #[test]
    fn the_sun_is_high_at_noon_and_down_at_night() {
        // Summer solstice: 90 - 39.742 + 23.44 degrees.
        assert!((elevation(time("2016-06-20T13:02:00-06:00"), GOLDEN) - 73.7).abs() < 0.2);
        assert!(is_night(time("2016-06-20T00:00:00-06:00"), GOLDEN));
        assert!(!is_night(time("2016-06-20T07:00:00-06:00"), GOLDEN));
    }

    #[test]
    fn transit_follows_longitude_and_the_equation_of_time() {
        // Greenwich: 12:16 at the start of November-, 12:14 in mid February.
        let transit_minutes = |text: &str| (transit(time(text), 0.0) - time(text) as f64) / 60.0;
        assert!((transit_minutes("2023-11-03T12:00:00Z") + 16.4).abs() < 0.5);
        assert!((transit_minutes("2023-02-11T12:00:00Z") - 14.2).abs() < 0.5);
    }

    #[test]
    fn extraterrestrial_radiation_matches_the_tables() {
        // FAO 56, example 8: 20 degrees south, 3 September: 32.2 MJ/m2.
        let kwh = extraterrestrial_kwh(-20.0, NaiveDate::from_ymd_opt(2015, 9, 3).unwrap());
        assert!((kwh * 3.6 - 32.2).abs() < 0.3);
        assert!(
            extraterrestrial_kwh(80.0, NaiveDate::from_ymd_opt(2015, 12, 21).unwrap()).abs() < 1e-9
        );
    }
}
