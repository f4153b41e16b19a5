//! A state-graph engine for workflows that branch, loop, wait for people and survive restarts.
//!
//! You describe a computation as *nodes* (async functions) joined by *edges*, over one typed
//! *state*. The engine runs it in supersteps, streams what happens, and can keep a *checkpoint*
//! after each of them, so that a run can be stopped, looked at, answered and resumed, in another
//! process and on another day.
//!
//! The crate is usable on its own. It knows no HTTP, no SQL and no language model; it needs tokio
//! and serde.
//!
//! # An approval, from question to answer
//!
//! ```
//! use std::sync::Arc;
//! use graph::{
//!     Answers, Command, Context, END, Input, MemorySaver, NodeResult, Outcome, RunConfig, START,
//!     State, StateGraph,
//! };
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Clone, Default, Serialize, Deserialize)]
//! struct Expense {
//!     amount: u32,
//!     approved_by: Option<String>,
//!     log: Vec<String>,
//! }
//!
//! #[derive(Clone, Serialize, Deserialize)]
//! enum Change {
//!     Approved(String),
//!     Log(String),
//! }
//!
//! impl State for Expense {
//!     type Update = Change;
//!     type Event = ();
//!
//!     // The reducers: the only place where the state changes.
//!     fn apply(&mut self, change: Change) {
//!         match change {
//!             Change::Approved(name) => self.approved_by = Some(name),
//!             Change::Log(line) => self.log.push(line),
//!         }
//!     }
//! }
//!
//! async fn approve(expense: Arc<Expense>, context: Context<Expense>) -> NodeResult<Expense> {
//!     // Stops the run the first time; returns the answer when the run is resumed with one.
//!     let question = format!("Who approves {}?", expense.amount);
//!     let name: String = context.interrupt("approver", &question)?;
//!     Ok(Command::update(Change::Approved(name)))
//! }
//!
//! async fn pay(expense: Arc<Expense>, _: Context<Expense>) -> NodeResult<Expense> {
//!     Ok(Command::update(Change::Log(format!("paid {}", expense.amount))))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = StateGraph::new();
//! graph
//!     .add_node("approve", approve)
//!     .add_node("pay", pay)
//!     .add_conditional_edges(
//!         START,
//!         |expense: &Expense| if expense.amount > 100 { "approve" } else { "pay" },
//!         ["approve", "pay"],
//!     )
//!     .add_edge("approve", "pay")
//!     .add_edge("pay", END);
//! // Refuses unknown names, unreachable nodes and dead ends, all of them at once.
//! let app = graph.build("expenses")?.with_checkpointer(Arc::new(MemorySaver::new()));
//!
//! let thread = || RunConfig::thread("expense-17");
//! let expense = Expense { amount: 250, ..Expense::default() };
//! let stopped = app.invoke(expense, thread()).await?;
//! assert_eq!(stopped.interrupts()[0].payload, "Who approves 250?");
//!
//! // Another process, another day:
//! let outcome = app.invoke(Input::Resume(Answers::one("Ann")), thread()).await?;
//! let Outcome::Done(expense) = outcome else { unreachable!() };
//! assert_eq!(expense.approved_by.as_deref(), Some("Ann"));
//! assert_eq!(expense.log, ["paid 250"]);
//! # Ok(())
//! # }
//! ```
//!
//! # What a run is given
//!
//! Nodes need more than the state: clients, a clock, the identity of the caller. None of it belongs
//! into a state that is stored and read back elsewhere, so each run is given a context of its own,
//! of a type that you choose, and nodes and routers reach it by reference with [`Context::run`]. It
//! is never stored. A run that resumes a thread is given one as well.
//!
//! ```
//! use std::sync::Arc;
//! use graph::{Command, CompiledGraph, Context, END, NodeResult};
//! use graph::{RunConfig, START, State, StateGraph};
//! # use serde::{Deserialize, Serialize};
//! # #[derive(Clone, Default, Serialize, Deserialize)]
//! # struct Letter { text: String }
//! # impl State for Letter {
//! #     type Update = String;
//! #     type Event = ();
//! #     fn apply(&mut self, text: String) { self.text = text }
//! # }
//!
//! /// What every run is given.
//! struct Desk {
//!     clerk: String,
//!     translator: Option<fn(&str) -> String>,
//! }
//!
//! async fn sign(letter: Arc<Letter>, context: Context<Letter, Desk>) -> NodeResult<Letter> {
//!     Ok(Command::update(format!("{}, {}", letter.text, context.run().clerk)))
//! }
//!
//! async fn translate(letter: Arc<Letter>, context: Context<Letter, Desk>) -> NodeResult<Letter> {
//!     let translated = context.run().translator.map(|translate| translate(&letter.text));
//!     Ok(Command::updates(translated))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = StateGraph::new();
//! graph
//!     .add_node("sign", sign)
//!     .add_node("translate", translate)
//!     .add_edge(START, "sign")
//!     .add_conditional_edges_with(
//!         "sign",
//!         |_: &Letter, desk: &Desk| if desk.translator.is_some() { "translate" } else { END },
//!         ["translate", END],
//!     )
//!     .add_edge("translate", END);
//! let app: CompiledGraph<Letter, Desk> = graph.build("letters")?;
//!
//! let letter = Letter { text: "Dear Bob".to_owned() };
//! let desk = Desk { clerk: "Ann".to_owned(), translator: Some(|text| text.to_uppercase()) };
//! let outcome = app.invoke_with(letter, desk, RunConfig::new()).await?;
//! assert_eq!(outcome.state().text, "DEAR BOB, ANN");
//! # Ok(())
//! # }
//! ```
//!
//! A graph that is run without a context has the context `()`, which is the default of the
//! parameter.
//!
//! # How a run goes
//!
//! A run is a sequence of **supersteps**. In each, all scheduled *tasks* run concurrently on the
//! same snapshot of the state. When all are done, their updates are applied by the reducers in the
//! order in which the tasks were scheduled, whichever finished first; then the edges are followed
//! on the new state, which schedules the next superstep; then the checkpoint is stored. The run
//! ends when nothing is scheduled.
//!
//! - Branches of a superstep that lead to the same node meet there: it runs once. Branches of
//!   different lengths do not wait for each other; give the shorter one a node more, or put them
//!   into one.
//! - A conditional edge may return several targets, and [`Target::send`] schedules tasks with an
//!   input of their own, which is map and reduce.
//! - [`Command::goto`] goes to declared [destinations](NodeOptions::destinations) *instead of*
//!   following the node's edges.
//! - [Subgraphs](StateGraph::add_subgraph) are laid flat when the graph is built: they cost
//!   nothing, and interrupts, checkpoints and parallel branches work in them as anywhere. A
//!   [`Lens`] lets one work on a part of the state.
//!
//! # What can go wrong, and what happens then
//!
//! | what | then |
//! |---|---|
//! | a node fails, panics or takes too long | it is retried by its [`RetryPolicy`]; then siblings are stopped and the run ends with [`Error::Node`] |
//! | a sibling had finished already | its updates are kept with the checkpoint, and it does not run again when the thread is resumed |
//! | a node asks with [`Context::interrupt`] | siblings finish, the run ends with [`Outcome::Interrupted`] |
//! | the run is cancelled | nodes are dropped at once, and the run ends with [`Outcome::Cancelled`] |
//! | a [`Run`] or the future of [`CompiledGraph::invoke`] is dropped | the run stops with all its tasks |
//! | the process ends | [`Input::Continue`] continues from the last checkpoint; the superstep after it runs again |
//! | a checkpoint cannot be stored | [`Warning::CheckpointFailed`], and the run continues without checkpoints |
//! | a checkpoint cannot be loaded | [`Error::Load`] before anything runs; or, with [`Unreadable::StartFresh`], a [`Warning`] and a run that begins as on a new thread |
//! | a cycle does not end | [`Error::RecursionLimit`] |
//!
//! # Threads, history, forks
//!
//! A *thread* is a sequence of checkpoints under a name that the caller chooses. [`Input::Update`]
//! begins the thread's next turn, [`CompiledGraph::get_state_history`] reads its past, and
//! [`RunConfig::checkpoint`] begins from any point of it, which makes a new branch. A thread has
//! one writer: at most one run at a time may be active on it, and the caller sees to that.
//!
//! Checkpoints go to a [`Checkpointer`]: [`MemorySaver`], or an implementation of your own, which
//! `graph::conformance` (feature `conformance`) tests.
//!
//! # Watching
//!
//! [`CompiledGraph::stream`] yields [`StreamItem`]s while the run continues: events that nodes
//! emit, updates, tasks, states, checkpoints, by [`StreamModes`]. The channel is bounded, so a slow
//! reader slows the run down instead of filling the memory. Runs, supersteps and nodes are
//! [`tracing`] spans (`graph.run`, `graph.superstep`, `graph.node`). [`CompiledGraph::to_mermaid`]
//! draws the graph.

mod builder;
mod checkpoint;
mod command;
mod compiled;
#[cfg(feature = "conformance")]
pub mod conformance;
mod context;
mod engine;
mod error;
mod interrupt;
mod memory;
mod mermaid;
mod node;
mod resume;
mod run;
mod saver;
mod schedule;
mod state;
mod stream;
mod subgraph;
mod task;
mod validate;

pub use builder::StateGraph;
pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, NextTask, TaskRecord, TaskWrite,
    earliest_id,
};
pub use command::{Command, END, START, Target, Targets};
pub use compiled::{CompiledGraph, Snapshot};
pub use context::Context;
pub use error::{BoxError, Error, Failure, NodeError};
pub use interrupt::{Answers, Interrupt};
pub use memory::MemorySaver;
pub use node::{Node, NodeOptions, NodeResult, RetryPolicy};
pub use run::{Durability, Input, Outcome, RunConfig, Unreadable};
pub use state::State;
pub use stream::{Run, StreamItem, StreamModes, TaskStatus, Warning};
pub use subgraph::Lens;
pub use validate::{BuildError, Problem};
