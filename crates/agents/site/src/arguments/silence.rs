//! Devices that send nothing while others of their site do.

use chrono::{NaiveDate, TimeDelta};
use contracts::tools::LoggerSummary;

/// Silence of a device beside others of its site that is longer than this is reported.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(24);

/// A device that has fallen silent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Silent {
    pub(crate) logger_id: String,
    /// The day of its newest reading.
    pub(crate) last: NaiveDate,
    /// Days from that to the newest day of its site.
    pub(crate) days: i64,
}

/// The devices that are silent.
pub(crate) fn silent<'a>(
    devices: impl IntoIterator<Item = &'a LoggerSummary>,
    known: &[LoggerSummary],
) -> Vec<Silent> {
    devices
        .into_iter()
        .filter_map(|device| {
            let own = device.latest_data?;
            let at_site = known.iter().filter(|other| other.site_id == device.site_id);
            let newest = at_site.filter_map(|other| other.latest_data).max()?;
            let day = |time: chrono::DateTime<chrono::FixedOffset>| {
                // A stamp ends its step, so midnight belongs to the day before.
                (time.with_timezone(own.offset()) - TimeDelta::seconds(1)).date_naive()
            };
            (newest - own > LONGEST_PAUSE).then(|| Silent {
                logger_id: device.logger_id.clone(),
                last: day(own),
                days: (day(newest) - day(own)).num_days(),
            })
        })
        .collect()
}

/// The devices whose newest day "yesterday" and "last month" count from: the devices of the
/// question, or all of their sites if those are silent.
pub(crate) fn dated_by<'a>(
    chosen: &[&'a LoggerSummary],
    known: &'a [LoggerSummary],
) -> Vec<&'a LoggerSummary> {
    let silent = silent(chosen.iter().copied(), known);
    if chosen.is_empty() || silent.len() < chosen.len() {
        return chosen.to_vec();
    }
    let is_near = |logger: &&LoggerSummary| chosen.iter().any(|one| one.site_id == logger.site_id);
    known.iter().filter(is_near).collect()
}
