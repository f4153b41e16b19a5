//! The log of a run's events: for clients that come back, on any replica.

use std::sync::Arc;
use std::time::Duration;

use contracts::run::RunEvent;
use database_kit::Kept;
use serde::Serializer;
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::Error;
use crate::listener::{self, NoticeKind};
use crate::runs::{Fence, RunStatus};
use crate::store::{Owner, Store};
use crate::together::{Statement, by_number};

/// Events of one attempt that follow each other. Cheap to clone; they are written as JSON when they
/// are sent.
#[derive(Debug, Clone, PartialEq)]
pub struct EventBatch {
    first_seq: i64,
    events: Arc<[Arc<RunEvent>]>,
}

impl EventBatch {
    /// The events numbered from `first_seq` (the first of an attempt has number 0); none when there
    /// are none.
    pub fn new(first_seq: i64, events: Vec<Arc<RunEvent>>) -> Option<Self> {
        (!events.is_empty()).then(|| Self {
            first_seq,
            events: events.into(),
        })
    }

    /// The events as they are sent.
    pub(crate) fn written(&self) -> Result<WrittenEvents, sqlx::Error> {
        let count = self.events.len();
        let mut json = Vec::with_capacity(64 * count);
        serde_json::Serializer::new(&mut json)
            .collect_seq(self.events.iter().map(AsRef::as_ref))
            .map_err(|error| sqlx::Error::Encode(error.into()))?;
        let after_first = i64::try_from(count - 1).unwrap_or(i64::MAX);
        Ok(WrittenEvents {
            first_seq: self.first_seq,
            last_seq: self.first_seq.saturating_add(after_first),
            json: String::from_utf8(json).map_err(|error| sqlx::Error::Encode(error.into()))?,
        })
    }
}

/// An [`EventBatch`] as it is sent.
pub(crate) struct WrittenEvents {
    pub(crate) first_seq: i64,
    pub(crate) last_seq: i64,
    pub(crate) json: String,
}

/// An event of a run's newest attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// Its number in the attempt, from 0, without gaps.
    pub seq: i64,
    /// The event.
    pub event: RunEvent,
}

/// Part of a run's log, with how the run stood at that moment.
#[derive(Debug, Clone, PartialEq)]
pub struct EventLog {
    /// How the run stands. When it has ended and there are no events, there will be no more; a log
    /// that is empty from its beginning then was pruned, and the messages have the answer.
    pub status: RunStatus,
    /// The newest attempt, whose events these are.
    pub attempt: i32,
    /// In order.
    pub events: Vec<StoredEvent>,
}

impl Store {
    /// Appends a batch to the log of a run, together with others that come at the same time, and
    /// sends news of it if the run is [followed](Self::follow_run). Sending the same batch again
    /// does nothing.
    pub async fn append_events(&self, fence: Fence, batch: &EventBatch) -> Result<(), Error> {
        match self.appended.ask((fence, batch.clone())).await? {
            Some(()) => Ok(()),
            None => Err(Error::LostFence),
        }
    }

    /// Notes that a process that does not run this run follows it, so that it hears of new events
    /// and of the end. One that follows should look once more soon after this: events that are
    /// being appended at this moment come without news.
    pub async fn follow_run(&self, owner: &Owner, run_id: Uuid) -> Result<(), Error> {
        sqlx::query_file!(
            "queries/follow_run.sql",
            run_id,
            owner.tenant,
            owner.subject
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// The events of a run's newest attempt that follow number `after` of `attempt` (`None`: from
    /// the beginning), from at most `batches` stored batches. Who has seen an older attempt gets
    /// the newest whole.
    pub async fn events(
        &self,
        owner: &Owner,
        run_id: Uuid,
        seen: Option<(i32, i64)>,
        batches: u32,
    ) -> Result<EventLog, Error> {
        // A batch beside its run; a run without any gives one row.
        let rows = sqlx::query_file!(
            "queries/read_events.sql",
            run_id,
            owner.tenant,
            owner.subject,
            seen.map(|(attempt, _)| attempt),
            seen.map(|(_, seq)| seq),
            i64::from(batches.max(1)),
        )
        .fetch_all(&self.pool)
        .await?;
        let head = rows.first().ok_or(Error::NotFound)?;
        let (status, attempt) = (head.status, head.attempt);
        let after = seen
            .filter(|seen| seen.0 == attempt)
            .map_or(-1, |seen| seen.1);
        let events = rows
            .into_iter()
            .filter_map(|row| Some((row.first_seq?, row.events?.0)))
            .flat_map(|(first_seq, events)| (first_seq..).zip(events))
            .filter(|&(seq, _)| seq > after)
            .map(|(seq, event)| StoredEvent { seq, event })
            .collect();
        Ok(EventLog {
            status,
            attempt,
            events,
        })
    }

    /// The events of the newest attempt before this one that has any, for a worker that took a run
    /// over and ends it instead of running it again: closed and given an end, they are the events
    /// of the new attempt.
    pub async fn earlier_events(&self, fence: Fence) -> Result<Vec<RunEvent>, Error> {
        let batches = sqlx::query_file_scalar!(
            "queries/earlier_events.sql",
            fence.run_id,
            fence.worker,
            fence.attempt,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(batches.into_iter().flat_map(|batch| batch.0).collect())
    }

    /// Throws away the logs of at most `runs` runs of a tenant that ended at least `age` ago. Their
    /// messages stay. Returns the number of runs; each is looked at once.
    pub async fn prune_events(&self, tenant: &str, age: Duration, runs: u32) -> Result<u64, Error> {
        let pruned = sqlx::query_file!(
            "queries/prune_events.sql",
            tenant,
            age.as_secs_f64(),
            i64::from(runs),
        )
        .execute(&self.pool)
        .await?;
        Ok(pruned.rows_affected())
    }
}

/// The statement that appends batches.
#[derive(Clone)]
pub(crate) struct Append(pub(crate) Kept);

impl Statement for Append {
    type Request = (Fence, EventBatch);
    type Values = (Fence, WrittenEvents);
    /// None: the run is not its worker's any more.
    type Answer = Option<()>;

    fn values((fence, batch): Self::Request) -> Result<Self::Values, sqlx::Error> {
        Ok((fence, batch.written()?))
    }

    fn size((_, batch): &Self::Values) -> usize {
        batch.json.len()
    }

    async fn send(&self, requests: &[Self::Values]) -> Result<Vec<Option<()>>, sqlx::Error> {
        let fences = || requests.iter().map(|(fence, _)| fence);
        let batches = || requests.iter().map(|(_, batch)| batch);
        let mut connection = self.0.acquire().await?;
        let rows = sqlx::query_file!(
            "queries/append_events.sql",
            &fences().map(|fence| fence.run_id).collect::<Vec<_>>(),
            &fences().map(|fence| fence.worker).collect::<Vec<_>>(),
            &fences().map(|fence| fence.attempt).collect::<Vec<_>>(),
            &batches().map(|batch| batch.first_seq).collect::<Vec<_>>(),
            &batches().map(|batch| batch.last_seq).collect::<Vec<_>>(),
            &batches()
                .map(|batch| batch.json.as_str())
                .collect::<Vec<_>>() as _,
            listener::CHANNEL,
            NoticeKind::Events.as_str(),
        )
        .fetch_all(&mut *connection)
        .await?;
        connection.keep();
        let held = rows.into_iter().map(|row| (row.number, ()));
        Ok(by_number(requests.len(), held))
    }
}
