//! Runs: one turn each, held by one worker at a time.

mod accept;
mod finish;
mod lease;

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::run::Usage;
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

pub(crate) use accept::AcceptRuns;
pub use accept::{Acceptance, NewRun};
pub(crate) use finish::FinishRuns;
pub use finish::{Finish, Finished};
pub use lease::{LeftBehind, Renewed};

use crate::error::Error;
use crate::listener::{self, NoticeKind};
use crate::store::{Owner, Store};

/// A turn of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The run.
    pub id: Uuid,
    /// The thread that the run belongs to.
    pub thread_id: Uuid,
    /// Its thread's id on the wire.
    pub thread_name: String,
    /// The owner of the thread.
    pub owner: Owner,
    /// Who answers.
    pub assistant: String,
    /// The dialect that it was asked for in.
    pub dialect: String,
    /// How it stands.
    pub status: RunStatus,
    /// The input that the orchestrator runs it with.
    pub input: Value,
    /// The user message; none when an older one is answered again.
    pub question: Option<Question>,
    /// The public id of the answer.
    pub message_id: String,
    /// 0 while it waits, then 1, and one more each time another process takes it over.
    pub attempt: i32,
    /// Who runs it, or ran it last.
    pub worker: Option<Uuid>,
    /// A user asked to stop it.
    pub cancel_requested: bool,
    /// The request that it came with.
    pub request_id: Option<String>,
    /// Why it failed.
    pub error: Option<Value>,
    /// What its models read and wrote.
    pub usage: Option<Usage>,
    /// When it was accepted.
    pub created_at: DateTime<Utc>,
    /// When it first started.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

impl Run {
    /// What its worker shows with everything that it writes; none while the run waits.
    pub fn fence(&self) -> Option<Fence> {
        Some(Fence {
            run_id: self.id,
            worker: self.worker?,
            attempt: self.attempt,
        })
    }
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum RunStatus {
    /// It waits for those before it.
    Queued,
    /// A worker runs it.
    Running,
    /// It ended with an answer.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was stopped on request.
    Cancelled,
    /// Its process died, and it could not be run again.
    Interrupted,
}

impl RunStatus {
    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether nothing more will happen to the run.
    pub fn is_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// The user message of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The id that the client gave it, if any.
    pub id: Option<String>,
    /// The words of the question.
    pub text: String,
}

/// A process that runs runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worker {
    /// Fresh for each process.
    pub id: Uuid,
    /// Time that it is taken as alive after its last sign of life; it renews several times within
    /// this.
    pub lease: Duration,
}

/// The right to write to a run. Lost for good when the run ends or another worker takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The run.
    pub run_id: Uuid,
    /// Who runs it.
    pub worker: Uuid,
    /// In which attempt.
    pub attempt: i32,
}

/// The result of a request to stop a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancellation {
    /// Its worker is notified; the run ends soon.
    Requested,
    /// It was waiting and will not start.
    Ended,
    /// It had ended before, so.
    Already(RunStatus),
}

impl Store {
    /// A run of its owner.
    pub async fn run(&self, owner: &Owner, run_id: Uuid) -> Result<Run, Error> {
        let row = sqlx::query_file_as!(Row, "queries/run.sql", run_id, owner.tenant, owner.subject)
            .fetch_one(&self.pool)
            .await?;
        Ok(row.into())
    }

    /// The run that has the thread: the running one, or the first that waits.
    pub async fn active_run(&self, owner: &Owner, thread_id: Uuid) -> Result<Option<Run>, Error> {
        let row = sqlx::query_file_as!(
            Row,
            "queries/active_run.sql",
            thread_id,
            owner.tenant,
            owner.subject,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(Run::from))
    }

    /// Which of these threads a run has or waits for, each with that run: the running one, or the
    /// first that waits.
    pub async fn active_runs(
        &self,
        owner: &Owner,
        thread_ids: &[Uuid],
    ) -> Result<Vec<(Uuid, Uuid)>, Error> {
        let rows = sqlx::query!(
            "SELECT DISTINCT ON (r.thread_id) r.thread_id, r.id FROM orchestrator.runs r
             WHERE r.thread_id = ANY($1) AND r.tenant = $2 AND r.owner = $3 AND r.status IN ('running', 'queued')
             ORDER BY r.thread_id, r.status = 'running' DESC, r.number",
            thread_ids,
            owner.tenant,
            owner.subject,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows
            .into_iter()
            .map(|row| (row.thread_id, row.id))
            .collect())
    }

    /// The newest run of a thread.
    pub async fn latest_run(&self, owner: &Owner, thread_id: Uuid) -> Result<Option<Run>, Error> {
        let row = sqlx::query_file_as!(
            Row,
            "queries/latest_run.sql",
            thread_id,
            owner.tenant,
            owner.subject,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(Run::from))
    }

    /// Asks to stop a run: its worker is notified ([`NoticeKind::Cancel`],
    /// [`Renewed::cancel_requested`]); one that waits ends at once.
    pub async fn request_cancel(&self, owner: &Owner, run_id: Uuid) -> Result<Cancellation, Error> {
        let status = sqlx::query_file_scalar!(
            "queries/request_cancel.sql",
            run_id,
            owner.tenant,
            owner.subject,
            listener::CHANNEL,
            NoticeKind::Cancel.as_str(),
            NoticeKind::Ended.as_str(),
        )
        .fetch_optional(&self.pool)
        .await?;
        match status {
            Some(RunStatus::Running) => Ok(Cancellation::Requested),
            Some(_) => Ok(Cancellation::Ended),
            None => Ok(Cancellation::Already(self.run(owner, run_id).await?.status)),
        }
    }
}

/// A row of `runs` with its thread's name.
pub(crate) struct Row {
    id: Uuid,
    thread_id: Uuid,
    thread_name: String,
    tenant: String,
    owner: String,
    assistant: String,
    dialect: String,
    status: RunStatus,
    input: Json<Value>,
    question_id: Option<String>,
    question: Option<String>,
    message_id: String,
    attempt: i32,
    worker: Option<Uuid>,
    cancel_requested: bool,
    request_id: Option<String>,
    error: Option<Json<Value>>,
    usage: Option<Json<Usage>>,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
}

impl From<Row> for Run {
    fn from(row: Row) -> Self {
        let id = row.question_id;
        Self {
            id: row.id,
            thread_id: row.thread_id,
            thread_name: row.thread_name,
            owner: Owner::new(row.tenant, row.owner),
            assistant: row.assistant,
            dialect: row.dialect,
            status: row.status,
            input: row.input.0,
            question: row.question.map(|text| Question { id, text }),
            message_id: row.message_id,
            attempt: row.attempt,
            worker: row.worker,
            cancel_requested: row.cancel_requested,
            request_id: row.request_id,
            error: row.error.map(|json| json.0),
            usage: row.usage.map(|json| json.0),
            created_at: row.created_at,
            started_at: row.started_at,
            ended_at: row.ended_at,
        }
    }
}
