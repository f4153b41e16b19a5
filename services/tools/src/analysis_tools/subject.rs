//! The subject of an analysis: rows in a zone, and the words for them.

use chrono::{DateTime, FixedOffset, Utc};
use chrono_tz::Tz;
use contracts::tools::analysis::AnalysedData;
use contracts::tools::search::Interval;

use super::choice::Dates;
use super::data::Rows;
use super::table::Table;
use crate::error::Error;

/// With fewer rows every figure is rough.
const FEW: u64 = 30;

/// Rows in a zone.
pub(super) struct Subject {
    pub(super) rows: Rows,
    pub(super) zone: Tz,
}

impl Subject {
    /// Rows in the zone that is named, or their source's.
    pub(super) fn of(rows: Rows, zone: Option<&str>) -> Result<Self, Error> {
        let zone = match (zone, &rows.time_zone) {
            (Some(zone), _) => zone
                .parse()
                .map_err(|_| Error::invalid("/time_zone", "is not a zone of the IANA database"))?,
            (None, Some(zone)) => zone.parse().unwrap_or(Tz::UTC),
            (None, None) => Tz::UTC,
        };
        if rows.records.is_empty() {
            return Err(Error::no_data("There are no rows to analyse."));
        }
        Ok(Self { rows, zone })
    }

    /// The rows as typed columns.
    pub(super) fn table(&self) -> Table {
        Table::of(&self.rows, self.zone)
    }

    pub(super) fn described(&self, dates: Option<Dates<'_>>) -> AnalysedData {
        let (source, served_by) = self.rows.source.clone().unzip();
        let times = || {
            dates
                .into_iter()
                .flat_map(|dates| dates.times.iter().flatten())
        };
        AnalysedData {
            records: self.rows.records.len() as u64,
            total: self.rows.total,
            complete: self.rows.partial.is_none(),
            aggregated: self.rows.aggregated,
            source,
            served_by,
            time_zone: self.zone.name().to_owned(),
            time_field: dates.map(|dates| dates.field.name.clone()),
            first_at: times()
                .min()
                .map(|time| fixed(time.with_timezone(&self.zone))),
            last_at: times()
                .max()
                .map(|time| fixed(time.with_timezone(&self.zone))),
        }
    }
}

/// What to keep in mind about the rows as a whole.
pub(super) fn notes(subject: &Subject, notes: &mut Vec<String>) {
    let rows = &subject.rows;
    if let Some(partial) = &rows.partial {
        notes.push(partial.clone());
    }
    if rows.aggregated {
        notes.push(
            "The rows are groups: each counts as one, however many records it stands for."
                .to_owned(),
        );
    }
    let count = rows.records.len() as u64;
    if count < FEW {
        notes.push(format!(
            "There are only {count} rows: figures of so few are rough, and tests find little."
        ));
    }
    notes.dedup();
}

/// What every test of groups takes for granted.
pub(super) const INDEPENDENT: &str = "The tests take the rows as independent; where several of them belong to one event, p-values are too small.";

/// A time with its offset in the zone.
pub(super) fn fixed(time: DateTime<Tz>) -> DateTime<FixedOffset> {
    time.fixed_offset()
}

/// The interval of the contract as that of the calendar.
pub(super) fn calendar(interval: Interval) -> analytics::calendar::Interval {
    use analytics::calendar::Interval as Calendar;
    match interval {
        Interval::Hour => Calendar::Hour,
        Interval::Day => Calendar::Day,
        Interval::Week => Calendar::Week,
        Interval::Month => Calendar::Month,
        Interval::Quarter => Calendar::Quarter,
        Interval::Year => Calendar::Year,
    }
}

/// The interval of the calendar as that of the contract, and its word.
pub(super) fn interval(interval: analytics::calendar::Interval) -> (Interval, &'static str) {
    use analytics::calendar::Interval as Calendar;
    match interval {
        Calendar::Hour => (Interval::Hour, "hour"),
        Calendar::Day => (Interval::Day, "day"),
        Calendar::Week => (Interval::Week, "week"),
        Calendar::Month => (Interval::Month, "month"),
        Calendar::Quarter => (Interval::Quarter, "quarter"),
        Calendar::Year => (Interval::Year, "year"),
    }
}

/// The interval of a series of these times: the one that is wanted, or one that fits. With a wanted
/// one that makes too many periods, the next.
pub(super) fn fitting(
    times: &[Option<DateTime<Utc>>],
    zone: Tz,
    wanted: Option<Interval>,
    most: usize,
    notes: &mut Vec<String>,
) -> Option<analytics::calendar::Interval> {
    let Some(wanted) = wanted else {
        return analytics::calendar::fitting_interval(times, zone);
    };
    let wanted = calendar(wanted);
    if analytics::calendar::counts(times, zone, wanted, most).is_some() {
        return Some(wanted);
    }
    let fitting = analytics::calendar::fitting_interval(times, zone)?;
    let (wanted, fits) = (interval(wanted).1, interval(fitting).1);
    notes.push(format!(
        "The data have too many periods of one {wanted}; the series is by {fits}."
    ));
    Some(fitting)
}
