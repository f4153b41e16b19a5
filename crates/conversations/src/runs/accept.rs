//! Accepting a turn.

use std::borrow::Cow;
use std::fmt::Write as _;

use contracts::run::Usage;
use database_kit::Kept;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::types::Json;
use uuid::Uuid;

use super::{Question, Row, Run, RunStatus, Worker};
use crate::error::Error;
use crate::idempotency::Idempotency;
use crate::storable::storable;
use crate::store::{Owner, Store};
use crate::threads::{IfMissing, Thread};
use crate::title::title_of;
use crate::together::{Statement, by_number};

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
    /// The assistant of a new thread whose request names none.
    pub default_assistant: String,
    /// Merged into the thread's context where that has no such key.
    pub context_defaults: Option<Map<String, Value>>,
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
    /// It waits for the runs before it; a user's [`Store::start_queued`] starts it.
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

/// Maximum number of attempts when two requests with one key collide: the second one finds the
/// winner's run.
const TRIES: u32 = 3;
/// PostgreSQL's code for a broken unique constraint.
const UNIQUE_VIOLATION: &str = "23505";

impl Store {
    /// Takes a turn in one round trip, together with others that come at the same time: finds or
    /// makes the thread, checks the idempotency key, and starts the run for `worker`, with its
    /// question and the thread's title stored, or queues it, or refuses it as [`Error::Busy`].
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
                other => return outcome(other?),
            }
        }
        outcome(self.try_accept(owner, worker, new).await?)
    }

    async fn try_accept(
        &self,
        owner: &Owner,
        worker: Worker,
        new: &NewRun,
    ) -> Result<Option<Taken>, sqlx::Error> {
        let request = serde_json::to_string(&AcceptRun::of(owner, worker, new))
            .map_err(|error| sqlx::Error::Encode(error.into()))?;
        let input = new.input.to_string();
        self.accepted.ask((request, input)).await
    }
}

/// The statement that takes turns: each is the arguments of `accept_run` and its input, as JSON.
#[derive(Clone)]
pub(crate) struct AcceptRuns(pub(crate) Kept);

impl Statement for AcceptRuns {
    type Request = (String, String);
    type Values = Self::Request;
    /// None: there is no such thread.
    type Answer = Option<Taken>;

    fn values(request: Self::Request) -> Result<Self::Values, sqlx::Error> {
        Ok(request)
    }

    fn size((request, input): &Self::Request) -> usize {
        request.len() + input.len()
    }

    async fn send(&self, requests: &[Self::Request]) -> Result<Vec<Self::Answer>, sqlx::Error> {
        let (texts, inputs): (Vec<&str>, Vec<&str>) = requests
            .iter()
            .map(|(request, input)| (request.as_str(), input.as_str()))
            .unzip();
        let mut connection = self.0.acquire().await?;
        let rows = sqlx::query_file!("queries/accept_runs.sql", &texts as _, &inputs as _)
            .fetch_all(&mut *connection)
            .await?;
        connection.keep();
        let taken = rows.into_iter().map(|row| {
            let run = Run::from(Row {
                id: row.id,
                thread_id: row.thread_id,
                thread_name: row.thread.name.clone(),
                tenant: row.tenant,
                owner: row.owner,
                assistant: row.assistant,
                dialect: row.dialect,
                status: row.status,
                input: row.input,
                question_id: row.question_id,
                question: row.question,
                message_id: row.message_id,
                attempt: row.attempt,
                worker: row.worker,
                cancel_requested: row.cancel_requested,
                request_id: row.request_id,
                error: row.error,
                usage: row.usage,
                created_at: row.created_at,
                started_at: row.started_at,
                ended_at: row.ended_at,
            });
            let taken = Taken {
                outcome: row.outcome,
                run,
                thread: row.thread.0,
            };
            (i64::from(row.number), taken)
        });
        Ok(by_number(requests.len(), taken))
    }
}

/// The arguments of the function `accept_run`, field by field under its names.
#[derive(Serialize)]
struct AcceptRun<'a> {
    tenant: &'a str,
    owner: &'a str,
    thread_id: Uuid,
    thread_name: Cow<'a, str>,
    create_thread: bool,
    default_assistant: &'a str,
    title: Option<String>,
    context_defaults: Option<&'a Map<String, Value>>,
    context: Option<&'a Map<String, Value>>,
    run_id: Uuid,
    assistant: Option<&'a str>,
    dialect: &'a str,
    message_id: &'a str,
    question_id: Option<&'a str>,
    question: Option<Cow<'a, str>>,
    enqueue: bool,
    idempotency_key: Option<&'a str>,
    /// As PostgreSQL reads bytes: `\x` and hexadecimal digits.
    fingerprint: Option<String>,
    request_id: Option<&'a str>,
    worker: Uuid,
    lease_seconds: f64,
}

impl<'a> AcceptRun<'a> {
    fn of(owner: &'a Owner, worker: Worker, new: &'a NewRun) -> Self {
        let question = new.question.as_ref();
        let idempotency = new.idempotency.as_ref();
        Self {
            tenant: &owner.tenant,
            owner: &owner.subject,
            thread_id: new.thread_id,
            thread_name: match &new.thread {
                Some(name) => Cow::Borrowed(name),
                None => Cow::Owned(new.thread_id.to_string()),
            },
            create_thread: new.thread.is_none() || new.if_missing == IfMissing::Create,
            default_assistant: &new.default_assistant,
            title: question.and_then(|question| title_of(&storable(&question.text))),
            context_defaults: new.context_defaults.as_ref(),
            context: new.context.as_ref(),
            run_id: new.id,
            assistant: new.assistant.as_deref(),
            dialect: &new.dialect,
            message_id: &new.message_id,
            question_id: question.and_then(|question| question.id.as_deref()),
            question: question.map(|question| storable(&question.text)),
            enqueue: new.enqueue,
            idempotency_key: idempotency.map(|idempotency| idempotency.key.as_str()),
            fingerprint: idempotency.map(|idempotency| hexadecimal(&idempotency.fingerprint)),
            request_id: new.request_id.as_deref(),
            worker: worker.id,
            lease_seconds: worker.lease.as_secs_f64(),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold("\\x".to_owned(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What `accept_run` answers.
pub(crate) struct Taken {
    outcome: String,
    thread: Thread,
    run: Run,
}

/// Reads what `accept_run` answered.
fn outcome(taken: Option<Taken>) -> Result<Acceptance, Error> {
    let Some(Taken {
        outcome,
        thread,
        run,
    }) = taken
    else {
        return Err(Error::NotFound);
    };
    match outcome.as_str() {
        "mismatch" => Err(Error::KeyReused),
        "busy" => Err(Error::Busy { run_id: run.id }),
        "started" => Ok(Acceptance::Started { thread, run }),
        "queued" => Ok(Acceptance::Queued { thread, run }),
        _ => Ok(Acceptance::Replayed { thread, run }),
    }
}
