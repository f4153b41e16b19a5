//! The present state of a device, by its newest reading.

use chrono::{DateTime, Utc};
use contracts::tools::{DeviceState, FleetDevice};

use super::format;

/// A reading older than this, minutes, says what was, and not what is.
const CURRENT: f64 = 120.0;

/// After this, minutes, a device has stopped sending: no night is longer.
const STOPPED: f64 = 24.0 * 60.0;

/// The newest reading of a device, with its time and age.
pub(crate) fn power_now(device: &FleetDevice, now: DateTime<Utc>) -> String {
    let id = &device.logger_id;
    let Some(at) = device.last_seen else {
        return format!("{id} has not sent a reading yet.");
    };
    let minutes = (now - at.to_utc()).as_seconds_f64() / 60.0;
    let reading = format!(
        "{} on {}, {} ago",
        format::clock(at),
        format::date(at.date_naive()),
        format::age(minutes)
    );
    if minutes > STOPPED {
        let then = device.power_watts.map_or_else(String::new, |watts| {
            format!(" It delivered {} then.", format::power(watts.max(0.0)))
        });
        return format!(
            "{id} has sent nothing since {reading}, so I can't say its power now.{then}"
        );
    }
    match (device.state, device.power_watts) {
        (DeviceState::Offline, _) => {
            format!("{id} is offline: its newest reading is of {reading}.")
        }
        (DeviceState::Producing, None) => {
            let made = device.energy_today_kwh.map_or_else(String::new, |kwh| {
                format!(" It made {} that day so far.", format::energy(kwh))
            });
            format!(
                "{id} sends energy and no power, so I can't say its power now: its newest reading is of {reading}.{made}"
            )
        }
        (DeviceState::Asleep, _) | (_, None) => {
            format!("{id} delivers nothing: it is asleep by its newest reading, of {reading}.")
        }
        (DeviceState::Producing | DeviceState::Idle, Some(watts)) => {
            let delivers = if minutes > CURRENT {
                "delivered"
            } else {
                "delivers"
            };
            let power = format::power(watts.max(0.0));
            format!("{id} {delivers} {power} by its newest reading, of {reading}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use contracts::tools::LoggerRole;

    use super::*;

    fn device(state: DeviceState, power_watts: Option<f64>) -> FleetDevice {
        FleetDevice {
            logger_id: "LTI".to_owned(),
            logger_type: "lti".to_owned(),
            site_id: "roof".to_owned(),
            role: LoggerRole::Inverter,
            state,
            counted: true,
            power_watts,
            energy_today_kwh: None,
            energy_source: None,
            specific_yield: None,
            last_seen: "2025-12-04T12:15:00+01:00".parse().ok(),
            age_minutes: Some(0.0),
            flags: Vec::new(),
        }
    }

    #[test]
    fn the_newest_reading_has_its_time_and_age() {
        let told = |state, power, now: &str| power_now(&device(state, power), now.parse().unwrap());
        assert_eq!(
            told(DeviceState::Producing, Some(3210.0), "2025-12-04T11:20:00Z"),
            "LTI delivers 3.21 kW by its newest reading, of 12:15 on 4 December 2025, 5 minutes ago."
        );
        assert_eq!(
            told(DeviceState::Idle, Some(-4.0), "2025-12-04T14:45:00Z"),
            "LTI delivered 0 W by its newest reading, of 12:15 on 4 December 2025, 3.5 hours ago."
        );
        assert_eq!(
            told(DeviceState::Asleep, None, "2025-12-04T20:15:00Z"),
            "LTI delivers nothing: it is asleep by its newest reading, of 12:15 on 4 December 2025, 9 hours ago."
        );
        assert_eq!(
            told(DeviceState::Producing, Some(900.0), "2025-12-07T11:15:00Z"),
            "LTI has sent nothing since 12:15 on 4 December 2025, 3 days ago, so I can't say its power now. It delivered 900 W then."
        );
        assert_eq!(
            told(DeviceState::Producing, None, "2025-12-04T11:20:00Z"),
            "LTI sends energy and no power, so I can't say its power now: its newest reading is of 12:15 on 4 December 2025, 5 minutes ago."
        );
        assert_eq!(
            told(DeviceState::Offline, None, "2025-12-04T14:15:00Z"),
            "LTI is offline: its newest reading is of 12:15 on 4 December 2025, 3 hours ago."
        );
    }
}
