//! Ending a run.

use contracts::run::Usage;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Fence, RunStatus};
use crate::error::Error;
use crate::events::EventBatch;
use crate::listener::{self, NoticeKind};
use crate::messages::{AnsweredCall, NewMessage, source_text};
use crate::storable::{storable, storable_json};
use crate::store::{Owner, Store};

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
    /// Ends a run in one transaction: the answer, the answers to older calls, the last events, the
    /// run's status and the thread's time. [`Error::LostFence`] when the run is not the worker's
    /// any more; then nothing is stored.
    pub async fn finish(&self, fence: Fence, finish: &Finish) -> Result<Finished, Error> {
        let ended = if finish.answered.is_empty() {
            // One statement is a transaction.
            let mut connection = self.pool.acquire().await?;
            end(&mut connection, fence, finish).await?
        } else {
            let mut transaction = self.pool.begin().await?;
            let ended = end(&mut transaction, fence, finish).await?;
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
struct Ended {
    thread_id: Uuid,
    tenant: String,
    owner: String,
}

async fn end(
    connection: &mut PgConnection,
    fence: Fence,
    finish: &Finish,
) -> Result<Option<Ended>, Error> {
    let status = match finish.status {
        RunStatus::Queued | RunStatus::Running => {
            return Err(Error::Invalid("a run ends with a status that ends it"));
        }
        status => status,
    };
    let message = finish.message.as_ref();
    let tools = message
        .filter(|message| !message.tools_used.is_empty())
        .map(|message| storable_json(&message.tools_used))
        .transpose()
        .map_err(|_| Error::Invalid("a tool record is no JSON"))?;
    let transcript = message
        .map(|message| storable_json(&message.transcript))
        .transpose()
        .map_err(|_| Error::Invalid("a transcript is no JSON"))?;
    let usage = finish
        .usage
        .map(|usage| serde_json::to_string(&usage))
        .transpose()
        .map_err(|_| Error::Invalid("the usage is no JSON"))?;
    let text = message.map(|message| storable(&message.text));
    let events = finish.events.as_ref();
    Ok(sqlx::query_file_as!(
        Ended,
        "queries/finish_run.sql",
        fence.run_id,
        fence.worker,
        fence.attempt,
        status.as_str(),
        finish.error.as_ref().map(Value::to_string),
        usage,
        text.as_deref(),
        tools,
        message.map(|message| message.status) as _,
        message.and_then(|message| message.source).map(source_text),
        events.map(|events| events.first_seq),
        events.map(|events| events.last_seq),
        events.map(|events| events.json.as_str()),
        listener::CHANNEL,
        NoticeKind::Ended.as_str(),
        transcript,
        message.map(|message| message.warnings.as_slice()),
    )
    .fetch_optional(connection)
    .await?)
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
