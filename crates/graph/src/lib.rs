//! A state-graph engine: typed state, reducers, supersteps, checkpoints, interrupts.

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
mod state;
mod stream;
mod subgraph;
mod task;
mod validate;

pub use builder::StateGraph;
pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, NextTask, TaskRecord, TaskWrite,
};
pub use command::{Command, END, START, Target, Targets};
pub use compiled::{CompiledGraph, Snapshot};
pub use context::Context;
pub use error::{BoxError, Error, Failure, NodeError};
pub use interrupt::{Answers, Interrupt};
pub use memory::MemorySaver;
pub use node::{Node, NodeOptions, NodeResult, RetryPolicy};
pub use run::{Durability, Input, Outcome, RunConfig};
pub use state::State;
pub use stream::{Run, StreamItem, StreamModes, TaskStatus, Warning};
pub use subgraph::Lens;
pub use validate::{BuildError, Problem};
