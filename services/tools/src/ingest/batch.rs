//! Readings that wait to be stored together.

use chrono::{DateTime, Utc};

use super::reading::Reading;

/// The first batch's rows: small, so that an upload soon has something stored.
const FIRST_ROWS: usize = 10_000;
/// Each batch may have twice the rows of the one before, up to this. The more rows a batch has, the
/// fewer times the daily figures of a day that arrives in pieces are computed.
const MAX_ROWS: usize = 200_000;
/// Maximum memory for a batch's readings.
const MAX_BYTES: usize = 48 * 1024 * 1024;

/// A reading, its logger named by its place in the upload's list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) logger: usize,
    pub(super) at: DateTime<Utc>,
    pub(super) active_power_watts: Option<f64>,
    pub(super) energy_daily_kwh: Option<f64>,
    pub(super) irradiance: Option<f64>,
    pub(super) metadata: Option<String>,
}

/// Readings in the order of their arrival.
pub(super) struct Batch {
    entries: Vec<Entry>,
    bytes: usize,
    limit: usize,
}

/// A batch ready to be stored: ordered by logger and time, each instant once.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Ordered {
    pub(super) entries: Vec<Entry>,
    /// Readings that a later row of the same batch took the place of, by logger.
    pub(super) superseded: Vec<usize>,
}

impl Entry {
    pub(super) fn new(logger: usize, reading: Reading) -> Self {
        Self {
            logger,
            at: reading.at,
            active_power_watts: reading.active_power_watts,
            energy_daily_kwh: reading.energy_daily_kwh,
            irradiance: reading.irradiance,
            metadata: reading.metadata,
        }
    }

    /// Whether its register of the day is a sum of the energy of intervals.
    pub(super) fn sums_intervals(&self) -> bool {
        let marked = |metadata: &str| {
            metadata.contains("energyDailyDerivedFrom") && metadata.contains("energyIntervalKwh")
        };
        self.metadata.as_deref().is_some_and(marked)
    }
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            bytes: 0,
            limit: FIRST_ROWS,
        }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.bytes += size_of::<Entry>() + entry.metadata.as_ref().map_or(0, String::capacity);
        self.entries.push(entry);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= self.limit || self.bytes >= MAX_BYTES
    }

    /// Empties the batch; the next one may be larger.
    pub(super) fn take(&mut self) -> Ordered {
        self.bytes = 0;
        self.limit = (self.limit * 2).min(MAX_ROWS);
        order(std::mem::take(&mut self.entries))
    }
}

fn order(mut entries: Vec<Entry>) -> Ordered {
    // Stable: of one instant's readings the last to arrive comes last.
    entries.sort_by_key(|entry| (entry.logger, entry.at));
    let mut ordered = Ordered::default();
    ordered.entries.reserve(entries.len());
    for entry in entries {
        match ordered.entries.last_mut() {
            Some(last) if (last.logger, last.at) == (entry.logger, entry.at) => {
                ordered.superseded.push(entry.logger);
                *last = entry;
            }
            _ => ordered.entries.push(entry),
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(logger: usize, at: i64, irradiance: f64) -> Entry {
        Entry {
            logger,
            at: DateTime::from_timestamp(at, 0).unwrap(),
            active_power_watts: None,
            energy_daily_kwh: None,
            irradiance: Some(irradiance),
            metadata: None,
        }
    }

    #[test]
    fn of_one_instant_the_last_row_wins() {
        let mut batch = Batch::new();
        for row in [
            entry(1, 5, 1.0),
            entry(0, 9, 2.0),
            entry(1, 5, 3.0),
            entry(0, 5, 4.0),
            entry(1, 5, 5.0),
        ] {
            batch.push(row);
        }
        let ordered = batch.take();
        assert_eq!(
            ordered.entries,
            [entry(0, 5, 4.0), entry(0, 9, 2.0), entry(1, 5, 5.0)]
        );
        assert_eq!(ordered.superseded, [1, 1]);
        assert!(batch.is_empty());
    }

    #[test]
    fn a_batch_is_full_by_rows_or_by_bytes_and_then_grows() {
        let mut batch = Batch::new();
        for second in 0..FIRST_ROWS {
            assert!(!batch.is_full());
            batch.push(entry(0, i64::try_from(second).unwrap(), 0.0));
        }
        assert!(batch.is_full());
        batch.take();
        assert_eq!(batch.limit, 2 * FIRST_ROWS);
        batch.push(Entry {
            metadata: Some("x".repeat(MAX_BYTES)),
            ..entry(0, 0, 0.0)
        });
        assert!(batch.is_full());
    }
}
