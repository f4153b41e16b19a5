//! A state that remembers what was done to it, nodes that do little, and a store that can be
//! broken.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use graph::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Command, CompiledGraph, Context, END,
    MemorySaver, Node, NodeResult, START, State, StateGraph, TaskWrite,
};
use serde::{Deserialize, Serialize};

/// Appends lines; its events are lines, too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Log {
    pub(crate) lines: Vec<String>,
    #[serde(default)]
    pub(crate) count: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    Line(String),
    Add(i64),
}

impl State for Log {
    type Update = Change;
    type Event = String;

    fn apply(&mut self, change: Change) {
        match change {
            Change::Line(line) => self.lines.push(line),
            Change::Add(n) => self.count += n,
        }
    }
}

pub(crate) fn line(text: impl Into<String>) -> Command<Log> {
    Command::update(Change::Line(text.into()))
}

/// A node that logs its name.
pub(crate) async fn log_name(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
    Ok(line(context.node()))
}

/// A node that logs its name after this long.
pub(crate) fn slow(wait: Duration) -> impl Node<Log> {
    move |_: Arc<Log>, context: Context<Log>| async move {
        tokio::time::sleep(wait).await;
        Ok(line(context.node()))
    }
}

/// START → first → … → last → END, every node logging its name.
pub(crate) fn chain(names: &[&'static str]) -> StateGraph<Log> {
    let mut graph = StateGraph::new();
    let mut from = START;
    for &name in names {
        graph.add_node(name, log_name).add_edge(from, name);
        from = name;
    }
    graph.add_edge(from, END);
    graph
}

/// A graph of one node.
pub(crate) fn only(node: impl Node<Log>) -> CompiledGraph<Log> {
    let mut graph = StateGraph::new();
    graph
        .add_node("only", node)
        .add_edge(START, "only")
        .add_edge("only", END);
    graph.build("only").unwrap()
}

/// A node's name, and what adds it.
pub(crate) type Branch = (String, Box<dyn FnOnce(&mut StateGraph<Log>, String)>);

/// START → all of them at once → join → END.
pub(crate) fn fan_out(nodes: Vec<Branch>) -> CompiledGraph<Log> {
    let mut graph = StateGraph::new();
    graph.add_node("join", log_name).add_edge("join", END);
    for (name, add) in nodes {
        graph
            .add_edge(START, name.clone())
            .add_edge(name.clone(), "join");
        add(&mut graph, name);
    }
    graph.build("fan-out").unwrap()
}

/// For [`fan_out`].
pub(crate) fn branch(name: impl Into<String>, node: impl Node<Log>) -> Branch {
    (
        name.into(),
        Box::new(move |graph, name| _ = graph.add_node(name, node)),
    )
}

/// Counts how often something ran.
#[derive(Clone, Default)]
pub(crate) struct Counter(Arc<AtomicU32>);

impl Counter {
    pub(crate) fn count(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Returns whether something was dropped.
pub(crate) struct OnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A store whose calls can be made to fail or to hang, and that counts them.
#[derive(Default)]
pub(crate) struct Fragile {
    pub(crate) inner: MemorySaver,
    pub(crate) puts_fail_from: Option<usize>,
    pub(crate) gets_fail: bool,
    pub(crate) hangs: bool,
    pub(crate) calls: Mutex<Vec<&'static str>>,
}

impl Fragile {
    fn called(&self, call: &'static str) -> usize {
        let mut calls = self.calls.lock().unwrap();
        calls.push(call);
        calls.iter().filter(|&&made| made == call).count()
    }

    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl Checkpointer for Fragile {
    async fn put(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let call = self.called("put");
        if self.hangs {
            std::future::pending::<()>().await;
        }
        if self.puts_fail_from.is_some_and(|from| call >= from) {
            return Err(CheckpointError::unavailable("the disk is full"));
        }
        self.inner.put(checkpoint).await
    }

    async fn put_writes(
        &self,
        thread_id: &str,
        id: CheckpointId,
        writes: &[TaskWrite],
    ) -> Result<(), CheckpointError> {
        self.called("put_writes");
        self.inner.put_writes(thread_id, id, writes).await
    }

    async fn get(
        &self,
        thread_id: &str,
        id: Option<CheckpointId>,
    ) -> Result<Option<Checkpoint>, CheckpointError> {
        self.called("get");
        if self.gets_fail {
            return Err(CheckpointError::unavailable("the disk is gone"));
        }
        self.inner.get(thread_id, id).await
    }

    async fn list(
        &self,
        thread_id: &str,
        limit: u32,
        before: Option<CheckpointId>,
    ) -> Result<Vec<Checkpoint>, CheckpointError> {
        self.inner.list(thread_id, limit, before).await
    }

    async fn delete_thread(&self, thread_id: &str) -> Result<(), CheckpointError> {
        self.inner.delete_thread(thread_id).await
    }

    async fn prune(&self, thread_id: &str, keep: u32) -> Result<u64, CheckpointError> {
        self.inner.prune(thread_id, keep).await
    }

    async fn delete_idle(&self, before: SystemTime) -> Result<u64, CheckpointError> {
        self.inner.delete_idle(before).await
    }
}
