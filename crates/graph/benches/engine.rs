//! The cost of the engine itself, with nodes that do nothing: ten in a row, eight at once, each
//! without checkpoints and with them in memory.

#![expect(clippy::unwrap_used, reason = "a benchmark")]

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, criterion_group, criterion_main};
use futures::StreamExt;
use graph::{
    Checkpointer, Command, CompiledGraph, Context, END, MemorySaver, NodeResult, RunConfig, START,
    State, StateGraph, StreamModes,
};
use serde::{Deserialize, Serialize};

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
    type Event = u64;

    fn apply(&mut self, Add(n): Add) {
        self.count += n;
    }
}

fn turn() -> Turn {
    Turn {
        count: 0,
        messages: vec!["How did the plant do last week? ".repeat(4); 16],
    }
}

async fn add(_: Arc<Turn>, context: Context<Turn>) -> NodeResult<Turn> {
    context.emit(1).await;
    context.emit(2).await;
    Ok(Command::update(Add(1)))
}

fn linear(nodes: usize) -> CompiledGraph<Turn> {
    let names: Vec<String> = (0..nodes).map(|n| format!("n{n}")).collect();
    let mut graph = StateGraph::new();
    graph.add_edge(START, names[0].clone());
    for pair in names.windows(2) {
        graph
            .add_node(pair[0].clone(), add)
            .add_edge(pair[0].clone(), pair[1].clone());
    }
    let last = names[nodes - 1].clone();
    graph.add_node(last.clone(), add).add_edge(last, END);
    graph.build("linear").unwrap()
}

fn fan_out(nodes: usize) -> CompiledGraph<Turn> {
    let mut graph = StateGraph::new();
    for name in (0..nodes).map(|n| format!("n{n}")) {
        graph
            .add_node(name.clone(), add)
            .add_edge(START, name.clone())
            .add_edge(name, "join");
    }
    graph.add_node("join", add).add_edge("join", END);
    graph.build("fan-out").unwrap()
}

fn runs(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for (name, app) in [("linear 10", linear(10)), ("fan-out 8", fan_out(8))] {
        c.bench_function(&format!("{name}/no checkpoints"), |b| {
            b.to_async(&runtime)
                .iter(|| async { black_box(app.invoke(turn(), RunConfig::new()).await.unwrap()) });
        });
        c.bench_function(&format!("{name}/streamed"), |b| {
            b.to_async(&runtime).iter(|| async {
                let config = RunConfig::new().modes(StreamModes::CUSTOM);
                black_box(app.stream(turn(), config).count().await)
            });
        });
        let saver = Arc::new(MemorySaver::new());
        let stored = app.with_checkpointer(saver.clone());
        c.bench_function(&format!("{name}/memory saver"), |b| {
            b.to_async(&runtime).iter(|| async {
                black_box(stored.invoke(turn(), RunConfig::thread("t")).await.unwrap());
                // Or the memory would fill up, and that is what would be measured.
                saver.delete_thread("t").await.unwrap();
            });
        });
    }
}

criterion_group!(benches, runs);
criterion_main!(benches);
