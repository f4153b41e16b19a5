//! A database of its own for each test, and short words for what the tests do.

use std::sync::Arc;
use std::time::Duration;

use contracts::run::{Channel, FinishReason, RunEvent, Source};
use conversations::record::MessageBuilder;
use conversations::{
    Acceptance, Error, EventBatch, Fence, Finish, IfMissing, Message, MessagePage, NewRun,
    NewThread, Owner, Question, Run, Store, Thread, Worker,
};
use serde_json::json;
use sqlx::PgPool;
use test_support::database::TestDatabase;
use uuid::Uuid;

/// A store over a database of its own.
pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) database: TestDatabase,
}

pub(crate) async fn world() -> World {
    let database = TestDatabase::new("conversations", |pool| async move {
        conversations::migrate(&pool).await
    })
    .await
    .unwrap();
    World {
        store: Store::new(database.pool().clone()),
        database,
    }
}

pub(crate) fn ada() -> Owner {
    Owner::new("demo", "ada")
}

/// The same name in another tenant, and another name in the same one.
pub(crate) fn strangers() -> [Owner; 2] {
    [Owner::new("other", "ada"), Owner::new("demo", "bob")]
}

/// A process with a lease that outlasts any test.
pub(crate) fn worker() -> Worker {
    Worker {
        id: Uuid::new_v4(),
        lease: Duration::from_hours(1),
    }
}

pub(crate) fn new_thread(name: &str) -> NewThread {
    NewThread {
        id: Uuid::new_v4(),
        name: Some(name.into()),
        assistant: "site".into(),
        ..NewThread::default()
    }
}

/// A turn on the thread `name`, made if need be.
pub(crate) fn turn(name: &str, text: &str) -> NewRun {
    let id = Uuid::new_v4();
    NewRun {
        id,
        thread: Some(name.into()),
        thread_id: Uuid::new_v4(),
        if_missing: IfMissing::Create,
        enqueue: false,
        assistant: None,
        default_assistant: "site".into(),
        context_defaults: None,
        context: None,
        dialect: "ui".into(),
        input: json!({ "zone": "UTC", "after": 1 }),
        question: Some(Question {
            id: None,
            text: text.into(),
        }),
        message_id: format!("msg_{id}"),
        idempotency: None,
        request_id: Some("req-1".into()),
    }
}

impl World {
    /// A turn that must start.
    pub(crate) async fn start(&self, worker: Worker, new: &NewRun) -> (Thread, Run) {
        match self.store.accept(&ada(), worker, new).await.unwrap() {
            Acceptance::Started { thread, run } => (thread, run),
            other => panic!("not started: {other:?}"),
        }
    }

    /// A turn that must wait.
    pub(crate) async fn queue(&self, worker: Worker, name: &str, text: &str) -> Run {
        let new = NewRun {
            enqueue: true,
            ..turn(name, text)
        };
        match self.store.accept(&ada(), worker, &new).await.unwrap() {
            Acceptance::Queued { run, .. } => run,
            other => panic!("not queued: {other:?}"),
        }
    }

    /// A turn from its question to its answer.
    pub(crate) async fn talk(&self, name: &str, question: &str, answer: &str) -> (Thread, Run) {
        let (thread, run) = self.start(worker(), &turn(name, question)).await;
        self.store
            .finish(run.fence().unwrap(), answered(answer))
            .await
            .unwrap();
        (thread, run)
    }

    /// Everything that was said in a thread.
    pub(crate) async fn said(&self, thread_id: Uuid) -> Vec<String> {
        self.messages(thread_id)
            .await
            .into_iter()
            .map(|message| message.text)
            .collect()
    }

    pub(crate) async fn messages(&self, thread_id: Uuid) -> Vec<Message> {
        self.store
            .messages(&ada(), thread_id, MessagePage::Newest, 100)
            .await
            .unwrap()
    }

    /// Lets the leases of a worker lie over, as if it had died some time ago.
    pub(crate) async fn kill(&self, worker: Worker) {
        sqlx::query(
            "UPDATE orchestrator.runs SET lease_until = clock_timestamp() - interval '1 second' \
             WHERE worker = $1 AND status = 'running'",
        )
        .bind(worker.id)
        .execute(self.pool())
        .await
        .unwrap();
    }

    pub(crate) fn pool(&self) -> &PgPool {
        self.database.pool()
    }
}

/// The events of an assistant that answers `text`.
pub(crate) fn answer_events(text: &str) -> Vec<RunEvent> {
    vec![
        RunEvent::TextStarted {
            id: "1".into(),
            channel: Channel::Final,
        },
        RunEvent::TextDelta {
            id: "1".into(),
            delta: text.into(),
        },
        RunEvent::TextFinished { id: "1".into() },
        RunEvent::Finished {
            reason: FinishReason::Stop,
            source: Source::Rules,
            usage: None,
        },
    ]
}

/// The end of a run that answered `text`.
pub(crate) fn answered(text: &str) -> Finish {
    let mut builder = MessageBuilder::default();
    for event in answer_events(text) {
        builder.apply(&event);
    }
    builder.finish()
}

/// The first events of an attempt.
pub(crate) fn batch_of(events: Vec<RunEvent>) -> EventBatch {
    numbered(0, events)
}

/// The events from this number on.
pub(crate) fn numbered(first_seq: i64, events: Vec<RunEvent>) -> EventBatch {
    EventBatch::new(first_seq, events.into_iter().map(Arc::new).collect()).unwrap()
}

pub(crate) fn fence(run: &Run) -> Fence {
    run.fence().unwrap()
}

pub(crate) fn is_not_found<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::NotFound))
}
