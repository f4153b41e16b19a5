//! The events of a run so far, in memory.
//!
//! A run appends to its log and never waits for a reader. Each reader, the clients and the one that
//! stores the events, has a [`Reader`] of its own and goes through the log at its own pace: no
//! reader can delay the run or another one, and an event is kept once, however many read it.

use std::sync::{Arc, Mutex, PoisonError};

use contracts::run::RunEvent;
use tokio::sync::watch;

/// Events that a reader takes at once.
const BATCH: usize = 64;

/// A run's log, to be read from. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RunLog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    events: Mutex<Vec<Arc<RunEvent>>>,
    /// Number of events to read; updated after they are there.
    length: watch::Sender<Length>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Length {
    events: usize,
    /// Nothing will be added.
    ended: bool,
}

/// The only writer of a log. Dropping it ends the log, so that no reader waits for a run that has
/// ended.
#[derive(Debug)]
pub(crate) struct Writer(RunLog);

/// A user's place in a log.
#[derive(Debug)]
pub(crate) struct Reader {
    log: RunLog,
    next: usize,
    length: watch::Receiver<Length>,
}

/// An empty log and the right to write it.
pub(crate) fn new() -> (Writer, RunLog) {
    let length = Length {
        events: 0,
        ended: false,
    };
    let log = RunLog(Arc::new(Shared {
        events: Mutex::default(),
        length: watch::Sender::new(length),
    }));
    (Writer(log.clone()), log)
}

impl Writer {
    /// Adds an event; readers have it at once.
    pub(crate) fn append(&mut self, event: Arc<RunEvent>) {
        let shared = &self.0.0;
        let events = {
            let mut events = shared.events.lock().unwrap_or_else(PoisonError::into_inner);
            events.push(event);
            events.len()
        };
        shared.length.send_modify(|length| length.events = events);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.0.length.send_modify(|length| length.ended = true);
    }
}

impl RunLog {
    /// A reader that begins with the event of this number; the first has number 0.
    pub(crate) fn reader(&self, from: usize) -> Reader {
        Reader {
            log: self.clone(),
            next: from,
            length: self.0.length.subscribe(),
        }
    }

    /// The events so far from this number on, at most `limit` of them.
    pub(crate) fn read(&self, from: usize, limit: usize) -> Vec<Arc<RunEvent>> {
        let events = self.0.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().skip(from).take(limit).cloned().collect()
    }
}

impl Reader {
    /// The next events, as soon as there is one, at most [`BATCH`] at a time; `None` when all were
    /// read and no more will come. Safe to drop while it waits.
    pub(crate) async fn next(&mut self) -> Option<Vec<Arc<RunEvent>>> {
        let next = self.next;
        let told = self
            .length
            .wait_for(|length| length.events > next || length.ended)
            .await;
        // The sender lives in the log that this reader holds.
        let length = *told.ok()?;
        if length.events <= next {
            return None;
        }
        let events = self.log.read(next, BATCH);
        self.next += events.len();
        Some(events)
    }

    /// Number of events that were read.
    pub(crate) fn position(&self) -> usize {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use proptest::prelude::*;

    use super::*;

    fn event(number: usize) -> Arc<RunEvent> {
        Arc::new(RunEvent::Status {
            text: number.to_string(),
        })
    }

    async fn rest(mut reader: Reader) -> Vec<Arc<RunEvent>> {
        let mut all = Vec::new();
        while let Some(events) = reader.next().await {
            assert!(!events.is_empty() && events.len() <= BATCH);
            all.extend(events);
        }
        all
    }

    #[tokio::test]
    async fn a_reader_waits_for_events_and_learns_of_the_end() {
        let (mut writer, log) = new();
        let mut reader = log.reader(0);
        assert!(reader.next().now_or_never().is_none(), "nothing yet");
        writer.append(event(1));
        let read = reader.next().now_or_never().flatten().unwrap();
        assert_eq!((read.len(), reader.position()), (1, 1));
        assert!(reader.next().now_or_never().is_none());
        writer.append(event(2));
        drop(writer);
        assert_eq!(
            reader.next().await.map(|read| read.len()),
            Some(1),
            "what was said is read before the end is"
        );
        assert_eq!(reader.next().await, None);
        assert_eq!(reader.next().await, None, "and stays over");
    }

    #[tokio::test]
    async fn events_are_shared_and_not_copied() {
        let (mut writer, log) = new();
        writer.append(event(1));
        let (mut one, mut other) = (log.reader(0), log.reader(0));
        let (one, other) = (one.next().await.unwrap(), other.next().await.unwrap());
        assert!(Arc::ptr_eq(&one[0], &other[0]));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn readers_that_come_and_wait_at_any_time_read_the_same() {
        let (mut writer, log) = new();
        let mut readers = tokio::task::JoinSet::new();
        for number in 0..5_000 {
            if number % 100 == 0 {
                readers.spawn(rest(log.reader(0)));
            }
            writer.append(event(number));
            if number % 700 == 0 {
                tokio::task::yield_now().await;
            }
        }
        drop(writer);
        let whole: Vec<Arc<RunEvent>> = (0..5_000).map(event).collect();
        while let Some(read) = readers.join_next().await {
            assert_eq!(read.unwrap(), whole);
        }
    }

    proptest! {
        #[test]
        fn however_appends_and_reads_alternate_nothing_is_missed_or_read_twice(steps in proptest::collection::vec(any::<bool>(), 0..400)) {
            let (mut writer, log) = new();
            let mut reader = log.reader(0);
            let (mut appended, mut read) = (0, Vec::new());
            for append in steps {
                if append {
                    writer.append(event(appended));
                    appended += 1;
                } else if let Some(events) = reader.next().now_or_never() {
                    read.extend(events.unwrap());
                } else {
                    prop_assert_eq!(read.len(), appended, "it waits only when all is read");
                }
            }
            drop(writer);
            while let Some(events) = reader.next().now_or_never().unwrap() {
                read.extend(events);
            }
            let whole: Vec<Arc<RunEvent>> = (0..appended).map(event).collect();
            prop_assert_eq!(read, whole);
        }
    }
}
