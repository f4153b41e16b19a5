//! The hour that happens twice when clocks go back, for loggers that write local time.
//!
//! In such an hour a local time names two instants. A logger writes them one after the other: first
//! the hour in summer time, then the same hour in winter time. So the rows of an hour are held back
//! until the logger's next row, and put in order by the one place where their times jump back.
//! If there is no such place, or more than one, the order is not known, and the rows are
//! refused: a guess would put one reading in the place of another.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use contracts::measurements::DoubledHour;

use super::reading::{Checked, Reading};
use super::rows::Row;

/// Maximum number of rows that are held back: more than a logger writes at one row per second.
const MAX_HELD: usize = 200_000;

/// The rows of doubled hours, by logger.
pub(super) struct DoubledHours {
    zone: Option<Tz>,
    held: HashMap<String, Vec<Held>>,
    rows: usize,
    counts: DoubledHour,
}

struct Held {
    number: u64,
    /// At the earlier of the two instants.
    reading: Reading,
    later: DateTime<Utc>,
}

/// Which rows are in winter time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// From this one on.
    From(usize),
    /// The rows before this one: the file runs backwards.
    Before(usize),
    /// The order is not known.
    Unknown,
}

impl DoubledHours {
    pub(super) fn new(zone: Option<Tz>) -> Self {
        Self {
            zone,
            held: HashMap::new(),
            rows: 0,
            counts: DoubledHour::default(),
        }
    }

    /// Whether a row needs no look here.
    pub(super) fn passes(&self, row: &Row) -> bool {
        self.held.is_empty() && !matches!(row.reading, Ok(Checked::Twice { .. }))
    }

    /// Takes a row in its turn; gives what can be stored now, in order.
    pub(super) fn take(&mut self, row: Row, ready: &mut Vec<Row>) {
        match row.reading {
            Ok(Checked::Twice { reading, later }) => {
                let id = reading.logger_id.clone();
                let other_year = self.held.get(&id).is_some_and(|held| {
                    (held[0].reading.at - reading.at).abs() > TimeDelta::hours(12)
                });
                if other_year {
                    self.release(&id, Some(reading.at), ready);
                }
                let held = Held {
                    number: row.number,
                    reading,
                    later,
                };
                if self.rows == MAX_HELD {
                    ready.push(self.refuse(&held));
                    return;
                }
                self.rows += 1;
                self.held.entry(id).or_default().push(held);
            }
            Ok(Checked::Reading(reading)) => {
                if self.held.contains_key(&reading.logger_id) {
                    let id = reading.logger_id.clone();
                    self.release(&id, Some(reading.at), ready);
                }
                ready.push(Row {
                    number: row.number,
                    reading: Ok(Checked::Reading(reading)),
                });
            }
            reading => ready.push(Row {
                number: row.number,
                reading,
            }),
        }
    }

    /// At the end of the upload: what is still held.
    pub(super) fn finish(&mut self, ready: &mut Vec<Row>) {
        let mut ids: Vec<String> = self.held.keys().cloned().collect();
        ids.sort_unstable();
        for id in ids {
            self.release(&id, None, ready);
        }
    }

    /// The result of the rows. `None` when there were none.
    pub(super) fn counts(&self) -> Option<DoubledHour> {
        (self.counts != DoubledHour::default()).then_some(self.counts)
    }

    fn release(&mut self, id: &str, next: Option<DateTime<Utc>>, ready: &mut Vec<Row>) {
        let Some(held) = self.held.remove(id) else {
            return;
        };
        self.rows -= held.len();
        let order = order(&held, next);
        for (index, mut held) in held.into_iter().enumerate() {
            let winter = match order {
                Order::From(first) => index >= first,
                Order::Before(end) => index < end,
                Order::Unknown => {
                    ready.push(self.refuse(&held));
                    continue;
                }
            };
            if winter {
                held.reading.at = held.later;
            }
            self.counts.ordered += 1;
            ready.push(Row {
                number: held.number,
                reading: Ok(Checked::Reading(held.reading)),
            });
        }
    }

    fn refuse(&mut self, held: &Held) -> Row {
        self.counts.refused += 1;
        let zone = self.zone.unwrap_or(Tz::UTC);
        let local = held.reading.at.with_timezone(&zone).naive_local();
        Row {
            number: held.number,
            reading: Err(format!(
                "the local time {local} happens twice in {zone}, as clocks go back, and the order of the rows does not tell which one it is; send time stamps with an offset"
            )),
        }
    }
}

