//! The analyst: plans, asks back, remembers, analyses.
//!
//! The BI agent's agent as a state graph (crate `graph`), drawn in `docs/graph.md`. Every turn
//! begins with the relation of the message to the current work; a request is made complete in
//! itself, planned as a list of tasks, and worked through, one attempt after the other. Each
//! attempt is recorded whole in the [`Memory`]: the list with its pointer, an entry, and the
//! metadata of the query that was executed. So a turn may end anywhere, with a question, an error
//! or the death of the process, and the next one continues at the pointer.
//!
//! [`agent_kit::Runner`] runs one turn and yields [`RunEvent`](contracts::run::RunEvent)s. It knows
//! the tools only as the trait [`agent_kit::Tools`] and a model only as [`llm::ChatModel`].
//!
//! Rules come before the model at every step ([`language`] reads messages and requests). A model
//! reads replies that no rule understands, completes requests that the rules left something to do,
//! proposes plans (those that cannot work are refused), chooses among options that exist where
//! no person is asked, and words answers as far as their figures are those of the results. It
//! names no ids and no fields, writes no queries, and computes nothing.
//!
//! ```
//! use std::sync::Arc;
//!
//! use agent_analyst::{AnalystAssistant, AnalystSettings, InProcessMemory};
//! use agent_kit::{Runner, Tools, ToolsError, TurnInput, UserInput};
//! use async_trait::async_trait;
//! use contracts::{run::RunEvent, tools::{ToolDefinition, ToolEnvelope}};
//! use futures::StreamExt;
//! use serde_json::Value;
//!
//! struct NoTools;
//!
//! #[async_trait]
//! impl Tools for NoTools {
//!     async fn call(&self, _: &str, _: Value) -> Result<ToolEnvelope, ToolsError> {
//!         Err(ToolsError::Unavailable)
//!     }
//!
//!     async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
//!         Ok(Arc::new([]))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let memory = Arc::new(Arc::new(InProcessMemory::default()));
//! let assistant = AnalystAssistant::new(AnalystSettings::default(), memory);
//! let assistant = Runner::new(assistant, None).unwrap();
//! let message = UserInput::Text("Show shipments to Miami last week".to_owned());
//! let turn = TurnInput::new("run_1", message, chrono::DateTime::UNIX_EPOCH, Arc::new(NoTools));
//! let turn = TurnInput { thread_key: Some("ann:thread_1".into()), ..turn };
//! let events: Vec<RunEvent> = assistant.run(turn).collect().await;
//! assert!(matches!(events.last(), Some(RunEvent::Finished { .. })));
//! # });
//! ```

mod assistant;
mod graph;
pub mod language;
mod memory;
mod nodes;
mod plan;
mod prompt;
mod run;
mod sentences;
mod settings;
mod state;
mod step;
mod summary;
mod tools;
mod words;

pub use self::graph::build_graph;
pub use assistant::{AnalystAssistant, open_question};
pub use memory::{
    CachedRows, InProcessMemory, KeptQuery, Memories, Memory, MemoryError, NewQuery, Recollection,
    Record,
};
pub use run::AnalystRun;
pub use settings::{AnalystSettings, ApprovePlans};
pub use state::{
    AnalystState, AnalystUpdate, ExecutionContext, IntentContext, IntentKind, IntentRoute,
    OpenQuestion, Phase, QueryContext, QueryMode, QuestionAbout, ResolutionContext, RetrievalKind,
};
