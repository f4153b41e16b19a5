//! Rows of the same device and time become one record.
//!
//! Records wait in a window in the order of their arrival. In the hour that happens twice a local
//! time has two instants, so that two rows of that time are not the same record.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use chrono::{LocalResult, TimeZone as _};
use chrono_tz::Tz;

use crate::error::FileError;
use crate::record::{Row, Sink};
use crate::stamps::Stamp;

type Key = (String, Stamp);

pub(crate) struct Merge<'a> {
    sink: &'a mut dyn Sink,
    zone: Tz,
    window: usize,
    waiting: VecDeque<Row>,
    /// The number of the record with this key; numbers count from the first record of the file.
    places: HashMap<Key, u64>,
    first: u64,
    good: u64,
    refusal: Option<String>,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink, zone: Tz, window: usize) -> Self {
        Self {
            sink,
            zone,
            window,
            waiting: VecDeque::new(),
            places: HashMap::new(),
            first: 0,
            good: 0,
            refusal: None,
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), FileError> {
        while !self.waiting.is_empty() {
            if self.release().is_break() {
                return Err(FileError::Stopped);
            }
        }
        if self.good == 0 {
            let reason = self
                .refusal
                .unwrap_or_else(|| "it has no rows of data".to_owned());
            return Err(FileError::NoRows(reason));
        }
        Ok(())
    }

    fn release(&mut self) -> ControlFlow<()> {
        let Some(row) = self.waiting.pop_front() else {
            return ControlFlow::Continue(());
        };
        self.first += 1;
        if let Ok(record) = &row.record {
            self.places
                .remove(&(record.logger_id.clone(), record.stamp));
        }
        self.sink.row(row)
    }

    /// Whether a local time has two instants.
    fn is_twice(&self, stamp: Stamp) -> bool {
        match stamp {
            Stamp::Instant(_) => false,
            Stamp::Local(local) => {
                matches!(
                    self.zone.from_local_datetime(&local),
                    LocalResult::Ambiguous(..)
                )
            }
        }
    }
}

impl Sink for Merge<'_> {
    fn row(&mut self, row: Row) -> ControlFlow<()> {
        match &row.record {
            Err(reason) => {
                self.refusal
                    .get_or_insert_with(|| format!("line {}: {reason}", row.line));
            }
            Ok(record) if record.is_empty() => {}
            Ok(record) => {
                self.good += 1;
                let key = (record.logger_id.clone(), record.stamp);
                if !self.is_twice(record.stamp) {
                    let known = self.places.get(&key).copied();
                    let place = known.and_then(|number| usize::try_from(number - self.first).ok());
                    let earlier = place.and_then(|place| self.waiting.get_mut(place));
                    if let Some(Row {
                        record: Ok(earlier),
                        ..
                    }) = earlier
                    {
                        if let Ok(record) = row.record {
                            earlier.absorb(record);
                            self.sink.merged();
                        }
                        return ControlFlow::Continue(());
                    }
                    self.places
                        .insert(key, self.first + self.waiting.len() as u64);
                }
            }
        }
        self.waiting.push_back(row);
        if self.waiting.len() > self.window {
            return self.release();
        }
        ControlFlow::Continue(())
    }

    fn note(&mut self, note: String) {
        self.sink.note(note);
    }
}
