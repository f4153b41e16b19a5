//! Devices that send nothing while others of their site do.

use chrono::{DateTime, FixedOffset, NaiveDate, TimeDelta, Utc};
use contracts::tools::LoggerSummary;

use super::site_day;

/// Silence of a device beside others of its site that is longer than this is reported.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(24);

/// A device or a site that has fallen silent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Silent {
    /// The id of the device, or the name of the site.
    pub(crate) name: String,
    /// The day of its newest reading.
    pub(crate) last: NaiveDate,
    /// Days from that to today, as the overview counts them.
    pub(crate) days: i64,
}

/// The devices that are silent.
pub(crate) fn silent<'a>(
    devices: impl IntoIterator<Item = &'a LoggerSummary>,
    known: &[LoggerSummary],
    now: DateTime<Utc>,
) -> Vec<Silent> {
    let devices = devices.into_iter();
    devices
        .filter_map(|device| {
            // A stamp ends its step, so midnight belongs to the day before.
            let last = (stopped(device, known)? - TimeDelta::seconds(1)).date_naive();
            Some(Silent {
                name: device.logger_id.clone(),
                last,
                days: (site_day(&[device], now) - last).num_days(),
            })
        })
        .collect()
}

/// The sites of these devices that are silent as a whole while another site continues, by their
/// names.
pub(crate) fn silent_sites<'a>(
    devices: impl IntoIterator<Item = &'a LoggerSummary>,
    known: &[LoggerSummary],
    now: DateTime<Utc>,
) -> Vec<Silent> {
    let newest_of = |site: Option<&str>| {
        let here = known
            .iter()
            .filter(|one| site.is_none_or(|site| one.site_id == site));
        here.filter_map(|one| one.latest_data).max()
    };
    let mut found: Vec<Silent> = Vec::new();
    for device in devices {
        let (Some(own), Some(newest)) = (newest_of(Some(&device.site_id)), newest_of(None)) else {
            continue;
        };
        let is_new = found.iter().all(|one| one.name != device.site_name);
        if is_new && newest - own > LONGEST_PAUSE {
            // A stamp ends its step, so midnight belongs to the day before.
            let last = (own - TimeDelta::seconds(1)).date_naive();
            found.push(Silent {
                name: device.site_name.clone(),
                last,
                days: (site_day(&[device], now) - last).num_days(),
            });
        }
    }
    found
}

/// The newest reading of a device whose data ended on a day, or in the 24 hours before its end,
/// while another device of its kind at its site continued for longer than `pause`.
pub(crate) fn ended_on(
    id: &str,
    day: NaiveDate,
    known: &[LoggerSummary],
    pause: TimeDelta,
) -> Option<DateTime<FixedOffset>> {
    let device = known.iter().find(|one| one.logger_id == id)?;
    let last = device.latest_data?;
    let pause_so_far = newest_beside(device, known)? - last;
    let is_that_day = last.date_naive() == day;
    let is_shortly_before = last.date_naive() < day && pause_so_far <= LONGEST_PAUSE;
    (pause_so_far > pause && (is_that_day || is_shortly_before)).then_some(last)
}

/// The newest reading of the devices of the same kind at the site of a device.
fn newest_beside(device: &LoggerSummary, known: &[LoggerSummary]) -> Option<DateTime<FixedOffset>> {
    let beside = known
        .iter()
        .filter(|other| other.site_id == device.site_id && other.role == device.role);
    beside.filter_map(|other| other.latest_data).max()
}

/// Whether devices of the same kind at its site have data of a later day.
fn is_behind(device: &LoggerSummary, known: &[LoggerSummary]) -> bool {
    let day = |at: DateTime<FixedOffset>| (at - TimeDelta::seconds(1)).date_naive();
    let newest = newest_beside(device, known).map(day);
    newest > device.latest_data.map(day)
}

/// The newest reading of a device, if others of its site have later ones.
fn stopped(device: &LoggerSummary, known: &[LoggerSummary]) -> Option<DateTime<FixedOffset>> {
    let own = device.latest_data?;
    let at_site = known.iter().filter(|other| other.site_id == device.site_id);
    let newest = at_site.filter_map(|other| other.latest_data).max()?;
    (newest - own > LONGEST_PAUSE).then_some(own)
}

/// The devices whose newest day "yesterday" and "last month" count from: the devices of the
/// question, or all of their sites if those have no data of the newest day.
pub(crate) fn dated_by<'a>(
    chosen: &[&'a LoggerSummary],
    known: &'a [LoggerSummary],
) -> Vec<&'a LoggerSummary> {
    let goes_on =
        |device: &&LoggerSummary| stopped(device, known).is_none() && !is_behind(device, known);
    if chosen.is_empty() || chosen.iter().any(goes_on) {
        return chosen.to_vec();
    }
    let is_near = |logger: &&LoggerSummary| chosen.iter().any(|one| one.site_id == logger.site_id);
    known.iter().filter(is_near).collect()
}
