//! A conversation whose store fails: the rows of the table "Error Handling" of the original system
//! (see docs/compatibility.md), on the engine.

use std::{
    io::Write,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use checkpoint::{PostgresSaver, SqliteOptions, SqliteSaver};
use futures::StreamExt;
use graph::{
    CheckpointError, Checkpointer, Command, CompiledGraph, Context, END, Input, RunConfig, START,
    State, StateGraph, StreamItem, Unreadable, Warning,
};
use serde::{Deserialize, Serialize};
use sqlx::{Executor, PgPool};
use tempfile::TempDir;

use crate::{
    degraded::{hasty, persistent},
    postgres::{admin, database, set_open, trusting_pool},
    sqlite::raw,
};

/// The questions and answers so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Talk {
    lines: Vec<String>,
}

impl State for Talk {
    type Update = String;
    type Event = ();

    fn apply(&mut self, line: String) {
        self.lines.push(line);
    }
}

fn assistant(saver: Arc<dyn Checkpointer>) -> CompiledGraph<Talk> {
    assistant_that(saver, async || {})
}

/// One that does something of its own before it answers.
fn assistant_that<F: Future<Output = ()> + Send + 'static>(
    saver: Arc<dyn Checkpointer>,
    something: impl Fn() -> F + Send + Sync + 'static,
) -> CompiledGraph<Talk> {
    let something = Arc::new(something);
    let mut graph = StateGraph::new();
    graph
        .add_node("answer", move |talk: Arc<Talk>, _: Context<Talk>| {
            let something = Arc::clone(&something);
            async move {
                something().await;
                let heard = talk.lines.last().cloned().unwrap_or_default();
                Ok(Command::update(format!("{heard}!")))
            }
        })
        .add_edge(START, "answer")
        .add_edge("answer", END);
    graph.build("assistant").unwrap().with_checkpointer(saver)
}

fn config() -> RunConfig {
    RunConfig::thread("t").unreadable(Unreadable::StartFresh)
}

/// Runs a turn, which always succeeds: what the assistant then has in mind, and what it had to warn
/// of.
async fn say(
    assistant: &CompiledGraph<Talk>,
    line: &str,
    config: RunConfig,
) -> (String, Vec<Warning>) {
    let mut run = assistant.stream(Input::update(line.to_owned()), config);
    let mut warnings = Vec::new();
    while let Some(item) = run.next().await {
        match item {
            StreamItem::Warning(warning) => warnings.push(warning),
            StreamItem::Finished(result) => {
                return (result.unwrap().state().lines.join(" "), warnings);
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("the run had no end")
}

/// Runs a turn that has nothing to warn of.
async fn say_well(assistant: &CompiledGraph<Talk>, line: &str) -> String {
    let (lines, warnings) = say(assistant, line, config()).await;
    assert!(warnings.is_empty(), "{warnings:?}");
    lines
}

async fn open(options: SqliteOptions) -> Arc<SqliteSaver> {
    Arc::new(SqliteSaver::open_with(options).await.unwrap())
}

fn path(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("c.sqlite")
}

#[tokio::test]
async fn a_locked_database_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let assistant = assistant(open(persistent(&path(&folder))).await);
    let mut other = raw(&folder).await;
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    let turn = tokio::spawn({
        let assistant = assistant.clone();
        async move { say_well(&assistant, "a").await }
    });
    // Longer than one attempt; however the two are timed, the turn succeeds and is stored.
    tokio::time::sleep(Duration::from_millis(50)).await;
    other.execute("COMMIT").await.unwrap();
    assert_eq!(turn.await.unwrap(), "a a!");
    assert_eq!(say_well(&assistant, "b").await, "a a! b b!");
}

#[tokio::test]
async fn a_database_locked_for_too_long_costs_the_memory_of_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let assistant = assistant(open(hasty(&path(&folder))).await);
    assert_eq!(say_well(&assistant, "a").await, "a a!");
    let mut other = raw(&folder).await;
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    let (lines, warnings) = say(&assistant, "b", config()).await;
    assert_eq!(lines, "a a! b b!");
    assert!(
        matches!(
            &warnings[..],
            [Warning::CheckpointFailed {
                error: CheckpointError::Unavailable { .. }
            }]
        ),
        "{warnings:?}"
    );
    other.execute("ROLLBACK").await.unwrap();
    assert_eq!(say_well(&assistant, "c").await, "a a! c c!");
}

#[tokio::test]
async fn a_store_that_is_given_up_in_mid_call_serves_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let assistant = assistant(open(SqliteOptions::new(path(&folder))).await);
    let mut other = raw(&folder).await;
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    let impatient = RunConfig {
        checkpoint_timeout: Duration::from_millis(50),
        ..config()
    };
    let (lines, warnings) = say(&assistant, "a", impatient).await;
    assert_eq!(lines, "a a!");
    assert!(
        matches!(
            &warnings[..],
            [Warning::CheckpointFailed {
                error: CheckpointError::TimedOut { .. }
            }]
        ),
        "{warnings:?}"
    );
    other.execute("ROLLBACK").await.unwrap();
    assert!(say_well(&assistant, "b").await.ends_with("b b!"));
}

