//! A database of its own for each test, with threads and runs.

use std::time::Duration;

use analyst_memory::AnalystStore;
use contracts::run::{Channel, FinishReason, RunEvent, Source};
use conversations::record::MessageBuilder;
use conversations::{
    Acceptance, Fence, Finish, IfMissing, NewRun, Owner, Question, Run, Store, Thread, Worker,
};
use serde_json::json;
use sqlx::PgPool;
use test_support::database::TestDatabase;
use uuid::Uuid;

/// Threads and the memory of the analyst, over a database of its own.
pub(crate) struct World {
    pub(crate) threads: Store,
    pub(crate) store: AnalystStore,
    database: TestDatabase,
}

pub(crate) async fn world() -> World {
    let database = TestDatabase::new("analyst-memory", |pool| async move {
        conversations::migrate(&pool).await?;
        analyst_memory::migrate(&pool).await
    })
    .await
    .unwrap();
    World::over(database)
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

/// A turn on the thread `name`, which is created on first use.
pub(crate) fn turn(name: &str, text: &str) -> NewRun {
    let id = Uuid::new_v4();
    NewRun {
        id,
        thread: Some(name.into()),
        thread_id: Uuid::new_v4(),
        if_missing: IfMissing::Create,
        enqueue: false,
        assistant: None,
        default_assistant: "analyst".into(),
        context_defaults: None,
        context: None,
        dialect: "ui".into(),
        input: json!({}),
        question: Some(Question {
            id: None,
            text: text.into(),
        }),
        message_id: format!("msg_{id}"),
        idempotency: None,
        request_id: None,
    }
}

impl World {
    pub(crate) fn over(database: TestDatabase) -> Self {
        Self {
            threads: Store::new(database.pool().clone()),
            store: AnalystStore::new(database.pool().clone()),
            database,
        }
    }

    /// A turn that must start.
    pub(crate) async fn start(&self, worker: Worker, new: &NewRun) -> (Thread, Run) {
        match self.threads.accept(&ada(), worker, new).await.unwrap() {
            Acceptance::Started { thread, run } => (thread, run),
            other => panic!("not started: {other:?}"),
        }
    }

    /// Expires the leases of a worker.
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

/// The end of a run that answered `text`.
pub(crate) fn answered(text: &str) -> Finish {
    let mut builder = MessageBuilder::default();
    for event in [
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
    ] {
        builder.apply(&event);
    }
    builder.finish()
}

pub(crate) fn fence(run: &Run) -> Fence {
    run.fence().unwrap()
}
