//! What durable checkpoints cost: a flow turn of eight supersteps, each of them committed to SQLite
//! or to PostgreSQL.
//!
//! The wall time of a turn includes waiting for SQLite's thread, or for the server; this process's
//! processor time, to which the budget applies, is printed at the end where the system reports it.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::{hint::black_box, sync::Arc, time::Duration};

use checkpoint::{PostgresSaver, SqliteSaver};
use criterion::{Criterion, criterion_group, criterion_main};
use graph::{
    Checkpointer, Command, CompiledGraph, Context, Durability, END, Input, MemorySaver, RunConfig,
    START, State, StateGraph,
};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use test_support::database::TestDatabase;

const SUPERSTEPS: usize = 8;

/// Checkpoints that a thread keeps.
const HISTORY: u32 = 32;

/// Some two kilobytes, like a conversation's turn.
#[derive(Clone, Serialize, Deserialize)]
struct Turn {
    count: u64,
    messages: Vec<String>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Add(u64);

impl State for Turn {
    type Update = Add;
    type Event = ();

    fn apply(&mut self, Add(n): Add) {
        self.count += n;
    }
}

fn linear(saver: Arc<dyn Checkpointer>) -> CompiledGraph<Turn> {
    let names: Vec<String> = (0..SUPERSTEPS).map(|n| format!("n{n}")).collect();
    let mut graph = StateGraph::new();
    for name in &names {
        graph.add_node(name.clone(), |_: Arc<Turn>, _: Context<Turn>| async {
            Ok(Command::update(Add(1)))
        });
    }
    graph.add_edge(START, names[0].clone());
    for pair in names.windows(2) {
        graph.add_edge(pair[0].clone(), pair[1].clone());
    }
    graph.add_edge(names[SUPERSTEPS - 1].clone(), END);
    graph.build("linear").unwrap().with_checkpointer(saver)
}

fn turn() -> Turn {
    Turn {
        count: 0,
        messages: vec!["How did the plant do last week? ".repeat(4); 16],
    }
}

/// Processor time of all threads so far, from `/proc/self/stat`; `None` on other systems.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

fn turns(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let saver = runtime
        .block_on(SqliteSaver::open(folder.path().join("bench.sqlite")))
        .unwrap();
    let sqlite = Arc::new(saver);
    let migrate = |pool: PgPool| async move { PostgresSaver::migrate(&pool).await };
    let database = runtime
        .block_on(TestDatabase::new("checkpoint", migrate))
        .unwrap();
    let postgres = PostgresSaver::new(database.pool().clone());
    let stores: [(&str, Arc<dyn Checkpointer>); 4] = [
        ("memory", Arc::new(MemorySaver::new())),
        ("sqlite", sqlite.clone()),
        ("postgres", Arc::new(postgres.clone())),
        (
            "postgres with history",
            Arc::new(postgres.with_history(HISTORY)),
        ),
    ];
    for (name, store) in stores {
        let app = linear(Arc::clone(&store));
        for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
            let mut turns = 0_u32;
            let before = processor_time();
            c.bench_function(
                &format!("turn of 8 supersteps/{name}/{durability:?}"),
                |b| {
                    b.to_async(&runtime).iter(|| {
                        turns += 1;
                        let config = RunConfig::thread("thread").durability(durability);
                        let (app, store) = (&app, &store);
                        async move {
                            black_box(app.invoke(Input::State(turn()), config).await.unwrap());
                            // A thread ends now and then, as in real life; and the memory would
                            // fill up.
                            if turns.is_multiple_of(8) {
                                store.delete_thread("thread").await.unwrap();
                            }
                        }
                    });
                },
            );
            if turns > 0 // or a filter left it out
                && let (Some(before), Some(after)) = (before, processor_time())
            {
                println!(
                    "processor time per turn, {name}, {durability:?}: {:?}",
                    after.saturating_sub(before) / turns
                );
            }
        }
    }
}

criterion_group!(benches, turns);
criterion_main!(benches);
