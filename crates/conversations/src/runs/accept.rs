//! Accepting a turn.

use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use super::{Question, Row, Run, Worker};
use crate::error::Error;
use crate::idempotency::Idempotency;
use crate::storable::storable;
use crate::store::{Owner, Store};
use crate::threads::{IfMissing, Thread};
use crate::title::title_of;

/// A turn that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    /// Its id, fresh.
    pub id: Uuid,
    /// The thread, as its owner calls it; none makes a new one, named by `thread_id`.
    pub thread: Option<String>,
    /// The id that the thread gets if it is made now, fresh.
    pub thread_id: Uuid,
    /// What to do when there is no thread of that name.
    pub if_missing: IfMissing,
    /// Wait when the thread is busy, rather than be refused.
    pub enqueue: bool,
    /// Who is asked for; none takes the thread's assistant.
    pub assistant: Option<String>,
    /// Who answers in a thread that is made without asking for anyone.
    pub default_assistant: String,
    /// The inventory that the thread is about, if it has none yet.
    pub inventory_id: Option<String>,
    /// Merged into the thread's context. Credentials do not belong here.
    pub context: Option<Map<String, Value>>,
    /// The dialect that it is asked for in.
    pub dialect: String,
    /// What any replica needs to run it.
    pub input: Value,
    /// The user message; none to answer an older one again.
    pub question: Option<Question>,
    /// The public id of the answer to come.
    pub message_id: String,
    /// The client's key, so that the same request twice is one run.
    pub idempotency: Option<Idempotency>,
    /// The request that it comes with.
    pub request_id: Option<String>,
}

/// How a turn was taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Acceptance {
    /// It is this worker's to run, now; its question is stored.
    Started {
        /// The thread, made if need be.
        thread: Thread,
        /// The run.
        run: Run,
    },
    /// It waits for the runs before it; somebody's [`Store::start_queued`] starts it.
    Queued {
        /// The thread.
        thread: Thread,
        /// The run.
        run: Run,
    },
    /// The same request came before, with this run; nothing was done now.
    Replayed {
        /// The thread.
        thread: Thread,
        /// The run, however it stands.
        run: Run,
    },
}

/// How often two requests with one key may collide before we give up: the second try finds the winner's run.
const TRIES: u32 = 3;
/// PostgreSQL's code for a broken unique constraint.
const UNIQUE_VIOLATION: &str = "23505";

impl Store {
    /// Takes a turn in one round trip: finds or makes the thread, checks the idempotency key, and starts the run for
    /// `worker`, with its question and the thread's title stored, or queues it, or refuses it as [`Error::Busy`].
    ///
    /// Of any number at once on one thread exactly one starts.
    pub async fn accept(
        &self,
        owner: &Owner,
        worker: Worker,
        new: &NewRun,
    ) -> Result<Acceptance, Error> {
        for _ in 1..TRIES {
            match self.try_accept(owner, worker, new).await {
                Err(sqlx::Error::Database(error))
                    if error.code().as_deref() == Some(UNIQUE_VIOLATION)
                        && error.constraint() == Some("runs_idempotency") => {}
                other => return outcome(&other?),
            }
        }
        outcome(&self.try_accept(owner, worker, new).await?)
    }

    async fn try_accept(
        &self,
        owner: &Owner,
        worker: Worker,
        new: &NewRun,
    ) -> Result<PgRow, sqlx::Error> {
        let name = new
            .thread
            .clone()
            .unwrap_or_else(|| new.thread_id.to_string());
        let create = new.thread.is_none() || new.if_missing == IfMissing::Create;
        let question = new.question.as_ref();
        sqlx::query(include_str!("../../queries/accept_run.sql"))
            .bind(&owner.tenant)
            .bind(&owner.subject)
            .bind(new.thread_id)
            .bind(name)
            .bind(create)
            .bind(new.enqueue)
            .bind(&new.assistant)
            .bind(&new.default_assistant)
            .bind(question.and_then(|question| title_of(&storable(&question.text))))
            .bind(&new.inventory_id)
            .bind(new.context.as_ref().map(Json))
            .bind(new.id)
            .bind(&new.message_id)
            .bind(&new.dialect)
            .bind(new.input.to_string())
            .bind(question.and_then(|question| question.id.as_deref()))
            .bind(question.map(|question| storable(&question.text)))
            .bind(
                new.idempotency
                    .as_ref()
                    .map(|idempotency| idempotency.key.as_str()),
            )
            .bind(
                new.idempotency
                    .as_ref()
                    .map(|idempotency| idempotency.fingerprint.as_slice()),
            )
            .bind(&new.request_id)
            .bind(worker.id)
            .bind(worker.lease.as_secs_f64())
            .fetch_one(&self.pool)
            .await
    }
}

/// Reads what `accept_run` answered.
fn outcome(row: &PgRow) -> Result<Acceptance, Error> {
    let outcome: String = row.try_get("outcome")?;
    match outcome.as_str() {
        "not_found" => return Err(Error::NotFound),
        "mismatch" => return Err(Error::KeyReused),
        "busy" => {
            return Err(Error::Busy {
                run_id: row.try_get("id")?,
            });
        }
        _ => {}
    }
    let thread = Thread::from_row(row)?;
    let run = Run::from(Row::from_row(row)?);
    Ok(match outcome.as_str() {
        "started" => Acceptance::Started { thread, run },
        "queued" => Acceptance::Queued { thread, run },
        _ => Acceptance::Replayed { thread, run },
    })
}
