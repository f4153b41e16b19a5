//! The data assistant: answers questions about a company's databases and its documents.
//!
//! It is a state graph (crate `graph`), drawn in `docs/graph.md`: a router; the SQL graph of the
//! SQL agent, node for node; an answer from documents ([`rag`]); and the model on its own for the
//! rest. [`agent_kit::Runner`] runs one turn of a conversation on it and yields
//! [`RunEvent`](contracts::run::RunEvent)s. It knows the tools only as the trait
//! [`agent_kit::Tools`] and a model only as
//! [`llm::ChatModel`]: what exists, how it joins, whether a query may run, and running it are tools; choosing and writing are nodes.
//!
//! Rules come before the model at every step:
//! * the route: phrases, the catalogue's words, the route before; a model for what they are not
//!   sure of;
//! * a question that a person has confirmed is answered by its query;
//! * without a model, simple questions are queries already (how many, which, how many by what); a
//!   condition is never guessed;
//! * the joins are the tree that was found; a model chooses only among parallel ones;
//! * the answer is made of the rows; a model words it, as far as its figures are theirs.
//!
//! A query that is not accepted goes to a model for correction, with what is wrong with it, at most
//! [`SqlLimits::correction_max_attempts`] times; a database that is away never does. Where
//! [`Approval`] needs it, the plan waits for a person as an interrupt of the graph: the payload is
//! a [`PlanPreview`], the answer a [`PlanAnswer`], in any process and on any day.
//!
//! ```
//! use std::sync::Arc;
//!
//! use agent_data::DataAssistant;
//! use agent_kit::{Runner, Tools, ToolsError, TurnInput, UserInput};
//! use async_trait::async_trait;
//! use contracts::{run::RunEvent, tools::{ToolDefinition, ToolEnvelope, ToolStatus}};
//! use futures::StreamExt;
//! use serde_json::Value;
//!
//! struct NoTools;
//!
//! #[async_trait]
//! impl Tools for NoTools {
//!     async fn call(&self, _: &str, _: Value) -> Result<ToolEnvelope, ToolsError> {
//!         Ok(ToolEnvelope::without_result(ToolStatus::NoData, "There is no database here."))
//!     }
//!
//!     async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
//!         Ok(Arc::new([]))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let assistant = Runner::new(DataAssistant::default(), None).unwrap();
//! let message = UserInput::Text("How many technicians are active?".to_owned());
//! let turn = TurnInput::new("run_1", message, chrono::DateTime::UNIX_EPOCH, Arc::new(NoTools));
//! let events: Vec<RunEvent> = assistant.run(turn).collect().await;
//! assert!(matches!(events.last(), Some(RunEvent::Finished { .. })));
//! # });
//! ```

mod answer;
mod assistant;
mod draft;
mod graph;
mod language;
mod nodes;
mod prompt;
pub mod rag;
mod run;
mod sentences;
mod settings;
mod simple;
mod state;
mod targeting;

pub use self::graph::build_graph;
pub use agent_kit::approval::PlanAnswer;
pub use assistant::{DataAssistant, pending_choice, pending_plan};
pub use nodes::approve::PlanPreview;
pub use nodes::choose_target::{TargetChoice, TargetOption};
pub use run::DataRun;
pub use settings::{Approval, DataSettings, SqlLimits};
pub use state::{AnsweredQuery, DataState, DataUpdate, MAX_QUERIES, RememberedQuestion, Route};