#[tokio::test]
async fn a_thread_that_can_not_be_loaded_costs_the_context_and_is_there_when_the_store_is_back() {
    let database = database().await;
    let saver = PostgresSaver::new(trusting_pool(&database, 2));
    let assistant = assistant(Arc::new(saver));
    assert_eq!(say_well(&assistant, "a").await, "a a!");
    let mut admin = admin(&database).await;
    set_open(&mut admin, &database, false).await;
    let (lines, warnings) = say(&assistant, "b", config()).await;
    assert_eq!(lines, "b b!");
    assert!(
        matches!(
            &warnings[..],
            [Warning::CheckpointNotLoaded {
                error: CheckpointError::Unavailable { .. }
            }]
        ),
        "{warnings:?}"
    );
    set_open(&mut admin, &database, true).await;
    assert_eq!(say_well(&assistant, "c").await, "a a! c c!");
}

#[tokio::test]
async fn a_store_that_goes_away_in_mid_run_costs_the_memory_of_the_turn() {
    let database = database().await;
    let pool = trusting_pool(&database, 2);
    let going: PgPool = pool.clone();
    let failing = assistant_that(Arc::new(PostgresSaver::new(pool)), move || {
        let going = going.clone();
        async move { going.close().await }
    });
    let (lines, warnings) = say(&failing, "a", config()).await;
    assert_eq!(lines, "a a!");
    assert!(
        matches!(
            &warnings[..],
            [Warning::CheckpointFailed {
                error: CheckpointError::Unavailable { .. }
            }]
        ),
        "{warnings:?}"
    );
    // What was stored before stays: the question, which was not answered as far as the store knows.
    let saver = PostgresSaver::new(trusting_pool(&database, 2));
    assert_eq!(say_well(&assistant(Arc::new(saver)), "b").await, "a b b!");
}

/// Collects what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The thread's newest checkpoint is damaged by `damage`: the turn after it begins again, which is
/// an error in the log, and the one after that continues from there.
async fn begins_anew(saver: Arc<dyn Checkpointer>, damage: impl AsyncFnOnce()) {
    let assistant = assistant(saver);
    assert_eq!(say_well(&assistant, "a").await, "a a!");
    damage().await;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::ERROR)
        .with_writer(move || writer.clone())
        .finish();
    let logging = tracing::subscriber::set_default(subscriber);
    let (lines, warnings) = say(&assistant, "b", config()).await;
    drop(logging);
    assert_eq!(lines, "b b!");
    assert!(
        matches!(
            &warnings[..],
            [Warning::CheckpointNotLoaded {
                error: CheckpointError::Corrupt { .. }
            }]
        ),
        "{warnings:?}"
    );
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("a thread is unreadable"), "{log}");
    assert_eq!(say_well(&assistant, "c").await, "b b! c c!");
}

#[tokio::test]
async fn a_corrupt_checkpoint_in_sqlite_begins_the_thread_anew() {
    for damage in [
        "UPDATE checkpoints SET state = x'ff00'",
        "UPDATE checkpoints SET state = substr(state, 1, length(state) - 2)",
        "UPDATE checkpoints SET state = CAST('{}' AS BLOB)",
        "UPDATE checkpoints SET next = '[{'",
        "UPDATE checkpoints SET metadata = ''",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let saver = open(SqliteOptions::new(path(&folder))).await;
        let mut raw = raw(&folder).await;
        begins_anew(saver, async || {
            raw.execute(damage).await.unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn a_corrupt_checkpoint_in_postgresql_begins_the_thread_anew() {
    for damage in [
        "UPDATE orchestrator.checkpoints SET state = '\\xff00'",
        "UPDATE orchestrator.checkpoints SET state = substr(state, 1, length(state) - 2)",
        "UPDATE orchestrator.checkpoints SET writes = '{}'",
        "UPDATE orchestrator.checkpoints SET step = -1",
    ] {
        let database = database().await;
        let saver = PostgresSaver::new(database.pool().clone());
        begins_anew(Arc::new(saver), async || {
            database.pool().execute(damage).await.unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn a_thread_that_is_missing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let database = database().await;
    let stores: [Arc<dyn Checkpointer>; 2] = [
        open(SqliteOptions::new(path(&folder))).await,
        Arc::new(PostgresSaver::new(database.pool().clone())),
    ];
    for store in stores {
        let assistant = assistant(store);
        assert!(assistant.get_state("t", None).await.unwrap().is_none());
        assert_eq!(say_well(&assistant, "a").await, "a a!");
        assert!(assistant.get_state("t", None).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_clean_up_that_fails_changes_nothing_and_is_made_up_for_by_the_next() {
    let database = database().await;
    let saver = Arc::new(PostgresSaver::new(trusting_pool(&database, 2)));
    let assistant = assistant(saver.clone());
    say_well(&assistant, "a").await;
    let day = Duration::from_hours(24);
    let (now, tomorrow) = (SystemTime::now(), SystemTime::now() + day);
    assert_eq!(saver.delete_idle(now - day).await.unwrap(), 0);
    let mut admin = admin(&database).await;
    set_open(&mut admin, &database, false).await;
    let failed = saver.delete_idle(tomorrow).await;
    assert!(
        matches!(failed, Err(CheckpointError::Unavailable { .. })),
        "{failed:?}"
    );
    set_open(&mut admin, &database, true).await;
    assert_eq!(say_well(&assistant, "b").await, "a a! b b!");
    assert_eq!(saver.delete_idle(tomorrow).await.unwrap(), 1);
    assert_eq!(say_well(&assistant, "c").await, "c c!");
}
