//! Ending a run.

use std::sync::Arc;

use contracts::run::Usage;
use database_kit::Kept;
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::{Fence, RunStatus};
use crate::error::Error;
use crate::events::{EventBatch, WrittenEvents};
use crate::listener::{self, NoticeKind};
use crate::messages::{AnsweredCall, MessageStatus, NewMessage, source_text};
use crate::storable::{storable, storable_json};
use crate::store::{Owner, Store};
use crate::together::{Statement, by_number};

/// How a run ended, and all that is kept of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// One of those that end a run.
    pub status: RunStatus,
    /// The answer; none when there is nothing to store.
    pub message: Option<NewMessage>,
    /// Answers to calls of earlier messages.
    pub answered: Vec<AnsweredCall>,
    /// Why it failed, for who asks about the run later.
    pub error: Option<Value>,
    /// What its models read and wrote.
    pub usage: Option<Usage>,
    /// The events that are not stored yet, the terminal one at the end, so that a reader who sees
    /// the run ended sees all of it.
    pub events: Option<EventBatch>,
}

/// The outcome of storing an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// All of it is stored.
    Now,
    /// This very attempt had ended before; nothing was stored now. So a finish whose outcome was
    /// lost may be sent again.
    Before,
}

impl Store {
    /// Ends a run in one transaction, together with others that end at the same time: the answer,
    /// the answers to older calls, the last events and the run's status.
    /// [`Error::LostFence`] when the run is not the worker's any more; then nothing is stored.
    /// Others hear of it ([`NoticeKind::Ended`]) if the run is [followed](Self::follow_run) or
    /// another one waits behind it.
    pub async fn finish(
        &self,
        fence: Fence,
        finish: impl Into<Arc<Finish>>,
    ) -> Result<Finished, Error> {
        let finish = finish.into();
        if !finish.status.is_ended() {
            return Err(Error::Invalid("a run ends with a status that ends it"));
        }
        let ended = if finish.answered.is_empty() {
            self.finished.ask((fence, finish)).await?
        } else {
            let end = End::of(fence, &finish)?;
            let mut transaction = self.pool.begin().await?;
            let mut ended = finish_runs(&mut *transaction, &[end]).await?;
            let ended = ended.pop().flatten();
            if let Some(ended) = &ended {
                answer(&mut transaction, ended, &finish.answered).await?;
            }
            transaction.commit().await?;
            ended
        };
        if ended.is_some() {
            return Ok(Finished::Now);
        }
        let before = sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM orchestrator.runs
               WHERE id = $1 AND worker = $2 AND attempt = $3 AND status <> 'running') AS "before!""#,
            fence.run_id,
            fence.worker,
            fence.attempt,
        )
        .fetch_one(&self.pool)
        .await?;
        if before {
            Ok(Finished::Before)
        } else {
            Err(Error::LostFence)
        }
    }
}

/// The run that was ended.
pub(crate) struct Ended {
    thread_id: Uuid,
    tenant: String,
    owner: String,
}

/// An end as it is sent.
pub(crate) struct End {
    fence: Fence,
    status: &'static str,
    error: Option<String>,
    usage: Option<String>,
    message: Option<Answer>,
    events: Option<WrittenEvents>,
}

/// The answer of a run as it is sent.
struct Answer {
    text: String,
    tools: Option<String>,
    status: MessageStatus,
    source: Option<&'static str>,
    transcript: String,
    warnings: String,
}

impl End {
    fn of(fence: Fence, finish: &Finish) -> Result<Self, sqlx::Error> {
        let usage = finish
            .usage
            .map(|usage| serde_json::to_string(&usage))
            .transpose()
            .map_err(no_json)?;
        Ok(Self {
            fence,
            status: finish.status.as_str(),
            error: finish.error.as_ref().map(Value::to_string),
            usage,
            message: finish.message.as_ref().map(Answer::of).transpose()?,
            events: finish
                .events
                .as_ref()
                .map(EventBatch::written)
                .transpose()?,
        })
    }
}

impl Answer {
    fn size(&self) -> usize {
        self.text.len() + self.tools.as_ref().map_or(0, String::len) + self.transcript.len()
    }