/// Two passes over the hour have one place where the times do not continue as everywhere else. The
/// logger's next row, which lies outside the hour, says which way the file runs.
fn order(held: &[Held], next: Option<DateTime<Utc>>) -> Order {
    let jumps = |goes_on: fn(DateTime<Utc>, DateTime<Utc>) -> bool| -> Vec<usize> {
        (1..held.len())
            .filter(|index| !goes_on(held[index - 1].reading.at, held[*index].reading.at))
            .collect()
    };
    let (back, forth) = (jumps(|a, b| a < b), jumps(|a, b| a > b));
    let after = next.map(|next| held.iter().all(|row| next > row.reading.at));
    match (&back[..], &forth[..], after) {
        ([only], _, Some(true)) => Order::From(*only),
        (_, [only], Some(false)) => Order::Before(*only),
        ([only], several, None) if several.len() > 1 => Order::From(*only),
        (several, [only], None) if several.len() > 1 => Order::Before(*only),
        _ => Order::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::ingest::rows::tests::read;
    use crate::ingest::{Format, IngestOptions};

    /// The result of local times in Zurich: the instants, hours and minutes in UTC, and how many
    /// were ordered and refused.
    fn put_in_order(times: &[&str]) -> (Vec<String>, (u64, u64)) {
        let zone = Some(chrono_tz::Europe::Zurich);
        let mut options = IngestOptions::new(Format::Csv);
        options.timezone = zone;
        let mut body = "timestamp,loggerId,activePowerWatts\n".to_owned();
        for (index, time) in times.iter().enumerate() {
            let (logger, time) = time.split_once(' ').unwrap_or(("A", time));
            writeln!(body, "2025-10-26 {time},{logger},{index}").unwrap();
        }
        let (rows, end) = read(&options, body.as_bytes());
        assert_eq!(end, None);
        let mut hours = DoubledHours::new(zone);
        let mut ready = Vec::new();
        for row in rows {
            hours.take(row, &mut ready);
        }
        hours.finish(&mut ready);
        assert_eq!(ready.len(), times.len());
        let told = ready
            .into_iter()
            .filter_map(|row| match row.reading {
                Ok(Checked::Reading(reading)) => Some(reading.at.format("%H:%M").to_string()),
                _ => None,
            })
            .collect();
        let counts = hours.counts().unwrap_or_default();
        (told, (counts.ordered, counts.refused))
    }

    #[test]
    fn two_passes_are_summer_time_and_then_winter_time() {
        let (told, counts) = put_in_order(&["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]);
        assert_eq!(told, ["23:30", "00:00", "00:30", "01:00", "01:30", "02:00"]);
        assert_eq!(counts, (4, 0));
    }

    #[test]
    fn a_file_that_runs_backwards_is_put_in_order_too() {
        let (told, counts) = put_in_order(&["03:00", "02:30", "02:00", "02:30", "02:00", "01:30"]);
        assert_eq!(told, ["02:00", "01:30", "01:00", "00:30", "00:00", "23:30"]);
        assert_eq!(counts, (4, 0));
    }

    #[test]
    fn hourly_rows_and_passes_with_gaps_are_put_in_order() {
        let (told, _) = put_in_order(&["01:00", "02:00", "02:00", "03:00"]);
        assert_eq!(told, ["23:00", "00:00", "01:00", "02:00"]);
        let (told, _) = put_in_order(&["02:10", "02:50", "02:20", "03:10"]);
        assert_eq!(told, ["00:10", "00:50", "01:20", "02:10"]);
    }

    #[test]
    fn loggers_that_write_by_turns_are_told_apart() {
        let (told, counts) = put_in_order(&[
            "A 02:00", "B 02:00", "A 02:30", "B 02:30", "A 02:00", "B 02:00", "A 02:30", "B 02:30",
            "A 03:00", "B 03:00",
        ]);
        assert_eq!(
            told,
            [
                "00:00", "00:30", "01:00", "01:30", "02:00", "00:00", "00:30", "01:00", "01:30",
                "02:00"
            ]
        );
        assert_eq!(counts, (8, 0));
    }

    #[test]
    fn a_file_that_ends_in_the_hour_is_put_in_order_when_it_shows_its_direction() {
        let (told, counts) = put_in_order(&["02:00", "02:20", "02:40", "02:00", "02:20"]);
        assert_eq!(told, ["00:00", "00:20", "00:40", "01:00", "01:20"]);
        assert_eq!(counts, (5, 0));
    }

    #[test]
    fn what_the_order_does_not_tell_is_refused() {
        for times in [
            // Once: which of the two is not known.
            &["01:30", "02:00", "02:30", "03:00"][..],
            // Each row twice.
            &["02:00", "02:00", "02:30", "02:30", "03:00"],
            // No order.
            &["02:30", "02:00", "02:50", "02:10", "03:00"],
            // The second half of the night alone.
            &["02:00", "02:30"],
            &["02:15"],
        ] {
            let (_, counts) = put_in_order(times);
            let doubled = times.iter().filter(|time| time.starts_with("02")).count();
            assert_eq!(counts, (0, doubled as u64), "{times:?}");
        }
    }
}
