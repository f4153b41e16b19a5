//! Devices that fell silent on the one day of a report: readings of the night are not the energy of
//! the day, and a counter that was not read since has not made nothing.

use chrono::{DateTime, FixedOffset, TimeDelta};
use contracts::tools::{FinancialReport, LoggerSummary};

use crate::{arguments, sentences};

/// The longest pause of a device beside the others of its site.
const PAUSE: TimeDelta = TimeDelta::hours(1);

/// The energy that a report does not know.
pub(super) enum Unknown {
    /// The energy of its only device: this is the answer.
    All(String),
    /// The energy of some of its devices, which are taken out of the parts.
    Some(String),
}

/// Takes the devices out of a report that sent nothing while others of their site did, so that
/// nothing is known of what they made; `None` where there is none.
pub(super) fn take_out(report: &mut FinancialReport, known: &[LoggerSummary]) -> Option<Unknown> {
    if report.period.start != report.period.end {
        return None;
    }
    if report.devices.is_empty() {
        let last = silent_since(report, known)?;
        let id = &report.logger_id;
        return Some(Unknown::All(sentences::unknown_energy(
            id,
            last,
            report.period.end,
        )));
    }
    let mut silent = Vec::new();
    report.devices.retain(|device| {
        let last = silent_since(device, known).filter(|_| device.counted);
        silent.extend(last.map(|last| (device.logger_id.clone(), last)));
        last.is_none()
    });
    (!silent.is_empty()).then(|| Unknown::Some(sentences::not_in_total(&silent, report.period.end)))
}

/// The newest reading of a device whose day has no energy and ended before that of its site.
fn silent_since(
    report: &FinancialReport,
    known: &[LoggerSummary],
) -> Option<DateTime<FixedOffset>> {
    if report.total_energy_kwh > 0.0 {
        return None;
    }
    arguments::ended_on(&report.logger_id, report.period.end, known, PAUSE)
}