    fn of(message: &NewMessage) -> Result<Self, sqlx::Error> {
        let tools = (!message.tools_used.is_empty())
            .then(|| storable_json(&message.tools_used))
            .transpose()
            .map_err(no_json)?;
        let transcript = storable_json(&message.transcript).map_err(no_json)?;
        let warnings = storable_json(&message.warnings).map_err(no_json)?;
        Ok(Self {
            text: storable(&message.text).into_owned(),
            tools,
            status: message.status,
            source: message.source.map(source_text),
            transcript,
            warnings,
        })
    }
}

fn no_json(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Encode(error.into())
}

/// The statement that ends runs.
#[derive(Clone)]
pub(crate) struct FinishRuns(pub(crate) Kept);

impl Statement for FinishRuns {
    type Request = (Fence, Arc<Finish>);
    type Values = End;
    /// None: the run is not its worker's any more.
    type Answer = Option<Ended>;

    fn values((fence, finish): Self::Request) -> Result<End, sqlx::Error> {
        End::of(fence, &finish)
    }

    fn size(end: &End) -> usize {
        end.message.as_ref().map_or(0, Answer::size)
            + end.events.as_ref().map_or(0, |batch| batch.json.len())
    }

    async fn send(&self, requests: &[End]) -> Result<Vec<Option<Ended>>, sqlx::Error> {
        let mut connection = self.0.acquire().await?;
        let ended = finish_runs(&mut *connection, requests).await?;
        connection.keep();
        Ok(ended)
    }
}

async fn finish_runs(
    executor: impl PgExecutor<'_>,
    ends: &[End],
) -> Result<Vec<Option<Ended>>, sqlx::Error> {
    let of_end = |field: fn(&End) -> Option<&str>| ends.iter().map(field).collect::<Vec<_>>();
    let of_answer = |field: fn(&Answer) -> Option<&str>| -> Vec<Option<&str>> {
        let answers = ends.iter().map(|end| end.message.as_ref());
        answers.map(|answer| answer.and_then(field)).collect()
    };
    let seqs = |field: fn(&WrittenEvents) -> i64| -> Vec<Option<i64>> {
        let batches = ends.iter().map(|end| end.events.as_ref());
        batches.map(|batch| batch.map(field)).collect()
    };
    let runs: Vec<Uuid> = ends.iter().map(|end| end.fence.run_id).collect();
    let workers: Vec<Uuid> = ends.iter().map(|end| end.fence.worker).collect();
    let attempts: Vec<i32> = ends.iter().map(|end| end.fence.attempt).collect();
    let statuses: Vec<&str> = ends.iter().map(|end| end.status).collect();
    let rows = sqlx::query_file!(
        "queries/finish_runs.sql",
        &runs,
        &workers,
        &attempts,
        &statuses as _,
        &of_end(|end| end.error.as_deref()) as _,
        &of_end(|end| end.usage.as_deref()) as _,
        &of_answer(|answer| Some(&answer.text)) as _,
        &of_answer(|answer| answer.tools.as_deref()) as _,
        &of_answer(|answer| Some(answer.status.as_str())) as _,
        &of_answer(|answer| answer.source) as _,
        &of_answer(|answer| Some(&answer.transcript)) as _,
        &of_answer(|answer| Some(&answer.warnings)) as _,
        &seqs(|batch| batch.first_seq) as _,
        &seqs(|batch| batch.last_seq) as _,
        &of_end(|end| end.events.as_ref().map(|batch| batch.json.as_str())) as _,
        listener::CHANNEL,
        NoticeKind::Ended.as_str(),
    )
    .fetch_all(executor)
    .await?;
    let ended = rows.into_iter().map(|row| {
        let ended = Ended {
            thread_id: row.thread_id,
            tenant: row.tenant,
            owner: row.owner,
        };
        (i64::from(row.number), ended)
    });
    Ok(by_number(ends.len(), ended))
}

async fn answer(
    connection: &mut PgConnection,
    ended: &Ended,
    answered: &[AnsweredCall],
) -> Result<(), Error> {
    let owner = Owner::new(&ended.tenant, &ended.owner);
    for call in answered {
        crate::messages::answer(&mut *connection, &owner, ended.thread_id, call).await?;
    }
    Ok(())
}
